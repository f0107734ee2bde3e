"""Words the outcome of an approval plainly, from its rows alone."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from approvals.context import Context
from approvals.reason_words import CALM, details_in_words, in_words, on_a_card
from approvals.states import State
from approvals.visible import visible_line
from butler.contract.names import ToolName
from butler.contract.speech import say
from butler.store.queries.approvals import ApprovalRow

BY_POLICY = "policy"
"""The `decided_by` of a call that the policy itself allowed."""
BY_RULE = "rule:"
"""The start of `decided_by` if a standing rule allowed the call; the rule's number follows."""
BY_MAIL = "mail:"
"""The start of `decided_by` if the owner answered by mail; their address follows."""
_SENDS = frozenset({"send", "reply", "forward"})


def sends(tool: str) -> bool:
    """Return whether a tool sends something, by its name; writing a draft is not sending."""
    words = set(ToolName.parse(tool).action.split("_"))
    return bool(_SENDS & words) and "draft" not in words


def act(tool: str, sent: str, done: str) -> str:
    """Return the first text for tools that send, the second for all others."""
    return sent if sends(tool) else done


def passed(row: ApprovalRow) -> bool:
    """Return whether a call passed without asking, by the policy itself or by a standing rule."""
    return row.decided_by is not None and (row.decided_by == BY_POLICY or row.decided_by.startswith(BY_RULE))


def outcome(context: Context, row: ApprovalRow, now: datetime) -> str:
    """Return the outcome in a few sentences; while the call waits, only what the owner has to know."""
    text = _OUTCOMES[State(row.state)](context, row, now)
    decided = "" if _begins_with_who(row) else _by_rule(row) or _by_mail(context, row)
    return f"{decided} {text}" if decided else text


def warnings(row: ApprovalRow) -> tuple[str, ...]:
    """Return the reasons that warn the owner, such as words that are not theirs or recipients whom they do not know."""
    return tuple(in_words(one) for one in row.reasons if one.code not in CALM)


def asks_because(row: ApprovalRow) -> str:
    """Return why the call asks; empty if there are warnings."""
    return "" if warnings(row) else "; ".join(map(on_a_card, row.reasons))


def in_seconds(wait: timedelta) -> str:
    """Format a wait, such as `10 s`, rounded up."""
    return f"{-(-wait // timedelta(seconds=1))} s"


def no_effect(tool: str) -> str:
    """Return a sentence that says that the call had no effect."""
    return act(tool, say("Nothing was sent."), say("Nothing was done."))


def _pending(_context: Context, row: ApprovalRow, _now: datetime) -> str:
    return visible_line(details_in_words(row.detail))


def _approved(context: Context, row: ApprovalRow, now: datetime) -> str:
    if (at := scheduled_for(row, now)) is not None:
        when = context.moment(at)
        later = act(row.tool, say("It goes out on {when}.", when=when), say("It is done on {when}.", when=when))
        return f"{_decided(context, row)} {later}"
    return f"{_decided(context, row)} {begins(row.tool, (row.execute_at or now) - now)}"


def scheduled_for(row: ApprovalRow, now: datetime) -> datetime | None:
    """Return the later time that an approved call waits for; None if it waits for none, or no longer."""
    due = row.execute_at if row.state == State.APPROVED else None
    if row.not_before is None or due is None:
        return None
    return due if row.not_before <= due and now < due else None


def begins(tool: str, wait: timedelta) -> str:
    """Return a sentence that says when an approved call is made."""
    if wait > timedelta():
        after = in_seconds(wait)
        return act(tool, say("Sending in {wait}.", wait=after), say("Doing it in {wait}.", wait=after))
    return act(tool, say("Sending now."), say("Doing it now."))


def _executing(context: Context, row: ApprovalRow, now: datetime) -> str:
    if not row.detail:
        doing = act(row.tool, say("Being sent."), say("Being done."))
        return f"{_decided(context, row)} {doing}"
    detail = detail_of(row)
    if row.execute_at is not None and row.execute_at > now:
        at = context.wall_time(row.execute_at)
        return act(
            row.tool,
            say("Not sent yet: {detail} Next try at {at}.", detail=detail, at=at),
            say("Not done yet: {detail} Next try at {at}.", detail=detail, at=at),
        )
    return act(
        row.tool,
        say("It is not known yet whether this was sent: {detail}", detail=detail),
        say("It is not known yet whether this was done: {detail}", detail=detail),
    )


