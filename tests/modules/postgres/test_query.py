"""Rows of a real PostgreSQL: what is asked, what comes back, and where an answer ends."""

import tracemalloc
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.adapters.servers.pgvector import Database
from tests.modules.postgres.conftest import Ask
from tests.services.line import Line
from tests.support.nightly import examples

HEALTH = (HealthCheck.too_slow, HealthCheck.data_too_large)


async def test_sql_takes_its_values_bound(ask: Ask) -> None:
    result = await ask()(
        sql="SELECT id, name FROM things WHERE name = $1 OR price > $2 ORDER BY id", params=["O'Hara's chair", 200]
    )
    assert result.data == {
        "columns": [{"name": "id", "type": "int4"}, {"name": "name", "type": "text"}],
        "rows": [[2, "O'Hara's chair"], [3, "desk"]],
        "count": 2,
        "complete": True,
    }


async def test_a_table_is_read_with_conditions_order_and_a_limit(ask: Ask) -> None:
    asking = ask()
    named = await asking(
        table="public.things",
        select=["name", "price"],
        order=[{"column": "price", "descending": True}],
        where=[{"column": "id", "op": "in", "value": [1, 2, 3]}],
        limit=2,
    )
    assert (named.data or {})["rows"] == [["desk", "250.00"], ["O'Hara's chair", "99.90"]]
    assert not (named.data or {})["complete"]
    null = await asking(table="things", select=["id"], where=[{"column": "kind", "op": "is"}])
    assert (null.data or {})["rows"] == [[2]]
    like = await asking(table="things", select=["id"], where=[{"column": "name", "op": "ilike", "value": "%O'HARA%"}])
    assert (like.data or {})["rows"] == [[2]]
    none = await asking(table="things", where=[{"column": "id", "op": "in", "value": []}])
    assert (none.data or {})["rows"] == []
    assert [column["name"] for column in (none.data or {})["columns"]] == ["id", "name", "price", "made", "kind"]


async def test_a_function_gives_rows(ask: Ask) -> None:
    result = await ask()(function="cheap", arguments={"most": 50}, select=["id"])
    assert (result.data or {})["rows"] == [[1]]


