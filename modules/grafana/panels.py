"""Reads the panels of one dashboard, a few at a time. One that fails reports why and does not affect the others."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.speech import say
from modules._remote.http import HttpPeer, read_as
from modules.grafana import wire as w
from modules.grafana.frames import series_of, text_of
from modules.grafana.panel_queries import SourceUnknownError, Stretch, hidden_of, of_another, queries_of, sources_needed
from modules.grafana.partial_answers import PartlyAnsweredFault
from modules.grafana.variables import Value

MOST_PANELS = 24
AT_ONCE = 4
LONGEST_TEXT = 4_000
LONGEST_ERROR = 300
_OWN = {
    IntegrationErrorCode.INVALID_INPUT,
    IntegrationErrorCode.FORBIDDEN,
    IntegrationErrorCode.NOT_FOUND,
    IntegrationErrorCode.REJECTED,
    IntegrationErrorCode.UNAVAILABLE,
}
"""Errors that may concern one panel only, if the server has sent them; any other concerns the server."""


@dataclass(slots=True)
class PanelReading:
    """One reading of a dashboard: a time range, variables, and the number of points per series."""

    peer: HttpPeer
    stretch: Stretch
    variables: Mapping[str, Value]
    max_points: int
    step_ms: int
    _sources: Sequence[w.Source] = ()
    _faults: list[IntegrationFault] = field(default_factory=list[IntegrationFault])
    _complete: bool = True

    async def read(self, panels: Sequence[w.PanelModel]) -> tuple[list[dict[str, Any]], bool]:
        """Return the panels as they are shown, and whether these are all. Raise `IntegrationFault` if all fail."""
        chosen = panels[:MOST_PANELS]
        self._complete = len(chosen) == len(panels)
        if any(sources_needed(panel) for panel in chosen):
            listed = (await self.peer.request("GET", "/api/datasources")).json
            self._sources = read_as(w.Sources, listed, "list of data sources").root
        turns = asyncio.Semaphore(AT_ONCE)

        async def in_turn(panel: w.PanelModel) -> dict[str, Any]:
            async with turns:
                return await self._panel(panel)

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(in_turn(panel)) for panel in chosen]
        except BaseExceptionGroup as several:
            # The first failure has cancelled the others; `call()` maps it by its own type.
            raise several.exceptions[0] from None
        if self._faults and len(self._faults) == sum(bool(panel.targets) for panel in chosen):
            raise self._faults[0]
        return [task.result() for task in tasks], self._complete

    async def _panel(self, panel: w.PanelModel) -> dict[str, Any]:
        shown = {"panel_id": panel.id, "title": panel.title, "kind": panel.type}
        shown |= {"unit": panel.fieldConfig.defaults.unit, "series": [], "text": ""}
        if not panel.targets:
            return shown | {"text": str(panel.options.get("content") or panel.content)[:LONGEST_TEXT]}
        if of_another(panel):
            return shown | {"text": say("shows what another panel has read")}
        try:
            frames, error = await self._queried(panel)
        except SourceUnknownError:
            self._complete = False
            return shown | {"text": say("its data source is not known")}
        except IntegrationFault as fault:
            if fault.code not in _OWN or fault.http_status is None:
                raise
            self._complete = False
            self._faults.append(fault)
            return shown | {"text": fault.message}
        series, all_of_them = series_of(frames)
        if error or not all_of_them:
            self._complete = False
        text = "\n".join(part for part in (error, text_of(frames)) if part)
        return shown | {"series": [one.model_dump() for one in series], "text": text[:LONGEST_TEXT]}

    async def _queried(self, panel: w.PanelModel) -> tuple[list[w.Frame], str]:
        """Return the frames of a panel's queries, and the first query's error: one may fail while others succeed."""
        queries = queries_of(panel, self.variables, self._sources, max_points=self.max_points, step_ms=self.step_ms)
        body = {"from": self.stretch.since, "to": self.stretch.before, "queries": queries}
        try:
            queried = read_as(
                w.Queried, (await self.peer.request("POST", "/api/ds/query", body=body)).json, "set of frames"
            )
        except PartlyAnsweredFault as fault:
            queried = fault.told
        hidden = hidden_of(panel)
        answered = sorted(queried.results.items())
        seen = [one for name, one in answered if name not in hidden]
        error = next((" ".join(one.error.split()) for one in seen if one.error), "")
        return [frame for one in seen for frame in one.frames], error[:LONGEST_ERROR]
