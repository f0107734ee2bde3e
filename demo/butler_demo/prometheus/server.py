"""A Prometheus stand-in on a loopback socket: its HTTP API for queries, over series that are functions of time.

What it knows of PromQL are selectors and numbers; anything else is refused, in the form that Prometheus refuses in.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from butler_demo.prometheus.errors import PrometheusError, bad_data
from butler_demo.prometheus.gauge import Gauge
from butler_demo.prometheus.selector import Selector, parse
from butler_demo.prometheus.times import duration, moment, number, stamp
from butler_demo.serving import Port

MOST_POINTS = 11_000
VERSION = "2.42.0"
Json = dict[str, Any]


def utc_now() -> datetime:
    """Return the machine's time."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call of the API by whoever may, with why it was refused."""

    at: datetime
    path: str
    parameters: Mapping[str, str]
    error: str = ""


class PrometheusServer:
    """The stand-in. Its methods are called on the event loop that serves it."""

    def __init__(self, *, now: Callable[[], datetime] = utc_now, token: str = "") -> None:
        """Create a server without series. With a `token`, whoever does not bear it gets 401, as from a proxy."""
        self._now = now
        self._token = token
        self._gauges: list[Gauge] = []
        self._port = Port()
        self._offline = False
        self.requests = 0
        """How many have come."""
        self.calls: deque[CallRecord] = deque(maxlen=1_000)
        """Those that were answered, oldest first."""

    def add(self, gauges: Iterable[Gauge]) -> None:
        """Let it know these series."""
        self._gauges.extend(gauges)

    def go_offline(self) -> None:
        """Break every connection without an answer from now on."""
        self._offline = True

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
        if self._offline:
            if request.transport is not None:
                request.transport.abort()
            return web.Response()  # for aiohttp; nothing of it reaches the client
        if self._token and request.headers.get("Authorization") != f"Bearer {self._token}":
            return web.Response(status=401, text="Unauthorized\n", headers={"WWW-Authenticate": "Bearer"})
        given = {**request.query, **(await request.post())} if request.method == "POST" else request.query
        parameters = {key: str(value) for key, value in given.items()}
        try:
            data = self._answer(request.method, request.path, parameters)
        except PrometheusError as error:
            self.calls.append(CallRecord(self._now(), request.path, parameters, error.message))
            refusal = {"status": "error", "errorType": error.kind, "error": error.message}
            return web.json_response(refusal, status=error.status)
        if data is None:
            return web.Response(status=404, text="404 page not found\n")
        self.calls.append(CallRecord(self._now(), request.path, parameters))
        return web.json_response({"status": "success", "data": data})

    def _answer(self, method: str, path: str, parameters: Mapping[str, str]) -> Json | None:
        match method, path:
            case "GET" | "POST", "/api/v1/query":
                return self._query(parameters)
            case "GET" | "POST", "/api/v1/query_range":
                return self._query_range(parameters)
            case "GET", "/api/v1/status/buildinfo":
                keys = ("revision", "branch", "buildUser", "buildDate", "goVersion")
                return {"version": VERSION, **dict.fromkeys(keys, "stand-in")}
            case _:
                return None

    def _query(self, parameters: Mapping[str, str]) -> Json:
        at = moment(parameters["time"], "time") if parameters.get("time") else self._now().timestamp()
        asked = parse(parameters.get("query", ""))
        if not isinstance(asked, Selector):
            return {"resultType": "scalar", "result": [stamp(at), number(asked)]}
        found = [(gauge, gauge.at(at)) for gauge in self._picked(asked)]
        result = [
            {"metric": dict(gauge.labels), "value": [stamp(at), number(value)]}
            for gauge, value in found
            if value is not None
        ]
        return {"resultType": "vector", "result": result}

    def _query_range(self, parameters: Mapping[str, str]) -> Json:
        start = moment(parameters.get("start", ""), "start")
        end = moment(parameters.get("end", ""), "end")
        if end < start:
            raise bad_data("end", "end timestamp must not be before start time")
        step = duration(parameters.get("step", ""), "step")
        if step <= 0:
            raise bad_data("step", "zero or negative query resolution step widths are not accepted")
        if (end - start) / step > MOST_POINTS:
            said = "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution"
            raise PrometheusError("bad_data", f"{said} (?step=XX)")
        asked = parse(parameters.get("query", ""))
        moments = [start + step * number for number in range(int((end - start) / step + 1e-9) + 1)]
        if not isinstance(asked, Selector):
            values = [[stamp(at), number(asked)] for at in moments]
            return {"resultType": "matrix", "result": [{"metric": {}, "values": values}]}
        result: list[Json] = []
        for gauge in self._picked(asked):
            values = [[stamp(at), number(value)] for at in moments if (value := gauge.at(at)) is not None]
            if values:
                result.append({"metric": dict(gauge.labels), "values": values})
        return {"resultType": "matrix", "result": result}

    def _picked(self, asked: Selector) -> list[Gauge]:
        found = [gauge for gauge in self._gauges if asked.picks(gauge.labels)]
        return sorted(found, key=lambda gauge: sorted(gauge.labels.items()))