async def test_values_come_as_json_and_exactly(ask: Ask) -> None:
    [row] = await ask().rows(
        "SELECT 0.1::numeric, 12345678901234567890.123456789, 9007199254740993::int8, 1.5::float8, 'NaN'::float8,"
        " '2026-05-01 09:30:00.25+00'::timestamptz, '2026-05-01 09:30'::timestamp, '2026-05-01'::date,"
        " 'infinity'::timestamptz, '0044-03-15'::date, '1 day 2 hours'::interval,"
        " '\\xdeadbeef'::bytea, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid, true, NULL,"
        " ARRAY[1, 2], ARRAY[0.10, 2], ARRAY[['a', NULL]], '{\"a\": [1, null]}'::jsonb, '[1,5)'::int4range,"
        " '10.0.0.1'::inet, '[1,2]'::vector, ROW(1, 'x'),"
        " ARRAY['\\x0102'::bytea], ARRAY['Infinity'::float8, 0.5],"
        " '0044-03-15 BC'::date, '0044-03-15 12:00 BC'::timestamp"
    )
    assert row == [
        *("0.1", "12345678901234567890.123456789", 9007199254740993, 1.5, "nan"),
        # The owner's zone.
        *("2026-05-01T10:30:00.25+01:00", "2026-05-01T09:30:00", "2026-05-01", "infinity", "0044-03-15", "P1DT2H"),
        *({"bytes": 4}, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", True, None),
        *([1, 2], ["0.10", "2"], [["a", None]], {"a": [1, None]}, "[1,5)", "10.0.0.1", "[1,2]"),
        row[22],
        *([{"bytes": 2}], ["inf", 0.5], "0044-03-15 BC", "0044-03-15 12:00:00 BC"),
    ]


async def test_types_are_named_even_where_an_extension_made_them(ask: Ask) -> None:
    result = await ask()(sql="SELECT '[1]'::vector AS v, ARRAY[1] AS a, now() AS at, 1 AS a")
    assert (result.data or {})["columns"] == [
        {"name": "v", "type": "vector"},
        {"name": "a", "type": "int4[]"},
        {"name": "at", "type": "timestamptz"},
        {"name": "a", "type": "int4"},
    ]


async def test_json_that_lies_too_deep_stays_a_text(ask: Ask) -> None:
    depth = 2000
    [[value]] = await ask().rows("SELECT (repeat('[', $1) || repeat(']', $1))::json", depth)
    assert value == "[" * depth + "]" * depth


async def test_an_answer_ends_at_its_rows_and_says_so(ask: Ask) -> None:
    asking = ask(max_rows=50)
    more = await asking(sql="SELECT n FROM big ORDER BY n", limit=1000)
    assert ((more.data or {})["count"], (more.data or {})["complete"]) == (50, False)
    just = await asking(sql="SELECT n FROM big ORDER BY n LIMIT 50", limit=50)
    assert ((just.data or {})["count"], (just.data or {})["complete"]) == (50, True)


async def test_an_answer_ends_at_its_bytes_and_a_value_at_its_length(ask: Ask) -> None:
    asking = ask(max_bytes=10_000, max_value_chars=500)
    result = await asking(sql="SELECT n, filler FROM big")
    data = result.data or {}
    assert 15 < data["count"] < 20
    assert not data["complete"]
    assert data["rows"][0][1] == "x" * 500 + "… (1000 characters)"
    [[value]] = await asking.rows("SELECT to_json(repeat('y', 900))")
    assert value.endswith("(900 characters)")
    [[value]] = await asking.rows("SELECT array_agg(g) FROM generate_series(1, 500) AS g")
    assert value.startswith("[1, 2, 3")
    assert value.endswith("characters)")


async def test_hundreds_of_megabytes_do_not_fill_memory(ask: Ask) -> None:
    """The table holds 300 MB; what is looked at is one row at a time."""
    asking = ask(max_bytes=100_000)
    tracemalloc.start()
    try:
        result = await asking(sql="SELECT * FROM big", limit=10_000)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert not (result.data or {})["complete"]
    assert most < 20_000_000


@pytest.mark.nightly
async def test_of_long_values_only_the_beginning_travels(ask: Ask, shop: Database) -> None:
    port = urlsplit(shop.reader_url).port
    assert port is not None
    async with Line(port) as line:
        asking = ask(shop.reader_url.replace(f":{port}/", f":{line.port}/"))
        [[text, numbers, thing, size, short]] = await asking.rows(
            "SELECT repeat('é', 50000000), array_fill(7, ARRAY[1000000]), to_jsonb(repeat('x', 20000000)),"
            " decode(repeat('ff', 10000000), 'hex'), 'end' -- and a comment"
        )
        assert line.carried < 100_000
    assert text == "é" * 10_000 + "… (50000000 characters)"
    assert numbers.startswith("{7,7,7")
    assert thing.endswith("… (20000002 characters)")
    assert (size, short) == ({"bytes": 10_000_000}, "end")


async def test_rows_without_columns_are_counted(ask: Ask) -> None:
    result = await ask()(sql="SELECT FROM things")
    assert result.data == {"columns": [], "rows": [[], [], []], "count": 3, "complete": True}


async def test_each_form_of_a_select_is_taken(ask: Ask) -> None:
    asking = ask()
    for sql, rows in (
        ("VALUES (1, 'a'), (2, 'b');", [[1, "a"], [2, "b"]]),
        ("WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 3) TABLE n", [[1], [2], [3]]),
        ("(SELECT 1) UNION ALL (SELECT 2) ORDER BY 1 DESC LIMIT 1", [[2]]),
        ("/* why */ SELECT name FROM things ORDER BY price DESC LIMIT 1 /* so */", [["desk"]]),
        ("SELECT '100%' || $1 || '%s %(x)s {0}'", [["100%!%s %(x)s {0}"]]),
    ):
        assert await asking.rows(sql, *(["!"] if "$1" in sql else [])) == rows


async def test_any_text_comes_back_as_it_went(ask: Ask) -> None:
    """A property over texts: bound values are never read as SQL."""
    asking = ask()
    texts = st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
        | st.sampled_from(
            ["'", "';DROP TABLE things;--", "$1", "%s", "\\", "{}", "')", '"', "E'\\''", "NULL", "{a,b}"]
        ),
        min_size=1,
        max_size=40,
    )
    drawn: list[list[str]] = []

    @settings(max_examples=examples(15), database=None, deadline=None, suppress_health_check=HEALTH)
    @given(texts)
    def draw(some: list[str]) -> None:
        drawn.append(some)

    draw()
    for some in drawn:
        places = ", ".join(f"${number}" for number in range(1, len(some) + 1))
        assert await asking.rows(f"SELECT {places}", *some) == [some]
        assert await asking.rows("SELECT unnest($1::text[])", some) == [[text] for text in some]
        found = await asking(table="things", where=[{"column": "name", "op": "in", "value": some}])
        assert found.ok
        assert (found.data or {})["count"] == 0
    assert await asking.rows("SELECT count(*) FROM things") == [[3]]
