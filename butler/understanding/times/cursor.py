"""Looks up the phrases at each place among the words of a time."""

import re
from datetime import datetime

from butler.understanding.times.lexicon import Lexicon

WHOLE = re.compile(r"\d{1,4}")
WAYS = (("after_next", 2), ("before_last", -2), ("next", 1), ("last", -1), ("this", 0))


class Cursor:
    """The words of a time, with the lexicon of their language."""

    def __init__(self, words: Lexicon, tokens: list[str], now: datetime, *, back: bool | None = None) -> None:
        self.words, self.tokens, self.now = words, tokens, now
        self._phrases: dict[int, dict[str, tuple[str, int]]] = {}
        self.today = now.date()
        self.back = back
        """Whether days without a year are in the past; None if the words decide, such as `since`."""
        self.since = False
        """Whether a word such as `since` has been read, after which days are in the past."""
        self.strict = False
        """Whether a word such as `after` has been read, which excludes the stretch of days after it."""
        self.between = False
        """Whether `between` has been read, after which `and` joins two times."""
        self.dangling = False
        """Whether the last word read was a bound, which needs a time after it."""
        self.assumed = False
        """Whether the clock is the default of a part of the day, which an explicit clock replaces."""

    @property
    def over(self) -> bool:
        """Return whether days in the past are meant."""
        return self.since if self.back is None else self.back

    def _is(self, kind: str, at: int) -> int | None:
        found = self._value(kind, at)
        return found[1] if found else None

    def _value(self, kind: str, at: int) -> tuple[str, int] | None:
        """Return the meaning of the longest phrase of a kind at a place, and the place after it."""
        return self.known_at(at).get(kind)

    def known_at(self, at: int) -> dict[str, tuple[str, int]]:
        """Return the result of `_value` for each kind that occurs at a place."""
        found = self._phrases.get(at)
        if found is None:
            found = self._phrases[at] = self.words.phrases_at(self.tokens, at)
        return found

    def _longer(self, kind: str, at: int, end: int) -> bool:
        other = self._is(kind, at)
        return other is not None and other > end

    def _which(self, at: int, *, behind: bool = False) -> tuple[int, int] | None:
        """Read `next`, `this`, `last`, `übernächste` or `vorletzte` as an offset from this one; the longest match.

        `behind` is for a place after the noun, where some of these words mean something else: `quarter past`.
        """
        ways = WAYS if behind else (*WAYS, ("last_before", -1))
        found = [(way, after) for kind, way in ways if (after := self._is(kind, at)) is not None]
        return max(found, key=lambda one: one[1], default=None)

    def skipped(self, at: int) -> int:
        """Return the place after filler words."""
        while at < len(self.tokens) and (after := self._is("filler", at) or self._before_number(at)) is not None:
            at = after
        return at

    def _before_number(self, at: int) -> int | None:
        """Return the place after a word that says nothing before a number: `día 22`."""
        after = self._is("day_number", at)
        return after if after is not None and self.tokens[after : after + 1] and self.tokens[after].isdigit() else None

    def number(self, at: int) -> tuple[int, int] | None:
        """Read a whole number in figures or words."""
        if at < len(self.tokens) and WHOLE.fullmatch(self.tokens[at]):
            return int(self.tokens[at]), at + 1
        found = self._value("number", at)
        return (int(found[0]), found[1]) if found is not None else None
