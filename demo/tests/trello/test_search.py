"""Searching, and several reads in one request."""

import httpx
import pytest

from butler_demo.trello.server import TrelloServer
from demo.tests.gmail.clients import TurnableClock
from demo.tests.trello.conftest import Board


@pytest.fixture
def cards(server: TrelloServer, board: Board, clock: TurnableClock) -> Board:
    server.add_card(board.todo, "Mend the roof", labels=[board.urgent], members=["anna"])
    clock.advance(minutes=1)
    server.add_card(board.done, "Paint the roof", desc="with Anna's blue paint", closed=True)
    clock.advance(minutes=1)
    server.add_card(board.todo, "Buy roofing felt", members=["max"])
    return board


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("roof", ["Paint the roof", "Mend the roof"]),
        ("ROOF mend", ["Mend the roof"]),
        ("blue", ["Paint the roof"]),
        ("roof is:open", ["Mend the roof"]),
        ("roof -is:archived", ["Mend the roof"]),
        ("roof -mend", ["Paint the roof"]),
        ("@me", ["Buy roofing felt"]),
        ("@anna", ["Mend the roof"]),
        ("label:urgent", ["Mend the roof"]),
        ("label:red", ["Mend the roof"]),
        ('list:"to do" roof', ["Mend the roof"]),
        ("board:house felt", ["Buy roofing felt"]),
        ("cellar", []),
    ],
)
async def test_cards_are_found_by_whole_words_and_operators(
    cards: Board, client: httpx.AsyncClient, query: str, names: list[str]
) -> None:
    found = await client.get("/search", params={"query": query, "modelTypes": "cards", "card_fields": "name"})
    assert [card["name"] for card in found.json()["cards"]] == names
    assert cards


async def test_beginnings_of_words_and_pages_are_found_if_asked_for(cards: Board, client: httpx.AsyncClient) -> None:
    asked = {"query": "roof", "partial": "true", "cards_limit": 2, "idBoards": cards.id, "card_fields": "name"}
    first = (await client.get("/search", params=asked)).json()["cards"]
    second = (await client.get("/search", params={**asked, "cards_page": 1})).json()["cards"]
    assert [card["name"] for card in first + second] == ["Buy roofing felt", "Paint the roof", "Mend the roof"]
    assert (await client.get("/search")).text == "invalid value for query"
    assert (await client.get("/search", params={"query": "edited:day"})).status_code == 501


async def test_a_batch_answers_each_read_by_itself(cards: Board, client: httpx.AsyncClient) -> None:
    urls = f"/boards/{cards.id}?fields=name%2Cclosed,/cards/5ca1ab1e5ca1ab1e5ca1ab1e,/members/me/boards?fields=name"
    answers = (await client.get("/batch", params={"urls": urls})).json()
    assert answers[0] == {"200": {"id": cards.id, "name": "House", "closed": False}}
    assert (answers[1]["statusCode"], answers[1]["message"]) == (404, "The requested resource was not found.")
    assert answers[2]["200"][0]["name"] == "House"


async def test_a_batch_has_ten_reads_at_most(server: TrelloServer, cards: Board, client: httpx.AsyncClient) -> None:
    assert cards
    ten = await client.get("/batch", params={"urls": ",".join(["/members/me"] * 10)})
    assert len(ten.json()) == 10
    assert server.calls_in_all == 1
    for wrong in (",".join(["/members/me"] * 11), "", "members/me"):
        refused = await client.get("/batch", params={"urls": wrong})
        assert (refused.status_code, refused.text) == (400, "invalid value for urls")
