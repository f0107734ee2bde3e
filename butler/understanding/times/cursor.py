"""Goes through the words of a time: what stands at a place, and where it ends."""

import re
from datetime import datetime

from butler.understanding.times.lexicon import Lexicon

WHOLE = re.compile(r"\d{1,4}")
WAYS = (("after_next", 2), ("before_last", -2), ("next", 1), ("last", -1), ("this", 0))


class Cursor:
    """The words of a time, and what the language has for them."""

    def __init__(self, words: Lexicon, tokens: list[str], now: datetime, *, back: bool | None = None) -> None:
        self.words, self.tokens, self.now = words, tokens, now
        self._phrases: dict[int, dict[str, tuple[str, int]]] = {}
        self.today = now.date()
        self.back = back
        """Whether days without a year are over; None where the words tell, such as `since`."""
        self.since = False
        """Whether a word such as `since` has been read, behind which days are over."""
        self.strict = False
        """Whether a word such as `after` has been read, behind which a stretch of days is left out."""
        self.between = False
        """Whether `between` has been read, behind which `and` joins two times."""
        self.dangling = False
        """Whether the last word read was a bound, which needs something behind it."""
        self.assumed = False
        """Whether the clock is that of a part of the day, which one that is said replaces."""

    @property
    def over(self) -> bool:
        """Return whether the days that are meant lie behind."""
        return self.since if self.back is None else self.back

    def _is(self, kind: str, at: int) -> int | None:
        found = self._value(kind, at)
        return found[1] if found else None

    def _value(self, kind: str, at: int) -> tuple[str, int] | None:
        """Return the meaning of the longest phrase of a kind that stands at a place, and the place behind it."""
        return self.known_at(at).get(kind)

    def known_at(self, at: int) -> dict[str, tuple[str, int]]:
        """Return the same for each kind."""
        found = self._phrases.get(at)
        if found is None:
            found = self._phrases[at] = self.words.phrases_at(self.tokens, at)
        return found

    def _longer(self, kind: str, at: int, end: int) -> bool:
        other = self._is(kind, at)
        return other is not None and other > end

    def _which(self, at: int, *, behind: bool = False) -> tuple[int, int] | None:
        """`next`, `this`, `last`, `übernächste` or `vorletzte`, as weeks from this one; the longest of them.

        `behind` is for a place behind what it tells more of, where not all of them stand: `quarter past`.
        """
        ways = WAYS if behind else (*WAYS, ("last_before", -1))
        found = [(way, after) for kind, way in ways if (after := self._is(kind, at)) is not None]
        return max(found, key=lambda one: one[1], default=None)

    def skipped(self, at: int) -> int:
        """Return the place behind words that say nothing."""
        while at < len(self.tokens) and (after := self._is("filler", at) or self._before_number(at)) is not None:
            at = after
        return at

    def _before_number(self, at: int) -> int | None:
        """`día 22`: a word that says nothing before a number."""
        after = self._is("day_number", at)
        return after if after is not None and self.tokens[after : after + 1] and self.tokens[after].isdigit() else None

    def number(self, at: int) -> tuple[int, int] | None:
        """Read a whole number in figures or words."""
        if at < len(self.tokens) and WHOLE.fullmatch(self.tokens[at]):
            return int(self.tokens[at]), at + 1
        found = self._value("number", at)
        return (int(found[0]), found[1]) if found is not None else None
