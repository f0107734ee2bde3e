"""Google Calendar, on its stand-in."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.bulk.subject import Subject
from tests.modules.calendar.calendar_account import ME, calendar_account


@asynccontextmanager
async def subject() -> AsyncIterator[Subject]:
    async with calendar_account() as user:
        for at in range(12):
            user.add("Yoga" if at < 5 else "Work", f"2027-03-{at + 10:02}T09:00")
        club = user.server.add_calendar(ME, "Club")
        order = {"action": "delete", "words": "yoga"}
        named = {"action": "move", "words": "yoga", "to_calendar": "club"}
        wrong = ({}, {"action": "delete"}, {"action": "move", "words": "yoga", "to_calendar": "Nothing"})
        yield Subject(
            *(user.adapter, order, named, wrong, "butler0000", {"to": club, "tell": True}),
            fetched=lambda: user.asked("calendar.events."),
        )
