"""`bot_grafana_query_dashboard`: reads dashboards of the owner's Grafana, as numbers and as a picture."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from pydantic import Field

from butler.contract.adapters import remote_tool
from butler.contract.channel import ChannelInfo
from butler.contract.hooks import HookReceiver
from butler.contract.integration import READS, IntegrationResult
from butler.contract.module import CheckResult, ModuleContext
from butler.contract.records import ClosedRecord
from butler.contract.rendering import Rendered, StepResult, picture_of, showed
from butler.contract.speech import phrase, say
from butler.contract.tools import ArgRole, InZone, Preview, ToolCall, ToolMetadata, ToolSpec
from butler.contract.value_words import named_facts
from butler.contract.wall_time import local_moment, moment_in
from modules._remote.alerts import AlertReceiver
from modules._remote.hook_signs import secret_check
from modules._remote.module import RemoteModule
from modules.grafana import records as r
from modules.grafana.config import GrafanaModuleSettings, GrafanaSettings
from modules.grafana.hook_alerts import checking
from modules.grafana.integration_grafana import GrafanaIntegration
from modules.grafana.pictures import Pictures
from modules.grafana.rendering import dashboards_text

OPERATION = "query_dashboard"
TOOL = f"bot_grafana_{OPERATION}"
CONTRACT = "1.0.0"
FACTS = ("dashboards.0.uid", "dashboards.0.title", "dashboard.title", "dashboard.url", "panels.0.title", "chart")
_TARGETS = frozenset({"dashboard", "uid", "panel"})


class QueryDashboardArgs(ClosedRecord):
    """Which dashboard, which panels, over which time; moments without a zone are the person's."""

    dashboard: str = Field(
        default="",
        max_length=200,
        description="Words of its title; left out, with `uid` too: a list of all.",
        examples=["web servers"],
    )
    uid: r.Uid = Field(
        default="", description="The one that a list has.", examples=[{"step": 1, "fact": "dashboards.0.uid"}]
    )
    panel: str = Field(
        default="", max_length=200, description="Words of a panel's title; left out: all panels.", examples=["load"]
    )
    since: datetime | None = Field(
        default=None, description="Local time; left out: the dashboard's own.", examples=["2026-03-02T09:00"]
    )
    before: datetime | None = Field(
        default=None, description="Local time; left out: the dashboard's own.", examples=["2026-03-02T12:00"]
    )
    variables: dict[r.VariableName, r.VariableValue] = Field(
        default_factory=dict[str, str],
        max_length=20,
        description="Values of what the dashboard lets one choose.",
        examples=[{"instance": "web-1"}],
    )
    max_points: int = Field(
        default=240, ge=10, le=1_000, description="How many values of a series at most.", examples=[100]
    )
    picture: bool = Field(default=True, description="Whether a picture of it is made.", examples=[False])
    in_zone: InZone = ""


class GrafanaModule(RemoteModule[GrafanaSettings, GrafanaIntegration]):
    """The owner's Grafana."""

    channel = "grafana"
    about = ChannelInfo(contents=phrase("your dashboards"))
    title = "your Grafana"
    settings_model = GrafanaModuleSettings

    def __init__(self, settings: GrafanaModuleSettings, context: ModuleContext) -> None:
        super().__init__(settings, context, settings.bot, GrafanaIntegration)

    def reads(self) -> Sequence[ToolSpec]:
        return (
            remote_tool(
                self.remote,
                self.channel,
                OPERATION,
                contract_version=CONTRACT,
                description="Read what a dashboard of the person's Grafana shows, in numbers and as a picture.",
                args=QueryDashboardArgs,
                facts=FACTS,
                handler=self._query,
                preview=self._preview,
                examples=(
                    {"dashboard": "web server"},
                    {"dashboard": "web server", "panel": "load", "since": "2026-03-02T09:00"},
                    {"uid": "aB3dE6gH", "variables": {"instance": "web-1"}},
                ),
            ),
        )

    def render(self, result: StepResult, _zone: ZoneInfo) -> Rendered | None:
        return showed(result, dashboards_text(result.data), picture_of(result.data))

    def roles(self) -> Mapping[str, ToolMetadata]:
        roles = {
            name: ArgRole.TARGET if name in _TARGETS else ArgRole.OPTION for name in QueryDashboardArgs.model_fields
        }
        return {TOOL: ToolMetadata(roles)}

    def hooks(self) -> Sequence[HookReceiver]:
        if not self.integrations() or not self.bot.hook_variable:
            return ()
        return (AlertReceiver(self.channel, checking(self.bot, self.context.vault), self.context.event_store),)

    async def checks(self) -> Sequence[CheckResult]:
        checks = await super().checks()
        if not self.hooks():
            return checks
        return [*checks, secret_check(self.context.vault, self.bot.hook_variable, "alerts of Grafana", "takes alerts")]

    def _preview(self, args: QueryDashboardArgs) -> Preview:
        """Return the preview, for owners who approve reads: dashboard, panel, time, each variable by its name."""
        items = (
            (say("Dashboard"), ", ".join(filter(None, (args.dashboard, args.uid)))),
            (say("Panel"), args.panel),
            (say("Since"), local_moment(args.since, args.in_zone, self.context.zone)),
            (say("Before"), local_moment(args.before, args.in_zone, self.context.zone)),
            (say("At most"), say("{count} points a series", count=args.max_points)),
            (say("Picture"), say("yes") if args.picture else say("no")),
        )
        return Preview(
            effect=say("Reads what a dashboard of your Grafana shows"),
            facts=(*(fact for fact in items if fact[1]), *named_facts(args.variables)),
            told=("dashboard", "uid", "panel", "since", "before", "max_points", "picture", "variables"),
        )

    async def _query(self, call: ToolCall) -> IntegrationResult:
        args: QueryDashboardArgs = call.args
        wanted = args.model_dump(mode="json", exclude={"picture", "in_zone"})
        for name, at in (("since", args.since), ("before", args.before)):
            wanted[name] = moment_in(at, args.in_zone, self.context.zone).isoformat() if at is not None else None
        result = await self.remote.request(
            call.trace_id, r.QUERY, wanted, timeout_ms=self.timeout_ms, dry_run=call.dry_run, retry_policy=READS
        )
        if result.data is None or call.dry_run:
            return result
        pictures = Pictures(
            self.remote,
            self.context.storage.blobs,
            self.context.zone,
            render=self.bot.render,
            timeout_ms=self.timeout_ms,
        )
        chart = await pictures.of(result.data, wanted, call.trace_id) if args.picture else None
        return result.model_copy(update={"data": result.data | {"chart": chart}})