def _done(context: Context, row: ApprovalRow, _now: datetime) -> str:
    at = finished(context, row)
    if row.result is None:
        return act(row.tool, say("Marked as sent by you at {at}.", at=at), say("Marked as done by you at {at}.", at=at))
    if "found_out" in row.result:
        did = act(
            row.tool,
            say("Sent, as was found out at {at}.", at=at),
            say("Done, as was found out at {at}.", at=at),
        )
    else:
        did = act(row.tool, say("Sent at {at}.", at=at), say("Done at {at}.", at=at))
    return f"{did} {detail_of(row)}".rstrip()


def _failed(context: Context, row: ApprovalRow, _now: datetime) -> str:
    at, detail = finished(context, row), detail_of(row)
    if row.result is None:
        return act(
            row.tool,
            say("Marked as not sent by you at {at}.", at=at),
            say("Marked as not done by you at {at}.", at=at),
        )
    return act(
        row.tool,
        say("Not sent. It failed at {at}: {detail}", at=at, detail=detail),
        say("Not done. It failed at {at}: {detail}", at=at, detail=detail),
    )


def _unknown(context: Context, row: ApprovalRow, _now: datetime) -> str:
    known = act(row.tool, say("It is not known whether this was sent."), say("It is not known whether this was done."))
    tried = say(
        "Tried until {at}: {detail} It will not be repeated. Please look for yourself and mark what you find.",
        at=finished(context, row),
        detail=detail_of(row),
    )
    return f"{known} {tried}"


def _denied(context: Context, row: ApprovalRow, _now: datetime) -> str:
    return f"{_decided(context, row)} {no_effect(row.tool)}"


def _expired(context: Context, row: ApprovalRow, _now: datetime) -> str:
    ended = say("Expired at {at}: {detail}", at=finished(context, row), detail=detail_of(row))
    return f"{ended} {no_effect(row.tool)}"


def _superseded(context: Context, row: ApprovalRow, _now: datetime) -> str:
    ended = say("Withdrawn at {at}: {detail}", at=finished(context, row), detail=detail_of(row))
    return f"{ended} {no_effect(row.tool)}"


def _cancelled(context: Context, row: ApprovalRow, _now: datetime) -> str:
    at = finished(context, row)
    ended = (
        say("Stopped at {at}: {detail}", at=at, detail=detail_of(row)) if row.detail else say("Undone at {at}.", at=at)
    )
    return f"{ended} {no_effect(row.tool)}"


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


def _begins_with_who(row: ApprovalRow) -> bool:
    """Return whether the text of the outcome names who decided."""
    return row.state in {State.APPROVED, State.DENIED} or (row.state == State.EXECUTING and not row.detail)


def _decided(context: Context, row: ApprovalRow) -> str:
    if passed(row):
        return _by_rule(row) or say("Passed without a question.")
    assert row.decided_at is not None, "who decided did so at some time"
    at = context.wall_time(row.decided_at)
    if row.state == State.DENIED:
        return say("Denied by your mail at {at}.", at=at) if _is_by_mail(row) else say("Denied by you at {at}.", at=at)
    return say("Approved by your mail at {at}.", at=at) if _is_by_mail(row) else say("Approved by you at {at}.", at=at)


def _by_rule(row: ApprovalRow) -> str:
    by = row.decided_by or ""
    if not by.startswith(BY_RULE):
        return ""
    return say("Passed by your standing rule {number}.", number=by.removeprefix(BY_RULE))


def _by_mail(context: Context, row: ApprovalRow) -> str:
    return _decided(context, row) if _is_by_mail(row) else ""


def _is_by_mail(row: ApprovalRow) -> bool:
    return row.decided_by is not None and row.decided_by.startswith(BY_MAIL)


def finished(context: Context, row: ApprovalRow) -> str:
    """Return when the approval ended, in the owner's zone."""
    assert row.finished_at is not None, "what has ended did so at some time"
    return context.wall_time(row.finished_at)


def detail_of(row: ApprovalRow) -> str:
    """Return the row's detail as a sentence; empty if there is none."""
    text = visible_line(details_in_words(row.detail)).strip()
    return text if not text or text.endswith((".", "!", "?")) else f"{text}."
