"""Summarises log lines: groups similar lines, errors first, each group with its count and last time.

Anybody who can make a server log something writes these lines, so they are only quoted, made visible and cut.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

from butler.contract.card import Span, Style
from butler.contract.found_items import mapping, time_of
from butler.contract.shown_text import clock, cut
from butler.contract.speech import say, say_many, say_number

MOST, LONGEST, LONGEST_NAME = 6, 220, 40
FROM_ONE_SOURCE = 2
MOST_LINES = 5_000
"""The most lines to examine per query."""
LONGEST_LOOK = 2_000
"""The most characters to examine of a line."""
_CHANGING = re.compile(r"0x[0-9a-f]+|[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{12,}\b|\d+", re.IGNORECASE)
_STAMP = re.compile(r"^[\[(]?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d[.,\d]*(?:Z|[+-]\d\d:?\d\d)?[\])]?[ :]*")
_ERROR = re.compile(
    r"\b(?:error|fatal|panic|crit(?:ical)?|emerg|exception|traceback|failed|failure|refused|killed|segfault|"
    r"out of memory|oom(?:-kill\w*)?|no space left)\b",
    re.IGNORECASE,
)
_WARNING = re.compile(r"\b(?:warn(?:ing)?|timed? ?out|timeout|retry(?:ing)?|slow|degraded|throttl\w+)\b", re.IGNORECASE)
_LEVELS = {"error": 2, "err": 2, "fatal": 2, "critical": 2, "crit": 2, "panic": 2, "warn": 1, "warning": 1}
_LEVEL_LABELS, _SOURCE_LABELS = (
    ("level", "severity", "detected_level"),
    ("unit", "service_name", "app", "job", "container"),
)


@dataclass(slots=True, eq=False)
class Group:
    """Lines that differ only in their numbers."""

    text: str
    source: str
    level: int
    last: datetime | None
    is_named: bool = False
    """Whether the query named a signal or words, so that its lines are of interest whatever they say."""
    count: int = 1


def groups_of(looks: Sequence[Mapping[str, Any]], since: datetime | None) -> tuple[list[Group], int]:
    """Return the notable groups of lines since `since`, worst and most frequent first, and the number of lines.

    No source crowds out the others: at first, at most two groups of each source are listed.
    """
    found: dict[tuple[str, str], Group] = {}
    seen: set[tuple[str, str]] = set()
    for line, is_named in _lines(looks):
        at, text = time_of(line.get("at")), " ".join(str(line.get("text") or "")[:LONGEST_LOOK].split())
        if not text or (since is not None and at is not None and at < since):
            continue
        if (known := (str(line.get("at")), text)) in seen:
            continue  # two queries found it
        seen.add(known)
        labels = mapping(line.get("labels"))
        text = _STAMP.sub("", text) or text
        source = next((str(labels[name]) for name in _SOURCE_LABELS if labels.get(name)), "")
        key = (source, _CHANGING.sub("#", text).casefold())
        if (group := found.get(key)) is None:
            found[key] = Group(text, source, _level(text, labels), at, is_named)
        else:
            group.count += 1
            # The newest line usually comes first; in any order, the newest is shown.
            if at is not None and (group.last is None or at > group.last):
                group.text, group.last = text, at
    standing_out = [group for group in found.values() if group.level or group.is_named]
    ordered = sorted(standing_out, key=lambda group: (-group.level, -group.count))
    of_source: Counter[str] = Counter()
    first: list[Group] = []
    for group in ordered:
        of_source[group.source] += 1
        if of_source[group.source] <= FROM_ONE_SOURCE:
            first.append(group)
    return [*first, *(group for group in ordered if group not in first)], len(seen)


def _lines(looks: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], bool]]:
    """Yield every line, and whether its query named a signal or words."""
    for data in looks:
        given = data.get("lines")
        for line in cast("list[Any]", given)[:MOST_LINES] if isinstance(given, list) else []:
            yield mapping(line), bool(data.get("signal") or data.get("words"))


def told(looks: Sequence[Mapping[str, Any]], since: datetime | None, zone: ZoneInfo, today: datetime) -> list[Span]:
    """Return the summary of all log queries, with quoted lines; if there is nothing, a sentence that says so."""
    groups, seen = groups_of(looks, since)
    if not seen:
        return [Span(text=say("The logs of that time are empty."))]
    more = [] if all(data.get("complete", True) for data in looks) else [say("There are more than I was given.")]
    if not groups:
        head = say_many(seen, "In 1 log line nothing stands out.", "In {count} log lines nothing stands out.")
        return [Span(text=" ".join((head, *more)))]
    standing = sum(group.count for group in groups)
    text = say_many(seen, "What stands out in 1 log line:", "What stands out in {count} log lines:")
    if standing < seen:
        numbers = {"standing": say_number(standing), "seen": say_number(seen)}
        text = say("What stands out in the logs ({standing} of {seen} lines):", **numbers)
    lines: list[str] = []
    for group in groups[:MOST]:
        times = f"{say_number(group.count)}× " if group.count > 1 else ""
        when = f"{clock(group.last.astimezone(zone), today)} " if group.last else ""
        source = f"{cut(group.source, LONGEST_NAME)}: " if group.source else ""
        lines.append(f"{times}{when}{source}{cut(group.text, LONGEST)}")
    # Preformatted text holds no links or commands that could be tapped, whatever it looks like.
    spans = [Span(text=f"{text}\n"), Span(text="\n".join(lines), style=Style.PRE)]
    if (left := len(groups) - MOST) > 0:
        more.insert(0, say_many(left, "And 1 more kind.", "And {count} more kinds."))
    return [*spans, Span(text="\n" + " ".join(more))] if more else spans


def _level(text: str, labels: Mapping[str, Any]) -> int:
    named = next((str(labels[name]).lower() for name in _LEVEL_LABELS if labels.get(name)), "")
    if named in _LEVELS:
        return _LEVELS[named]
    return 2 if _ERROR.search(text) else 1 if _WARNING.search(text) else 0
