"""Reads a time in any of the languages: `tomorrow at nine`, `nächsten Dienstag um halb drei`, `dans 20 minutes`.

The parser gets the words that were marked as a time, so it need not find where a time begins. It understands every word
or returns nothing, so that a time never comes from half of what was said.
"""

from dataclasses import replace
from datetime import datetime, time, timedelta

from butler.understanding.times.clocks import HOURS, NOON, SMALL_HOURS
from butler.understanding.times.days import Days
from butler.understanding.times.lengths import Amount, shifted
from butler.understanding.times.lexicon import corrected, lexicon, tokens_of
from butler.understanding.times.saying import TimeSaid

BOUNDS = (
    ("before", "before"), ("until", "before"), ("since", "since"), ("after", "since"), ("from_on", "since"),
    ("between", "between"),
)  # fmt: skip
EARLY, EVENING = 7, 17
"""The hour before which a span begins only if the words say so, and the hour from which it may cross midnight."""


def parse(text: str, language: str, now: datetime, *, back: bool | None = None) -> TimeSaid | None:
    """Read a time; return None if any of its words is not understood.

    Args:
        text: The words of the time.
        language: One of `lexicon.LANGUAGES`.
        now: Local and aware.
        back: Whether days without a year, such as `Friday` or `in May`, are in the past; None if only the words
            decide, such as `since Friday`.
    """
    try:
        return _parser(text, language, now, back=back).read()
    except (OverflowError, ValueError):  # beyond the calendar
        return None


def length_of(text: str, language: str, now: datetime) -> Amount | None:
    """Read a length of time, such as `ten minutes` or `eine halbe Stunde`; return None if it is none."""
    return _parser(text, language, now).whole_amount()


def minute_of(text: str, language: str, now: datetime) -> int | None:
    """Read a minute without its hour, such as `quarter past` or `half past`; return None if it is none."""
    parser = _parser(text, language, now)
    found = parser.words.longest(parser.tokens, parser.skipped(parser.at_first()), "minute_alone")
    return int(found[0]) if found is not None and parser.skipped(found[1]) == len(parser.tokens) else None


def _parser(text: str, language: str, now: datetime, *, back: bool | None = None) -> "_Parser":
    words = lexicon(language)
    return _Parser(words, corrected(words, tokens_of(text)), now, back=back)


