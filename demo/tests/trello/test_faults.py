"""Faults by order: refusals, lost answers, silence, nonsense."""

import json

import httpx
import pytest

from butler_demo.trello.errors import PersonError
from butler_demo.trello.server import TrelloServer
from demo.tests.trello.conftest import Board


async def test_the_next_calls_of_an_operation_fail(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    card = server.add_card(board.todo, "Roof")
    server.fail("put-cards-id", 503, "down", times=2, retry_after=7)
    for _ in range(2):
        refused = await client.put(f"/cards/{card}", params={"closed": "true"})
        assert (refused.status_code, refused.text, refused.headers["retry-after"]) == (503, "down", "7")
    assert (await client.get(f"/cards/{card}")).json()["closed"] is False
    assert (await client.put(f"/cards/{card}", params={"closed": "true"})).json()["closed"] is True


async def test_an_answer_is_lost_before_or_after_the_deed(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    new = {"idList": board.todo, "name": "Roof"}
    for after_effect, made in ((False, 0), (True, 1)):
        server.fail("post-cards", 0, after_effect=after_effect)
        with pytest.raises(httpx.TransportError):
            await client.post("/cards", json=new)
        assert len(server.cards(board.id)) == made


async def test_a_refusal_may_hide_that_it_was_done(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    server.fail("post-cards", 504, after_effect=True)
    assert (await client.post("/cards", json={"idList": board.todo, "name": "Roof"})).status_code == 504
    assert len(server.cards(board.id)) == 1


async def test_silence_lasts_until_the_client_gives_up(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    server.hang("get-boards-id")
    with pytest.raises(httpx.ReadTimeout):
        await client.get(f"/boards/{board.id}", timeout=0.2)
    server.hang("get-boards-id", 0.01)
    assert (await client.get(f"/boards/{board.id}")).json()["name"] == "House"
    server.hang("post-labels", after_effect=True)
    with pytest.raises(httpx.ReadTimeout):
        await client.post("/labels", params={"name": "X", "color": "", "idBoard": board.id}, timeout=0.2)
    assert [label["name"] for label in server.labels(board.id)] == ["Urgent", "Home", "X"]


async def test_an_answer_may_be_nonsense(server: TrelloServer, board: Board, client: httpx.AsyncClient) -> None:
    server.garble("get-boards-id-lists")
    answer = await client.get(f"/boards/{board.id}/lists")
    assert answer.status_code == 200
    with pytest.raises(json.JSONDecodeError):
        answer.json()


async def test_offline_nothing_is_answered_until_it_comes_back(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    server.go_offline()
    with pytest.raises(httpx.TransportError):
        await client.get(f"/boards/{board.id}")
    server.come_back()
    assert (await client.get(f"/boards/{board.id}")).status_code == 200


async def test_a_fault_for_any_operation_can_be_taken_back(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    server.fail("*", 500, times=9)
    assert (await client.get(f"/boards/{board.id}")).status_code == 500
    server.clear_faults()
    assert (await client.get(f"/boards/{board.id}")).status_code == 200
    with pytest.raises(PersonError, match="no operation get-everything"):
        server.fail("get-everything", 500)


async def test_somebody_else_changes_a_card_meanwhile(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    card = server.add_card(board.todo, "Roof")
    server.change_card(card, "anna", name="The roof", idList=board.done)
    assert (await client.get(f"/cards/{card}", params={"fields": "name,idList"})).json() == {
        "id": card,
        "name": "The roof",
        "idList": board.done,
    }
    log = (await client.get(f"/cards/{card}/actions", params={"filter": "updateCard:name"})).json()
    assert log[0]["memberCreator"]["username"] == "anna"
    with pytest.raises(PersonError, match="invalid value for idList"):
        server.change_card(card, "anna", idList="nowhere")
    assert [call.operation for call in server.calls] == ["get-cards-id", "get-cards-id-actions"]
