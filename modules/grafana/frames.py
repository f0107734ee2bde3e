"""Converts Grafana's data frames (columns of times, numbers and texts) to series over time, or to lines of text."""

import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from butler.contract.speech import say_many
from modules.grafana.records import Series
from modules.grafana.wire import FieldModel, Frame

MOST_SERIES = 50
MOST_LINES = 30
LONGEST_LINE = 300

Column = tuple[FieldModel, list[Any]]


def series_of(frames: Iterable[Frame]) -> tuple[list[Series], bool]:
    """Return the series of frames with a time column, and whether these are all."""
    found = [series for frame in frames for series in _of_frame(frame)]
    return found[:MOST_SERIES], len(found) <= MOST_SERIES


def text_of(frames: Iterable[Frame]) -> str:
    """Return the frames without series as text: tables, single numbers, log lines, and the server's notices."""
    lines = [line for frame in frames for line in _lines(frame)]
    left = len(lines) - MOST_LINES
    more = [say_many(left, "… and 1 more line", "… and {count} more lines")] if left > 0 else []
    return "\n".join([*lines[:MOST_LINES], *more])


def _columns(frame: Frame) -> tuple[list[Column], list[Column], list[Column]]:
    """Return the columns of times, of numbers, and all others."""
    columns = list(zip(frame.schema_.fields, frame.data.values, strict=False))
    times = [column for column in columns if column[0].type == "time"]
    numbers = [column for column in columns if column[0].type == "number"]
    others = [column for column in columns if column[0].type not in {"time", "number"}]
    return times, numbers, others


def _of_frame(frame: Frame) -> Iterable[Series]:
    times, numbers, others = _columns(frame)
    if not times or not numbers:
        return
    moments = [_moment(value) for value in times[0][1]]
    for field, values in numbers:
        if others:
            yield from _grouped(frame, field, moments, values, others)
        else:
            yield _series(_name(frame, field), field.labels, zip(moments, values, strict=False))


def _grouped(
    frame: Frame, field: FieldModel, moments: Sequence[datetime | None], values: list[Any], others: Sequence[Column]
) -> Iterable[Series]:
    """Return the series of a long frame: the texts of a row name its series."""
    rows: dict[tuple[str, ...], list[tuple[datetime | None, Any]]] = {}
    texts = zip(*(column for _, column in others), strict=False)
    for moment, value, row in zip(moments, values, texts, strict=False):
        rows.setdefault(tuple(map(str, row)), []).append((moment, value))
    for row, points in rows.items():
        labels = field.labels | {column.name: text for (column, _), text in zip(others, row, strict=True)}
        yield _series(_name(frame, field), labels, points)


def _series(name: str, labels: dict[str, str], points: Iterable[tuple[datetime | None, Any]]) -> Series:
    return Series(
        name=name,
        labels=labels,
        points=[(moment, _number(value)) for moment, value in points if moment is not None],
    )


def _name(frame: Frame, field: FieldModel) -> str:
    """Return a name as Grafana shows it: the display name, or the field's, which is often just `Value`."""
    given = field.config.get("displayNameFromDS") or field.config.get("displayName")
    if given:
        return str(given)
    if field.name.lower() in {"", "value"} and frame.schema_.name:
        return frame.schema_.name
    return field.labels.get("__name__") or field.name


def _lines(frame: Frame) -> Iterable[str]:
    for notice in frame.schema_.meta.notices:
        if text := str(notice.get("text") or ""):
            yield _short(text)
    times, numbers, others = _columns(frame)
    if times and numbers:
        return
    columns = [*times, *others, *numbers]
    for row in zip(*(values for _, values in columns), strict=False):
        yield _short(" | ".join(_value_text(field, value) for (field, _), value in zip(columns, row, strict=True)))


def _value_text(field: FieldModel, value: Any) -> str:
    if field.type == "time":
        moment = _moment(value)
        return moment.isoformat(timespec="seconds") if moment else ""
    return f"{_of_labels(field)}: {value}" if field.type == "number" else str(value)


def _of_labels(field: FieldModel) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(field.labels.items())) or field.name


def _short(line: str) -> str:
    line = " ".join(line.split())
    return line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + "…"


def _moment(value: Any) -> datetime | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return datetime.fromtimestamp(value / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        return None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)
