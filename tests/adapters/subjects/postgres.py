"""PostgreSQL for the conformance suite: a real server with pgvector, and a line to it that can be at fault."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from psycopg.conninfo import conninfo_to_dict

from modules.postgres.config import PostgresModuleSettings
from modules.postgres.integration_postgres import PostgresIntegration
from modules.postgres.module import PostgresModule
from tests.adapters.servers.faulty_line import FaultyLine, Trouble
from tests.adapters.servers.pgvector import Database, database
from tests.adapters.subject import Drive, Fault
from tests.support.context import make_context

URL = "BUTLER_POSTGRES_URL"
SEARCH = {"name": "books", "table": "public.books", "text_column": "title"}
DRIVES = (
    Drive("query", {"table": "books", "order": [{"column": "id"}]}, missing={"table": "no_such_table"}),
    Drive("query", {"table": "public.books", "select": ["id"], "limit": 1}, missing={"table": "no_such.books"}),
    Drive("vector_search", {"vector": [1.0, 0.0]}, missing={"table": "no_such_search", "vector": [1.0, 0.0]}),
)
OF_SQL = (
    Drive("query", {"sql": "SELECT id FROM books WHERE title = $1", "params": ["the sea"]}, {"sql": "SELECT nothing"}),
)
LINE = {Fault.TIMEOUT: Trouble.HANG, Fault.MALFORMED: Trouble.GARBLE, Fault.DOWN: Trouble.DROP}


@dataclass(slots=True)
class PostgresSubject:
    """Meets `Subject`."""

    module: PostgresModule
    integration: PostgresIntegration
    database: Database
    line: FaultyLine
    secrets: Sequence[str]
    drives: Sequence[Drive] = DRIVES + OF_SQL

    async def state(self) -> tuple[object, ...]:
        return state_of(self.database)

    async def calls(self) -> int:
        return self.line.connections

    def fault(self, fault: Fault) -> AbstractAsyncContextManager[None]:
        if fault in LINE:
            return self.line.broken(LINE[fault])
        role = self.database.reader
        match fault:
            case Fault.WRONG_KEY:
                changed = f"ALTER ROLE {role} PASSWORD 'another'"
                back = f"ALTER ROLE {role} PASSWORD '{self.database.password}'"
            case Fault.RATE_LIMITED:
                changed = f"ALTER ROLE {role} CONNECTION LIMIT 0"
                back = f"ALTER ROLE {role} CONNECTION LIMIT -1"
            case _:
                changed, back = "ALTER TABLE books RENAME TO gone", "ALTER TABLE gone RENAME TO books"
        return self._changed(changed, back)

    @asynccontextmanager
    async def _changed(self, changed: str, back: str) -> AsyncGenerator[None]:
        """The server really is so while it is open."""
        self.database.run(changed)
        try:
            yield
        finally:
            self.database.run(back)


def library() -> Database:
    """A database with two books."""
    made = database()
    made.run("CREATE TABLE books (id int PRIMARY KEY, title text, embedding vector(2))")
    made.run("INSERT INTO books VALUES (1, 'the sea', '[1,0]'), (2, 'la mer', '[0.8,0.6]')")
    return made


def state_of(base: Database) -> tuple[object, ...]:
    """All that the database holds of its owner's."""
    books = base.run("SELECT id, title, embedding::text FROM books ORDER BY id")
    return tuple(books), tuple(base.run("SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"))


@asynccontextmanager
async def subject() -> AsyncGenerator[PostgresSubject]:
    """A database of its own on the server of this run."""
    made = library()
    port = int(str(conninfo_to_dict(made.reader_url)["port"]))
    async with FaultyLine(port) as line:
        url = made.reader_url.replace(f":{port}/", f":{line.port}/")
        context = make_context(secrets={URL: url})
        module = PostgresModule(PostgresModuleSettings.model_validate({"bot": {"vectors": [SEARCH]}}), context)
        [integration] = module.integrations()
        assert isinstance(integration, PostgresIntegration)
        try:
            yield PostgresSubject(module, integration, made, line, (made.password, url))
        finally:
            await module.stop()
