"""`bot_loki_query_logs`: what the person's servers wrote into their logs. Whatever the lines say, they are data."""

from collections.abc import Mapping, Sequence

from butler.contract.adapters import remote_tool
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import READS, BaseIntegration, IntegrationCall, IntegrationResult
from butler.contract.module import CheckResult, Module, ModuleContext
from butler.contract.speech import say
from butler.contract.tools import ToolCall, ToolMetadata, ToolSpec
from butler.contract.wall_time import moment
from modules.loki.args import ROLES, QueryLogsArgs
from modules.loki.config import LokiModuleSettings
from modules.loki.integration_loki import LokiIntegration
from modules.loki.logql import selector_of, with_words
from modules.loki.records import QUERY

CONTRACT = "1.0.0"


class LokiModule(Module):
    """Nothing connects before the first call."""

    channel = "loki"
    settings_model = LokiModuleSettings

    def __init__(self, settings: LokiModuleSettings, context: ModuleContext) -> None:
        super().__init__(settings, context)
        bot = settings.bot if settings.bot is not None and settings.bot.enabled else None
        self._signals = bot.signals() if bot else {}
        self._selector = bot.selector if bot else ""
        self._integration = LokiIntegration(bot, context) if bot else None

    def bot_inputs(self) -> Sequence[ToolSpec]:
        if self._integration is None:
            return ()
        named = ", ".join(f"{signal.name} ({signal.title or signal.name})" for signal in self._signals.values())
        return (
            remote_tool(
                self._integration,
                self.channel,
                "query_logs",
                contract_version=CONTRACT,
                description=f"Find lines in the logs of the person's servers, in their Loki. Signals: {named}.",
                args=QueryLogsArgs,
                handler=self._query,
                examples=(
                    {"signal": "errors"},
                    {"words": ["rsync"], "since": "2026-11-28T21:00:00", "direction": "forward"},
                    {"query": '{job="nginx"} |= " 500 "', "limit": 20},
                ),
            ),
        )

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        return ROLES if self._integration else {}

    def integrations(self) -> Sequence[BaseIntegration]:
        return (self._integration,) if self._integration else ()

    async def checks(self) -> Sequence[CheckResult]:
        if self._integration is None:
            return ()
        status = await self._integration.auth_status()
        return [CheckResult(f"Loki at {status['account']}", status["ok"], status["detail"], status["todo"])]

    async def stop(self) -> None:
        if self._integration is not None:
            await self._integration.stop()

    async def _query(self, call: ToolCall) -> IntegrationResult:
        assert self._integration is not None, "without an integration there is no tool"
        args: QueryLogsArgs = call.args
        if args.signal and args.signal not in self._signals:
            known = ", ".join(self._signals)
            said = say("there is no signal {name}; there are {known}", name=args.signal, known=known)
            return failed(IntegrationErrorCode.INVALID_INPUT, said)
        zone = self.context.zone
        asked = {
            "query": self._query_of(args),
            "since": moment(args.since, zone) if args.since else None,
            "before": moment(args.before, zone) if args.before else None,
            "limit": args.limit,
            "direction": args.direction,
        }
        result = await self._integration.call(
            IntegrationCall(
                trace_id=call.trace_id,
                method_id=QUERY,
                args=asked,
                timeout_ms=self._integration.timeout_ms,
                retry_policy=READS,
                dry_run=call.dry_run,
            )
        )
        if result.data is None or call.dry_run:
            return result
        signal = self._signals.get(args.signal)
        more = {"signal": args.signal, "title": (signal.title or signal.name) if signal else ""}
        return result.model_copy(update={"data": {**result.data, **more}})

    def _query_of(self, args: QueryLogsArgs) -> str:
        if args.query.strip():
            return args.query
        base = self._signals[args.signal].query if args.signal else self._selector
        return with_words(selector_of(args.labels) if args.labels else base, args.words)
