"""Reports the state of servers from all of a plan's queries of metrics and logs, as one answer.

Numbers are compared with their own past, never judged by a model; however the queries were planned, the same records
give the same words. Anybody may have written the labels, queries and log lines, so they are cut and made visible.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast
from zoneinfo import ZoneInfo

from butler.contract.attachment import Attachment
from butler.contract.card import Span, Style
from butler.contract.found_items import mapping
from butler.contract.names import ToolName
from butler.contract.rendering import PlanContext, Rendered, StepResult, picture_of
from butler.contract.shown_text import clock, cut
from butler.contract.signals import Signal, signal_of
from butler.contract.speech import phrase, say, say_list, say_many
from modules._signals.diagnosis import Reading, points_of, read
from modules._signals.log_text import told

METRICS, LOGS = "prometheus", "loki"
QUERY_METRICS, QUERY_LOGS = "bot_prometheus_query_metrics", "bot_loki_query_logs"
MOST_UNUSUAL, MOST_USUAL, MOST_PICTURES, MOST_LABELS = 6, 8, 1, 2
LONGEST_LABEL = 40
BEFORE_IT = timedelta(minutes=10)
"""How long before a problem to read the logs, since its cause is usually logged shortly before."""
NO_METRICS = phrase("No metrics are set up (docs/how-to/connect-prometheus.md), so I only read the logs.")
NO_LOGS = phrase("No logs are set up (docs/how-to/connect-loki.md), so I only looked at the metrics.")
METRICS_REFUSED = phrase("The metrics are refused, so I only read the logs: {why}.")
LOGS_REFUSED = phrase("The logs are refused, so I only looked at the metrics: {why}.")
_SILENT = frozenset({"__name__"})


@dataclass(frozen=True, slots=True)
class Line:
    """One series of one signal, with its reading."""

    signal: Signal
    labels: str
    reading: Reading
    step: int

    @property
    def name(self) -> str:
        """Return the signal's name, with the labels that distinguish this series from the others."""
        return f"{self.signal.name} ({self.labels})" if self.labels else self.signal.name

    @property
    def now(self) -> str:
        """Return the current value as text."""
        return self.signal.value(self.reading.now)


def about_servers(results: Sequence[StepResult], context: PlanContext) -> Rendered | None:
    """Return the answer to all queries of metrics and logs of a plan; None if there were none.

    If only metrics or only logs were queried, the answer says whether the others are not set up or refused.
    """
    metrics = [one for one in results if _is(one, METRICS, "query_metrics") and not one.left_out]
    logs = [one for one in results if _is(one, LOGS, "query_logs") and not one.left_out]
    if not metrics and not logs:
        return None
    zone, now, refused = context.zone, context.now, context.refused
    channels = {ToolName.parse(tool).channel for tool in context.tools}
    lines = [line for one in metrics if one.ok for line in _lines(one)]
    unusual = sorted((line for line in lines if line.reading.is_unusual), key=_first)
    usual = [line for line in lines if not line.reading.is_unusual]
    since = _earliest(unusual)
    parts = [
        _unusual(unusual, zone, now),
        _usual(usual, alone=not unusual, single=len(metrics) == 1 and not logs),
        *_unread(metrics, "metrics"),
        *_empty(metrics),
    ]
    if any(one.ok for one in logs):
        parts.append(told([one.data for one in logs if one.ok], since, zone, now))
    parts += _unread(logs, "logs")
    if len(metrics) > 1 and not logs and LOGS not in channels:
        parts.append(_missing(refused.get(QUERY_LOGS), LOGS_REFUSED, NO_LOGS))
    if logs and not metrics and METRICS not in channels:
        parts.append(_missing(refused.get(QUERY_METRICS), METRICS_REFUSED, NO_METRICS))
    text = tuple(_joined(part for part in parts if part))
    steps = frozenset(one.step.step_id for one in (*metrics, *logs))
    tools = ", ".join(dict.fromkeys(one.spec.tool_name for one in (*metrics, *logs)))
    return Rendered(text, f"Told how the server is ({tools}).", pictures=_pictures(metrics, unusual), steps=steps)


def _missing(why: str | None, refused: str, not_set_up: str) -> list[Span]:
    """Return a sentence that metrics or logs could not be read: refused for the reason `why`, or not set up."""
    text = say(not_set_up) if why is None else say(refused, why=cut(why.rstrip("."), 300))
    return [Span(text=text, style=Style.ITALIC)]


def _first(line: Line) -> tuple[bool, bool, float, int]:
    """Return the sort key of a series: bad before merely unusual, then causes (which began first) before effects."""
    since = line.reading.since
    begun = since is not None and not line.reading.all_along
    return not line.reading.is_bad, not begun, since.timestamp() if since else 0.0, line.step


def _is(one: StepResult, channel: str, action: str) -> bool:
    return one.spec.channel == channel and one.action == action


def _series(one: StepResult) -> list[Mapping[str, Any]]:
    given = one.data.get("series")
    found = cast("list[Any]", given) if isinstance(given, list) else []
    return [mapping(series) for series in found]


def _lines(one: StepResult) -> Iterator[Line]:
    signal, series = signal_of(one.data), _series(one)
    telling = _telling(series)
    for each in series:
        if (reading := read(points_of(each), signal.bounds)) is not None:
            yield Line(signal, _labels(each, telling), reading, one.step.step_id)


