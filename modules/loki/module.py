"""`bot_loki_query_logs`: reads the logs of the owner's servers. The lines are untrusted data."""

from collections.abc import Mapping, Sequence

from butler.contract.adapters import remote_tool
from butler.contract.channel import ChannelInfo
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import READS, IntegrationResult
from butler.contract.module import ModuleContext
from butler.contract.rendering import PlanContext, Rendered, StepResult
from butler.contract.speech import phrase, say
from butler.contract.tools import Preview, ToolCall, ToolMetadata, ToolSpec
from butler.contract.value_words import named_facts
from butler.contract.wall_time import local_moment, moment_in
from modules._remote.module import RemoteModule
from modules._signals.rendering import about_servers
from modules.loki.args import ROLES, QueryLogsArgs
from modules.loki.config import LokiModuleSettings, LokiSettings
from modules.loki.integration_loki import LokiIntegration
from modules.loki.logql import selector_of, with_words
from modules.loki.records import QUERY, Order

CONTRACT = "1.0.0"


class LokiModule(RemoteModule[LokiSettings, LokiIntegration]):
    """The owner's Loki."""

    channel = "loki"
    about = ChannelInfo(contents=phrase("your logs"))
    title = "your Loki"
    settings_model = LokiModuleSettings

    def __init__(self, settings: LokiModuleSettings, context: ModuleContext) -> None:
        super().__init__(settings, context, settings.bot, LokiIntegration)
        self._signals = settings.bot.signals() if settings.bot else {}

    def reads(self) -> Sequence[ToolSpec]:
        named = ", ".join(f"{signal.name} ({signal.title or signal.name})" for signal in self._signals.values())
        return (
            remote_tool(
                self.remote,
                self.channel,
                "query_logs",
                contract_version=CONTRACT,
                description=f"Find lines in the logs of the person's servers, in their Loki. Signals: {named}.",
                args=QueryLogsArgs,
                facts=("count", "complete", "lines.0.at", "lines.0.text"),
                handler=self._query,
                preview=self._preview,
                examples=(
                    {"signal": "errors"},
                    {"words": ["rsync"], "since": "2026-11-28T21:00:00", "direction": "forward"},
                    {"query": '{job="nginx"} |= " 500 "', "limit": 20},
                ),
            ),
        )

    def render_together(self, results: Sequence[StepResult], context: PlanContext) -> Rendered | None:
        return about_servers(results, context)

    def roles(self) -> Mapping[str, ToolMetadata]:
        return ROLES

    def _preview(self, args: QueryLogsArgs) -> Preview:
        """Return the preview, for owners who approve reads: what is searched, for which time, each label by name."""
        items = (
            (say("Signal"), args.signal),
            (say("Words"), ", ".join(args.words)),
            (say("Since"), local_moment(args.since, args.in_zone, self.context.zone)),
            (say("Before"), local_moment(args.before, args.in_zone, self.context.zone)),
            (say("Order"), say("the newest first") if args.direction is Order.BACKWARD else say("the oldest first")),
            (say("At most"), str(args.limit)),
        )
        return Preview(
            effect=say("Looks for lines in the logs of your Loki"),
            body=args.query,
            facts=(*(fact for fact in items if fact[1]), *named_facts(args.labels)),
            told=("signal", "words", "since", "before", "direction", "limit", "labels", "query"),
        )

    async def _query(self, call: ToolCall) -> IntegrationResult:
        args: QueryLogsArgs = call.args
        if args.signal and args.signal not in self._signals:
            known = ", ".join(self._signals)
            text = say("there is no signal {name}; there are {known}", name=args.signal, known=known)
            return failed(IntegrationErrorCode.INVALID_INPUT, text)
        zone = self.context.zone
        asked = {
            "query": self._query_of(args),
            "since": moment_in(args.since, args.in_zone, zone) if args.since else None,
            "before": moment_in(args.before, args.in_zone, zone) if args.before else None,
            "limit": args.limit,
            "direction": args.direction,
        }
        result = await self.remote.request(
            call.trace_id, QUERY, asked, timeout_ms=self.timeout_ms, retry_policy=READS, dry_run=call.dry_run
        )
        if result.data is None or call.dry_run:
            return result
        signal = self._signals.get(args.signal)
        title = (signal.title or signal.name) if signal else ""
        more = {"signal": args.signal, "title": title, "words": list(args.words)}
        return result.model_copy(update={"data": {**result.data, **more}})

    def _query_of(self, args: QueryLogsArgs) -> str:
        if args.query.strip():
            return args.query
        base = self._signals[args.signal].query if args.signal else self.bot.selector
        return with_words(selector_of(args.labels) if args.labels else base, args.words)
