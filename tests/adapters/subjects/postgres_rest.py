"""PostgREST for the conformance suite: our stand-in over a real PostgreSQL, with a proxy before it."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from modules.postgres.config import PostgresModuleSettings
from modules.postgres.integration_postgres import PostgresIntegration
from modules.postgres.module import PostgresModule
from tests.adapters.faulty import FaultyProxy
from tests.adapters.servers.pgvector import Database
from tests.adapters.servers.postgrest.description import POSTGREST
from tests.adapters.servers.postgrest.server import PostgrestServer
from tests.adapters.subject import Drive, Fault
from tests.adapters.subjects.postgres import DRIVES, SEARCH, library, state_of
from tests.support.context import make_context

KEY = "sb_secret_of-the-conformance-suite"
FUNCTION = """
CREATE FUNCTION match_books(query_embedding vector, match_count int)
RETURNS TABLE (id int, title text, similarity float) LANGUAGE sql STABLE AS
'SELECT id, title, 1 - (embedding <=> query_embedding) FROM books ORDER BY 3 DESC LIMIT match_count'
"""


@dataclass(slots=True)
class RestSubject:
    """Meets `Subject`."""

    module: PostgresModule
    integration: PostgresIntegration
    database: Database
    proxy: FaultyProxy
    secrets: Sequence[str] = (KEY,)
    drives: Sequence[Drive] = DRIVES

    async def state(self) -> tuple[object, ...]:
        return state_of(self.database)

    async def calls(self) -> int:
        return self.proxy.requests

    def fault(self, fault: Fault) -> AbstractAsyncContextManager[None]:
        return self.proxy.fault(fault)


@asynccontextmanager
async def subject() -> AsyncGenerator[RestSubject]:
    """A database of its own behind the server."""
    made = library()
    made.run(FUNCTION)
    root = "/rest/v1"
    async with (
        PostgrestServer(made.reader_url, KEY) as server,
        FaultyProxy(server.url.removesuffix(root), POSTGREST) as proxy,
    ):
        section = {"rest_url": f"{proxy.url}{root}", "vectors": [{**SEARCH, "function": "match_books"}]}
        context = make_context(secrets={"BUTLER_SUPABASE_KEY": KEY})
        module = PostgresModule(PostgresModuleSettings.model_validate({"bot": section}), context)
        [integration] = module.integrations()
        assert isinstance(integration, PostgresIntegration)
        try:
            yield RestSubject(module, integration, made, proxy)
        finally:
            await module.stop()
