"""What the person's own servers answered, as it reads in chat: rows as a table, finds in lines, dashboards, files.

All of it is whatever stands on those servers: cut, with what could hide in it made visible, and set so that nothing in
it can be tapped. A link to a stored file lets in whoever has it, so it stands behind words.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

from approvals.visible import visible
from butler.contract.card import Rich, Span, Style
from butler.contract.speech import say, say_many, say_number, say_short_moment
from butler.orchestrator.replies.log_lines import cut, mapping
from butler.orchestrator.replies.quoted_words import others_lines
from butler.orchestrator.servers.diagnosis import points_of
from butler.orchestrator.servers.signals import figure, unit_of

MOST_ROWS, MOST_COLUMNS, WIDEST = 20, 6, 24
MOST_FOUND, LONGEST, LONGEST_NAME = 10, 200, 80
MOST_PANELS = 12


def told_of_server(channel: str, action: str, data: Mapping[str, Any], zone: ZoneInfo) -> Rich | None:
    """The answer of a step on one of these servers; None for any other."""
    tell = _TOLD.get((channel, action))
    return tell(data, zone) if tell is not None else None


def _rows(data: Mapping[str, Any], _zone: ZoneInfo) -> Rich:
    columns = [str(mapping(one).get("name") or "") for one in _list(data.get("columns"))]
    rows = [_list(row) for row in _list(data.get("rows"))]
    if not rows:
        return (Span(text=say("No row fits.")),)
    shown = [columns[:MOST_COLUMNS], *(row[:MOST_COLUMNS] for row in rows[:MOST_ROWS])]
    cells = [[cut(_cell(value), WIDEST) for value in row] for row in shown]
    widths = [max(len(row[n]) for row in cells if n < len(row)) for n in range(len(cells[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip() for row in cells]
    rule = "  ".join("─" * width for width in widths)
    told = [Span(text="\n".join([lines[0], rule, *lines[1:]]), style=Style.PRE)]
    if (left := len(rows) - MOST_ROWS) > 0:
        told.append(Span(text="\n" + say_many(left, "And 1 more row.", "And {count} more rows.")))
    if (hidden := len(columns) - MOST_COLUMNS) > 0:
        told.append(Span(text="\n" + say_many(hidden, "1 column is not shown.", "{count} columns are not shown.")))
    return (*told, *_incomplete(data))


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return str(value)[: WIDEST * 4]


def _matches(data: Mapping[str, Any], _zone: ZoneInfo) -> Rich:
    found = [mapping(one) for one in _list(data.get("matches"))]
    return _finds([("", _text_of(one, "payload", "row"), one.get("score")) for one in found], data)


def _hits(data: Mapping[str, Any], _zone: ZoneInfo) -> Rich:
    found = [mapping(one) for one in _list(data.get("hits"))]
    told = [(str(one.get("title") or ""), _text_of(one, "document"), one.get("score")) for one in found]
    return _finds(told, data)


def _text_of(one: Mapping[str, Any], *records: str) -> str:
    """Its text; without one, what its record holds."""
    if text := str(one.get("text") or ""):
        return text
    fields = next((held for name in records if (held := mapping(one.get(name)))), mapping(None))
    return ", ".join(f"{name}: {value}" for name, value in list(fields.items())[:MOST_COLUMNS])


def _finds(found: Sequence[tuple[str, str, Any]], data: Mapping[str, Any]) -> Rich:
    if not found:
        return (Span(text=say("Nothing like that was found.")),)
    spans: list[Span] = []
    for number, (title, text, score) in enumerate(found[:MOST_FOUND], 1):
        near = f" ({figure(float(score), unit_of(''))})" if isinstance(score, int | float) else ""
        spans += [Span(text="\n")] if spans else []
        spans.append(Span(text=f"{number}. "))
        if title:
            spans += [Span(text=cut(title, LONGEST_NAME), style=Style.BOLD), Span(text=f"{near} ")]
        spans.append(Span(text=cut(text, LONGEST), style=Style.CODE) if text else Span(text=""))
        spans += [] if title else [Span(text=near)]
    total = data.get("estimated")
    left = max(len(found), total if isinstance(total, int) else 0) - MOST_FOUND
    if left > 0:
        spans.append(Span(text="\n" + say_many(left, "And 1 more.", "And {count} more.")))
    return (*(span for span in spans if span.text), *_incomplete(data))


def _dashboards(data: Mapping[str, Any], _zone: ZoneInfo) -> Rich:
    shown = mapping(data.get("dashboard"))
    if not shown:
        return _which([mapping(one) for one in _list(data.get("dashboards"))])
    spans = [_linked(str(shown.get("title") or ""), str(shown.get("url") or ""))]
    panels = [mapping(one) for one in _list(data.get("panels"))]
    for panel in panels[:MOST_PANELS]:
        title, said = cut(str(panel.get("title") or ""), LONGEST_NAME), _panel(panel)
        spans += [Span(text=f"\n{title}: ", style=Style.BOLD), Span(text=said, style=Style.CODE)]
    if (left := len(panels) - MOST_PANELS) > 0:
        spans.append(Span(text="\n" + say_many(left, "And 1 more.", "And {count} more.")))
    return (*spans, *_incomplete(data))


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
    """The newest value of each of its series, or its text."""
    unit = unit_of(str(panel.get("unit") or ""))
    values: list[str] = []
    for one in map(mapping, _list(panel.get("series"))):
        if points := points_of(one):
            name = cut(str(one.get("name") or ""), LONGEST_NAME // 2)
            values.append(f"{name} {figure(points[-1][1], unit)}".strip())
    if values:
        more = f" +{len(values) - MOST_COLUMNS}" if len(values) > MOST_COLUMNS else ""
        return f"{', '.join(values[:MOST_COLUMNS])}{more}"
    return cut(str(panel.get("text") or ""), LONGEST) or "–"


def _stored(data: Mapping[str, Any], zone: ZoneInfo) -> Rich:
    return (Span(text=f"✅ {say('The file is in your storage:')} "), *_file(data, zone))


def _file(data: Mapping[str, Any], zone: ZoneInfo) -> Rich:
    name, size = cut(str(data.get("key") or ""), LONGEST_NAME), data.get("size")
    told = say("{count} bytes", count=say_number(size)) if isinstance(size, int) else ""
    spans = [Span(text=name, style=Style.CODE), Span(text=f" ({told})" if told else "")]
    link = str(data.get("link") or "")
    if link.startswith(("https://", "http://")):
        spans += [Span(text="\n"), Span(text=say("Open the file"), style=Style.LINK, url=link)]
        if (ends := _time(data.get("link_expires_at"))) is not None:
            when = say_short_moment(ends.astimezone(zone))
            spans.append(Span(text="\n" + say("The link holds until {when}; whoever has it can fetch it.", when=when)))
    return tuple(span for span in spans if span.text)


def _health(data: Mapping[str, Any], _zone: ZoneInfo) -> Rich:
    names = [cut(str(name), LONGEST_NAME) for name in _list(data.get("collections"))[:MOST_FOUND]]
    head = say("The server answers.") if data.get("ok") else say("The server does not answer as it should.")
    held = say("It holds: {these}.", these=", ".join(names)) if names else ""
    return (Span(text=" ".join(filter(None, (head, held)))),)


def _incomplete(data: Mapping[str, Any]) -> Sequence[Span]:
    if data.get("complete", True):
        return ()
    return (Span(text="\n" + say("There is more than I was given."), style=Style.ITALIC),)


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _time(value: Any) -> datetime | None:
    try:
        at = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return at if at.tzinfo is not None else None


def _of_others(data: Mapping[str, Any], _zone: ZoneInfo) -> Rich:
    return others_lines(str(data.get("told") or ""))


def _as_told(data: Mapping[str, Any], _zone: ZoneInfo) -> Rich:
    return (Span(text=visible(str(data.get("told") or ""))),)


_TOLD: dict[tuple[str, str], Callable[[Mapping[str, Any], ZoneInfo], Rich]] = {
    ("postgres", "query"): _rows,
    ("postgres", "vector_search"): _matches,
    ("qdrant", "search"): _matches,
    ("qdrant", "health_check"): _health,
    ("meilisearch", "search"): _hits,
    ("grafana", "query_dashboard"): _dashboards,
    ("r2", "get_object"): _file,
    ("r2", "put_object"): _stored,
    ("automations", "list"): _as_told,
    ("automations", "show"): _of_others,
    ("tools", "describe"): _of_others,
}
