"""Renders a dashboard with the newest values of its panels, or the dashboards to choose from."""

from collections.abc import Mapping, Sequence
from typing import Any

from butler.contract.card import Rich, Span, Style
from butler.contract.found_items import mapping
from butler.contract.shown_text import cut
from butler.contract.signals import figure, unit_of
from butler.contract.speech import say, say_many
from modules._remote.found_text import LONGEST, LONGEST_NAME, MOST_FOUND, incomplete, listed
from modules._signals.diagnosis import points_of

MOST_PANELS, MOST_SERIES = 12, 6


def dashboards_text(data: Mapping[str, Any]) -> Rich:
    """Return a dashboard with its panels, or a question if several match."""
    shown = mapping(data.get("dashboard"))
    if not shown:
        return _which([mapping(one) for one in listed(data.get("dashboards"))])
    spans = [_linked(str(shown.get("title") or ""), str(shown.get("url") or ""))]
    panels = [mapping(one) for one in listed(data.get("panels"))]
    for panel in panels[:MOST_PANELS]:
        title, text = cut(str(panel.get("title") or ""), LONGEST_NAME), _panel(panel)
        spans += [Span(text=f"\n{title}: ", style=Style.BOLD), Span(text=text, style=Style.CODE)]
    if (left := len(panels) - MOST_PANELS) > 0:
        spans.append(Span(text="\n" + say_many(left, "And 1 more.", "And {count} more.")))
    return (*spans, *incomplete(data))


def _which(found: Sequence[Mapping[str, Any]]) -> Rich:
    if not found:
        return (Span(text=say("There is no dashboard.")),)
    spans = [Span(text=say("Which dashboard do you mean?"))]
    for one in found[:MOST_FOUND]:
        spans += [Span(text="\n• "), _linked(str(one.get("title") or ""), str(one.get("url") or ""))]
    return tuple(spans)


def _linked(title: str, url: str) -> Span:
    text = cut(title, LONGEST_NAME) or say("(no title)")
    is_open = url.startswith(("https://", "http://"))
    return Span(text=text, style=Style.LINK, url=url) if is_open else Span(text=text, style=Style.BOLD)


def _panel(panel: Mapping[str, Any]) -> str:
    """Return the newest value of each of the panel's series, or its text."""
    unit = unit_of(str(panel.get("unit") or ""))
    values: list[str] = []
    for one in map(mapping, listed(panel.get("series"))):
        if points := points_of(one):
            name = cut(str(one.get("name") or ""), LONGEST_NAME // 2)
            values.append(f"{name} {figure(points[-1][1], unit)}".strip())
    if values:
        more = f" +{len(values) - MOST_SERIES}" if len(values) > MOST_SERIES else ""
        return f"{', '.join(values[:MOST_SERIES])}{more}"
    return cut(str(panel.get("text") or ""), LONGEST) or "–"
