"""`bot_postgres_*`: reads and searches the owner's PostgreSQL database, and never changes it."""

from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo

from pydantic import BaseModel

from butler.contract.adapters import remote_tool
from butler.contract.channel import ChannelInfo
from butler.contract.integration import IntegrationResult
from butler.contract.module import ModuleContext
from butler.contract.rendering import Rendered, StepResult, showed
from butler.contract.speech import phrase, say
from butler.contract.tools import ArgRole, Preview, ToolCall, ToolHandler, ToolMetadata, ToolSpec
from butler.contract.value_words import named_facts
from modules._remote.found_text import matches
from modules._remote.module import RemoteModule
from modules.postgres.config import PostgresModuleSettings, PostgresSettings
from modules.postgres.integration_postgres import PostgresIntegration
from modules.postgres.records import QueryArgs, VectorSearchArgs
from modules.postgres.rendering import rows_text
from modules.postgres.tool_args import QueryToolArgs, VectorSearchToolArgs

CONTRACT = "1.0.0"
ROOM_S = 15
"""How much longer than the database's own time-out a call may take: for connecting and for the answer."""
_QUERY = "Read rows of the person's PostgreSQL database, by table with conditions or by one SELECT."
_SEARCH = "Find rows of the person's PostgreSQL database by their meaning."
_SEEN_BEYOND = frozenset({"sql", "params", "function", "arguments"})
_TARGETS = frozenset({"sql", "table", "function", "text"})


class PostgresModule(RemoteModule[PostgresSettings, PostgresIntegration]):
    """The owner's database."""

    channel = "postgres"
    about = ChannelInfo(contents=phrase("your database"))
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
                args=QueryToolArgs,
                facts=("count", "complete", "rows.0.0"),
                handler=_calling(integration, "query"),
                preview=preview,
                # The functions of a SELECT may reach beyond the database, with any values: only the owner chooses both.
                reaches_out=frozenset() if integration.settings.free_sql else _SEEN_BEYOND,
            ),
            remote_tool(
                integration,
                self.channel,
                "vector_search",
                contract_version=CONTRACT,
                description=_SEARCH,
                args=VectorSearchToolArgs,
                facts=("count", "matches.0.id", "matches.0.text"),
                handler=_calling(integration, "vector_search"),
            ),
        )

    def render(self, result: StepResult, _zone: ZoneInfo) -> Rendered | None:
        match result.action:
            case "query":
                return showed(result, rows_text(result.data))
            case "vector_search":
                return showed(result, matches(result.data))
            case _:
                return None

    def roles(self) -> Mapping[str, ToolMetadata]:
        return {"bot_postgres_query": _roles(QueryArgs), "bot_postgres_vector_search": _roles(VectorSearchArgs)}


def preview(args: QueryArgs) -> Preview:
    """Return the preview: the whole statement, with its values."""
    beyond = args.table is None
    effect = say("Reads your database; what it calls may reach beyond it") if beyond else say("Reads your database")
    values = ", ".join(f"${number} = {value!r}" for number, value in enumerate(args.params, start=1))
    facts = (*(((say("Values"), values),) if values else ()), *named_facts(args.arguments))
    items = (*(("sql", "params") if args.sql else ()), "arguments")
    return Preview(effect=effect, body=args.sql, facts=facts, told=items)


def _calling(integration: PostgresIntegration, operation: str) -> ToolHandler:
    """Call once, without retries: a query that timed out would take as long again, at the database's expense."""

    async def handle(call: ToolCall) -> IntegrationResult:
        return await integration.request(
            call.trace_id,
            integration.operations[operation].method_id,
            call.args.model_dump(mode="json"),
            timeout_ms=int((integration.settings.timeout_s + ROOM_S) * 1000),
            dry_run=call.dry_run,
        )

    return handle


def _roles(args: type[BaseModel]) -> ToolMetadata:
    return ToolMetadata({name: ArgRole.TARGET if name in _TARGETS else ArgRole.OPTION for name in args.model_fields})
