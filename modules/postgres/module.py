"""`bot_postgres_*`: a PostgreSQL database of the person's is read and searched; nothing in it is ever changed."""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from butler.contract.adapters import remote_tool
from butler.contract.integration import IntegrationCall, IntegrationResult
from butler.contract.module import ModuleContext
from butler.contract.speech import say
from butler.contract.tools import ArgMetadata, ArgRole, Preview, ToolCall, ToolHandler, ToolMetadata, ToolSpec
from butler.contract.value_words import named_facts
from modules._remote.module import RemoteModule
from modules.postgres.config import PostgresModuleSettings, PostgresSettings
from modules.postgres.integration_postgres import PostgresIntegration
from modules.postgres.records import QueryArgs, VectorSearchArgs

CONTRACT = "1.0.0"
ROOM_S = 15
"""How much longer than the database may think a call may take: for connecting, and for the answer's way."""
_QUERY = "Read rows of the person's PostgreSQL database, by table with conditions or by one SELECT."
_SEARCH = "Find rows of the person's PostgreSQL database by their meaning."
_SEEN_BEYOND = frozenset({"sql", "params", "function", "arguments"})
_TARGETS = frozenset({"sql", "table", "function", "text"})


class PostgresModule(RemoteModule[PostgresSettings, PostgresIntegration]):
    """The person's database."""

    channel = "postgres"
    title = "your PostgreSQL"
    settings_model = PostgresModuleSettings

    def __init__(self, settings: PostgresModuleSettings, context: ModuleContext) -> None:
        super().__init__(settings, context, settings.bot, PostgresIntegration)

    def reads(self) -> Sequence[ToolSpec]:
        integration = self.remote
        return (
            remote_tool(
                integration,
                self.channel,
                "query",
                contract_version=CONTRACT,
                description=_QUERY,
                args=QueryArgs,
                handler=_calling(integration, "query"),
                preview=preview,
                # What a SELECT calls may reach beyond the database, with whatever values: only the owner chooses both.
                reaches_out=frozenset() if integration.settings.free_sql else _SEEN_BEYOND,
            ),
            remote_tool(
                integration,
                self.channel,
                "vector_search",
                contract_version=CONTRACT,
                description=_SEARCH,
                args=VectorSearchArgs,
                handler=_calling(integration, "vector_search"),
            ),
        )

    def roles(self) -> Mapping[str, ToolMetadata]:
        return {"bot_postgres_query": _roles(QueryArgs), "bot_postgres_vector_search": _roles(VectorSearchArgs)}


def preview(args: QueryArgs) -> Preview:
    """What a card shows: the statement whole, with its values."""
    beyond = args.table is None
    effect = say("Reads your database; what it calls may reach beyond it") if beyond else say("Reads your database")
    values = ", ".join(f"${number} = {value!r}" for number, value in enumerate(args.params, start=1))
    facts = (*(((say("Values"), values),) if values else ()), *named_facts(args.arguments))
    told = (*(("sql", "params") if args.sql else ()), "arguments")
    return Preview(effect=effect, body=args.sql, facts=facts, told=told)


def _calling(integration: PostgresIntegration, operation: str) -> ToolHandler:
    """Once only: a query that took too long once would take as long again, at the database's expense."""

    async def handle(call: ToolCall) -> IntegrationResult:
        return await integration.call(
            IntegrationCall(
                trace_id=call.trace_id,
                method_id=integration.operations[operation].method_id,
                args=call.args.model_dump(mode="json"),
                timeout_ms=int((integration.settings.timeout_s + ROOM_S) * 1000),
                dry_run=call.dry_run,
            )
        )

    return handle


def _roles(args: type[BaseModel]) -> ToolMetadata:
    return ToolMetadata(
        {
            name: ArgMetadata(ArgRole.TARGET if name in _TARGETS else ArgRole.OPTION, sensitive=name == "params")
            for name in args.model_fields
        }
    )
