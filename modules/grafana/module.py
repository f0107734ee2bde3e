"""`bot_grafana_query_dashboard`: what the dashboards of the person's Grafana show, in numbers and as a picture."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from butler.contract.adapters import remote_tool
from butler.contract.integration import READS, BaseIntegration, IntegrationCall, IntegrationResult
from butler.contract.module import CheckResult, Module, ModuleContext
from butler.contract.tools import ArgMetadata, ArgRole, ToolCall, ToolMetadata, ToolSpec
from modules.grafana import records as r
from modules.grafana.config import GrafanaModuleSettings
from modules.grafana.integration_grafana import GrafanaIntegration
from modules.grafana.pictures import Pictures

OPERATION = "query_dashboard"
TOOL = f"bot_grafana_{OPERATION}"
CONTRACT = "1.0.0"
_TARGETS = frozenset({"dashboard", "uid", "panel"})


class QueryDashboardArgs(BaseModel):
    """Which dashboard, which panels, over which time; moments without a zone are the person's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dashboard: str = Field(default="", max_length=200)
    """Words of the dashboard's title; empty for a list."""
    uid: r.Uid = ""
    """The dashboard itself, as a list has it."""
    panel: str = Field(default="", max_length=200)
    """Words of the panel's title; all panels, when left out."""
    since: datetime | None = None
    before: datetime | None = None
    variables: dict[r.VariableName, r.VariableValue] = Field(default_factory=dict[str, str], max_length=20)
    """Values of the dashboard's variables by name."""
    max_points: int = Field(default=240, ge=10, le=1_000)
    picture: bool = True
    """Whether a picture of it is wanted."""


class GrafanaModule(Module):
    """Nothing connects before the first call."""

    channel = "grafana"
    settings_model = GrafanaModuleSettings

    def __init__(self, settings: GrafanaModuleSettings, context: ModuleContext) -> None:
        super().__init__(settings, context)
        self._settings = settings.bot if settings.bot is not None and settings.bot.enabled else None
        self._integration = GrafanaIntegration(self._settings, context) if self._settings is not None else None

    def bot_inputs(self) -> Sequence[ToolSpec]:
        if self._integration is None:
            return ()
        return (
            remote_tool(
                self._integration,
                self.channel,
                OPERATION,
                contract_version=CONTRACT,
                description="Read what a dashboard of the person's Grafana shows, in numbers and as a picture.",
                args=QueryDashboardArgs,
                handler=self._query,
                examples=(
                    {"dashboard": "web server"},
                    {"dashboard": "web server", "panel": "load", "since": "2026-03-02T09:00"},
                    {"uid": "aB3dE6gH", "variables": {"instance": "web-1"}},
                ),
            ),
        )

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        roles = {
            name: ArgMetadata(ArgRole.TARGET if name in _TARGETS else ArgRole.OPTION)
            for name in QueryDashboardArgs.model_fields
        }
        return {TOOL: ToolMetadata(roles)} if self._integration is not None else {}

    def integrations(self) -> Sequence[BaseIntegration]:
        return (self._integration,) if self._integration is not None else ()

    async def checks(self) -> Sequence[CheckResult]:
        if self._integration is None:
            return ()
        status = await self._integration.auth_status()
        detail = f"{status['account']}: {status['detail']}"
        return (CheckResult("your Grafana", ok=status["ok"], detail=detail, todo=status["todo"]),)

    async def stop(self) -> None:
        if self._integration is not None:
            await self._integration.stop()

    async def _query(self, call: ToolCall) -> IntegrationResult:
        assert self._integration is not None
        assert self._settings is not None
        args: QueryDashboardArgs = call.args
        wanted = args.model_dump(mode="json", exclude={"picture"})
        wanted |= {"since": self._moment(args.since), "before": self._moment(args.before)}
        timeout_ms = round(self._settings.timeout_s * 1_000)
        result = await self._integration.call(
            IntegrationCall(
                trace_id=call.trace_id,
                method_id=r.QUERY,
                args=wanted,
                timeout_ms=timeout_ms,
                dry_run=call.dry_run,
                retry_policy=READS,
            )
        )
        if result.data is None or call.dry_run:
            return result
        pictures = Pictures(
            self._integration,
            self.context.blobs,
            self.context.zone,
            render=self._settings.render,
            timeout_ms=timeout_ms,
        )
        chart = await pictures.of(result.data, wanted, call.trace_id) if args.picture else None
        return result.model_copy(update={"data": result.data | {"chart": chart}})

    def _moment(self, moment: datetime | None) -> str | None:
        if moment is None:
            return None
        return (moment if moment.tzinfo else moment.replace(tzinfo=self.context.zone)).isoformat()
