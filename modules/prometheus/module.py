"""`bot_prometheus_query_metrics`: queries the owner's Prometheus for the state of their servers, and draws a chart."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog

from butler.contract.adapters import remote_tool
from butler.contract.channel import ChannelInfo
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import READS, IntegrationResult
from butler.contract.module import CheckResult, ModuleContext
from butler.contract.rendering import PlanContext, Rendered, StepResult
from butler.contract.speech import phrase, say
from butler.contract.tools import Preview, ToolCall, ToolMetadata, ToolSpec
from butler.contract.wall_time import local_moment, moment_in
from modules._charts import drawing
from modules._charts.chart import Chart, lines_of
from modules._remote.module import RemoteModule
from modules._signals.rendering import about_servers
from modules.prometheus.args import ROLES, QueryMetricsArgs
from modules.prometheus.config import PrometheusModuleSettings, PrometheusSettings, Signal
from modules.prometheus.integration_prometheus import PrometheusIntegration
from modules.prometheus.readings import readings
from modules.prometheus.records import QUERY, QueryArgs

CONTRACT = "1.0.0"
USUAL_SPAN = timedelta(hours=1)
log = structlog.get_logger(__name__)


class PrometheusModule(RemoteModule[PrometheusSettings, PrometheusIntegration]):
    """The owner's Prometheus."""

    channel = "prometheus"
    about = ChannelInfo(contents=phrase("your metrics"))
    title = "your Prometheus"
    settings_model = PrometheusModuleSettings

    def __init__(self, settings: PrometheusModuleSettings, context: ModuleContext) -> None:
        super().__init__(settings, context, settings.bot, PrometheusIntegration)
        self._signals = settings.bot.signals() if settings.bot else {}

    def reads(self) -> Sequence[ToolSpec]:
        named = ", ".join(f"{signal.name} ({signal.title or signal.name})" for signal in self._signals.values())
        return (
            remote_tool(
                self.remote,
                self.channel,
                "query_metrics",
                contract_version=CONTRACT,
                description="Ask the person's Prometheus how a server or program is, with a chart over time."
                + (f" Signals: {named}." if named else ""),
                args=QueryMetricsArgs,
                facts=("readings.0.name", "readings.0.last", "readings.0.last_text", "readings.0.unusual", "chart"),
                handler=self._query,
                preview=self._preview,
                examples=(
                    *({"signal": name} for name in list(self._signals)[:1]),
                    {"query": "up", "instant": True},
                    {"query": "sum(rate(http_requests_total[5m]))", "since": "2026-11-28T14:00:00"},
                ),
            ),
        )

    def render_together(self, results: Sequence[StepResult], context: PlanContext) -> Rendered | None:
        return about_servers(results, context)

    def roles(self) -> Mapping[str, ToolMetadata]:
        return ROLES

    async def checks(self) -> Sequence[CheckResult]:
        results = list(await super().checks())
        if results and not drawing.available():
            results.append(CheckResult("charts", ok=False, detail=drawing.MISSING, todo="pip install 'butler[remote]'"))
        return results

    def _preview(self, args: QueryMetricsArgs) -> Preview:
        """Return the preview, for owners who approve reads: what is read, and for which time."""
        items = (
            (say("Signal"), args.signal),
            (say("Since"), local_moment(args.since, args.in_zone, self.context.zone)),
            (say("Before"), local_moment(args.before, args.in_zone, self.context.zone)),
            (say("Step"), f"{args.step_s:g} s" if args.step_s else ""),
            (say("Only"), say("the values of one moment") if args.instant else ""),
        )
        return Preview(
            effect=say("Reads what your Prometheus has measured"),
            body=args.query,
            facts=tuple(fact for fact in items if fact[1]),
            told=("signal", "since", "before", "step_s", "instant", "query"),
        )

    async def _query(self, call: ToolCall) -> IntegrationResult:
        args: QueryMetricsArgs = call.args
        signal = self._signals.get(args.signal)
        if signal is None and args.signal:
            known = ", ".join(self._signals) or "-"
            text = say("there is no signal {name}; there are {known}", name=args.signal, known=known)
            return failed(IntegrationErrorCode.INVALID_INPUT, text)
        asked = self._asked(args, signal.query if signal else args.query)
        result = await self.remote.request(
            call.trace_id,
            QUERY,
            asked.model_dump(mode="json"),
            timeout_ms=self.timeout_ms,
            retry_policy=READS,
            dry_run=call.dry_run,
        )
        if result.data is None or call.dry_run:
            return result
        return result.model_copy(
            update={"data": await self._with_findings(result.data, signal or _unnamed(args.query), args)}
        )

    def _asked(self, args: QueryMetricsArgs, query: str) -> QueryArgs:
        zone = self.context.zone
        before = moment_in(args.before, args.in_zone, zone) if args.before else None
        if args.instant:
            return QueryArgs(query=query, before=before)
        end = before or self.context.clock.now()
        since = moment_in(args.since, args.in_zone, zone) if args.since else end - USUAL_SPAN
        return QueryArgs(query=query, since=since, before=end, step_s=args.step_s)

    async def _with_findings(self, data: Mapping[str, Any], signal: Signal, args: QueryMetricsArgs) -> dict[str, Any]:
        """Return the answer with the signal, what stands out, and the chart."""
        chart, warnings = None, list(data["warnings"])
        if data["kind"] == "range" and data["series"]:
            if drawing.available():
                chart = (await drawing.chart_file(self._chart(data, signal), self.context.storage.blobs)).model_dump()
            else:
                warnings.append(drawing.MISSING)
        return {
            **data,
            "warnings": warnings,
            "signal": args.signal,
            "title": signal.title or signal.name,
            "unit": signal.unit,
            "high": signal.high,
            "readings": readings(data["series"], signal.unit, signal.high),
            "chart": chart,
        }

    def _chart(self, data: Mapping[str, Any], signal: Signal) -> Chart:
        return Chart(
            title=signal.title or signal.name,
            lines=lines_of(data["series"]),
            unit=signal.unit,
            zone=self.context.zone,
            since=datetime.fromisoformat(data["since"]),
            before=datetime.fromisoformat(data["before"]),
            high=signal.high,
        )


def _unnamed(query: str) -> Signal:
    """Return a custom query, which is the title of its chart."""
    return Signal(name="query", title=query[:100], query=query)
