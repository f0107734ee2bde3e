"""Reads the rows of one SELECT, of any number and length: one by one, with long values cut by the server.

A query is declared as a cursor, which accepts one SELECT only: no COPY, DO, COMMIT, write or second statement.
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
"""Most bytes of a character in UTF-8."""

Query = str | sql.Composable


class Refused(Exception):
    """The database refused a statement; `offset` characters of it precede the caller's own."""

    def __init__(self, error: psycopg.Error, offset: int) -> None:
        super().__init__(error)
        self.error, self.offset = error, offset


@dataclass(frozen=True, slots=True)
class Caps:
    """The limits of an answer."""

    rows: int
    bytes: int
    value_chars: int


async def rows(connection: AsyncConnection[Any], query: Query, values: Sequence[Any], caps: Caps) -> QueryAnswer:
    """Return the rows. Raise `Refused`, or `psycopg.Error` if the caller's statement is not the cause."""
    text = without_ending(query) if isinstance(query, str) else query.as_string(connection)
    cursor = connection.cursor()
    # Declared once to check it and to learn its columns, which runs nothing; then with long values cut.
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
    """Declare the cursor; `statement` is the caller's own text between a prefix and a suffix."""
    before, text, after = statement
    before = CURSOR + before
    try:
        # `binary` selects the extended protocol, which accepts no second statement, with or without values.
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
    """Wrap the query so that the server cuts long values. Bytes become their number, other long types three columns.

    These hold the value if it is short, or else its beginning and its length.
    """
    if not columns:
        return "", text, ""
    names = [f"c{number}" for number in range(len(columns))]
    wanted = ", ".join(_wanted(name, column.type, longest) for name, column in zip(names, columns, strict=True))
    # It ran alone before, so its brackets are balanced; a comment may end it. OFFSET 0 has it evaluated only once.
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
    """Return a row's values, each with whether it is complete."""
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
