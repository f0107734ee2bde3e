"""Makes a picture of what a dashboard showed: Grafana's own if it has a renderer, or else one that the butler draws."""

from collections.abc import Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

import structlog

from butler.contract.ports import BlobStore
from butler.contract.tools import Attachment
from modules._charts.chart import Chart, lines_of
from modules._charts.drawing import available, chart_file
from modules.grafana import records as r
from modules.grafana.integration_grafana import GrafanaIntegration

log = structlog.get_logger(__name__)

PNG = "image/png"
_UNITS: Mapping[str, str] = {
    "none": "",
    "short": "",
    "percentunit": "ratio",
    "s": "seconds",
    "dtdurations": "seconds",
    "decbytes": "bytes",
    "Bps": "bytes/s",
    "binBps": "bytes/s",
}
"""Units by Grafana's names, as charts have them; any other is used unchanged."""


class Pictures:
    """Makes one picture for one reading of a dashboard, and stores it as a file."""

    def __init__(
        self, integration: GrafanaIntegration, blobs: BlobStore, zone: ZoneInfo, *, render: bool, timeout_ms: int
    ) -> None:
        """`render` says whether to use Grafana's own pictures."""
        self._integration = integration
        self._blobs = blobs
        self._zone = zone
        self._render = render
        self._timeout_ms = timeout_ms

    async def of(self, data: Mapping[str, Any], wanted: Mapping[str, Any], trace_id: str) -> dict[str, Any] | None:
        """Return the file, as an `Attachment`; None if there is nothing to draw."""
        drawable = [panel for panel in data["panels"] if panel["series"]]
        if data["dashboard"] is None or not drawable:
            return None
        picture = await self._rendered(data["dashboard"], drawable, wanted, trace_id) if self._render else None
        if picture is None:
            drawn = await self._drawn(drawable[0])
            return drawn.model_dump() if drawn else None
        sha256 = await self._blobs.put(picture)
        return Attachment(name="dashboard.png", size=len(picture), sha256=sha256, media_type=PNG).model_dump()

    async def _rendered(
        self, dashboard: Mapping[str, Any], drawable: Sequence[Mapping[str, Any]], wanted: Mapping[str, Any], trace: str
    ) -> bytes | None:
        """Return Grafana's picture of the one panel, or of the dashboard if several are shown."""
        slug = str(dashboard["url"]).rstrip("/").rpartition("/")[2]
        args = {
            "uid": dashboard["uid"],
            "slug": slug or "-",
            "panel_id": drawable[0]["panel_id"] if len(drawable) == 1 else None,
            "height": 500 if len(drawable) == 1 else 1_000,
        } | {name: wanted[name] for name in ("since", "before", "variables")}
        result = await self._integration.request(trace, r.RENDER, args, timeout_ms=self._timeout_ms)
        if result.error is not None:
            log.info("grafana_draws_no_picture", trace=trace, code=result.error.code)
        return result.raw if isinstance(result.raw, bytes) else None

    async def _drawn(self, panel: Mapping[str, Any]) -> Attachment | None:
        """Return the butler's own chart of the panel, if it can draw."""
        if not available():
            return None
        series = [one | {"name": name} for one, name in zip(panel["series"], _names(panel["series"]), strict=True)]
        unit = _UNITS.get(panel["unit"], str(panel["unit"]))
        return await chart_file(Chart(panel["title"], lines_of(series), unit=unit, zone=self._zone), self._blobs)


def _names(series: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of lines, with their labels if names repeat."""
    names = [str(one["name"]) for one in series]
    if len(set(names)) == len(names):
        return names
    return [" ".join([name, *map(str, one["labels"].values())]) for name, one in zip(names, series, strict=True)]
