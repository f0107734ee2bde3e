"""A Loki stand-in on a loopback socket: log queries over streams whose lines come as time goes on.

What it knows of LogQL are selectors and line filters; anything else is refused, in the form that Loki refuses in.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from aiohttp import web

from butler_demo.loki.logql import parse
from butler_demo.loki.stream import NANO, Stream
from butler_demo.queries import Json, QueryError, QueryServer
from butler_demo.serving import utc_now

MOST_LINES = 5_000
LONGEST_NS = 721 * 3_600 * NANO


class LokiServer(QueryServer):
    """The stand-in."""

    def __init__(self, *, now: Callable[[], datetime] = utc_now, tenant: str = "", token: str = "") -> None:
        """Create a server without streams.

        With a `tenant`, requests have to name it in X-Scope-OrgID, and those of others see nothing.
        """
        super().__init__(now, token)
        self._tenant = tenant
        self._streams: list[Stream] = []

    def add(self, streams: Iterable[Stream]) -> None:
        """Let it know these streams."""
        self._streams.extend(streams)

    def answer(self, request: web.Request, parameters: Mapping[str, str]) -> Json:
        """Return the lines of a query. Raises QueryError."""
        tenant = request.headers.get("X-Scope-OrgID", "")
        if self._tenant and not tenant:
            raise QueryError(401, "no org id")
        if (request.method, request.path) != ("GET", "/loki/api/v1/query_range"):
            raise QueryError(404, "404 page not found")
        streams = self._streams if tenant == self._tenant or not self._tenant else []
        start, end = _span(parameters)
        limit = _limit(parameters.get("limit", ""))
        direction = parameters.get("direction", "")
        if direction not in {"backward", "forward"}:
            raise QueryError(400, f"invalid direction '{direction}'")
        query = parse(parameters.get("query", ""))
        found = [
            (at, number, text)
            for number, stream in enumerate(streams)
            if query.picks(stream.labels)
            for at, text in stream.between(start, end)
            if query.takes(text)
        ]
        found.sort(reverse=direction == "backward")
        result: dict[int, Json] = {}
        for at, number, text in found[:limit]:
            part = result.setdefault(number, {"stream": dict(streams[number].labels), "values": []})
            part["values"].append([str(at), text])
        stats = {"ingester": {}, "store": {}, "summary": {"totalLinesProcessed": len(found), "execTime": 0.0}}
        return {"resultType": "streams", "result": list(result.values()), "stats": stats}


def _span(parameters: Mapping[str, str]) -> tuple[int, int]:
    start, end = (_whole(parameters.get(name, ""), "could not parse as a timestamp") for name in ("start", "end"))
    if end <= start:
        raise QueryError(400, "end timestamp must not be before or equal to start time")
    if end - start > LONGEST_NS:
        raise QueryError(400, "the query time range exceeds the limit (limit: 30d1h)")
    return start, end


def _limit(text: str) -> int:
    limit = _whole(text, "strconv.ParseUint: invalid syntax")
    if limit <= 0:
        raise QueryError(400, "limit must be a positive value")
    if limit > MOST_LINES:
        said = "max entries limit per query exceeded, limit > max_entries_limit_per_query"
        raise QueryError(400, f"{said} ({limit} > {MOST_LINES})")
    return limit


def _whole(text: str, otherwise: str) -> int:
    if not text.isdecimal():
        raise QueryError(400, f'{otherwise}: "{text}"')
    return int(text)
