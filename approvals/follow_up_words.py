"""Words the state of an effect's follow-ups for its card."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from approvals.context import Context
from approvals.follow_ups import FollowUpKind, deletion_of, followed_by, original_of, what_follows
from approvals.outcome_text import detail_of, finished, in_seconds
from approvals.states import State
from butler.contract.speech import phrase, say
from butler.store.queries.approvals import ApprovalRow


@dataclass(frozen=True, slots=True)
class _Words:
    """The sentences about one kind of follow-up."""

    soon: str
    now: str
    goes_on: str
    waits: str
    failed: str
    unknown: str
    done: str
    done_and_shown: str
    not_done: str


_WORDS = {
    FollowUpKind.DELETE: _Words(
        soon=phrase("Deleting it in {wait}."),
        now=phrase("Deleting it now."),
        goes_on=phrase("Deleting it: {detail}"),
        waits=phrase("Whether it is deleted waits for your yes, on a card of its own."),
        failed=phrase("It could not be deleted: {detail}"),
        unknown=phrase("It is not known whether it was deleted; its own card has buttons to say so."),
        done=phrase("Deleted at {at}."),
        done_and_shown=phrase("Deleted at {at}, as its own card shows."),
        not_done=phrase("Not deleted: {why}"),
    ),
    FollowUpKind.CORRECT: _Words(
        soon=phrase("Correcting it in {wait}."),
        now=phrase("Correcting it now."),
        goes_on=phrase("Correcting it: {detail}"),
        waits=phrase("Whether it is corrected waits for your yes, on a card of its own."),
        failed=phrase("It could not be corrected: {detail}"),
        unknown=phrase("It is not known whether it was corrected; its own card has buttons to say so."),
        done=phrase("Corrected at {at}."),
        done_and_shown=phrase("Corrected at {at}, as its own card shows."),
        not_done=phrase("Not corrected: {why}"),
    ),
}
_TAKEN_BACK = {State.DENIED: phrase("you said no."), State.CANCELLED: phrase("you took that back.")}


def followed_words(context: Context, connection: sa.Connection, row: ApprovalRow, now: datetime) -> str:
    """Return a sentence about each kind of follow-up that was requested; empty if none was.

    For a correction, also say whether the corrected message was deleted since.
    """
    if row.state != State.DONE:
        return ""
    if what_follows(row) is not None:
        first = original_of(connection, row) if what_follows(row) is FollowUpKind.CORRECT else None
        deletion = deletion_of(connection, first) if first is not None else None
        gone = deletion is not None and deletion.state == State.DONE
        return say("The message was deleted since.") if gone else ""
    iterators = (_latest(context, connection, row, what, now) for what in (FollowUpKind.CORRECT, FollowUpKind.DELETE))
    return " ".join(sentence for sentences in iterators for sentence in sentences)


def follow_words(context: Context, row: ApprovalRow, what: FollowUpKind, now: datetime) -> str:
    """Return the state of a follow-up in words."""
    words, detail, state = _WORDS[what], detail_of(row), State(row.state)
    if state is State.APPROVED and row.execute_at is not None and row.execute_at > now:
        return say(words.soon, wait=in_seconds(row.execute_at - now))
    if state is State.DONE:
        return say(words.done_and_shown if row.card_refs else words.done, at=finished(context, row))
    sentences = {
        State.PENDING: say(words.waits),
        State.APPROVED: say(words.now),
        State.EXECUTING: say(words.goes_on, detail=detail) if detail else say(words.now),
        State.FAILED: say(words.failed, detail=detail),
        State.UNKNOWN: say(words.unknown),
    }
    taken_back = _TAKEN_BACK.get(state, "")
    return sentences.get(state) or say(words.not_done, why=detail or say(taken_back))


def _latest(
    context: Context, connection: sa.Connection, row: ApprovalRow, what: FollowUpKind, now: datetime
) -> Iterator[str]:
    """Yield a sentence about the last completed follow-up of a kind, and about the newest one if it is another."""
    found = followed_by(connection, row, what)
    done = [one for one in found if one.state == State.DONE][-1:]
    for one in (*done, *(last for last in found[-1:] if last not in done)):
        yield follow_words(context, one, what, now)
