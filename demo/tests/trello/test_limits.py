"""How many requests are answered, on the stand-in's clock."""

from datetime import timedelta

import httpx

from butler_demo.trello.credentials import Credentials
from butler_demo.trello.limits import LimitRules
from butler_demo.trello.server import TrelloServer
from demo.tests.gmail.clients import TurnableClock
from demo.tests.trello.conftest import Board, connect


async def test_a_token_has_a_hundred_requests_in_ten_seconds(
    server: TrelloServer, board: Board, clock: TurnableClock, client: httpx.AsyncClient
) -> None:
    server.enforce_limits()
    path = f"/boards/{board.id}"
    last = [await client.get(path) for _ in range(100)][-1]
    assert last.status_code == 200
    assert last.headers["x-rate-limit-api-token-remaining"] == "0"
    assert last.headers["x-rate-limit-api-key-remaining"] == "200"
    refused = await client.get(path)
    assert refused.status_code == 429
    assert refused.json() == {"error": "API_TOKEN_LIMIT_EXCEEDED", "message": "Rate limit exceeded"}
    clock.advance(seconds=10)
    assert (await client.get(path)).status_code == 200
    assert (server.calls_in_all, server.refused_calls) == (101, 1)


async def test_the_tokens_of_one_key_share_its_three_hundred(
    server: TrelloServer, board: Board, mine: Credentials
) -> None:
    server.enforce_limits(LimitRules(per_key=5, per_token=3))
    path = f"/boards/{board.id}"
    other = server.credentials("anna", key=mine.key)
    async with connect(server, mine) as first, connect(server, other) as second:
        statuses = [(await each.get(path)).status_code for each in (first, first, first, second, second)]
        assert statuses == [200] * 5
        assert (await second.get(path)).json()["error"] == "API_KEY_LIMIT_EXCEEDED"


async def test_a_key_that_goes_on_against_refusals_gets_nothing_more(
    server: TrelloServer, board: Board, mine: Credentials, clock: TurnableClock
) -> None:
    server.enforce_limits(LimitRules(per_token=1, refusals=2))
    path = f"/boards/{board.id}"
    async with connect(server, mine) as hasty, connect(server, server.credentials("anna", key=mine.key)) as other:
        refusals = [(await hasty.get(path)).status_code for _ in range(4)]
        assert refusals == [200, 429, 429, 429]
        assert (await other.get(path)).json()["error"] == "API_KEY_LIMIT_EXCEEDED"
        clock.advance(seconds=10)
        assert (await other.get(path)).status_code == 200


async def test_members_are_asked_for_far_less_often(
    server: TrelloServer, clock: TurnableClock, client: httpx.AsyncClient
) -> None:
    server.enforce_limits(LimitRules(of_members=2, members_window=timedelta(minutes=15)))
    statuses = [(await client.get("/members/me")).status_code for _ in range(3)]
    assert statuses == [200, 200, 429]
    assert (await client.get("/members/me/boards")).json()["error"] == "RATE_LIMIT_EXCEEDED"
    clock.advance(minutes=15)
    assert (await client.get("/members/me")).status_code == 200


async def test_nothing_is_refused_unless_the_limits_are_enforced(
    server: TrelloServer, client: httpx.AsyncClient
) -> None:
    server.add_board("B", "max")
    statuses = {(await client.get("/members/me/boards")).status_code for _ in range(120)}
    assert statuses == {200}
    assert (server.calls_in_all, server.refused_calls) == (120, 0)
