"""Boards, lists, labels and members."""

import httpx

from butler_demo.trello.server import TrelloServer
from demo.tests.trello.conftest import Board


async def test_my_boards_come_with_their_lists(server: TrelloServer, board: Board, client: httpx.AsyncClient) -> None:
    closed = server.add_board("Old", "max", closed=True)
    mine = (await client.get("/members/me/boards", params={"lists": "open", "fields": "name,url"})).json()
    assert [each["name"] for each in mine] == ["House", "Old"]
    assert [each["name"] for each in mine[0]["lists"]] == ["To do", "Done"]
    assert set(mine[0]) == {"id", "name", "url", "lists"}
    open_ones = (await client.get("/members/me/boards", params={"filter": "open"})).json()
    assert [each["id"] for each in open_ones] == [board.id]
    assert closed not in str(open_ones)


async def test_a_board_comes_with_what_is_asked_for_of_it(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    server.add_card(board.todo, "Roof", labels=[board.urgent], members=["anna"])
    everything = {"lists": "open", "labels": "all", "members": "all", "cards": "visible", "fields": "name,closed"}
    found = (await client.get(f"/boards/{board.id}", params={**everything, "card_fields": "name,idMembers"})).json()
    assert (found["name"], found["closed"]) == ("House", False)
    assert [each["name"] for each in found["lists"]] == ["To do", "Done"]
    assert [(each["name"], each["color"]) for each in found["labels"]] == [("Urgent", "red"), ("Home", "green")]
    assert [each["username"] for each in found["members"]] == ["max", "anna"]
    assert found["cards"] == [{"id": server.cards(board.id)[0]["id"], "name": "Roof", "idMembers": [board.anna]}]
    assert "lists" not in (await client.get(f"/boards/{board.id}")).json()


async def test_the_short_link_of_an_address_is_as_good_as_the_id(board: Board, client: httpx.AsyncClient) -> None:
    link = (await client.get(f"/boards/{board.id}", params={"fields": "shortLink"})).json()["shortLink"]
    assert (await client.get(f"/boards/{link}/members")).json()[0]["fullName"] == "Max Home"


async def test_a_new_list_stands_where_it_was_asked_to(board: Board, client: httpx.AsyncClient) -> None:
    made = await client.post("/lists", json={"idBoard": board.id, "name": "Later", "pos": "bottom"})
    await client.post("/lists", json={"idBoard": board.id, "name": "First"})
    names = [each["name"] for each in (await client.get(f"/boards/{board.id}/lists")).json()]
    assert made.json()["idBoard"] == board.id
    assert names == ["First", "To do", "Done", "Later"]
    assert (await client.post("/lists", json={"idBoard": board.id})).text == "invalid value for name"


async def test_an_archived_list_hides_its_cards(server: TrelloServer, board: Board, client: httpx.AsyncClient) -> None:
    server.add_card(board.todo, "Roof")
    await client.put(f"/lists/{board.todo}", params={"closed": "true"})
    cards = f"/boards/{board.id}/cards"
    assert (await client.get(cards)).json() == []
    assert [each["name"] for each in (await client.get(f"{cards}/open")).json()] == ["Roof"]
    assert [each["id"] for each in (await client.get(f"/boards/{board.id}/lists/")).json()] == [board.done]


async def test_labels_are_made_changed_and_deleted(
    server: TrelloServer, board: Board, client: httpx.AsyncClient
) -> None:
    made = (await client.post("/labels", params={"name": "Garden", "color": "lime_dark", "idBoard": board.id})).json()
    card = server.add_card(board.todo, "Roof", labels=[made["id"], board.home])
    changed = await client.put(f"/labels/{made['id']}", params={"name": "Outside", "color": "null"})
    assert (changed.json()["name"], changed.json()["color"]) == ("Outside", None)
    assert (await client.delete(f"/labels/{made['id']}")).status_code == 200
    assert (await client.get(f"/cards/{card}")).json()["idLabels"] == [board.home]
    wrong = await client.post("/labels", params={"name": "X", "color": "beige", "idBoard": board.id})
    assert (wrong.status_code, wrong.text) == (400, "invalid value for color")


async def test_ids_are_told_apart_from_what_is_none(client: httpx.AsyncClient) -> None:
    unknown = await client.get("/boards/5ca1ab1e5ca1ab1e5ca1ab1e")
    assert (unknown.status_code, unknown.text) == (404, "The requested resource was not found.")
    nonsense = await client.get("/boards/my%20board")
    assert (nonsense.status_code, nonsense.text) == (400, "invalid id")
    assert (await client.get("/members/nobody_here")).status_code == 404
    assert (await client.get("/boards/5ca1ab1e5ca1ab1e5ca1ab1e/nothing")).status_code == 404
