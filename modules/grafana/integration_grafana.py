"""Grafana over its HTTP API: searches and reads dashboards, runs their panels' queries, renders a panel.

Grafana publishes no client; its JSON is parsed as records (`wire.py`), and anything else is refused.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast
from urllib.parse import quote, urlsplit

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
from modules._remote.http import HttpPeer, read_as, unusable
from modules._remote.http_integration import HttpIntegration
from modules.grafana import records as r
from modules.grafana import wire as w
from modules.grafana.config import GrafanaSettings
from modules.grafana.dashboard_choice import MOST_LISTED, fitting, panels_of, the_one
from modules.grafana.panel_queries import Stretch
from modules.grafana.panels import PanelReading
from modules.grafana.partial_answers import partly_answered
from modules.grafana.variables import values_of

_LISTED = 1_000
_PNG = b"\x89PNG\r\n\x1a\n"


class GrafanaIntegration(HttpIntegration[GrafanaSettings]):
    """One Grafana. Connects with the first call."""

    provider = "grafana"
    adapter_id: ClassVar[str] = "grafana"
    adapter_description: ClassVar[str] = "Dashboards of a Grafana: their panels' data over a time."
    operations: ClassVar[Mapping[str, Operation]] = {
        "query_dashboard": Operation(
            r.QUERY, "Find a dashboard by words of its title, and read its panels' values over a time."
        )
    }

    def methods(self) -> list[Method]:
        read = Idempotency.READ
        return [
            method(r.QUERY, args=r.DashboardArgs, answer=r.DashboardAnswer, run=self._raw_query, idempotency=read),
            method(r.RENDER, args=r.RenderArgs, answer=r.RenderAnswer, run=self._raw_render, idempotency=read),
            method(r.STATUS, args=r.StatusArgs, answer=r.StatusAnswer, run=self._raw_status, idempotency=read),
        ]

    async def auth_status(self) -> dict[str, Any]:
        """Return whether the server accepts the token now."""
        result = await self.request("status", r.STATUS, timeout_ms=self.timeout_ms)
        account = urlsplit(self._settings.url).netloc
        todo = f"look at [modules.grafana.bot] and {self._settings.token_env} (docs/how-to/connect-grafana.md)"
        return auth_answer(result.error, account, detail=f"Grafana {(result.data or {}).get('version')}", todo=todo)

    async def _raw_status(self, _call: IntegrationCall, _args: r.StatusArgs) -> RawAnswer:
        read_as(w.Hits, await self._search("", 1), "list of dashboards")
        health = read_as(w.Health, (await self._opened().request("GET", "/api/health")).json, "state of health")
        return RawAnswer({"version": health.version})

    async def _raw_query(self, _call: IntegrationCall, args: r.DashboardArgs) -> RawAnswer:
        uid = args.uid
        if not uid:
            hits = await self._found(args.dashboard)
            one = the_one(hits, args.dashboard)
            if one is None:
                return RawAnswer(self._list(hits or await self._found("")))
            uid = one.uid
        answer = await self._opened().request("GET", f"/api/dashboards/uid/{quote(uid, safe='')}")
        full = read_as(w.Full, answer.json, "dashboard")
        panels = panels_of(full.dashboard.panels, args.panel)
        if args.panel and not panels:
            raise IntegrationFault(IntegrationErrorCode.NOT_FOUND, say("no panel of this dashboard has these words"))
        stretch = Stretch.of(args.since, args.before, full.dashboard)
        variables = values_of(full.dashboard.templating.list_, args.variables)
        step_ms = stretch.step_ms(args.max_points, self._context.clock.now())
        reading = PanelReading(self._opened(), stretch, variables, args.max_points, step_ms)
        shown, complete = await reading.read(panels)
        dashboard = {"uid": uid, "title": full.dashboard.title, "url": self._address(full.meta.url or f"/d/{uid}")}
        data = {"dashboards": [], "dashboard": dashboard, "panels": shown, "complete": complete}
        return RawAnswer(data, provenance=ResultProvenance(source_type="grafana", source_ref=uid))

    async def _raw_render(self, _call: IntegrationCall, args: r.RenderArgs) -> RawAnswer:
        """Return the picture in `raw`. Without a renderer, Grafana would return a picture that says so: check first."""
        found = (await self._opened().request("GET", "/api/frontend/settings")).json
        if not read_as(w.FrontendSettings, found, "set of settings").rendererAvailable:
            raise IntegrationFault(IntegrationErrorCode.REJECTED, "the server has no image renderer")
        params = {"width": str(args.width), "height": str(args.height)}
        if args.since is not None:
            params["from"] = str(round(args.since.timestamp() * 1_000))
            params["to"] = str(round(args.before.timestamp() * 1_000)) if args.before else "now"
        params |= {f"var-{name}": value for name, value in args.variables.items()}
        if args.panel_id is not None:
            params["panelId"] = str(args.panel_id)
        kind = "d" if args.panel_id is None else "d-solo"
        path = f"/render/{kind}/{args.uid}/{args.slug}"
        answer = await self._opened().request("GET", path, params=params, as_json=False)
        if not answer.body.startswith(_PNG):
            raise unusable("picture")
        return RawAnswer({"size": len(answer.body), "media_type": "image/png"}, raw=answer.body)

    def _connected(self) -> HttpPeer:
        token = self._context.vault.get(self._settings.token_env)
        if not token:
            text = f"there is no token: put one into {self._settings.token_env} (docs/how-to/connect-grafana.md)"
            raise IntegrationFault(IntegrationErrorCode.AUTH_REQUIRED, text)
        return HttpPeer(
            self._settings.url,
            headers={"Authorization": f"Bearer {token}"},
            secrets=(token,),
            tls_ca=self._settings.tls_ca,
            said=_error_text,
            refused=partly_answered,
        )

    async def _search(self, words: str, limit: int) -> Any:
        params = {"type": "dash-db", "limit": str(limit)} | ({"query": words} if words else {})
        return (await self._opened().request("GET", "/api/search", params=params)).json

    async def _found(self, words: str) -> list[w.Hit]:
        """Return the dashboards with the most of the words. Grafana's own search takes parts of words, and one phrase.

        If there are more than are listed, those that contain the words as a phrase are searched first.
        """
        words = " ".join(words.split())
        every = read_as(w.Hits, await self._search("", _LISTED), "list of dashboards").root
        if words and len(every) == _LISTED:
            found = read_as(w.Hits, await self._search(words, _LISTED), "list of dashboards").root
            every = [*found, *(hit for hit in every if hit not in found)]
        return fitting(every, words) if words else every

    def _list(self, hits: Sequence[w.Hit]) -> dict[str, Any]:
        listed = [
            {"uid": hit.uid, "title": hit.title, "folder": hit.folderTitle, "url": self._address(hit.url)}
            for hit in hits[:MOST_LISTED]
        ]
        return {"dashboards": listed, "dashboard": None, "panels": [], "complete": len(hits) <= MOST_LISTED}

    def _address(self, path: str) -> str:
        """Return an absolute address: Grafana's paths start at its host's root and include its own path."""
        parts = urlsplit(self._settings.url)
        return f"{parts.scheme}://{parts.netloc}{path}" if path.startswith("/") else self._settings.url


def _error_text(body: Any) -> str:
    """Return Grafana's own reason: of the refusal, or of the first query that failed."""
    if not isinstance(body, dict):
        return ""
    data = cast("dict[str, Any]", body)
    if "results" in data:
        errors = (one.error for one in read_as(w.Queried, data, "reason").results.values())
        return next((error for error in errors if error), "")
    return str(data.get("message") or "")
