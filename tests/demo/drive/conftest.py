"""The Drive stand-in, and Google's own client library pointed at it."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from butler.demo.drive.server import DriveServer
from tests.demo.gmail.clients import Client, TurnableClock, read_credentials

ANNA = "anna@friends.example"
ME = "me@home.example"


@pytest.fixture
def clock() -> TurnableClock:
    return TurnableClock()


@pytest.fixture
async def server(clock: TurnableClock) -> AsyncIterator[DriveServer]:
    server = DriveServer(now=clock)
    await server.start()
    server.add_account(ME, "Max Home")
    server.add_account(ANNA, "Anna Friend")
    yield server
    await server.stop()


@pytest.fixture
def connect() -> Iterator[Callable[..., Client]]:
    clients: list[Client] = []

    def connect(server: DriveServer, address: str = ME, **options: Any) -> Client:
        credentials = read_credentials(server.credentials_json(address, **options))
        clients.append(Client("drive:v3", server.url, credentials))
        return clients[-1]

    yield connect
    for client in clients:
        client.http.close()


@pytest.fixture
def me(server: DriveServer, connect: Callable[..., Client]) -> Client:
    return connect(server, ME)


@pytest.fixture
def anna(server: DriveServer, connect: Callable[..., Client]) -> Client:
    return connect(server, ANNA)
