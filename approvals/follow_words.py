"""What has become of what followed an effect, as the card of that effect says it."""

from collections.abc import Iterator
from datetime import datetime

import sqlalchemy as sa

from approvals.context import Context
from approvals.follow import Follow, deletion_of, followed_by, original_of, what_follows
from approvals.states import State
from approvals.words import detail_of, finished, in_seconds
from butler.store.queries.approvals import ApprovalRow

_WORDS = {Follow.DELETE: ("Deleting it", "deleted"), Follow.CORRECT: ("Correcting it", "corrected")}
_TAKEN_BACK = {State.DENIED: "you said no.", State.CANCELLED: "you took that back."}


def followed_words(context: Context, connection: sa.Connection, row: ApprovalRow, now: datetime) -> str:
    """A sentence about each kind that was asked for; empty where none was.

    Of a correction, whether what it corrected was deleted since.
    """
    if row.state != State.DONE:
        return ""
    if what_follows(row) is not None:
        first = original_of(connection, row) if what_follows(row) is Follow.CORRECT else None
        deletion = deletion_of(connection, first) if first is not None else None
        gone = deletion is not None and deletion.state == State.DONE
        return "The message was deleted since." if gone else ""
    told = (_told(context, connection, row, what, now) for what in (Follow.CORRECT, Follow.DELETE))
    return " ".join(sentence for sentences in told for sentence in sentences)


def follow_words(context: Context, row: ApprovalRow, what: Follow, now: datetime) -> str:
    """How one that follows stands."""
    (doing, done), detail, state = _WORDS[what], detail_of(row), State(row.state)
    if state is State.APPROVED and row.execute_at is not None and row.execute_at > now:
        return f"{doing} in {in_seconds(row.execute_at - now)}."
    sentences = {
        State.PENDING: f"Whether it is {done} waits for your yes, on a card of its own.",
        State.APPROVED: f"{doing} now.",
        State.EXECUTING: f"{doing}: {detail}" if detail else f"{doing} now.",
        State.FAILED: f"It could not be {done}: {detail}",
        State.UNKNOWN: f"It is not known whether it was {done}; its own card has buttons to say so.",
    }
    if state is State.DONE:
        return f"{done.capitalize()} at {finished(context, row)}{', as its own card shows' if row.card_refs else ''}."
    return sentences.get(state, f"Not {done}: {detail or _TAKEN_BACK.get(state, '')}")


def _told(context: Context, connection: sa.Connection, row: ApprovalRow, what: Follow, now: datetime) -> Iterator[str]:
    """The last of a kind, and before it the last that was done."""
    found = followed_by(connection, row, what)
    done = [one for one in found if one.state == State.DONE][-1:]
    for one in (*done, *(last for last in found[-1:] if last not in done)):
        yield follow_words(context, one, what, now)
