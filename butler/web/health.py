"""`/healthz` and `/metrics`: a channel is alive if it completed a round trip recently."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from math import isinf
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from butler.contract.module import Health
from butler.contract.ports import Clock
from butler.health.alarms import HANGS
from butler.web.hosts import is_known


def misdirected() -> Response:
    """Return the answer to a request by a name that is not this server's."""
    return PlainTextResponse("This name is not known here; [web] hosts may have it.\n", status_code=421)


def health_app(
    clock: Clock,
    health: Callable[[], Mapping[str, Health]],
    metrics_page: Callable[[], Awaitable[bytes]],
    more: Sequence[BaseRoute] = (),
    last_tick: Callable[[], datetime | None] = lambda: None,
    not_stored: Callable[[], str] = lambda: "",
    known: frozenset[str] = frozenset({"localhost"}),
) -> Starlette:
    """Make the app of the two pages, and of others behind the same port. None of them shows content.

    `last_tick` returns when the engine last looked for work: if it hangs, nothing is healthy. `not_stored` returns why
    nothing can be stored; empty otherwise. `known` are the host names that requests may use.
    """

    async def healthz(request: Request) -> Response:
        if not is_known(request.headers.get("host"), known):
            return misdirected()
        now = clock.now()
        channels = {name: _health_json(one, now) for name, one in health().items()}
        tick = last_tick()
        late = None if tick is None else round(max(0.0, (now - tick).total_seconds()), 1)
        ok = all(channel["alive"] for channel in channels.values()) and (late is None or late < HANGS.total_seconds())
        wrong = not_stored()
        ok = ok and not wrong
        data = {
            "ok": ok,
            "channels": channels,
            "engine": {"last_look_s_ago": late},
            "store": {"ok": not wrong, "detail": wrong},
        }
        return JSONResponse(data, status_code=200 if ok else 503)

    async def metrics(request: Request) -> Response:
        if not is_known(request.headers.get("host"), known):
            return misdirected()
        return Response(await metrics_page(), media_type=CONTENT_TYPE_LATEST)

    return Starlette(routes=[Route("/healthz", healthz), Route("/metrics", metrics), *more])


def _health_json(health: Health, now: datetime) -> dict[str, Any]:
    age_s = health.age_s(now)
    ago = None if isinf(age_s) else round(age_s, 1)
    return {"alive": health.is_alive(now), "last_ok_s_ago": ago, "detail": health.detail}
