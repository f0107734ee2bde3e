"""Reads a time in any of the languages: `tomorrow at nine`, `nächsten Dienstag um halb drei`, `dans 20 minutes`.

It is given the words that were marked as a time, so it need not find where a time begins. It reads every word or
nothing: a time is never made of half of what was said.
"""

from dataclasses import replace
from datetime import datetime, time

from butler.understanding.times.clocks import NOON
from butler.understanding.times.days import Days
from butler.understanding.times.lengths import Amount
from butler.understanding.times.lexicon import corrected, lexicon, tokens_of
from butler.understanding.times.saying import TimeSaid


def parse(text: str, language: str, now: datetime) -> TimeSaid | None:
    """Read a time; None where any of its words is not understood.

    Args:
        text: The words of the time.
        language: One of `lexicon.LANGUAGES`.
        now: Local and aware.
    """
    words = lexicon(language)
    parser = _Parser(words, corrected(words, tokens_of(text)), now)
    return parser.whole() or parser.length_from_now()


def length_of(text: str, language: str, now: datetime) -> Amount | None:
    """A length of time, such as `ten minutes` or `eine halbe Stunde`; None where it is none."""
    words = lexicon(language)
    parser = _Parser(words, corrected(words, tokens_of(text)), now)
    at = parser.skipped(0)
    found = parser.amount(at)
    return found[0] if found and parser.skipped(found[1]) == len(parser.tokens) else None


class _Parser(Days):
    """Reads all the words of a time."""

    def whole(self) -> TimeSaid | None:
        said, at = TimeSaid(), 0
        while at < len(self.tokens):
            found = self._next(said, at)
            if found is not None:
                said, at = found
            elif (after := self._is("filler", at)) is not None:
                at = after
            elif at + 1 < len(self.tokens) and (self._is("and", at) or self._is("in", at)) is not None:
                at += 1
            else:
                return None
        return None if said.empty else said

    def _next(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        return (
            self._until(said, at)
            or self._from_now(said, at)
            or self._day(said, at)
            or self._part(said, at)
            or self._clock_of(said, at)
            or self._bound(said, at)
        )

    def _until(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """The end of a span that has begun: `from 3 to 5`, `from Monday to Friday`."""
        if said.clock is None and said.day is None:
            return None
        start = self._is("to", at) or self._is("and", at)
        if start is None or (self._is("to", at) is None and said.bound != "between" and (said.clock or said.until_day)):
            return None
        if self._longer("part", at, start):
            return None
        here = self.skipped(start)
        clock = self.clock(here) if said.clock is not None else None
        if clock is not None and said.clock is not None and said.until_clock is None:
            return self._spanned(said, clock), clock[1]
        base = replace(TimeSaid(), day=None)
        day = self._day(base, here)
        if day is not None and said.day is not None and day[0].day is not None and day[0].day >= said.day:
            return replace(
                said, until_day=day[0].until_day or day[0].day, bound="" if said.bound == "between" else said.bound
            ), day[1]
        return None

    def _spanned(self, said: TimeSaid, clock: tuple[time, int, bool]) -> TimeSaid:
        begin, end = said.clock, clock[0]
        assert begin is not None
        if clock[2] and end.hour >= NOON and not said.half_said and begin.hour + NOON < end.hour:
            begin = begin.replace(hour=begin.hour + NOON)
        if end <= begin and end.hour < NOON:
            end = end.replace(hour=end.hour + NOON)
        return replace(
            said, clock=begin, until_clock=end, bound="" if said.bound in {"between", "since"} else said.bound
        )

    def _bound(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        if said.bound:
            return None
        for kind, name in (("before", "before"), ("since", "since"), ("between", "between"), ("to", "before")):
            after = self._is(kind, at)
            if after is not None and after < len(self.tokens):
                return replace(said, bound=name), after
        return None
