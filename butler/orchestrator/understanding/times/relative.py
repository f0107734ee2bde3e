"""Reads times relative to something shown: `same time on Monday`, `the day before`, `an hour later`.

The planner does not know the shown thing's time, so the words become moves of a reference to it, which is resolved when
the plan runs.
"""

import re
from dataclasses import dataclass, replace
from datetime import date, time
from typing import Any

from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.understanding.act_words import says, without, words
from butler.orchestrator.understanding.said import PARTS, Said
from butler.orchestrator.understanding.times.loose import WORDS, length_within, minutes_of
from butler.orchestrator.understanding.times.upcoming import likely
from butler.understanding.stored_words import group_in, stored
from butler.understanding.tables import LANGUAGES
from butler.understanding.times.lengths import Amount
from butler.understanding.times.lexicon import lexicon, tokens_of
from butler.understanding.times.loose import marked_time
from butler.understanding.times.parse import length_of, parse
from butler.understanding.times.saying import TimeSaid

DAYS = (("eve", -1), ("day_before", -1), ("day_after", 1), ("week_before", -7), ("week_after", 7))
EVENING = time(18)
A_DAY = 1_440
LENGTH = re.compile(rf"\s*{group_in(*WORDS, 'length')}(?:\s|(?<=['’]))", re.IGNORECASE)
"""How a length begins by which something is moved: `plus tard de 2h`."""
SMALL = re.compile(rf"(?:{group_in(*WORDS, 'small')}|\W)+", re.IGNORECASE)
"""Remaining words of a time that mean nothing."""


@dataclass(frozen=True, slots=True)
class Relative:
    """A time relative to that of something shown."""

    days: int = 0
    minutes: int = 0
    kept: bool = False
    """Whether the words keep its day or its hour."""
    evening: bool = False
    said: TimeSaid | None = None
    """The time named besides."""

    def moves(self) -> dict[str, Any]:
        """Return the moves as a reference takes them; empty if nothing is moved."""
        day = self.said.day if self.said is not None else None
        clock = clock_of(self.said) or (EVENING if self.evening else None)
        found: dict[str, Any] = {"days": self.days} if self.days else {}
        found |= {"minutes": self.minutes} if self.minutes else {}
        return found | on(day, clock)


def on(day: date | None, clock: time | None) -> dict[str, str]:
    """Return another day or hour as a reference takes it."""
    moved = {"on": day.isoformat()} if day is not None else {}
    return moved | ({"at": f"{clock:%H:%M}"} if clock is not None else {})


def clock_of(found: TimeSaid | None) -> time | None:
    """Return the hour of a time, from its clock time or its part of the day."""
    if found is None or found.clock is not None:
        return found.clock if found is not None else None
    return PARTS[found.part].value if found.part in PARTS else None


def relative(said: Said, slot: str = "time") -> Relative | None:
    """Return a slot's relative time; None if it has none. Raise `Asking`."""
    text = " ".join(said.request.words(slot))
    if not text or _of_known_day(text, said.language):
        return None
    shifted = shift(text, said)
    if shifted is not None:
        minutes = minutes_of(shifted)
        if minutes % A_DAY == 0:
            return Relative(days=minutes // A_DAY)
        return Relative(minutes=minutes)
    found, left = Relative(), text
    for kind, days in DAYS:
        if not found.days and says(kind, left):
            found, left = replace(found, days=days, evening=kind == "eve"), without(kind, left)
    for kind in ("same_clock", "same_weekday", "same_day"):
        if says(kind, left):
            found, left = replace(found, kept=True), without(kind, left)
    if found == Relative():
        return None
    rest = " ".join(one for one in left.split() if not SMALL.fullmatch(one)).strip(" ,.;")
    return replace(found, said=_time_of(rest, said)) if rest else found


def _time_of(text: str, said: Said) -> TimeSaid:
    found = marked_time(text, [(0, len(text))], said.language, said.scene.now())
    if found is None:
        raise Asking(say("Which time is “{words}”? Say it like “tomorrow at 9”.", words=text))
    return likely(found, text)


def _of_known_day(text: str, language: str) -> bool:
    """Return whether the words are a day by themselves: `the day after tomorrow`."""
    found = words("day_after").search(text) or words("day_before").search(text)
    behind = tokens_of(text[found.end() :]) if found is not None else []
    behind = behind[1:] if set(behind[:1]) & set(stored(*WORDS, "of")) else behind
    return bool(behind) and "day" in lexicon(language).phrases.get((behind[0],), {})


def shift(text: str, said: Said) -> Amount | None:
    """Return the offset of `an hour later` or `eine halbe Stunde früher`; None if the words say anything else."""
    for kind, sign in (("later", 1), ("earlier", -1)):
        if not says(kind, text) or _names_a_clock(kind, text, said):
            continue
        amount = amount_of(without(kind, text), said)
        if amount is not None:
            return signed(amount, sign)
    return None


def _names_a_clock(kind: str, text: str, said: Said) -> bool:
    """Return whether a time of day follows, which in French has the words of a length: `plus tôt, à 9h`, `avant 9h`."""
    found = words(kind).search(text)
    behind = text[found.end() :].strip(" ,.;:") if found is not None else ""
    if not behind or LENGTH.match(behind):
        return False
    read = (parse(behind, language, said.scene.now()) for language in dict.fromkeys((said.language, *LANGUAGES)))
    return any(one is not None and one.clock is not None for one in read)


def signed(amount: Amount, sign: int) -> Amount:
    """Return a length forward (1) or back (-1)."""
    return Amount(seconds=sign * amount.seconds, days=sign * amount.days, months=sign * amount.months)


def amount_of(text: str, said: Said) -> Amount | None:
    """Return a duration, also without its `a` or with a word for more: `five more minutes`."""
    now = said.scene.now()
    plain = without("more", text)
    found = length_of(text, said.language, now) or length_within(text, said)
    return found or length_of(plain, said.language, now) or length_of(f"1 {plain}", said.language, now)
