"""The Drive stand-in, and Google's own client library pointed at it."""

from collections.abc import AsyncIterator

import pytest

from butler_demo.drive.server import DriveServer
from demo.tests.gmail.clients import TurnableClock
from demo.tests.google_client import ANNA, ME, anna, clock, connect, me

__all__ = ["anna", "clock", "connect", "me"]


@pytest.fixture
def api() -> str:
    return "drive:v3"


@pytest.fixture
async def server(clock: TurnableClock) -> AsyncIterator[DriveServer]:
    server = DriveServer(now=clock)
    await server.start()
    server.add_account(ME, "Max Home")
    server.add_account(ANNA, "Anna Friend")
    yield server
    await server.stop()