def _telling(series: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return up to two labels in which several series differ."""
    if len(series) < 2:  # noqa: PLR2004 - the only one needs no label
        return ()
    names = dict.fromkeys(str(name) for one in series for name in _labels_of(one))
    differ = [name for name in names if len({str(_labels_of(one).get(name)) for one in series}) > 1]
    return tuple(name for name in differ if name not in _SILENT)[:MOST_LABELS]


def _labels_of(series: Mapping[str, Any]) -> Mapping[str, Any]:
    return mapping(series.get("labels"))


def _labels(series: Mapping[str, Any], names: Sequence[str]) -> str:
    labels = _labels_of(series)
    return ", ".join(cut(str(labels[name]), LONGEST_LABEL) for name in names if labels.get(name))


def _earliest(unusual: Sequence[Line]) -> datetime | None:
    """Return the start of the time for which the logs are of interest; None for all of them."""
    begins = [line.reading.since for line in unusual if line.reading.since and not line.reading.all_along]
    return min(begins) - BEFORE_IT if begins else None


def _unusual(lines: Sequence[Line], zone: ZoneInfo, today: datetime) -> list[Span]:
    spans: list[Span] = []
    for line in lines[:MOST_UNUSUAL]:
        style = Style.PLAIN if spans else Style.BOLD
        spans += [*([Span(text="\n")] if spans else []), Span(text=_sentence(line, zone, today), style=style)]
    if (left := len(lines) - MOST_UNUSUAL) > 0:
        spans.append(Span(text="\n" + say_many(left, "And 1 more is unusual.", "And {count} more are unusual.")))
    return spans


def _sentence(line: Line, zone: ZoneInfo, today: datetime) -> str:
    reading = line.reading
    if reading.since is None:
        return say("{signal} is at {now}, which is a lot.", signal=line.name, now=line.now)
    when = clock(reading.since.astimezone(zone), today)
    if reading.all_along or reading.usual is None:
        return say("{signal} has been at {now} since {when} or longer.", signal=line.name, now=line.now, when=when)
    usual = line.signal.value(reading.usual)
    return say("{signal} has been at {now} since {when}, usually {usual}.", signal=line.name, now=line.now,
               when=when, usual=usual)  # fmt: skip


def _usual(lines: Sequence[Line], *, alone: bool, single: bool) -> list[Span]:
    if not lines:
        return []
    values = [f"{line.name} {line.now}" for line in lines[:MOST_USUAL]]
    if (left := len(lines) - MOST_USUAL) > 0:
        values.append(say_many(left, "1 more", "{count} more"))
    these = say_list(values)
    if all(line.reading.usual is None for line in lines):
        return [Span(text=say("Now: {these}.", these=these))]
    if alone and single:
        return [Span(text=say("{these}, as always.", these=these))]
    if alone:
        return [Span(text=say("Nothing is unusual: {these}.", these=these))]
    return [Span(text=say("As always: {these}.", these=these))]


def _unread(steps: Sequence[StepResult], what: str) -> list[list[Span]]:
    """Return what could not be read and why, each reason once."""
    reasons: dict[str, list[str]] = {}
    failed = [one for one in steps if not one.ok]
    for one in failed:
        why = cut(one.why.rstrip("."), 300) or say("it did not work")
        name = str(one.step.args.get("signal") or "")
        reasons.setdefault(why, []).append(signal_of({"signal": name}).name if name else "")
    lines: list[list[Span]] = []
    for why, names in reasons.items():
        named = [name for name in names if name]
        if what == "logs":
            text = say("❌ I could not read the logs: {why}.", why=why)
        elif named and len(names) < len(steps):
            text = say("❌ I could not read {these}: {why}.", these=say_list(named), why=why)
        else:
            text = say("❌ I could not read the metrics: {why}.", why=why)
        lines.append([Span(text=text)])
    return lines


def _empty(steps: Sequence[StepResult]) -> list[list[Span]]:
    """Return which signals have no values, and whether the server left series out."""
    names = [signal_of(one.data).name for one in steps if one.ok and not any(_lines(one))]
    parts = [[Span(text=say("There are no numbers for {these}.", these=say_list(names)))]] if names else []
    if any(one.ok and not one.data.get("complete", True) for one in steps):
        parts.append([Span(text=say("The server left some series out, so there may be more."), style=Style.ITALIC)])
    return parts


def _pictures(metrics: Sequence[StepResult], unusual: Sequence[Line]) -> tuple[Attachment, ...]:
    """Return the chart of the most notable series; for a single query, its own chart."""
    charts = {one.step.step_id: chart for one in metrics if one.ok for chart in picture_of(one.data)}
    begun = [line for line in unusual if line.reading.since is not None]
    wanted = list(dict.fromkeys(line.step for line in begun or unusual)) or (list(charts) if len(metrics) == 1 else [])
    return tuple(charts[step] for step in wanted if step in charts)[:MOST_PICTURES]


def _joined(parts: Iterator[list[Span]]) -> Iterator[Span]:
    for number, part in enumerate(parts):
        yield from ([Span(text="\n\n")] if number else [])
        yield from part
