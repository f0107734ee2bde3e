"""The stand-in with two members and a board, and plain HTTP clients of theirs."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx
import pytest

from butler_demo.trello.credentials import Credentials
from butler_demo.trello.server import TrelloServer
from demo.tests.gmail.clients import TurnableClock


@dataclass(frozen=True)
class Board:
    """A board of Max's with Anna on it, its two lists and its two labels."""

    id: str
    todo: str
    done: str
    urgent: str
    home: str
    me: str
    anna: str


@pytest.fixture
def clock() -> TurnableClock:
    return TurnableClock()


@pytest.fixture
async def server(clock: TurnableClock) -> AsyncIterator[TrelloServer]:
    server = TrelloServer(now=clock)
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
def board(server: TrelloServer) -> Board:
    me, anna = server.add_member("max", "Max Home"), server.add_member("anna", "Anna Friend")
    board = server.add_board("House", "max", ["anna"])
    todo, done = server.add_list(board, "To do"), server.add_list(board, "Done")
    urgent, home = server.add_label(board, "Urgent", "red"), server.add_label(board, "Home", "green")
    return Board(board, todo, done, urgent, home, me, anna)


@pytest.fixture
def mine(server: TrelloServer, board: Board) -> Credentials:
    assert board
    return server.credentials("max")


@pytest.fixture
async def client(server: TrelloServer, mine: Credentials) -> AsyncIterator[httpx.AsyncClient]:
    """Max's client."""
    async with connect(server, mine) as client:
        yield client


def connect(server: TrelloServer, credentials: Credentials) -> httpx.AsyncClient:
    """Return a client that signs each request in its header."""
    signed = f'OAuth oauth_consumer_key="{credentials.key}", oauth_token="{credentials.token}"'
    return httpx.AsyncClient(base_url=server.url, headers={"Authorization": signed}, timeout=5)
