"""What has become of an approval, in a person's words and from its rows alone."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from approvals.context import Context
from approvals.states import State
from approvals.visible import visible_line
from butler.contract.names import ToolName
from butler.store.queries.approvals import ApprovalRow

BY_POLICY = "policy"
"""`decided_by` of what passed without a tap."""
CALM = {
    "acts as you": "it acts as you",
    "reads something private": "it reads something private",
    "this tool always asks": "this tool always asks",
    "your settings ask for everything that others see": "your settings ask for everything that others see",
    "no rule allows it": "no rule allows it",
}
"""Reasons to ask that warn of nothing, as a card says them."""
SENDS = frozenset({"send", "reply", "forward"})


def act(tool: str, sent: str, done: str) -> str:
    """One word for tools that send, another for all others."""
    return sent if SENDS & set(ToolName.parse(tool).action.split("_")) else done


def outcome(context: Context, row: ApprovalRow, now: datetime) -> str:
    """One or two sentences; while nobody has decided, only what the owner has to know of it."""
    return _OUTCOMES[State(row.state)](context, row, now)


def warnings(row: ApprovalRow) -> tuple[str, ...]:
    """The reasons that warn the owner: of words that are not theirs, of recipients whom they do not know."""
    return tuple(reason for reason in row.reasons if reason not in CALM)


def asks_because(row: ApprovalRow) -> str:
    """Why it asks, where nothing warns."""
    return "" if warnings(row) else "; ".join(CALM[reason] for reason in row.reasons)


def in_seconds(wait: timedelta) -> str:
    """Such as `10 s`, rounded up."""
    return f"{-(-wait // timedelta(seconds=1))} s"


def _pending(_context: Context, row: ApprovalRow, _now: datetime) -> str:
    return row.detail


def _approved(context: Context, row: ApprovalRow, now: datetime) -> str:
    act_at = row.execute_at or now
    doing = act(row.tool, "Sending", "Doing it")
    when = f" in {in_seconds(act_at - now)}" if act_at > now else " now"
    return f"{_decided(context, row)}. {doing}{when}."


def _executing(context: Context, row: ApprovalRow, now: datetime) -> str:
    if not row.detail:
        return f"{_decided(context, row)}. {act(row.tool, 'Being sent', 'Being done')}."
    if row.execute_at is not None and row.execute_at > now:
        return (
            f"Not {act(row.tool, 'sent', 'done')} yet: {_detail(row)} Next try at {context.wall_time(row.execute_at)}."
        )
    return f"It is not known yet whether this {_was(row)}: {_detail(row)}"


def _done(context: Context, row: ApprovalRow, _now: datetime) -> str:
    did = act(row.tool, "sent", "done")
    if row.result is None:
        return f"Marked as {did} by you at {_finished(context, row)}."
    when = (
        f", as was found out at {_finished(context, row)}"
        if "found_out" in row.result
        else (f" at {_finished(context, row)}")
    )
    return f"{did.capitalize()}{when}. {_detail(row)}".rstrip()


def _failed(context: Context, row: ApprovalRow, _now: datetime) -> str:
    did = act(row.tool, "sent", "done")
    if row.result is None:
        return f"Marked as not {did} by you at {_finished(context, row)}."
    return f"Not {did}. It failed at {_finished(context, row)}: {_detail(row)}"


def _unknown(context: Context, row: ApprovalRow, _now: datetime) -> str:
    return (
        f"It is not known whether this {_was(row)}. Tried until {_finished(context, row)}: {_detail(row)} "
        "It will not be repeated. Please look for yourself and mark what you find."
    )


def _denied(context: Context, row: ApprovalRow, _now: datetime) -> str:
    return f"{_decided(context, row)}. Nothing {_was(row)}."


def _expired(context: Context, row: ApprovalRow, _now: datetime) -> str:
    return f"Expired at {_finished(context, row)}: {_detail(row)} Nothing {_was(row)}."


def _superseded(context: Context, row: ApprovalRow, _now: datetime) -> str:
    return f"Withdrawn at {_finished(context, row)}: {_detail(row)} Nothing {_was(row)}."


def _cancelled(context: Context, row: ApprovalRow, _now: datetime) -> str:
    return f"Undone at {_finished(context, row)}. Nothing {_was(row)}."


_OUTCOMES: Mapping[State, Callable[[Context, ApprovalRow, datetime], str]] = {
    State.PENDING: _pending,
    State.APPROVED: _approved,
    State.EXECUTING: _executing,
    State.DONE: _done,
    State.FAILED: _failed,
    State.UNKNOWN: _unknown,
    State.DENIED: _denied,
    State.EXPIRED: _expired,
    State.SUPERSEDED: _superseded,
    State.CANCELLED: _cancelled,
}


def _was(row: ApprovalRow) -> str:
    return act(row.tool, "was sent", "was done")


def _decided(context: Context, row: ApprovalRow) -> str:
    if row.decided_by == BY_POLICY:
        return "Passed without a question"
    assert row.decided_at is not None, "who decided did so at some time"
    verb = "Denied" if row.state == State.DENIED else "Approved"
    return f"{verb} by you at {context.wall_time(row.decided_at)}"


def _finished(context: Context, row: ApprovalRow) -> str:
    assert row.finished_at is not None, "what has ended did so at some time"
    return context.wall_time(row.finished_at)


def _detail(row: ApprovalRow) -> str:
    text = visible_line(row.detail).strip()
    return text if not text or text.endswith((".", "!", "?")) else f"{text}."
