"""What stands out in log lines: those that are alike are one, errors come first, each with how often and when last.

Whoever can make a server log something writes these lines, so they are only ever quoted, made visible and cut.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

from approvals.visible import visible_line
from butler.contract.card import Span, Style
from butler.contract.speech import say, say_clock, say_many, say_number, say_short_moment

MOST, LONGEST, LONGEST_NAME = 5, 220, 40
MOST_LINES = 5_000
"""That are looked at."""
LONGEST_LOOK = 2_000
"""Characters of a line that are looked at."""
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


@dataclass(slots=True)
class Group:
    """Lines that say the same, but for numbers."""

    text: str
    source: str
    level: int
    last: datetime | None
    count: int = 1


def groups_of(data: Mapping[str, Any], since: datetime | None) -> tuple[list[Group], int]:
    """The kinds of lines that stand out since then, worst and most frequent first; and how many lines there were."""
    found: dict[tuple[str, str], Group] = {}
    given = data.get("lines")
    lines = cast("list[Any]", given)[:MOST_LINES] if isinstance(given, list) else []
    seen = 0
    for line in map(mapping, lines):
        at, text = _time(line.get("at")), " ".join(str(line.get("text") or "")[:LONGEST_LOOK].split())
        if not text or (since is not None and at is not None and at < since):
            continue
        seen += 1
        labels = mapping(line.get("labels"))
        text = _STAMP.sub("", text) or text
        source = next((str(labels[name]) for name in _SOURCE_LABELS if labels.get(name)), "")
        key = (source, _CHANGING.sub("#", text).casefold())
        if (group := found.get(key)) is None:
            found[key] = Group(text, source, _level(text, labels), at)
        else:
            group.count += 1
            # The newest comes first as a rule; whatever the order, the newest is shown.
            if at is not None and (group.last is None or at > group.last):
                group.text, group.last = text, at
    standing_out = [group for group in found.values() if group.level or data.get("signal")]
    return sorted(standing_out, key=lambda group: (-group.level, -group.count)), seen


def told(data: Mapping[str, Any], since: datetime | None, zone: ZoneInfo, today: datetime) -> list[Span]:
    """What the logs say, quoted; a sentence where they say nothing."""
    groups, seen = groups_of(data, since)
    if not seen:
        return [Span(text=say("The logs of that time are empty."))]
    more = "" if data.get("complete", True) else f" {say('There are more than I was given.')}"
    if not groups:
        head = say_many(seen, "In 1 log line nothing stands out.", "In {count} log lines nothing stands out.")
        return [Span(text=f"{head}{more}")]
    standing = sum(group.count for group in groups)
    text = say("What stands out in the logs ({standing} of {seen} lines):", standing=say_number(standing),
               seen=say_number(seen))  # fmt: skip
    spans = [Span(text=f"{text}{more}")]
    for group in groups[:MOST]:
        times = f"{say_number(group.count)}× " if group.count > 1 else ""
        when = f"{clock(group.last.astimezone(zone), today)} " if group.last else ""
        source = f"{cut(group.source, LONGEST_NAME)}: " if group.source else ""
        spans += [Span(text="\n"), Span(text=f"{times}{when}{source}{cut(group.text, LONGEST)}", style=Style.QUOTE)]
    if (left := len(groups) - MOST) > 0:
        spans.append(Span(text="\n" + say_many(left, "And 1 more kind.", "And {count} more kinds.")))
    return spans


def clock(at: datetime, today: datetime) -> str:
    """The time alone where it is of today, else with its day."""
    same = at.date() == today.astimezone(at.tzinfo).date()
    return say_clock(at) if same else say_short_moment(at)


def mapping(value: Any) -> Mapping[str, Any]:
    """A record as a provider gave it; empty for anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def cut(text: str, most: int) -> str:
    """Somebody's text on one line, cut, with what could hide in it made visible."""
    line = " ".join(text.split())
    return visible_line(line if len(line) <= most else f"{line[: most - 1]}…")


def _level(text: str, labels: Mapping[str, Any]) -> int:
    named = next((str(labels[name]).lower() for name in _LEVEL_LABELS if labels.get(name)), "")
    if named in _LEVELS:
        return _LEVELS[named]
    return 2 if _ERROR.search(text) else 1 if _WARNING.search(text) else 0


def _time(value: Any) -> datetime | None:
    try:
        at = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return at if at.tzinfo is not None else None