class _Parser(Days):
    """Reads all the words of a time."""

    def read(self) -> TimeSaid | None:
        found = self._whole()
        if found is None:
            self.since = self.assumed = self.between = self.dangling = False
            found = self.length_from_now()
        return found

    def at_first(self) -> int:
        """Return the place after an `at` at the beginning."""
        return self._is("at", 0) or 0

    def _whole(self) -> TimeSaid | None:
        said, at = TimeSaid(), 0
        while at < len(self.tokens):
            if not (self.known_at(at) or self.tokens[at][0].isdigit()):
                return None
            found = self._next(said, at)
            if found is not None:
                bare = found[0] == replace(said, bound=found[0].bound)
                self.dangling = bare and (self.dangling or found[0].bound != said.bound)
                said, at = found
            elif (after := self._silent(said, at)) is not None:
                at = after
            else:
                return None
        return None if said.empty or self.dangling or said.bound == "between" else self._finished(said)

    def _silent(self, said: TimeSaid, at: int) -> int | None:
        """Return the place after a word that says nothing here."""
        if (after := self._is("filler", at) or self._before_number(at)) is not None:
            return after
        if at + 1 >= len(self.tokens):
            return None
        kinds = ("in", "at", "whole", "to") if said.empty else ("in", "at", "whole")
        return next((after for kind in kinds if (after := self._is(kind, at)) is not None), None)

    def _finished(self, said: TimeSaid) -> TimeSaid:
        """Resolve `Friday night at one` to Saturday, `since May` to its first day, `after the weekend` to Monday."""
        if said.bound == "since" and said.day is not None and said.until_day is not None and said.clock is None:
            day = said.until_day + timedelta(1) if self.strict else said.day
            said = replace(said, day=day, until_day=None)
        small = said.clock is not None and said.clock.hour < SMALL_HOURS and said.part == "night"
        if not small or said.day is None or said.until_day is not None:
            return said
        this_night = said.day == self.today and self.now.hour < SMALL_HOURS
        return said if this_night else replace(said, day=said.day + timedelta(1))

    def _next(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        return (
            self._until(said, at)
            or self._from_now(said, at)
            or self._moment_now(said, at)
            or self._day(said, at)
            or self._part(said, at)
            or self._clock_of(said, at)
            or self._bound(said, at)
        )

    def _moment_now(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """Read `right now`; as the beginning of a span, it means today."""
        after = self._is("now", at)
        if after is None or not (said.empty or said.bound == "between"):
            return None
        if said.bound == "between" or (self._is("to", after) or self._is("until", after)) is not None:
            return replace(said, day=self.today), after
        return replace(said, moment=self.now.replace(tzinfo=None, second=0, microsecond=0)), after

    def _until(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """Read the end of a span that has begun: `from 3 to 5`, `from Monday to Friday`."""
        if (said.clock is None and said.day is None) or said.until_clock is not None:
            return None
        either = self._is("and", at)
        start = self._is("to", at) or self._is("until", at) or either
        if start is None or self._part_begins(at, start):
            return None
        joined = either is not None and said.bound != "between"
        here = self.skipped(start)
        clock = self.clock(here) if said.clock is not None and not joined else None
        if clock is not None:
            spanned = self._spanned(said, clock)
            return (spanned, clock[1]) if spanned is not None else None
        if joined and said.clock is not None:
            return None
        return self._until_day(said, here, joined=joined)

    def _part_begins(self, at: int, start: int) -> bool:
        """Return whether a part of the day begins here, and no end: `a la mañana`; `à midi` may be an end."""
        part = self._value("part", at)
        if part is not None and part[1] > start:
            return part[0] not in {"noon", "midnight"}
        return self._longer("hours", at, start) or self._longer("today", at, start)

    def _until_day(self, said: TimeSaid, at: int, *, joined: bool) -> tuple[TimeSaid, int] | None:
        """Read the last day of a range; days that are only joined by `and` must be neighbours."""
        found = self._now_as_day(at) or self._day(TimeSaid(), at)
        if said.day is None or found is None or found[0].day is None or found[0].part:
            return None
        day, until = said.day, found[0].until_day or found[0].day
        if until < day and found[0].weekday:
            until += timedelta(7 * ((day - until).days // 7 + 1))
        elif until < day and (self.over or until == self.today):
            day = shifted(day, -12)
        elif until < day:
            until = shifted(until, 12)
        begun = said.until_day or day
        apart = (until if found[0].until_day is None else found[0].day) - begun
        if until < day or (joined and apart.days not in {1, 6}):
            return None
        bound = "" if said.bound in {"between", "since"} else said.bound
        return replace(said, day=day, until_day=until, bound=bound), found[1]

    def _now_as_day(self, at: int) -> tuple[TimeSaid, int] | None:
        after = self._is("now", at)
        return (TimeSaid(day=self.today), after) if after is not None else None

    def _spanned(self, said: TimeSaid, clock: tuple[time, int, bool]) -> TimeSaid | None:
        """Return a span from one time of day to another; None if that is no span, such as `17 à 10h`."""
        begin, end, sure = said.clock, clock[0], clock[2]
        assert begin is not None
        later = begin.hour + NOON < (end.hour or HOURS) and sure and not said.half_said
        if later and (self.words.language == "en" or begin.hour < EARLY or not end.hour):
            begin = begin.replace(hour=begin.hour + NOON)
        if end <= begin and begin.hour < end.hour + NOON < HOURS and not sure:
            end = end.replace(hour=end.hour + NOON)
        if end <= begin and not (end.hour < EARLY and begin.hour >= EVENING):
            return None
        part = "" if said.part in {"noon", "midnight"} else said.part
        bound = "" if said.bound in {"between", "since"} else said.bound
        return replace(said, clock=begin, until_clock=end, half_said=said.half_said or sure, part=part, bound=bound)

    def _bound(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        if said.bound:
            return None
        for kind, name in BOUNDS:
            after = self._is(kind, at)
            if after is not None and after < len(self.tokens):
                self.since = self.since or kind == "since"
                self.strict = self.strict or kind == "after"
                self.between = self.between or kind == "between"
                return replace(said, bound=name), after
        return None
