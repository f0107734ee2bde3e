"""Finds the day or hours that the owner mentioned just before: `when am I free on Tuesday` before `put it there`."""

from collections.abc import Iterator
from datetime import date, timedelta

from butler.contract.provenance import Trust
from butler.orchestrator.understanding.said import Said
from butler.store.conversation import ConversationMessage
from butler.understanding.times.loose import dated
from butler.understanding.times.saying import TimeSaid

RECENT = timedelta(minutes=15)
"""How long an earlier topic can be referred to."""
MOST_MESSAGES = 3


def asked_messages(said: Said) -> Iterator[ConversationMessage]:
    """Yield the owner's own messages of the last minutes, the newest first."""
    now, count = said.scene.request.now, 0
    for one in reversed(said.scene.request.history):
        if one.role != "user" or any(origin.trust is not Trust.OWNER for origin in one.origins):
            continue
        if count == MOST_MESSAGES or now - one.timestamp > RECENT:
            return
        count += 1
        yield one


def asked_time(said: Said) -> tuple[TimeSaid, str] | None:
    """Return the newest time with a day before the request, with its text; None without one.

    It may be earlier in the same message, or in a message before it.
    """
    if (earlier := time_in_message(said)) is not None:
        return earlier, said.whole
    for one in asked_messages(said):
        found = time_in(one.content, said)
        if found is not None:
            return found, one.content
    return None


def time_in_message(said: Said) -> TimeSaid | None:
    """Return a time with a day in an earlier part of the same message: `on Saturday at 8, and the day before ...`."""
    return time_in(said.whole[: said.request.start], said)


def asked_day(said: Said) -> date | None:
    """Return the day of the time that was mentioned just before."""
    found = asked_time(said)
    return found[0].day if found is not None else None


def time_in(text: str, said: Said) -> TimeSaid | None:
    """Return the longest time with a day in a text; None without one."""
    found = dated(text, said.language, said.scene.now())
    return found[1] if found is not None else None
