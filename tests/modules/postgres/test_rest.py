"""The same questions through PostgREST, where only its root and a key are known."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.adapters.faulty import FaultyProxy, Hang, Status
from tests.adapters.servers.pgvector import Database
from tests.adapters.servers.postgrest.description import POSTGREST
from tests.adapters.servers.postgrest.server import PostgrestServer
from tests.modules.postgres.conftest import SEARCH, Ask, Asking

KEY = "sb_secret_for-the-butler"
JWT = "eyJhbGciOiJub25lIn0.eyJyb2xlIjoiYnV0bGVyIn0.c2lnbmVk"

WANTED: tuple[dict[str, Any], ...] = (
    {"order": [{"column": "id"}], "select": ["id", "name"]},
    {
        "where": [{"column": "id", "op": "in", "value": [1, 3]}],
        "order": [{"column": "name", "descending": True}],
        "select": ["name"],
        "limit": 1,
    },
    {"where": [{"column": "kind", "op": "is"}], "select": ["id"]},
    {
        "where": [{"column": "name", "op": "ilike", "value": "%HARA%"}, {"column": "id", "op": "gte", "value": 2}],
        "select": ["id"],
    },
    {"where": [{"column": "name", "op": "in", "value": ['a,"b"\\', "desk"]}], "select": ["id"]},
    {"where": [{"column": "name", "value": "O'Hara's chair"}], "select": ["id"]},
    {"where": [{"column": "id", "op": "in", "value": []}], "select": ["id"]},
    {
        "where": [{"column": "name", "op": "neq", "value": "null&select=id.eq.1"}],
        "select": ["id"],
        "order": [{"column": "id"}],
    },
)


class Restful:
    """A server, a proxy before it that can be broken, and the module on both."""

    def __init__(self, server: PostgrestServer, proxy: FaultyProxy) -> None:
        self.server, self.proxy = server, proxy
        self.asking = self.made(server.key)

    def made(self, key: str, **more: object) -> Asking:
        settings = {"rest_url": f"{self.proxy.url}/rest/v1", "key_env": "THE_KEY", **more}
        return Asking(settings, {"THE_KEY": key})


@pytest.fixture(params=[KEY, JWT], ids=["new key", "legacy key"])
async def rest(shop: Database, request: pytest.FixtureRequest) -> AsyncIterator[Restful]:
    async with (
        PostgrestServer(shop.reader_url, request.param) as server,
        FaultyProxy(server.url[: -len("/rest/v1")], POSTGREST) as proxy,
    ):
        made = Restful(server, proxy)
        yield made
        await made.asking.module.stop()


async def test_a_table_is_read_the_same_as_by_its_address(rest: Restful, ask: Ask) -> None:
    for wanted in WANTED:
        direct, over_http = await ask()(table="things", **wanted), await rest.asking(table="public.things", **wanted)
        assert over_http.data is not None, over_http.error
        assert direct.data is not None
        for shared in ("rows", "count", "complete"):
            assert over_http.data[shared] == direct.data[shared], wanted


async def test_a_function_is_called_for_reading_alone(rest: Restful) -> None:
    result = await rest.asking(function="cheap", arguments={"most": 50}, select=["id"])
    assert (result.data or {})["rows"] == [[1]]
    nothing = await rest.asking.refused(function="cheap", arguments={"no_such": 50})
    assert nothing[0] == "NOT_FOUND"


async def test_free_sql_needs_the_address(rest: Restful) -> None:
    before = rest.server.requests
    code, sentence = await rest.asking.refused(sql="SELECT 1")
    assert code == "INVALID_INPUT"
    assert sentence.startswith("SQL needs the database's own address in BUTLER_POSTGRES_URL")
    assert rest.server.requests == before


async def test_the_servers_own_limit_is_no_end(rest: Restful) -> None:
    rest.server.max_rows = 100
    asking = rest.made(rest.server.key, max_rows=100)
    result = await asking(table="big", select=["n"], limit=500)
    assert ((result.data or {})["count"], (result.data or {})["complete"]) == (100, False)
    small = await asking(table="big", select=["n"], where=[{"column": "n", "op": "lte", "value": 5}])
    assert ((small.data or {})["count"], (small.data or {})["complete"]) == (5, True)
    await asking.module.stop()


async def test_answers_are_cut_as_by_the_address(rest: Restful) -> None:
    asking = rest.made(rest.server.key, max_bytes=10_000, max_value_chars=500)
    result = await asking(table="big", select=["filler"], limit=100)
    data = result.data or {}
    assert (0 < data["count"] < 25, data["complete"]) == (True, False)
    assert data["rows"][0][0] == "x" * 500 + "… (1000 characters)"
    with rest.proxy.broken(Status(200, [{"a": {"b": [1.5, True, None, "x"]}}, {"c": list(range(500))}])):
        odd = await asking(table="things")
    assert [column["name"] for column in (odd.data or {})["columns"]] == ["a", "c"]
    assert (odd.data or {})["rows"][0] == [{"b": [1.5, True, None, "x"]}, None]
    assert (odd.data or {})["rows"][1][1].endswith("characters)")
    await asking.module.stop()


async def test_a_single_value_is_a_row(rest: Restful, shop: Database) -> None:
    shop.run("CREATE OR REPLACE FUNCTION sums(a int, b int) RETURNS int LANGUAGE sql STABLE AS 'SELECT a + b'")
    result = await rest.asking(function="sums", arguments={"a": 2, "b": 3})
    assert ((result.data or {})["columns"], (result.data or {})["rows"]) == ([{"name": "value", "type": ""}], [[5]])


async def test_what_rest_cannot_say_is_told(rest: Restful) -> None:
    starred = await rest.asking.refused(table="things", where=[{"column": "name", "op": "like", "value": "a*"}])
    assert starred == ("INVALID_INPUT", "the REST API takes * for any text, so it cannot look for one")
    true = await rest.asking(table="things", where=[{"column": "id", "op": "in", "value": [True]}])
    assert true.error is not None


async def test_a_slow_server_is_left_in_time(rest: Restful) -> None:
    asking = rest.made(rest.server.key, timeout_s=0.2)
    with rest.proxy.broken(Hang()):
        assert await asking.refused(table="things") == ("TIMEOUT", "the server did not answer in time")
    await asking.module.stop()


async def test_its_refusals_are_told_by_their_codes(rest: Restful) -> None:
    asking = rest.asking
    assert (await asking.refused(table="no_such"))[0] == "NOT_FOUND"
    assert (await asking.refused(table="private.keys"))[0] == "NOT_FOUND"
    assert (await asking.refused(table="things", select=["no_such"]))[0] == "NOT_FOUND"
    assert (await asking.refused(table="things", where=[{"column": "id", "value": "many"}]))[0] == "INVALID_INPUT"
    assert (await asking.refused(table="things", where=[{"column": "order", "value": 1}]))[0] == "INVALID_INPUT"
    for body, code in (
        ({"code": "42501", "message": "permission denied for table x", "details": None, "hint": None}, "FORBIDDEN"),
        ({"code": "57014", "message": "canceling statement", "details": None, "hint": None}, "TIMEOUT"),
        ({"code": "53300", "message": "too many", "details": None, "hint": None}, "RATE_LIMITED"),
        ({"code": "PGRST003", "message": "timed out", "details": None, "hint": None}, "RATE_LIMITED"),
        ({"code": "PGRST002", "message": "no database", "details": None, "hint": None}, "UNAVAILABLE"),
        ({"code": "PGRST301", "message": f"JWT {rest.server.key} expired"}, "AUTH_REQUIRED"),
        ({"code": "25006", "message": "cannot execute INSERT"}, "REJECTED"),
    ):
        with rest.proxy.broken(Status(500, body)):
            refused = await asking.refused(table="things")
        assert refused[0] == code
        assert rest.server.key not in refused[1]


async def test_a_gateway_without_json_is_understood_too(rest: Restful) -> None:
    wrong = rest.made("sb_secret_wrong")
    assert (await wrong.refused(table="things"))[0] == "AUTH_REQUIRED"
    assert (await wrong.integration.auth_status())["todo"]
    await wrong.module.stop()
    for status, code in ((429, "RATE_LIMITED"), (502, "UNAVAILABLE"), (403, "FORBIDDEN")):
        with rest.proxy.broken(Status(status, b"")):
            assert (await rest.asking.refused(table="things"))[0] == code
    with rest.proxy.broken(Status(200, b"<html>")):
        assert (await rest.asking.refused(table="things"))[0] == "INVALID_OUTPUT"


async def test_whose_it_is_is_said(rest: Restful) -> None:
    status = await rest.asking.integration.auth_status()
    assert (status["ok"], status["account"]) == (True, f"{rest.proxy.url}/rest/v1")
    with rest.proxy.broken(Status(404, b"")):
        assert (await rest.asking.integration.auth_status())["ok"]


async def test_vectors_are_searched_by_the_function_of_the_settings(library: Database) -> None:
    library.run(
        "CREATE OR REPLACE FUNCTION match_books(query_embedding vector(3), match_count int)"
        " RETURNS TABLE (id int, title text, language text, similarity float) LANGUAGE sql STABLE AS"
        " 'SELECT id, title, language, 1 - (embedding <=> query_embedding) FROM books"
        " WHERE embedding IS NOT NULL ORDER BY embedding <=> query_embedding LIMIT match_count'"
    )
    async with PostgrestServer(library.reader_url, KEY) as server:
        settings = {"rest_url": server.url, "vectors": [{**SEARCH, "function": "match_books"}]}
        asking = Asking(settings, {"BUTLER_SUPABASE_KEY": KEY})
        result = await asking("vector_search", vector=[1, 0, 0], limit=2)
        assert result.data == {
            "matches": [
                {"id": "1", "score": 1.0, "text": "the sea", "row": {"language": "en"}},
                {"id": "2", "score": pytest.approx(0.8), "text": "la mer", "row": {"language": "fr"}},
            ],
            "count": 2,
        }
        french = await asking("vector_search", vector=[1, 0, 0], where=[{"column": "language", "value": "fr"}])
        assert [match["id"] for match in (french.data or {})["matches"]] == ["2"]
        short = await asking("vector_search", vector=[1, 0])
        assert short.error is not None
        assert short.error.code.value == "INVALID_INPUT"
        await asking.module.stop()
        unlike = Asking(
            {"rest_url": server.url, "vectors": [{**SEARCH, "function": "match_books", "score_column": "s"}]},
            {"BUTLER_SUPABASE_KEY": KEY},
        )
        strange = await unlike("vector_search", vector=[1, 0, 0])
        assert strange.error is not None
        assert strange.error.code.value == "INVALID_OUTPUT"
        await unlike.module.stop()
        bare = Asking({"rest_url": server.url, "vectors": [SEARCH]}, {"BUTLER_SUPABASE_KEY": KEY})
        needed = await bare("vector_search", vector=[1, 0, 0])
        assert needed.error is not None
        assert "`function`" in needed.error.message
        await bare.module.stop()
