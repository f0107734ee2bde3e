"""What the tests of Google's stand-ins share: a clock, two people, and Google's own client library on a server.

A folder's `conftest.py` takes these fixtures over, and adds the server and the fixture `api`, such as `gmail:v1`.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from demo.tests.gmail.clients import Client, TurnableClock, read_credentials

ANNA = "anna@friends.example"
ME = "me@home.example"


@pytest.fixture
def clock() -> TurnableClock:
    return TurnableClock()


@pytest.fixture
def connect(api: str) -> Iterator[Callable[..., Client]]:
    clients: list[Client] = []

    def connect(server: Any, address: str = ME, **options: Any) -> Client:
        credentials = read_credentials(server.credentials_json(address, **options))
        clients.append(Client(api, server.url, credentials))
        return clients[-1]

    yield connect
    for client in clients:
        client.http.close()


@pytest.fixture
def me(server: Any, connect: Callable[..., Client]) -> Client:
    return connect(server, ME)


@pytest.fixture
def anna(server: Any, connect: Callable[..., Client]) -> Client:
    return connect(server, ANNA)
