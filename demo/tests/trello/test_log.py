"""The log of actions and comments."""

from datetime import timedelta

import httpx

from butler_demo.trello.server import TrelloServer
from demo.tests.gmail.clients import TurnableClock
from demo.tests.trello.conftest import Board


async def test_the_log_tells_who_made_a_card_and_when(
    server: TrelloServer, board: Board, clock: TurnableClock, client: httpx.AsyncClient
) -> None:
    server.add_card(board.todo, "old", by="anna")
    clock.advance(minutes=10)
    made = (await client.post("/cards", json={"idList": board.todo, "name": "Roof"})).json()
    asked = {"filter": "createCard", "since": (clock() - timedelta(minutes=5)).isoformat(), "limit": 50}
    log = (await client.get(f"/boards/{board.id}/actions", params=asked)).json()
    assert [action["data"]["card"]["id"] for action in log] == [made["id"]]
    assert log[0]["memberCreator"]["username"] == "max"
    assert log[0]["data"]["list"] == {"id": board.todo, "name": "To do"}
    whole = (await client.get(f"/boards/{board.id}/actions", params={"filter": "createCard"})).json()
    assert [action["data"]["card"]["name"] for action in whole] == ["Roof", "old"]


async def test_the_log_holds_what_a_change_was_before(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    card = server.add_card(board.todo, "Roof")
    await client.put(f"/cards/{card}", json={"idList": board.done, "closed": True})
    log = f"/boards/{board.id}/actions"
    moves = (await client.get(log, params={"filter": "updateCard:idList"})).json()
    assert [(each["data"]["listBefore"]["name"], each["data"]["listAfter"]["name"]) for each in moves] == [
        ("To do", "Done")
    ]
    archived = (await client.get(log, params={"filter": "updateCard:closed", "memberCreator": "false"})).json()
    assert archived[0]["data"]["old"] == {"closed": False}
    assert "memberCreator" not in archived[0]


async def test_the_log_outlives_a_deleted_card(server: TrelloServer, board: Board, client: httpx.AsyncClient) -> None:
    card = server.add_card(board.todo, "Roof")
    server.delete_card(card, "anna")
    log = (await client.get(f"/boards/{board.id}/actions", params={"idModels": card})).json()
    assert [action["type"] for action in log] == ["deleteCard", "createCard"]


async def test_pages_of_the_log_go_back_in_time(server: TrelloServer, board: Board, client: httpx.AsyncClient) -> None:
    for number in range(7):
        server.add_card(board.todo, str(number))
    log, told = f"/boards/{board.id}/actions", list[str]()
    before = ""
    while page := (
        await client.get(log, params={"filter": "createCard", "limit": 3, "before": before, "fields": "data,date"})
    ).json():
        told += [action["data"]["card"]["name"] for action in page]
        before = page[-1]["id"]
    assert told == ["6", "5", "4", "3", "2", "1", "0"]


async def test_a_comment_stands_on_its_card(server: TrelloServer, board: Board, client: httpx.AsyncClient) -> None:
    card = server.add_card(board.todo, "Roof")
    comments = f"/cards/{card}/actions/comments"
    written = (await client.post(comments, params={"text": "Done by Friday"})).json()
    assert (written["type"], written["data"]["text"]) == ("commentCard", "Done by Friday")
    log = (await client.get(f"/cards/{card}/actions")).json()
    assert [(action["id"], action["data"]["text"]) for action in log] == [(written["id"], "Done by Friday")]
    assert (await client.get(f"/cards/{card}")).json()["badges"]["comments"] == 1
    for refused in ({}, {"text": " "}, {"text": "x" * 16_385}):
        assert (await client.post(comments, data=refused)).text == "invalid value for text"
    everything = (await client.get(f"/cards/{card}/actions", params={"filter": "all", "limit": 1, "page": 1})).json()
    assert [action["type"] for action in everything] == ["createCard"]
