"""Cards: made, changed, moved, archived, deleted."""

import httpx
import pytest

from butler_demo.trello.server import TrelloServer
from demo.tests.trello.conftest import Board


async def test_a_new_card_has_what_was_asked_for(server: TrelloServer, board: Board, client: httpx.AsyncClient) -> None:
    wanted = {
        "idList": board.todo,
        "name": "Mend the roof",
        "desc": "before winter",
        "due": "2026-10-01T09:00:00+02:00",
        "idLabels": f"{board.urgent},{board.home}",
        "idMembers": board.anna,
    }
    made = (await client.post("/cards", params=wanted)).json()
    assert made["due"] == "2026-10-01T07:00:00.000Z"
    assert [label["name"] for label in made["labels"]] == ["Urgent", "Home"]
    assert made["idMembers"] == [board.anna]
    assert made["url"].endswith(f"/{made['idShort']}-mend-the-roof")
    assert server.card(made["id"]) == made == (await client.get(f"/cards/{made['shortLink']}")).json()


async def test_a_card_tells_of_its_list_board_and_members(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    card = server.add_card(board.todo, "Roof", members=["anna"])
    asked = {"fields": "name,due", "list": "true", "board": "true", "board_fields": "name", "members": "true"}
    told = (await client.get(f"/cards/{card}", params=asked)).json()
    assert told["list"]["name"] == "To do"
    assert told["board"] == {"id": board.id, "name": "House"}
    assert [member["fullName"] for member in told["members"]] == ["Anna Friend"]
    assert (told["name"], told["due"]) == ("Roof", None)


async def test_a_put_sets_what_it_names_and_nothing_else(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    card = server.add_card(board.todo, "Roof", desc="tiles", due="2026-10-01T07:00:00.000Z", labels=[board.home])
    before = server.card(card)
    assert before
    done = {"closed": True, "dueComplete": True, "idList": board.done}
    changed = (await client.put(f"/cards/{card}", json=done)).json()
    kept = {name for name in before if before[name] == changed[name]}
    assert set(before) - kept == {"closed", "dueComplete", "idList", "badges"}
    for nothing in ("null", ""):
        await client.put(f"/cards/{card}", params={"due": "2026-11-01"})
        assert (await client.put(f"/cards/{card}", params={"due": nothing})).json()["due"] is None
    cleared = (await client.put(f"/cards/{card}", json={"due": None, "idLabels": [], "idMembers": [board.me]})).json()
    assert (cleared["due"], cleared["idLabels"], cleared["idMembers"]) == (None, [], [board.me])


async def test_repeating_a_put_changes_nothing(server: TrelloServer, board: Board, client: httpx.AsyncClient) -> None:
    card = server.add_card(board.todo, "Roof")
    for _ in range(2):
        await client.put(f"/cards/{card}", json={"idList": board.done, "closed": True, "idLabels": [board.urgent]})
    assert [each["id"] for each in server.cards(board.id)] == [card]
    assert [each["type"] for each in server.actions(board.id)].count("updateCard") == 2


async def test_cards_hang_at_the_top_or_the_bottom(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    for name, pos in (("B", "bottom"), ("C", "bottom"), ("A", "top")):
        await client.post("/cards", json={"idList": board.todo, "name": name, "pos": pos})
    last = server.add_card(board.done, "Z")
    await client.put(f"/cards/{last}", json={"idList": board.todo, "pos": "top"})
    names = [each["name"] for each in (await client.get(f"/lists/{board.todo}/cards")).json()]
    assert names == ["Z", "A", "B", "C"]


async def test_another_board_keeps_labels_by_name_and_the_members_that_it_has(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    other = server.add_board("Work", "max")
    inbox, same = server.add_list(other, "Inbox"), server.add_label(other, "Urgent", "red")
    card = server.add_card(board.todo, "Roof", labels=[board.urgent, board.home], members=["max", "anna"])
    moved = (await client.put(f"/cards/{card}", json={"idBoard": other, "idList": inbox})).json()
    assert (moved["idBoard"], moved["idList"], moved["idMembers"]) == (other, inbox, [board.me])
    assert [label["name"] for label in moved["labels"]] == ["Urgent", "Home"]
    assert moved["idLabels"][0] == same
    assert moved["idLabels"][1] != board.home
    assert {label["idBoard"] for label in moved["labels"]} == {other}


async def test_a_card_is_deleted_for_good(server: TrelloServer, board: Board, client: httpx.AsyncClient) -> None:
    card = server.add_card(board.todo, "Roof")
    assert (await client.delete(f"/cards/{card}")).status_code == 200
    assert (await client.get(f"/cards/{card}")).text == "The requested resource was not found."
    assert server.card(card) is None
    assert server.actions(board.id)[-1]["type"] == "deleteCard"


async def test_labels_and_members_come_and_go_one_by_one(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    card = server.add_card(board.todo, "Roof")
    labels, members = f"/cards/{card}/idLabels", f"/cards/{card}/idMembers"
    assert (await client.post(labels, params={"value": board.urgent})).json() == [board.urgent]
    again = await client.post(labels, params={"value": board.urgent})
    assert (again.status_code, again.text) == (400, "that label is already on the card")
    assert (await client.delete(f"{labels}/{board.urgent}")).json() == {"_value": None}
    assert (await client.post(members, json={"value": board.anna})).json()[0]["username"] == "anna"
    assert (await client.post(members, json={"value": board.anna})).text == "member is already on the card"
    assert (await client.delete(f"{members}/{board.anna}")).json() == []
    assert (await client.delete(f"{members}/{board.anna}")).text == "member is not on the card"
    assert (await client.post(labels)).text == "invalid value for value"


@pytest.mark.parametrize(
    ("fields", "status", "text"),
    [
        ({"name": 4321}, 400, "invalid value for name"),
        ({"name": " "}, 400, "invalid value for name"),
        ({"due": "tomorrow"}, 400, "invalid value for due"),
        ({"closed": "perhaps"}, 400, "invalid value for closed"),
        ({"idList": "todo"}, 400, "invalid value for idList"),
        ({"idList": "5ca1ab1e5ca1ab1e5ca1ab1e"}, 400, "invalid value for idList"),
        ({"idLabels": ["5ca1ab1e5ca1ab1e5ca1ab1e"]}, 400, "invalid value for idLabels"),
        ({"idMembers": ["5ca1ab1e5ca1ab1e5ca1ab1e"]}, 400, "invalid value for idMembers"),
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


async def test_a_card_needs_a_list(client: httpx.AsyncClient) -> None:
    assert (await client.post("/cards", json={"name": "Roof"})).text == "invalid value for idList"
    unknown = await client.post("/cards", json={"name": "Roof", "idList": "5ca1ab1e5ca1ab1e5ca1ab1e"})
    assert unknown.status_code == 404
    broken = await client.post("/cards", content=b"{", headers={"Content-Type": "application/json"})
    assert (broken.status_code, broken.text) == (400, "Error parsing body")


async def test_a_list_of_another_board_needs_that_board_named(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    inbox = server.add_list(server.add_board("Work", "max"), "Inbox")
    card = server.add_card(board.todo, "Roof")
    refused = await client.put(f"/cards/{card}", json={"idList": inbox})
    assert (refused.status_code, refused.text) == (400, "invalid value for idList")


async def test_a_card_goes_to_no_board_of_somebody_else(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    server.add_member("carl")
    foreign = server.add_board("Carl's", "carl")
    inbox = server.add_list(foreign, "Inbox")
    card = server.add_card(board.todo, "Roof")
    refused = await client.put(f"/cards/{card}", json={"idBoard": foreign, "idList": inbox})
    assert (refused.status_code, refused.text) == (400, "invalid value for idBoard")
    assert server.cards(foreign) == []
