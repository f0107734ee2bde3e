"""Loki's HTTP API as a remote adapter: one operation, the lines of a log query over a time range."""

from collections.abc import Mapping
from datetime import datetime, timedelta
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
from butler.contract.speech import say
from modules._remote.http import SENTENCES, HttpAnswer, HttpPeer, with_reason
from modules._remote.http_auth import signed
from modules._remote.http_integration import HttpIntegration
from modules.loki.config import LokiSettings
from modules.loki.normalise import answer_of, lines_of
from modules.loki.records import QUERY, QueryAnswer, QueryArgs

USUAL_SPAN = timedelta(hours=1)
_TODO = "look at [modules.loki.bot] in your settings (docs/how-to/connect-loki.md)"


class LokiIntegration(HttpIntegration[LokiSettings]):
    """One server. It connects with the first call."""

    provider = "loki"
    adapter_id: ClassVar[str] = "loki"
    adapter_description: ClassVar[str] = "Lines of logs from a Loki of the person's, by LogQL."
    operations: ClassVar[Mapping[str, Operation]] = {
        "query_logs": Operation(QUERY, "Ask for the lines of a log query over a span of time.")
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
        """Query one line of the last minute; an empty answer counts, too."""
        args = {"query": self._settings.selector, "limit": 1} | _last_minute(self._context.clock.now())
        result = await self.request("status", QUERY, args, timeout_ms=self.timeout_ms)
        account = urlsplit(self._settings.url).netloc.rpartition("@")[2]
        return auth_answer(result.error, account, detail="it answers queries", todo=_TODO)

    async def _raw_query(self, _call: IntegrationCall, args: QueryArgs) -> RawAnswer:
        before = args.before or self._context.clock.now()
        since = args.since or before - USUAL_SPAN
        if since >= before:
            raise IntegrationFault(IntegrationErrorCode.INVALID_INPUT, say("the time has to begin before it ends"))
        answer = await self._opened().request(
            "GET",
            "/loki/api/v1/query_range",
            params={
                "query": args.query,
                "start": _nanoseconds(since),
                "end": _nanoseconds(before),
                # One more than requested tells whether there are more.
                "limit": str(args.limit + 1),
                "direction": args.direction.value,
            },
        )
        wire = answer_of(answer.json)
        if wire.data.kind != "streams":
            raise IntegrationFault(IntegrationErrorCode.INVALID_INPUT, say("the query gives numbers and no lines"))
        found = lines_of(wire.data, args.direction)
        lines = found[: args.limit]
        data = QueryAnswer(
            query=args.query,
            lines=lines,
            count=len(lines),
            since=since,
            before=before,
            complete=len(found) <= args.limit and not any(line.clipped for line in lines),
            warnings=wire.warnings,
        )
        return RawAnswer(data.model_dump(), provenance=ResultProvenance(source_type="logs", source_ref=args.query))

    def _connected(self) -> HttpPeer:
        headers, secrets = signed(self._settings, self._context.vault)
        tenant = {"X-Scope-OrgID": self._settings.tenant} if self._settings.tenant else {}
        return HttpPeer(
            self._settings.url,
            headers={**headers, **tenant},
            secrets=secrets,
            tls_ca=self._settings.tls_ca,
            refused=lambda answer: _refused(answer, secrets),
        )


def _last_minute(now: datetime) -> dict[str, str]:
    return {"since": (now - timedelta(minutes=1)).isoformat(), "before": now.isoformat()}


def _nanoseconds(moment: datetime) -> str:
    return f"{round(moment.timestamp() * 1_000_000)}000"


def _refused(answer: HttpAnswer, secrets: tuple[str, ...]) -> IntegrationFault | None:
    """Return the fault of a status with a meaning of Loki's own, whose reasons are plain text; None for any other."""
    text = answer.body[:1_000].decode("utf-8", "replace")
    match answer.status:
        case 400:
            code, sentence = IntegrationErrorCode.INVALID_INPUT, say("Loki does not understand the query")
        case 504:
            code, sentence = (
                IntegrationErrorCode.TIMEOUT,
                say("Loki gave the query up as too slow; ask for a shorter time"),
            )
        case 413:
            code, sentence = IntegrationErrorCode.INVALID_INPUT, SENTENCES[IntegrationErrorCode.INVALID_INPUT]
        case _:
            return None
    return IntegrationFault(code, with_reason(sentence, text, secrets), http_status=answer.status)
