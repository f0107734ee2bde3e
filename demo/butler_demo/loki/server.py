"""A Loki stand-in on a loopback socket: log queries over streams whose lines come as time goes on.

What it knows of LogQL are selectors and line filters; anything else is refused, in the form that Loki refuses in.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from butler_demo.loki.errors import LokiError
from butler_demo.loki.logql import parse
from butler_demo.loki.stream import NANO, Stream
from butler_demo.serving import Port

MOST_LINES = 5_000
LONGEST_NS = 721 * 3_600 * NANO
HOUR_NS = 3_600 * NANO
VERSION = "3.4.2"
_DURATION = re.compile(r"(\d+)([smhdwy])")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800, "y": 31_536_000}
_VALUES = re.compile(r"/loki/api/v1/label/([^/]+)/values")
Json = dict[str, Any]


def utc_now() -> datetime:
    """Return the machine's time."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call of the API, with why it was refused."""

    at: datetime
    path: str
    parameters: Mapping[str, str]
    error: str = ""


class LokiServer:
    """The stand-in. Its methods are called on the event loop that serves it."""

    def __init__(self, *, now: Callable[[], datetime] = utc_now, tenant: str = "", token: str = "") -> None:
        """Create a server without streams.

        With a `tenant`, requests have to name it in X-Scope-OrgID, and those of others see nothing. With a `token`,
        whoever does not bear it gets 401, as from a proxy.
        """
        self._now = now
        self._tenant = tenant
        self._token = token
        self._streams: list[Stream] = []
        self._port = Port()
        self.requests = 0
        """How many have come."""
        self.calls: deque[CallRecord] = deque(maxlen=1_000)
        """Those that were answered, oldest first."""

    def add(self, streams: Iterable[Stream]) -> None:
        """Let it know these streams."""
        self._streams.extend(streams)

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Serve; port 0 takes a free one, see `url`."""
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._handle)
        await self._port.open(app, host, port)

    async def stop(self) -> None:
        """Close every connection and the port."""
        await self._port.close()

    @property
    def url(self) -> str:
        """Its address, without a slash at the end."""
        return self._port.root

    async def _handle(self, request: web.Request) -> web.Response:
        self.requests += 1
        parameters = dict(request.query)
        try:
            answer = self._answer(request)
        except LokiError as error:
            self.calls.append(CallRecord(self._now(), request.path, parameters, error.message))
            headers = {"X-Content-Type-Options": "nosniff"}
            return web.Response(status=error.status, text=error.message + "\n", headers=headers)
        self.calls.append(CallRecord(self._now(), request.path, parameters))
        return answer

    def _answer(self, request: web.Request) -> web.Response:
        if request.method == "GET" and request.path == "/ready":
            return web.Response(text="ready\n")
        if self._token and request.headers.get("Authorization") != f"Bearer {self._token}":
            raise LokiError(401, "Unauthorized")
        tenant = request.headers.get("X-Scope-OrgID", "")
        if self._tenant and not tenant:
            raise LokiError(401, "no org id")
        streams = self._streams if tenant == self._tenant or not self._tenant else []
        if request.method != "GET":
            raise LokiError(405, "method not allowed")
        match request.path:
            case "/loki/api/v1/query_range":
                data: Any = self._query_range(streams, request.query)
            case "/loki/api/v1/query":
                parse(request.query.get("query", ""))
                said = "log queries are not supported as an instant query type, please change your query to a range"
                raise LokiError(400, said + " query type")
            case "/loki/api/v1/labels":
                data = sorted({name for stream in self._seen(streams, request.query) for name in stream.labels})
            case "/loki/api/v1/status/buildinfo":
                keys = ("revision", "branch", "buildDate", "buildUser", "goVersion")
                return web.json_response({"version": VERSION, **dict.fromkeys(keys, "stand-in")})
            case path:
                named = _VALUES.fullmatch(path)
                if named is None:
                    raise LokiError(404, "404 page not found")
                seen = self._seen(streams, request.query)
                data = sorted({stream.labels[named[1]] for stream in seen if named[1] in stream.labels})
        return web.json_response({"status": "success", "data": data})

    def _seen(self, streams: list[Stream], parameters: Mapping[str, str]) -> list[Stream]:
        """The streams that have lines in a span of time, the last six hours by default."""
        start, end = self._span(parameters, 6 * HOUR_NS)
        return [stream for stream in streams if stream.between(start, end)]

    def _span(self, parameters: Mapping[str, str], by_default_ns: int) -> tuple[int, int]:
        end = _nanoseconds(parameters["end"]) if parameters.get("end") else round(self._now().timestamp() * NANO)
        if parameters.get("start"):
            start = _nanoseconds(parameters["start"])
        else:
            start = end - (_duration(parameters["since"]) if parameters.get("since") else by_default_ns)
        if end <= start:
            raise LokiError(400, "end timestamp must not be before or equal to start time")
        if end - start > LONGEST_NS:
            raise LokiError(400, "the query time range exceeds the limit (limit: 30d1h)")
        return start, end

    def _query_range(self, streams: list[Stream], parameters: Mapping[str, str]) -> Json:
        start, end = self._span(parameters, HOUR_NS)
        limit = _limit(parameters.get("limit", "100"))
        direction = parameters.get("direction", "backward").lower()
        if direction not in {"backward", "forward"}:
            raise LokiError(400, f"invalid direction '{direction}'")
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


def _limit(text: str) -> int:
    try:
        limit = int(text)
    except ValueError:
        raise LokiError(400, f'strconv.ParseUint: parsing "{text}": invalid syntax') from None
    if limit <= 0:
        raise LokiError(400, "limit must be a positive value")
    if limit > MOST_LINES:
        said = "max entries limit per query exceeded, limit > max_entries_limit_per_query"
        raise LokiError(400, f"{said} ({limit} > {MOST_LINES})")
    return limit


def _nanoseconds(text: str) -> int:
    """Nanoseconds of the epoch: whole numbers are those, others are seconds; or RFC 3339."""
    try:
        if text.isdigit():
            return int(text)
        return round((datetime.fromisoformat(text).timestamp() if "T" in text else float(text)) * NANO)
    except ValueError:
        raise LokiError(400, f'could not parse "{text}" as a timestamp') from None


def _duration(text: str) -> int:
    match = _DURATION.fullmatch(text)
    if match is None:
        raise LokiError(400, f"could not parse 'since' parameter: not a valid duration string: \"{text}\"")
    return int(match[1]) * _SECONDS[match[2]] * NANO
