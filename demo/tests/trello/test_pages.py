"""Pages of cards: by id and date, at most a thousand, and never a whole large board at once."""

import time
from datetime import timedelta

import httpx
import pytest

from butler_demo.trello.server import TrelloServer
from demo.tests.gmail.clients import TurnableClock
from demo.tests.trello.conftest import Board


def _names(answer: httpx.Response) -> list[str]:
    return [card["name"] for card in answer.json()]


async def test_a_page_holds_the_newest_in_the_order_of_the_board(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    for name, target in (("a", board.todo), ("b", board.done), ("c", board.todo), ("d", board.done)):
        server.add_card(target, name)
    cards = f"/boards/{board.id}/cards"
    assert _names(await client.get(cards)) == ["a", "c", "b", "d"]
    page = (await client.get(cards, params={"limit": 3, "fields": "name"})).json()
    assert [card["name"] for card in page] == ["c", "b", "d"]
    oldest = min(card["id"] for card in page)
    assert _names(await client.get(cards, params={"limit": 3, "before": oldest})) == ["a"]
    assert _names(await client.get(cards, params={"since": oldest})) == ["c", "d"]


async def test_ids_ascend_with_time_and_tell_it(
    server: TrelloServer, board: Board, clock: TurnableClock, client: httpx.AsyncClient
) -> None:
    first = server.add_card(board.todo, "first")
    second = server.add_card(board.todo, "second")
    clock.advance(hours=1)
    third = server.add_card(board.todo, "third")
    older = server.add_card(board.todo, "older", created=clock() - timedelta(days=9))
    assert older < first < second < third
    assert int(third[:8], 16) == int(clock().timestamp())
    since = (clock() - timedelta(minutes=5)).isoformat()
    assert _names(await client.get(f"/boards/{board.id}/cards", params={"since": since})) == ["third"]
    assert _names(await client.get(f"/lists/{board.todo}/cards", params={"before": since})) == [
        "first",
        "second",
        "older",
    ]


async def test_by_order_a_page_loses_what_was_made_in_the_same_second(
    server: TrelloServer, board: Board, clock: TurnableClock, client: httpx.AsyncClient
) -> None:
    server.add_card(board.todo, "old")
    clock.advance(seconds=1)
    for name in "abc":
        server.add_card(board.todo, name)
    server.page_by_second()
    cards = f"/boards/{board.id}/cards"
    page = (await client.get(cards, params={"limit": 1})).json()
    assert _names(await client.get(cards, params={"limit": 1000, "before": page[0]["id"]})) == ["old"]


@pytest.mark.parametrize("limit", ["0", "1001", "many"])
async def test_a_page_has_between_one_and_a_thousand(board: Board, client: httpx.AsyncClient, limit: str) -> None:
    refused = await client.get(f"/boards/{board.id}/cards", params={"limit": limit})
    assert (refused.status_code, refused.text) == (400, "invalid value for limit")


async def test_filters_tell_archived_and_done_cards_apart(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    server.add_card(board.todo, "open")
    server.add_card(board.todo, "archived", closed=True)
    server.add_card(board.done, "done", done=True)
    found = {
        chosen: _names(await client.get(f"/boards/{board.id}/cards", params={"filter": chosen}))
        for chosen in ("visible", "closed", "all", "none", "complete", "incomplete")
    }
    assert found == {
        "visible": ["open", "done"],
        "closed": ["archived"],
        "all": ["open", "archived", "done"],
        "none": [],
        "complete": ["done"],
        "incomplete": ["open"],
    }
    assert (await client.get(f"/boards/{board.id}/cards/mine")).text == "invalid value for filter"


async def test_my_cards_come_from_all_open_boards(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    closed = server.add_list(server.add_board("Old", "max", closed=True), "Inbox")
    server.add_card(board.todo, "mine", members=["max"])
    server.add_card(board.todo, "anna's", members=["anna"])
    server.add_card(closed, "gone", members=["max"])
    assert _names(await client.get("/members/me/cards")) == ["mine"]
    assert _names(await client.get("/members/me/cards", params={"filter": "all"})) == ["mine", "gone"]


async def test_bk_11_a_large_board_is_refused_as_a_whole_and_told_list_by_list(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    for number in range(1001):
        server.add_card(board.todo if number % 2 else board.done, f"Card {number}")
    for whole in (
        await client.get(f"/boards/{board.id}/cards"),
        await client.get(f"/boards/{board.id}", params={"cards": "visible"}),
        await client.get(f"/boards/{board.id}/lists", params={"cards": "open"}),
    ):
        assert whole.status_code == 403
        assert whole.json()["error"] == "API_TOO_MANY_CARDS_REQUESTED"
    by_list = [(await client.get(f"/lists/{each}/cards")).json() for each in (board.todo, board.done)]
    assert [len(cards) for cards in by_list] == [500, 501]
    assert len((await client.get(f"/boards/{board.id}/cards", params={"limit": 1000})).json()) == 1000


async def test_thousands_of_cards_are_made_and_told_in_no_time(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    started = time.perf_counter()
    made = {server.add_card(board.todo, f"Card {number}", labels=[board.home]) for number in range(3000)}
    found: set[str] = set()
    before = ""
    while page := (await client.get(f"/lists/{board.todo}/cards", params={"limit": 1000, "before": before})).json():
        found |= {card["id"] for card in page}
        before = min(card["id"] for card in page)
    assert found == made
    assert time.perf_counter() - started < 10
