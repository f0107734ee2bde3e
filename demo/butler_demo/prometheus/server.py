"""A Prometheus stand-in on a loopback socket: its HTTP API for queries, over series that are functions of time.

What it knows of PromQL are selectors and numbers; anything else is refused, in the form that Prometheus refuses in.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from aiohttp import web

from butler_demo.prometheus.gauge import Gauge
from butler_demo.prometheus.selector import Selector, bad_data, parse
from butler_demo.prometheus.times import number, seconds, stamp
from butler_demo.queries import Json, QueryError, QueryServer
from butler_demo.serving import utc_now

MOST_POINTS = 11_000


class PrometheusServer(QueryServer):
    """The stand-in."""

    def __init__(self, *, now: Callable[[], datetime] = utc_now, token: str = "") -> None:
        """Create a server without series."""
        super().__init__(now, token)
        self._gauges: list[Gauge] = []

    def add(self, gauges: Iterable[Gauge]) -> None:
        """Let it know these series."""
        self._gauges.extend(gauges)

    def answer(self, request: web.Request, parameters: Mapping[str, str]) -> Json:
        """Return the values of a query. Raises QueryError."""
        match request.method, request.path:
            case "POST", "/api/v1/query":
                return self._query(parameters)
            case "POST", "/api/v1/query_range":
                return self._query_range(parameters)
            case _:
                raise QueryError(404, "404 page not found")

    def refusal(self, error: QueryError) -> web.Response:
        """Return Prometheus's own form of an error, where it is one of a query."""
        if not error.kind:
            return super().refusal(error)
        refusal = {"status": "error", "errorType": error.kind, "error": error.message}
        return web.json_response(refusal, status=error.status)

    def _query(self, parameters: Mapping[str, str]) -> Json:
        at = seconds(parameters["time"], "time") if "time" in parameters else self._now().timestamp()
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
        start, end, step = (seconds(parameters.get(name, ""), name) for name in ("start", "end", "step"))
        if end < start:
            raise bad_data("end", "end timestamp must not be before start time")
        if step <= 0:
            raise bad_data("step", "zero or negative query resolution step widths are not accepted")
        if (end - start) / step > MOST_POINTS:
            said = "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution"
            raise QueryError(400, f"{said} (?step=XX)", "bad_data")
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
