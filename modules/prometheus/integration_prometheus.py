"""Prometheus's HTTP API as a remote adapter: one operation, a query at one moment or over a time range."""

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar
from urllib.parse import urlsplit

from butler.contract.adapters import Operation
from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.integration import (
    Idempotency,
    IntegrationCall,
    Method,
    RawAnswer,
    ResultProvenance,
    auth_answer,
    method,
)
from butler.contract.speech import phrase, say
from modules._remote.http import SENTENCES, HttpAnswer, HttpPeer, with_reason
from modules._remote.http_auth import signed
from modules._remote.http_integration import HttpIntegration
from modules.prometheus.config import PrometheusSettings
from modules.prometheus.normalise import answer_of, error_of, series_of
from modules.prometheus.records import MOST_POINTS, QUERY, USUAL_POINTS, QueryAnswer, QueryArgs

_STEPS = (15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400)
_KINDS = {
    "bad_data": IntegrationErrorCode.INVALID_INPUT,
    "execution": IntegrationErrorCode.INVALID_INPUT,
    "timeout": IntegrationErrorCode.TIMEOUT,
    "canceled": IntegrationErrorCode.TIMEOUT,
    "unavailable": IntegrationErrorCode.UNAVAILABLE,
    "internal": IntegrationErrorCode.UNAVAILABLE,
    "not_found": IntegrationErrorCode.NOT_FOUND,
}
_TOO_SLOW = phrase("Prometheus gave the query up as too slow; ask for a shorter time")
_SENTENCES = {
    "bad_data": phrase("Prometheus does not understand the query"),
    "execution": phrase("Prometheus cannot carry the query out"),
    "timeout": _TOO_SLOW,
    "canceled": _TOO_SLOW,
}
_TODO = "look at [modules.prometheus.bot] in your settings (docs/how-to/connect-prometheus.md)"


class PrometheusIntegration(HttpIntegration[PrometheusSettings]):
    """One server. It connects with the first call."""

    provider = "prometheus"
    adapter_id: ClassVar[str] = "prometheus"
    adapter_description: ClassVar[str] = "Values over time from a Prometheus of the person's, by PromQL."
    operations: ClassVar[Mapping[str, Operation]] = {
        "query_metrics": Operation(QUERY, "Ask for values at a moment or over a span of time.")
    }

    def methods(self) -> list[Method]:
        return [
            method(
                QUERY,
                args=QueryArgs,
                answer=QueryAnswer,
                run=self._raw_query,
                idempotency=Idempotency.READ,
            )
        ]

    async def auth_status(self) -> dict[str, Any]:
        """Query the number 1, which every Prometheus can evaluate."""
        result = await self.request("status", QUERY, {"query": "1"}, timeout_ms=self.timeout_ms)
        account = urlsplit(self._settings.url).netloc.rpartition("@")[2]
        return auth_answer(result.error, account, detail="it answers queries", todo=_TODO)

    async def _raw_query(self, call: IntegrationCall, args: QueryArgs) -> RawAnswer:
        now = self._context.clock.now()
        before = args.before or now
        form = {"query": args.query, "timeout": f"{max(1, call.timeout_ms // 1000)}s"}
        step, remarks = None, list[str]()
        if args.since is None:
            form |= {"time": _seconds(args.before)} if args.before else {}
            answer = await self._opened().request("POST", "/api/v1/query", form=form)
        else:
            if args.since >= before:
                raise IntegrationFault(IntegrationErrorCode.INVALID_INPUT, say("the time has to begin before it ends"))
            step = step_of((before - args.since).total_seconds(), args.step_s)
            if args.step_s is not None and step > args.step_s:
                remarks.append(say("a point every {seconds} s is the finest for so long a time", seconds=f"{step:g}"))
            form |= {"start": _seconds(args.since), "end": _seconds(before), "step": f"{step:.3f}"}
            answer = await self._opened().request("POST", "/api/v1/query_range", form=form)
        wire = answer_of(answer.json)
        if wire.data.kind == "string":
            raise IntegrationFault(IntegrationErrorCode.INVALID_INPUT, say("the query gives a text and no numbers"))
        series, more = series_of(wire.data, step, args.max_series)
        data = QueryAnswer(
            query=args.query,
            kind="instant" if step is None else "range",
            series=series,
            since=args.since,
            before=before,
            step_s=step,
            complete=wire.data.kind == "scalar" or len(wire.data.result) <= args.max_series,
            warnings=[*wire.warnings, *wire.infos, *remarks, *more],
        )
        return RawAnswer(data.model_dump(), provenance=ResultProvenance(source_type="metrics", source_ref=args.query))

    def _connected(self) -> HttpPeer:
        headers, secrets = signed(self._settings, self._context.vault)
        return HttpPeer(
            self._settings.url,
            headers=headers,
            secrets=secrets,
            tls_ca=self._settings.tls_ca,
            refused=lambda answer: _refused(answer, secrets),
        )


def step_of(span_s: float, asked_s: float | None) -> float:
    """Return the seconds between two points: as requested unless that makes too many, or else for about 400 points."""
    if asked_s is not None:
        return max(asked_s, math.ceil(span_s / MOST_POINTS * 1000) / 1000)
    fine = span_s / USUAL_POINTS
    return float(next((step for step in _STEPS if step >= fine), math.ceil(fine / 86_400) * 86_400))


def _seconds(moment: datetime) -> str:
    return f"{moment.timestamp():.3f}"


def _refused(answer: HttpAnswer, secrets: tuple[str, ...]) -> IntegrationFault | None:
    """Return Prometheus's own refusal by its `errorType`; None if it comes from a gateway."""
    error = error_of(answer.json)
    code = _KINDS.get(error.kind) if error else None
    if error is None or code is None:
        return None
    sentence = say(_SENTENCES[error.kind]) if error.kind in _SENTENCES else SENTENCES[code]
    return IntegrationFault(
        code, with_reason(sentence, error.error, secrets), http_status=answer.status, provider_code=error.kind
    )
