"""The day or the hours that the owner spoke of just before: `when am I free on Tuesday` before `put it there`."""

from collections.abc import Iterator
from datetime import date, timedelta

from butler.contract.provenance import Trust
from butler.orchestrator.understanding.said import Said
from butler.store.conversation import ConversationMessage
from butler.understanding.times.loose import dated
from butler.understanding.times.saying import TimeSaid

RECENT = timedelta(minutes=15)
"""How long what was asked about goes on being spoken of."""
MOST_MESSAGES = 3


def asked_messages(said: Said) -> Iterator[ConversationMessage]:
    """The owner's own messages of the last minutes, the newest first."""
    now, count = said.scene.request.now, 0
    for one in reversed(said.scene.request.history):
        if one.role != "user" or any(origin.trust is not Trust.OWNER for origin in one.origins):
            continue
        if count == MOST_MESSAGES or now - one.timestamp > RECENT:
            return
        count += 1
        yield one


def asked_time(said: Said) -> tuple[TimeSaid, str] | None:
    """The newest time of a day that was said before the request, with where; None where none was.

    It stands in an earlier part of the same message, or in a message before it.
    """
    if (earlier := time_in_message(said)) is not None:
        return earlier, said.whole
    for one in asked_messages(said):
        found = time_in(one.content, said)
        if found is not None:
            return found, one.content
    return None


def time_in_message(said: Said) -> TimeSaid | None:
    """The time of a day that an earlier part of the same message says: `on Saturday at 8, and the day before ...`."""
    return time_in(said.whole[: said.request.start], said)


def asked_day(said: Said) -> date | None:
    """The day of it."""
    found = asked_time(said)
    return found[0].day if found is not None else None


def time_in(text: str, said: Said) -> TimeSaid | None:
    """The longest stretch of words of a text that says a day; None where none does."""
    found = dated(text, said.language, said.scene.now())
    return found[1] if found is not None else None
