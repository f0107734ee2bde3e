"""What has become of an approval, in a person's words and from its rows alone."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from approvals.context import Context
from approvals.states import State
from approvals.visible import visible_line
from butler.contract.names import ToolName
from butler.store.queries.approvals import ApprovalRow

BY_POLICY = "policy"
"""`decided_by` of what the policy let pass by itself."""
BY_RULE = "rule:"
"""How `decided_by` begins where a standing rule let it pass; the rule's number follows."""
BY_MAIL = "mail:"
"""How `decided_by` begins where the owner answered by mail; their address follows."""
CHANGED_BY_YOU = "you changed it"
"""The reason to ask about an edited call that would have passed as it is now."""
ASKED_BY_CARD = "you asked for it by a card"
"""The reason to ask about what follows something that was done, and would have passed by itself."""
CALM = {
    "acts as you": "it acts as you",
    "reads something private": "it reads something private",
    "this tool always asks": "this tool always asks",
    "your settings ask for everything that others see": "your settings ask for everything that others see",
    "your settings always ask for this tool": "your settings always ask for this tool",
    "no rule allows it": "no rule allows it",
    CHANGED_BY_YOU: CHANGED_BY_YOU,
    ASKED_BY_CARD: ASKED_BY_CARD,
}
"""Reasons to ask that warn of nothing, as a card says them."""
_SENDS = frozenset({"send", "reply", "forward"})


def sends(tool: str) -> bool:
    """Whether by its name a tool sends something; a draft stays where it is."""
    words = set(ToolName.parse(tool).action.split("_"))
    return bool(_SENDS & words) and "draft" not in words


def act(tool: str, sent: str, done: str) -> str:
    """One word for tools that send, another for all others."""
    return sent if sends(tool) else done


def passed(row: ApprovalRow) -> bool:
    """Whether it passed without a question, by the policy itself or by a standing rule."""
    return row.decided_by is not None and (row.decided_by == BY_POLICY or row.decided_by.startswith(BY_RULE))


def outcome(context: Context, row: ApprovalRow, now: datetime) -> str:
    """A few sentences; while nobody has decided, only what the owner has to know of it."""
    text = _OUTCOMES[State(row.state)](context, row, now)
    decided = _by_rule(row) or _by_mail(context, row)
    return f"{decided}. {text}" if decided and not text.startswith(decided) else text


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
    return visible_line(row.detail)


def _approved(context: Context, row: ApprovalRow, now: datetime) -> str:
    act_at = row.execute_at or now
    doing = act(row.tool, "Sending", "Doing it")
    when = f" in {in_seconds(act_at - now)}" if act_at > now else " now"
    return f"{_decided(context, row)}. {doing}{when}."


def _executing(context: Context, row: ApprovalRow, now: datetime) -> str:
    if not row.detail:
        return f"{_decided(context, row)}. {act(row.tool, 'Being sent', 'Being done')}."
    if row.execute_at is not None and row.execute_at > now:
        at = context.wall_time(row.execute_at)
        return f"Not {act(row.tool, 'sent', 'done')} yet: {detail_of(row)} Next try at {at}."
    return f"It is not known yet whether this {_was(row)}: {detail_of(row)}"


def _done(context: Context, row: ApprovalRow, _now: datetime) -> str:
    did = act(row.tool, "sent", "done")
    if row.result is None:
        return f"Marked as {did} by you at {finished(context, row)}."
    when = (
        f", as was found out at {finished(context, row)}"
        if "found_out" in row.result
        else (f" at {finished(context, row)}")
    )
    return f"{did.capitalize()}{when}. {detail_of(row)}".rstrip()


def _failed(context: Context, row: ApprovalRow, _now: datetime) -> str:
    did = act(row.tool, "sent", "done")
    if row.result is None:
        return f"Marked as not {did} by you at {finished(context, row)}."
    return f"Not {did}. It failed at {finished(context, row)}: {detail_of(row)}"


def _unknown(context: Context, row: ApprovalRow, _now: datetime) -> str:
    return (
        f"It is not known whether this {_was(row)}. Tried until {finished(context, row)}: {detail_of(row)} "
        "It will not be repeated. Please look for yourself and mark what you find."
    )


def _denied(context: Context, row: ApprovalRow, _now: datetime) -> str:
    return f"{_decided(context, row)}. Nothing {_was(row)}."


def _expired(context: Context, row: ApprovalRow, _now: datetime) -> str:
    return f"Expired at {finished(context, row)}: {detail_of(row)} Nothing {_was(row)}."


def _superseded(context: Context, row: ApprovalRow, _now: datetime) -> str:
    return f"Withdrawn at {finished(context, row)}: {detail_of(row)} Nothing {_was(row)}."


def _cancelled(context: Context, row: ApprovalRow, _now: datetime) -> str:
    if not row.detail:
        return f"Undone at {finished(context, row)}. Nothing {_was(row)}."
    return f"Stopped at {finished(context, row)}: {detail_of(row)} Nothing {_was(row)}."


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
    if passed(row):
        return _by_rule(row) or "Passed without a question"
    assert row.decided_at is not None, "who decided did so at some time"
    verb = "Denied" if row.state == State.DENIED else "Approved"
    by = "by your mail" if _is_by_mail(row) else "by you"
    return f"{verb} {by} at {context.wall_time(row.decided_at)}"


def _by_rule(row: ApprovalRow) -> str:
    by = row.decided_by or ""
    return f"Passed by your standing rule {by.removeprefix(BY_RULE)}" if by.startswith(BY_RULE) else ""


def _by_mail(context: Context, row: ApprovalRow) -> str:
    return _decided(context, row) if _is_by_mail(row) else ""


def _is_by_mail(row: ApprovalRow) -> bool:
    return row.decided_by is not None and row.decided_by.startswith(BY_MAIL)


def finished(context: Context, row: ApprovalRow) -> str:
    """When it ended, in the owner's zone."""
    assert row.finished_at is not None, "what has ended did so at some time"
    return context.wall_time(row.finished_at)


def detail_of(row: ApprovalRow) -> str:
    """Its stored detail as a sentence; empty where there is none."""
    text = visible_line(row.detail).strip()
    return text if not text or text.endswith((".", "!", "?")) else f"{text}."
