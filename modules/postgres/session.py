"""Sessions at a PostgreSQL server that can only read: each call has its own, and it is over with the call.

A query runs as a cursor in a READ ONLY transaction that is always rolled back. A cursor takes one SELECT and nothing
else, so no COPY, DO, COMMIT or second statement comes through; what a SELECT may call is for the role to say, and a
role that could reach beyond the database by that is refused.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, cast

import psycopg
from psycopg import AsyncConnection, AsyncCursor, AsyncRawCursor, sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.speech import phrase, say
from modules.postgres import faults
from modules.postgres.config import PostgresSettings
from modules.postgres.loaders import read_as_json
from modules.postgres.plain import plain
from modules.postgres.records import ColumnInfo, QueryAnswer

AT_ONCE = 4
CONNECT_S = 10
_CURSOR = "DECLARE butler NO SCROLL CURSOR FOR "
# One round trip: what the session keeps to, and which roles it has that reach beyond the database.
_BEGUN = """
SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true),
       set_config('idle_in_transaction_session_timeout', $1, true), set_config('timezone', $3, true),
       set_config('datestyle', 'ISO', true), set_config('intervalstyle', 'iso_8601', true),
       set_config('bytea_output', 'hex', true),
       EXISTS (SELECT FROM pg_catalog.pg_roles WHERE pg_catalog.pg_has_role(session_user, oid, 'MEMBER')
               AND (rolsuper OR rolname IN ('pg_execute_server_program', 'pg_read_server_files',
                                            'pg_write_server_files', 'pg_signal_backend')))
"""
_NAMES = (
    "SELECT oid::int8, pg_catalog.format_type(oid, NULL) FROM pg_catalog.pg_type WHERE oid = ANY($1::int8[]::oid[])"
)
TOO_MIGHTY = phrase(
    "the role may do more than read, such as reach the server's files; "
    "make one for the butler as docs/how-to/connect-postgres.md shows"
)

Query = str | sql.Composable


@dataclass(frozen=True, slots=True)
class Caps:
    """What an answer may have at most."""

    rows: int
    bytes: int
    value_chars: int


class Sessions:
    """A server, by its address."""

    def __init__(self, url: str, settings: PostgresSettings, zone: str) -> None:
        """`zone` is the one that moments are read and shown in. Raises `IntegrationFault` where `url` is none."""
        self._settings = settings
        self._zone = zone
        self._url, self._more = url, _connection_settings(url, settings)
        self._secrets = (url, password) if (password := str(conninfo_to_dict(url).get("password") or "")) else (url,)
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def whoami(self) -> str:
        """Role and database, once a session has come about. Raises `IntegrationFault`."""
        async with self._reading() as connection:
            cursor = await connection.execute("SELECT session_user || ' at ' || current_database()")
            row = await cursor.fetchone()
        return str(row[0]) if row else ""

    async def read(self, query: Query, values: Sequence[Any], caps: Caps) -> QueryAnswer:
        """The rows of one SELECT with $1, $2, ... Raises `IntegrationFault`."""
        async with self._reading() as connection:
            try:
                return await _read(connection, query, values, caps)
            except psycopg.Error as error:
                raise faults.of_query(error, offset=len(_CURSOR), secrets=self._secrets) from None

    @asynccontextmanager
    async def _reading(self) -> AsyncGenerator[AsyncConnection[Any]]:
        """A session of its own in a READ ONLY transaction, undone and closed at the end."""
        async with self._turn:
            try:
                connection = await AsyncConnection.connect(
                    self._url,
                    autocommit=True,
                    prepare_threshold=None,
                    cursor_factory=AsyncRawCursor,
                    **self._more,
                )
            except psycopg.Error as error:
                raise faults.of_start(error) from None
            try:
                await self._begin(connection)
                yield connection
            finally:
                with suppress(psycopg.Error):
                    if connection.info.transaction_status in {TransactionStatus.INTRANS, TransactionStatus.INERROR}:
                        await connection.execute("ROLLBACK")
                await connection.close()

    async def _begin(self, connection: AsyncConnection[Any]) -> None:
        read_as_json(connection)
        limits = (_ms(self._settings.timeout_s), _ms(self._settings.lock_timeout_s), self._zone)
        try:
            await connection.execute("BEGIN READ ONLY")
            cursor = await connection.execute(_BEGUN, limits)
            row = await cursor.fetchone()
        except psycopg.Error as error:
            raise faults.of_query(error, secrets=self._secrets) from None
        if row is None or row[-1]:
            raise IntegrationFault(IntegrationErrorCode.FORBIDDEN, say(TOO_MIGHTY))


async def _read(connection: AsyncConnection[Any], query: Query, values: Sequence[Any], caps: Caps) -> QueryAnswer:
    text = query if isinstance(query, str) else query.as_string(connection)
    cursor = connection.cursor()
    # `binary` asks for the extended protocol, which takes no second statement, whether there are values or not.
    await cursor.execute(f"{_CURSOR}{text}".encode(), list(values), binary=True)
    await cursor.execute("FETCH 0 FROM butler")
    columns = await _columns(connection, cursor)
    rows: list[list[Any]] = []
    complete, size = True, 0
    # Row by row, so that memory holds one of them beside the answer, however many there are.
    stream = cursor.stream(f"FETCH FORWARD {caps.rows + 1} FROM butler".encode())
    async with aclosing(cast("AsyncGenerator[tuple[Any, ...]]", stream)) as found:
        async for row in found:
            read = [plain(value, caps.value_chars) for value in row]
            size += sum(len(str(value)) for value, _ in read)
            if len(rows) == caps.rows or size > caps.bytes:
                complete = False
                break
            rows.append([value for value, _ in read])
            complete = complete and all(whole for _, whole in read)
    return QueryAnswer(columns=columns, rows=rows, count=len(rows), complete=complete)


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


def _connection_settings(url: str, settings: PostgresSettings) -> dict[str, Any]:
    no_url = say(
        "{variable} holds no address such as postgresql://ROLE:PASSWORD@HOST/DATABASE", variable=settings.url_env
    )
    if not url.startswith(("postgresql://", "postgres://")):
        raise IntegrationFault(IntegrationErrorCode.AUTH_REQUIRED, no_url)
    try:
        given = conninfo_to_dict(url)
    except psycopg.Error:
        raise IntegrationFault(IntegrationErrorCode.AUTH_REQUIRED, no_url) from None
    more: dict[str, Any] = {
        "application_name": "butler",
        "client_encoding": "utf8",
        "connect_timeout": max(2, min(CONNECT_S, int(settings.timeout_s))),
    }
    if settings.tls_ca:
        more["sslrootcert"] = settings.tls_ca
        more["sslmode"] = given.get("sslmode") or "verify-full"
    return more


def _ms(seconds: float) -> str:
    return str(max(1, int(seconds * 1000)))
