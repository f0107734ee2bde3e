"""Goes through the words of a time: what stands at a place, and where it ends."""

import re
from datetime import datetime

from butler.understanding.times.lexicon import Lexicon

WHOLE = re.compile(r"\d{1,4}")
TENS = frozenset({20, 30, 40, 50})
TEN = 10


class Cursor:
    """The words of a time, and what the language has for them."""

    def __init__(self, words: Lexicon, tokens: list[str], now: datetime) -> None:
        self.words, self.tokens, self.now = words, tokens, now
        self.today = now.date()

    def _is(self, kind: str, at: int) -> int | None:
        found = self.words.longest(self.tokens, at, kind)
        return found[1] if found else None

    def _value(self, kind: str, at: int) -> tuple[str, int] | None:
        return self.words.longest(self.tokens, at, kind)

    def _longer(self, kind: str, at: int, end: int) -> bool:
        other = self._is(kind, at)
        return other is not None and other > end

    def _which(self, at: int) -> tuple[int, int] | None:
        """`next`, `this` or `last`, as weeks from this one."""
        for kind, way in (("next", 1), ("this", 0), ("last", -1)):
            if (after := self._is(kind, at)) is not None:
                return way, after
        return None

    def skipped(self, at: int) -> int:
        """The place behind words that say nothing."""
        while at < len(self.tokens) and (after := self._is("filler", at)) is not None:
            at = after
        return at

    def number(self, at: int) -> tuple[int, int] | None:
        """A whole number in figures or words."""
        if at < len(self.tokens) and WHOLE.fullmatch(self.tokens[at]):
            return int(self.tokens[at]), at + 1
        found = self._value("number", at)
        if found is None:
            return None
        value, after = int(found[0]), found[1]
        small = self._value("number", after) if value in TENS else None
        if small is not None and 0 < int(small[0]) < TEN and self.words.language == "en":
            return value + int(small[0]), small[1]
        return value, after
