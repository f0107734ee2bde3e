"""The rows of one SELECT, however many and however long they are: looked at one by one, long values cut by the server.

A query is declared as a cursor, which takes one SELECT and nothing else: no COPY, DO, COMMIT, write or second one.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, cast

import psycopg
from psycopg import AsyncConnection, AsyncCursor, sql

from modules.postgres.endings import without_ending
from modules.postgres.plain import plain, shortened
from modules.postgres.records import ColumnInfo, QueryAnswer

CURSOR = "DECLARE butler NO SCROLL CURSOR FOR "
_NAMES = "SELECT oid::int8, pg_catalog.format_type(oid, NULL) FROM pg_catalog.pg_type WHERE oid::int8 = ANY($1::int8[])"
_SHORT = frozenset(
    (
        *("bool", "int2", "int4", "int8", "float4", "float8", "oid", "uuid", "name", "void"),
        *("date", "time", "timetz", "timestamp", "timestamptz", "interval"),
    )
)
_BYTES = "bytea"
_WIDEST = 4
"""Bytes of a character in UTF-8 at most."""

Query = str | sql.Composable


class Refused(Exception):
    """The database took a statement not; `offset` characters stand before the caller's own words in it."""

    def __init__(self, error: psycopg.Error, offset: int) -> None:
        super().__init__(error)
        self.error, self.offset = error, offset


@dataclass(frozen=True, slots=True)
class Caps:
    """What an answer may have at most."""

    rows: int
    bytes: int
    value_chars: int


async def rows(connection: AsyncConnection[Any], query: Query, values: Sequence[Any], caps: Caps) -> QueryAnswer:
    """Raises `Refused`, or `psycopg.Error` where no words of the caller's are to blame."""
    text = without_ending(query) if isinstance(query, str) else query.as_string(connection)
    cursor = connection.cursor()
    # Once to have it checked as it stands and to learn its columns, which runs nothing; then with these cut.
    await _declare(cursor, ("", text, ""), values)
    await cursor.execute("FETCH 0 FROM butler")
    columns = await _columns(connection, cursor)
    await cursor.execute("CLOSE butler")
    await _declare(cursor, _cut_by_the_server(text, columns, caps.value_chars), values)
    found: list[list[Any]] = []
    complete, size = True, 0
    stream = cursor.stream(f"FETCH FORWARD {caps.rows + 1} FROM butler".encode())
    async with aclosing(cast("AsyncGenerator[tuple[Any, ...]]", stream)) as coming:
        async for row in coming:
            read = _read(row, columns, caps.value_chars)
            size += sum(len(str(value)) for value, _ in read)
            if len(found) == caps.rows or size > caps.bytes:
                complete = False
                break
            found.append([value for value, _ in read])
            complete = complete and all(whole for _, whole in read)
    return QueryAnswer(columns=columns, rows=found, count=len(found), complete=complete)


async def _declare(cursor: AsyncCursor[Any], statement: tuple[str, str, str], values: Sequence[Any]) -> None:
    """`statement` is the caller's own words, with what stands before and behind them."""
    before, text, after = statement
    before = CURSOR + before
    try:
        # `binary` asks for the extended protocol, which takes no second statement, whether there are values or not.
        await cursor.execute(f"{before}{text}{after}".encode(), list(values), binary=True)
    except psycopg.Error as error:
        raise Refused(error, len(before)) from error


async def _columns(connection: AsyncConnection[Any], cursor: AsyncCursor[Any]) -> list[ColumnInfo]:
    described = cursor.description or []
    names: dict[int, str] = {}
    for column in described:
        if (known := connection.adapters.types.get(column.type_code)) is not None:
            names[column.type_code] = known.name if known.oid == column.type_code else f"{known.name}[]"
    unknown = [column.type_code for column in described if column.type_code not in names]
    if unknown:
        asked = await connection.execute(_NAMES, [unknown])
        names |= dict(await asked.fetchall())
    return [ColumnInfo(name=column.name, type=names.get(column.type_code, "")) for column in described]


def _cut_by_the_server(text: str, columns: Sequence[ColumnInfo], longest: int) -> tuple[str, str, str]:
    """The same rows. Of bytes, there is their number; any other value that can be long is three columns.

    These are the value where it is short, and else its beginning and how long it is.
    """
    if not columns:
        return "", text, ""
    names = [f"c{number}" for number in range(len(columns))]
    wanted = ", ".join(_wanted(name, column.type, longest) for name, column in zip(names, columns, strict=True))
    # It stood alone before, so its brackets are its own; a comment may end it. With OFFSET 0 it is computed only once.
    before = f"SELECT {wanted} FROM (SELECT * FROM (\n"  # noqa: S608 - names of ours
    return before, text, f"\n) AS asked OFFSET 0) AS butler ({', '.join(names)})"


def _wanted(name: str, kind: str, longest: int) -> str:
    if kind in _SHORT:
        return name
    if kind == _BYTES:
        return f"octet_length({name})"
    text = f"{name}::text"
    long = f"CASE WHEN octet_length({text}) > {longest * _WIDEST} THEN"
    return f"{long} NULL ELSE {name} END, {long} left({text}, {longest}) END, {long} length({text}) END"


def _read(row: Sequence[Any], columns: Sequence[ColumnInfo], longest: int) -> list[tuple[Any, bool]]:
    """A row's values, and whether each is whole."""
    given, read = iter(row), list[tuple[Any, bool]]()
    for column in columns:
        value = next(given)
        if column.type in _SHORT:
            read.append(plain(value, longest))
        elif column.type == _BYTES:
            read.append((None if value is None else {"bytes": value}, True))
        else:
            beginning, length = next(given), next(given)
            long = beginning is not None
            read.append((shortened(beginning, length), False) if long else plain(value, longest))
    return read
