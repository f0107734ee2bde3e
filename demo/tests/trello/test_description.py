"""The description: the operations are those that are served, and answers against it are not sent."""

import httpx
import pytest

from butler_demo.trello import operations_members
from butler_demo.trello.description import published_description
from butler_demo.trello.operations import BATCH, OPERATIONS
from butler_demo.trello.records import Json
from butler_demo.trello.server import TrelloServer
from demo.tests.trello.conftest import Board


def test_every_operation_that_is_served_is_described() -> None:
    assert set(published_description().operations) == {*OPERATIONS, BATCH}


async def test_an_answer_of_ours_against_the_description_is_an_error(
    server: TrelloServer, board: Board, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert server
    assert board

    def select(_view: Json, _fields: str) -> Json:
        return {"id": "no id"}

    monkeypatch.setattr(operations_members, "select", select)
    wrong = await client.get("/members/me")
    assert wrong.status_code == 500
    assert '"id" has not the form of an id' in wrong.text
