"""What the stand-in refuses, as Trello does, and how its answers are checked against the published description."""

from datetime import timedelta

import httpx
import pytest

from butler_demo.trello import operations
from butler_demo.trello.credentials import Credentials
from butler_demo.trello.description import published_description
from butler_demo.trello.limits import LimitRules
from butler_demo.trello.operations import OPERATIONS
from butler_demo.trello.server import TrelloServer
from demo.tests.gmail.clients import TurnableClock
from demo.tests.trello.conftest import Board, connect


def test_every_operation_that_is_served_is_described() -> None:
    assert set(published_description().operations) == set(OPERATIONS)


async def test_an_answer_of_ours_against_the_description_is_an_error(
    board: Board, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert board
    monkeypatch.setattr(operations, "select", lambda _view, _fields: {"id": "no id"})
    wrong = await client.get("/members/me")
    assert (wrong.status_code, "'id'" in wrong.text) == (500, True)


@pytest.mark.parametrize(
    ("key", "token", "text"),
    [
        ("0" * 32, "", "invalid key"),
        ("right", "ATTA" + "0" * 72, "invalid token"),
        ("right", "", "unauthorized permission requested"),
    ],
)
async def test_wrong_credentials_are_told_in_a_line_of_text(
    server: TrelloServer, mine: Credentials, key: str, token: str, text: str
) -> None:
    async with connect(server, Credentials(mine.key if key == "right" else key, token)) as stranger:
        refused = await stranger.get("/members/me")
    assert (refused.status_code, refused.text) == (401, text)
    assert refused.headers["content-type"].startswith("text/plain")


async def test_ids_are_told_apart_from_what_is_none(server: TrelloServer, client: httpx.AsyncClient) -> None:
    unknown = await client.get("/cards/5ca1ab1e5ca1ab1e5ca1ab1e")
    assert (unknown.status_code, unknown.text) == (404, "The requested resource was not found.")
    nonsense = await client.get("/cards/my%20card")
    assert (nonsense.status_code, nonsense.text) == (400, "invalid id")
    assert (await client.get("/boards/5ca1ab1e5ca1ab1e5ca1ab1e/nothing")).status_code == 404
    foreign = server.add_board("Carl's", server.add_member("carl"))
    refused = await client.get(f"/boards/{foreign}/labels")
    assert (refused.status_code, refused.text) == (401, "unauthorized permission requested")


@pytest.mark.parametrize(
    ("fields", "status", "text"),
    [
        ({"name": 4321}, 400, "invalid value for name"),
        ({"name": " "}, 400, "invalid value for name"),
        ({"due": "tomorrow"}, 400, "invalid value for due"),
        ({"closed": "perhaps"}, 400, "invalid value for closed"),
        ({"pos": "left"}, 400, "invalid value for pos"),
        ({"idList": "todo"}, 400, "invalid value for idList"),
        ({"idList": "5ca1ab1e5ca1ab1e5ca1ab1e"}, 400, "invalid value for idList"),
        ({"idLabels": ["5ca1ab1e5ca1ab1e5ca1ab1e"]}, 400, "invalid value for idLabels"),
        ({"idMembers": "5ca1ab1e5ca1ab1e5ca1ab1e"}, 400, "invalid value for idMembers"),
        ({"desc": "x" * 16_385}, 400, "invalid value for desc"),
        ({"colour": "red"}, 501, "the parameter colour of put-cards-id is not in this stand-in for Trello"),
    ],
)
async def test_what_trello_does_not_take_changes_nothing(
    server: TrelloServer, board: Board, client: httpx.AsyncClient, fields: dict[str, object], status: int, text: str
) -> None:
    card = server.add_card(board.todo, "Roof")
    before = server.card(card)
    refused = await client.put(f"/cards/{card}", json={"closed": True, **fields})
    assert (refused.status_code, refused.text) == (status, text)
    assert server.card(card) == before


async def test_a_list_of_another_board_needs_that_board_named_and_it_is_one_of_mine(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    inbox = server.add_list(server.add_board("Work", "max"), "Inbox")
    foreign = server.add_board("Carl's", server.add_member("carl"))
    card = server.add_card(board.todo, "Roof")
    for fields, wrong in (
        ({"idList": inbox}, "idList"),
        ({"idList": server.add_list(foreign, "Inbox"), "idBoard": foreign}, "idBoard"),
    ):
        refused = await client.put(f"/cards/{card}", json=fields)
        assert (refused.status_code, refused.text) == (400, f"invalid value for {wrong}")


async def test_a_new_card_needs_a_list_that_is_there(client: httpx.AsyncClient) -> None:
    assert (await client.post("/cards", json={"name": "Roof"})).text == "invalid value for idList"
    unknown = await client.post("/cards", json={"name": "Roof", "idList": "5ca1ab1e5ca1ab1e5ca1ab1e"})
    assert unknown.status_code == 404
    broken = await client.post("/cards", content=b"{", headers={"Content-Type": "application/json"})
    assert (broken.status_code, broken.text) == (400, "Error parsing body")


async def test_a_label_or_a_member_is_on_a_card_once(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    card = server.add_card(board.todo, "Roof", labels=[board.urgent], members=["anna"])
    labels, members = f"/cards/{card}/idLabels", f"/cards/{card}/idMembers"
    for address, one, what in ((labels, board.urgent, "that label"), (members, board.anna, "member")):
        assert (await client.post(address, json={"value": one})).text == f"{what} is already on the card"
        assert (await client.delete(f"{address}/{one}")).status_code == 200
        assert (await client.delete(f"{address}/{one}")).text == f"{what} is not on the card"
        assert (await client.post(address, json={})).text == "invalid value for value"


@pytest.mark.parametrize("limit", ["0", "1001", "many"])
async def test_a_page_has_between_one_and_a_thousand(board: Board, client: httpx.AsyncClient, limit: str) -> None:
    refused = await client.get(f"/lists/{board.todo}/cards", params={"limit": limit})
    assert (refused.status_code, refused.text) == (400, "invalid value for limit")


async def test_bk_11_more_cards_than_an_answer_holds_are_refused_without_a_limit(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    server.limit_cards_at_once(2)
    for name in "abc":
        server.add_card(board.todo, name)
    whole = await client.get(f"/lists/{board.todo}/cards")
    assert (whole.status_code, whole.json()["error"]) == (403, "API_TOO_MANY_CARDS_REQUESTED")
    page = (await client.get(f"/lists/{board.todo}/cards", params={"limit": 2})).json()
    assert [card["name"] for card in page] == ["b", "c"]


async def test_pages_are_cut_by_the_second_in_which_cards_were_made(
    server: TrelloServer, board: Board, clock: TurnableClock, client: httpx.AsyncClient
) -> None:
    server.add_card(board.todo, "old", created=clock() - timedelta(seconds=1))
    for name in "ab":
        server.add_card(board.todo, name)
    found = {
        end: [card["name"] for card in (await client.get(f"/lists/{board.todo}/cards", params={end: when})).json()]
        for end, when in (("since", clock().isoformat()), ("before", clock().isoformat()))
    }
    assert found == {"since": ["a", "b"], "before": ["old"]}


@pytest.mark.parametrize(
    ("rules", "path", "code"),
    [
        (LimitRules(per_token=2), "/boards/{}/labels", "API_TOKEN_LIMIT_EXCEEDED"),
        (LimitRules(per_key=2), "/boards/{}/labels", "API_KEY_LIMIT_EXCEEDED"),
        (LimitRules(of_members=2), "/members/me", "RATE_LIMIT_EXCEEDED"),
    ],
)
async def test_more_requests_than_a_window_holds_are_refused_until_it_is_over(
    server: TrelloServer,
    board: Board,
    clock: TurnableClock,
    client: httpx.AsyncClient,
    rules: LimitRules,
    path: str,
    code: str,
) -> None:
    server.enforce_limits(rules)
    answers = [await client.get(path.format(board.id)) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[2].json()["error"] == code
    clock.advance(minutes=15)
    assert (await client.get(path.format(board.id))).status_code == 200
    assert (server.calls_in_all, server.refused_calls) == (3, 1)
