"""Who may ask, and what they are told."""

import httpx
import pytest

from butler_demo.trello.credentials import Credentials
from butler_demo.trello.server import TrelloServer
from demo.tests.trello.conftest import Board, connect


async def test_key_and_token_may_stand_in_the_address_the_header_or_the_body(
    server: TrelloServer, board: Board, mine: Credentials
) -> None:
    both = {"key": mine.key, "token": mine.token}
    async with httpx.AsyncClient(base_url=server.url) as plain, connect(server, mine) as signed:
        by_address = await plain.get("/members/me", params=both)
        by_header = await signed.get("/members/me")
        by_body = await plain.post("/cards", json={**both, "idList": board.todo, "name": "Roof"})
    assert by_address.json() == by_header.json()
    assert by_address.json()["id"] == board.me
    assert by_address.json()["email"] == "max@home.example"
    assert by_body.status_code == 200


@pytest.mark.parametrize(
    ("key", "token", "text"),
    [
        ("0" * 32, "", "invalid key"),
        ("", "", "invalid key"),
        ("right", "ATTA" + "0" * 72, "invalid token"),
        ("right", "", "unauthorized permission requested"),
    ],
)
async def test_wrong_credentials_are_told_in_a_line_of_text(
    server: TrelloServer, mine: Credentials, key: str, token: str, text: str
) -> None:
    async with httpx.AsyncClient(base_url=server.url) as plain:
        given = {"key": mine.key if key == "right" else key, "token": token}
        refused = await plain.get("/members/me", params=given)
    assert (refused.status_code, refused.text) == (401, text)
    assert refused.headers["content-type"].startswith("text/plain")


async def test_a_token_that_was_taken_back_is_invalid(server: TrelloServer, client: httpx.AsyncClient) -> None:
    server.revoke("max")
    refused = await client.get("/members/me")
    assert (refused.status_code, refused.text) == (401, "invalid token")


async def test_a_token_for_reading_writes_nothing(server: TrelloServer, board: Board) -> None:
    card = server.add_card(board.todo, "Roof")
    async with connect(server, server.credentials("max", may_write=False)) as reader:
        assert (await reader.get(f"/cards/{card}")).status_code == 200
        refused = await reader.put(f"/cards/{card}", params={"closed": "true"})
    assert refused.status_code == 401
    assert server.cards(board.id)[0]["closed"] is False


async def test_nobody_sees_a_board_that_is_not_theirs(server: TrelloServer, client: httpx.AsyncClient) -> None:
    server.add_member("carl")
    foreign = server.add_board("Carl's", "carl")
    card = server.add_card(server.add_list(foreign, "Inbox"), "Secret")
    assert (await client.get(f"/boards/{foreign}/cards")).text == "unauthorized permission requested"
    assert (await client.get(f"/cards/{card}")).text == "unauthorized card permission requested"
    assert foreign not in [each["id"] for each in (await client.get("/members/me/boards")).json()]
