"""A database with things in it, and the module on it."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from butler.adapters.catalogue import catalogue_of
from butler.contract.integration import IntegrationResult
from butler.contract.tools import ToolCall
from butler.registry import Registry
from modules.postgres.config import PostgresModuleSettings
from modules.postgres.integration_postgres import PostgresIntegration
from modules.postgres.module import PostgresModule
from tests.adapters.servers.pgvector import Database, database
from tests.support.context import make_context

SEARCH = {"name": "books", "table": "public.books", "text_column": "title", "columns": ["language"]}


@pytest.fixture(scope="session")
def shop() -> Database:
    """Things that a reader may even write, so that only the butler's own care keeps it from that."""
    made = database()
    made.run("CREATE TABLE things (id int PRIMARY KEY, name text, price numeric(10, 2), made timestamptz, kind text)")
    made.run(
        "INSERT INTO things VALUES (1, 'lamp', 12.50, '2026-05-01 09:30:00+00', 'light'),"
        " (2, 'O''Hara''s chair', 99.90, '2026-05-02 10:00:00+00', NULL), (3, 'desk', 250, NULL, 'table')"
    )
    made.run("CREATE SEQUENCE numbers")
    made.run("CREATE TABLE big AS SELECT g AS n, repeat('x', 1000) AS filler FROM generate_series(1, 300000) AS g")
    made.run("CREATE SCHEMA private")
    made.run("CREATE TABLE private.keys (key text)")
    made.run(
        "CREATE FUNCTION cheap(most numeric) RETURNS SETOF things LANGUAGE sql STABLE"
        " AS 'SELECT * FROM things WHERE price <= most'"
    )
    return made


@pytest.fixture(scope="session")
def library() -> Database:
    """Five books; one has no vector, and one a vector of length 0, which has no angle."""
    made = database()
    made.run("CREATE TABLE books (id int PRIMARY KEY, title text, language text, embedding vector(3))")
    made.run(
        "INSERT INTO books VALUES (1, 'the sea', 'en', '[1,0,0]'), (2, 'la mer', 'fr', '[0.8,0.6,0]'),"
        " (3, 'der Berg', 'de', '[0,0,2]'), (4, 'unread', 'en', NULL), (5, 'empty', 'en', '[0,0,0]')"
    )
    made.run('CREATE TABLE "Odd" ("the id" text, "vec""tor" vector(2))')
    return made


class Asking:
    """The module on a database, asked through the registry."""

    def __init__(self, settings: dict[str, Any], secrets: dict[str, str], **more: Any) -> None:
        self.context = make_context(secrets=secrets, **more)
        self.module = PostgresModule(PostgresModuleSettings.model_validate({"bot": settings}), self.context)
        [integration] = self.module.integrations()
        assert isinstance(integration, PostgresIntegration)
        self.integration = integration
        self.registry = Registry(catalogue_of(integration.contract("1.0.0")))
        self.registry.add_module(self.module)

    async def __call__(self, operation: str = "query", **args: Any) -> IntegrationResult:
        tool = f"bot_postgres_{operation}"
        model = self.registry.spec(tool).args.model_validate(args)
        return await self.registry.invoke(ToolCall(tool=tool, args=model, call_id="c", trace_id="t"))

    async def rows(self, sql: str, *params: Any) -> list[list[Any]]:
        result = await self(sql=sql, params=list(params))
        assert result.ok, result.error
        return (result.data or {})["rows"]

    async def refused(self, **args: Any) -> tuple[str, str]:
        """Code and sentence of what is refused."""
        result = await self(**args)
        assert result.error is not None, result.data
        return result.error.code.value, result.error.message


Ask = Callable[..., Asking]


@pytest.fixture
async def ask(shop: Database) -> AsyncIterator[Ask]:
    """Makes the module; on the shop as its reader, unless said otherwise."""
    made: list[Asking] = []

    def make(url: str = "", **settings: Any) -> Asking:
        more = {"embed": settings.pop("embed", None)}
        asking = Asking(settings, {"BUTLER_POSTGRES_URL": url or shop.reader_url}, **more)
        made.append(asking)
        return asking

    yield make
    for asking in made:
        await asking.module.stop()
