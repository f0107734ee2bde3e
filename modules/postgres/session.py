"""Sessions at a PostgreSQL server that can only read: each call has its own, and it is over with the call.

A query runs in a READ ONLY transaction that is always rolled back. What a SELECT may call is for the role to say, and a
role that could reach beyond the database by that is refused.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import psycopg
from psycopg import AsyncConnection, AsyncRawCursor
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.speech import phrase, say
from modules.postgres import faults
from modules.postgres.config import PostgresSettings
from modules.postgres.loaders import read_as_json
from modules.postgres.reading import Caps, Query, Refused, rows
from modules.postgres.records import QueryAnswer

AT_ONCE = 4
CONNECT_S = 10
# One round trip: what the session keeps to, and which roles it has that reach beyond the database.
_BEGUN = """
SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true),
       set_config('idle_in_transaction_session_timeout', $1, true), set_config('timezone', $3, true),
       set_config('datestyle', 'ISO', true), set_config('intervalstyle', 'iso_8601', true),
       set_config('bytea_output', 'hex', true), set_config('client_min_messages', 'error', true),
       EXISTS (SELECT FROM pg_catalog.pg_roles WHERE pg_catalog.pg_has_role(session_user, oid, 'MEMBER')
               AND (rolsuper OR rolname IN ('pg_execute_server_program', 'pg_read_server_files',
                                            'pg_write_server_files', 'pg_signal_backend')))
"""
TOO_MIGHTY = phrase(
    "the role may do more than read, such as reach the server's files; "
    "make one for the butler as docs/how-to/connect-postgres.md shows"
)


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
                return await rows(connection, query, values, caps)
            except Refused as refused:
                raise faults.of_query(refused.error, offset=refused.offset, secrets=self._secrets) from None
            except psycopg.Error as error:
                raise faults.of_query(error, secrets=self._secrets) from None

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
