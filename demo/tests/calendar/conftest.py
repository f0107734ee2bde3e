"""The Calendar stand-in, and Google's own client library pointed at it."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from butler_demo.calendar.server import CalendarServer
from demo.tests.gmail.clients import TurnableClock
from demo.tests.google_client import ANNA, ME, anna, clock, connect, me

__all__ = ["anna", "clock", "connect", "me"]


@pytest.fixture
def api() -> str:
    return "calendar:v3"


@pytest.fixture
async def server(clock: TurnableClock) -> AsyncIterator[CalendarServer]:
    server = CalendarServer(now=clock)
    await server.start()
    server.add_account(ME, "Max Home", zone="Europe/Berlin")
    server.add_account(ANNA, "Anna Friend", zone="America/New_York")
    yield server
    await server.stop()


@pytest.fixture
def at() -> Callable[..., dict[str, Any]]:
    """Build an event: a day of March 2026 and an hour, with further fields."""

    def build(day: int, hour: int = 9, *, hours: int = 1, **fields: Any) -> dict[str, Any]:
        begins, ends = (f"2026-03-{day:02d}T{at:02d}:00:00+01:00" for at in (hour, hour + hours))
        zone = {"timeZone": "Europe/Berlin"}
        return {"summary": "Event", "start": {"dateTime": begins} | zone, "end": {"dateTime": ends} | zone} | fields

    return build
