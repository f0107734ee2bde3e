"""Whether the owner's words plainly wish for quiet hours: these, none, or those of the settings again."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time
from functools import cache

from butler.orchestrator.planning.own_wishes import SPAN, Part, first_parts, own_text, phrases
from butler.understanding.patterns import any_of
from butler.understanding.times.lexicon import LANGUAGES
from butler.understanding.times.parse import parse

ANY_DAY = datetime(2026, 1, 5, 12, tzinfo=UTC)
"""The parser wants a moment to count days from; only times of day are read here."""
LONGEST = 6
"""The words of a time of day, such as `a quarter past ten at night`."""
MINUTES = 24 * 60
HALF = 12
WORD = re.compile(r"[^\s,;?!]+")
DEAD_OF_NIGHT = time(2)
OF_QUIET = (
    SPAN, "around", "can", "particles", "lasting", "to_me", "negates", "disturbs", "quiet", "with_quiet", "nightly",
)  # fmt: skip
OF_NONE = (
    "around", "can", "particles", "lasting", "to_me", "negates", "rather", "quiet_hours", "ends", "any_more", "usual",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Span:
    """Two times of day as they were said, each with all that it can mean."""

    starts: tuple[time, ...]
    ends: tuple[time, ...]

    def times(self, *, night: bool) -> tuple[time, time] | None:
        """Return what is meant: the shortest span, or that of the night; None if it is not plain."""
        spans = [(start, end) for start in self.starts for end in self.ends if start != end]
        shortest = min((_length(*one) for one in spans), default=0)
        meant = [one for one in spans if _length(*one) == shortest]
        if len(meant) > 1 and night:
            meant = [(start, end) for start, end in meant if _length(start, DEAD_OF_NIGHT) < _length(start, end)]
        return meant[0] if len(meant) == 1 else None


def wishes_quiet(start: time, end: time, words: str) -> bool:
    """Return whether the words wish for no messages between exactly these times, every day."""
    for language in LANGUAGES:
        own, spans = _without_spans(own_text(words), language)
        if len(spans) != 1:
            continue
        for part in first_parts(own, language):
            night = _is_quiet(part)
            if night is not None and spans[0].times(night=night) == (start, end):
                return True
    return False


def wishes_no_quiet(words: str, *, by_settings: bool) -> bool:
    """Return whether the words wish for no quiet hours at all, or for those of the settings again."""
    own = own_text(words)
    parts = (part for language in LANGUAGES for part in first_parts(own, language))
    return any(_is_none(part, by_settings=by_settings) for part in parts)


def _is_quiet(part: Part) -> bool | None:
    """Return whether the night is named in a wish for quiet; None if it is no such wish."""
    found = part.kinds(OF_QUIET)
    if found is None or found[SPAN] != 1 or not part.for_nobody_else:
        return None
    # `don't disturb`, `be quiet`, but neither `disturb` nor `don't be quiet`.
    wished = found["negates"] == 1 if found["disturbs"] else found["quiet"] and not found["negates"]
    return bool(found["nightly"]) if wished else None


def _is_none(part: Part, *, by_settings: bool) -> bool:
    found = part.kinds(OF_NONE)
    if found is None or not found["quiet_hours"] or not part.for_nobody_else:
        return False
    ended = found["negates"] + found["ends"]
    return bool(found["usual"]) and not ended if by_settings else ended == 1 and not found["usual"]


def _without_spans(text: str, language: str) -> tuple[str, list[Span]]:
    """Return a text with a mark for each stretch of time in it."""
    text, spans = text.replace(SPAN, "?"), list[Span]()
    while (found := next(_spans(text, language), None)) is not None:
        span, begin, end = found
        text = f"{text[:begin]} {SPAN} {text[end:]}"
        spans.append(span)
    return text, spans


def _spans(text: str, language: str) -> Iterator[tuple[Span, int, int]]:
    """Yield each stretch of time, with the places where it begins and ends."""
    for until in _pattern("until", language).finditer(text):
        before, after = text[: until.start()], text[until.end() :]
        words = list(WORD.finditer(before))[-LONGEST:]
        start = next(((c, one.start()) for one in words if (c := _clock(before[one.start() :], language))), None)
        words = list(WORD.finditer(after))[:LONGEST]
        end = next(((c, one.end()) for one in reversed(words) if (c := _clock(after[: one.end()], language))), None)
        if start is not None and end is not None:
            begins = next((one.start() for one in _ending("begins", language).finditer(before, 0, start[1])), start[1])
            yield Span(start[0], end[0]), begins, until.end() + end[1]


def _clock(text: str, language: str) -> tuple[time, ...]:
    """Return what a time of day can mean, if the text is one and nothing else."""
    said = parse(text.strip().rstrip("."), language, ANY_DAY) if len(text.split()) <= LONGEST else None
    if said is None or said.clock is None or said.until_clock or said.day or said.moment or said.bound:
        return ()
    other = said.clock.replace(hour=(said.clock.hour + HALF) % (2 * HALF))
    return (said.clock,) if said.half_said else (said.clock, other)


@cache
def _pattern(kind: str, language: str) -> re.Pattern[str]:
    """Return a pattern for the words beside a time, with or without accents."""
    said = {" ".join(one) for one in phrases(kind, language)}
    either = any_of(said | {"à", "jusqu'à", "à partir de"} if language == "fr" else said)
    return re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)


@cache
def _ending(kind: str, language: str) -> re.Pattern[str]:
    """Return a pattern for such words where a time begins."""
    return re.compile(rf"{_pattern(kind, language).pattern}\s*$", re.IGNORECASE)


def _length(start: time, end: time) -> int:
    """Return the minutes from one time to the next other one."""
    return ((end.hour - start.hour) * 60 + end.minute - start.minute) % MINUTES
