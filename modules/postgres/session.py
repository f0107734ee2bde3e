"""Read-only sessions at a PostgreSQL server: each call has its own, which ends with the call.

A query runs in a READ ONLY transaction that is always rolled back. What a SELECT may call depends on the role, and a
role that could thereby reach beyond the database is refused.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, TypeVar

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

T = TypeVar("T")

AT_ONCE = 4
CONNECT_S = 10
# One round trip: the session's settings, and whether it could reach beyond the database: by a role that it has or
# could assume, or by a function that is reserved to superusers unless granted.
_BEGUN = """
SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true),
       set_config('idle_in_transaction_session_timeout', $1, true), set_config('timezone', $3, true),
       set_config('datestyle', 'ISO', true), set_config('intervalstyle', 'iso_8601', true),
       set_config('bytea_output', 'hex', true), set_config('client_min_messages', 'error', true),
       EXISTS (SELECT FROM pg_catalog.pg_roles WHERE pg_catalog.pg_has_role(session_user, oid, 'MEMBER')
               AND (rolsuper OR rolname IN ('pg_execute_server_program', 'pg_read_server_files',
                                            'pg_write_server_files', 'pg_signal_backend')))
    OR EXISTS (SELECT FROM pg_catalog.pg_roles r, pg_catalog.pg_proc f
               WHERE pg_catalog.pg_has_role(session_user, r.oid, 'MEMBER')
               AND f.proname IN ('pg_read_file', 'pg_read_binary_file', 'pg_ls_dir', 'pg_stat_file', 'lo_import',
                                 'lo_export', 'pg_file_write', 'pg_file_sync', 'pg_file_rename', 'pg_file_unlink',
                                 'pg_logdir_ls', 'dblink_connect_u', 'pg_reload_conf', 'pg_rotate_logfile',
                                 'pg_promote')
               AND pg_catalog.has_function_privilege(r.oid, f.oid, 'EXECUTE'))
"""
SERVERS_SHARE = 0.8
"""Share of the remaining time after which the server ends a query itself, and reports why."""
TOO_SLOW = phrase("the database did not answer in time")
TOO_MIGHTY = phrase(
    "the role may do more than read, such as reach the server's files; "
    "make one for the butler as docs/how-to/connect-postgres.md shows"
)


class Sessions:
    """A server, by its address."""

    def __init__(self, url: str, settings: PostgresSettings, zone: str) -> None:
        """`zone` is the zone in which moments are read and shown. Raise `IntegrationFault` if `url` is malformed."""
        self._settings = settings
        self._zone = zone
        self._url, self._more = url, _connection_settings(url, settings)
        self._secrets = (url, password) if (password := str(conninfo_to_dict(url).get("password") or "")) else (url,)
        self._turn = asyncio.Semaphore(AT_ONCE)
        self._given_up: set[asyncio.Task[Any]] = set()

    async def whoami(self) -> str:
        """Connect, and return role and database. Raise `IntegrationFault`."""
        return await self._in_time(self._whoami)

    async def read(self, query: Query, values: Sequence[Any], caps: Caps) -> QueryAnswer:
        """Return the rows of one SELECT with $1, $2, ... Raise `IntegrationFault`."""
        return await self._in_time(partial(self._read, query, values, caps))

    async def _in_time(self, call: Callable[[float], Awaitable[T]]) -> T:
        """Run a call under one time limit: its turn, the connection to any number of addresses, the query, the rows.

        At the limit, cancel the call without waiting for the server.
        """
        limit = self._settings.timeout_s
        task = asyncio.ensure_future(call(asyncio.get_running_loop().time() + limit))
        try:
            await asyncio.wait({task}, timeout=limit)
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            raise
        if task.done():
            return task.result()
        task.cancel()
        self._given_up.add(task)
        task.add_done_callback(self._ended)
        raise IntegrationFault(IntegrationErrorCode.TIMEOUT, say(TOO_SLOW))

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._given_up.discard(task)
        if not task.cancelled():
            task.exception()  # nobody awaits it any more

    async def _whoami(self, until: float) -> str:
        async with self._reading(until) as connection:
            cursor = await connection.execute("SELECT session_user || ' at ' || current_database()")
            row = await cursor.fetchone()
        return str(row[0]) if row else ""

    async def _read(self, query: Query, values: Sequence[Any], caps: Caps, until: float) -> QueryAnswer:
        async with self._reading(until) as connection:
            try:
                return await rows(connection, query, values, caps)
            except Refused as refused:
                raise faults.of_query(refused.error, offset=refused.offset, secrets=self._secrets) from None
            except psycopg.Error as error:
                raise faults.of_query(error, secrets=self._secrets) from None

    @asynccontextmanager
    async def _reading(self, until: float) -> AsyncGenerator[AsyncConnection[Any]]:
        """Open a session in a READ ONLY transaction, rolled back and closed at the end, which is before `until`."""
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
                await self._begin(connection, until)
                yield connection
            finally:
                with suppress(psycopg.Error):
                    if connection.info.transaction_status in {TransactionStatus.INTRANS, TransactionStatus.INERROR}:
                        await connection.execute("ROLLBACK")
                await connection.close()

    async def _begin(self, connection: AsyncConnection[Any], until: float) -> None:
        read_as_json(connection)
        left = (until - asyncio.get_running_loop().time()) * SERVERS_SHARE
        limits = (_ms(left), _ms(self._settings.lock_timeout_s), self._zone)
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
