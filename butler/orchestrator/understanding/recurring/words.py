"""Provides the words of a recurrence with a position, and the state that was read so far."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any

from butler.contract.bulk_repeat import Weekday
from butler.contract.schedules import Every
from butler.contract.tables import table
from butler.orchestrator.embedded.every import Repeated
from butler.understanding.stored_words import stored
from butler.understanding.times.lexicon import TOKEN, Lexicon, folded, lexicon, without_umlauts
from butler.understanding.times.saying import TimeSaid

PACKAGE = "butler.orchestrator.understanding.recurring"
WORDS = (PACKAGE, "rule_words")
SHORT_DAYS, BETWEEN_DAYS = frozenset(stored(*WORDS, "short_days")), frozenset(stored(*WORDS, "between_days"))
SPLIT = frozenset({"", *BETWEEN_DAYS}) - {","}
"""What may follow a short day at the beginning."""


@cache
def words_of(language: str) -> Lexicon:
    """Return a language's words for times and recurrences."""
    found = {tokens: dict(meanings) for tokens, meanings in lexicon(language).phrases.items()}
    for kind, meanings in table(PACKAGE, "rules")[language].items():
        for meaning, said in meanings.items():
            for phrase_said in said:
                for spelled in {folded(phrase_said), folded(without_umlauts(phrase_said))}:
                    found.setdefault(tuple(TOKEN.findall(spelled)), {}).setdefault(f"again_{kind}", meaning)
    return replace(lexicon(language), phrases=found)


@cache
def _compound_day(language: str) -> re.Pattern[str] | None:
    """Return a pattern for weekdays joined with a part of the day; None in a language without such words."""
    days = stored(*WORDS, "compound_days", language)
    return re.compile(rf"({'|'.join(days)})-?(\w{{3,}})") if days else None


def _pieces(text: str, words: Lexicon) -> Iterator[tuple[str, str]]:
    """Yield the words as written and folded, with compounds such as `Sonntagabend` and `Mo-Fr` split."""
    compound = _compound_day(words.language)
    for match in TOKEN.finditer(text):
        token = folded(match[0])
        day = compound.fullmatch(token) if compound is not None else None
        parts = [{"part", "again_often_part"} & words.phrases.get((day[2],), {}).keys()] if day else []
        if day and parts[0]:
            yield day[1], day[1]
            yield day[2], day[2]
        elif "-" in token and all("weekday" in words.phrases.get((half,), {}) for half in token.split("-")):
            for n, half in enumerate(token.split("-")):
                yield from ([("-", "-")] if n else [])
                yield half, half
        else:
            yield match[0], token


def adverb_at_end(text: str, language: str) -> tuple[int, int] | None:
    """Return the place of an adverb by which a text begins or ends: `weekly`, `quotidiennement`; None without one.

    Where adjectives follow their noun, as in `le rapport mensuel`, only adverbs count.
    """
    words, endings = words_of(language), stored(*WORDS, "adverb_endings", language)
    found = [match for match in TOKEN.finditer(text) if match[0][:1].isalnum()]
    tokens = [folded(match[0]).rstrip(".") for match in found]
    for at in range(len(tokens)):
        adverb = words.longest(tokens, at, "again_adverb")
        if adverb is None or (at and adverb[1] < len(tokens)):
            continue
        last = adverb[1] - 1
        if at < last or not endings or tokens[at].endswith(endings):
            return found[at].start(), found[last].start() + len(found[last][0].rstrip("."))
    return None


def exception_in(text: str, language: str) -> str:
    """Return the words of an exception such as `except on holidays`; empty without one."""
    words = words_of(language)
    pieces = list(_pieces(text, words))
    tokens = [token for _, token in pieces]
    starts = (at for at in range(len(tokens)) if words.longest(tokens, at, "again_except") is not None)
    first = next(starts, None)
    return " ".join(word for word, _ in pieces[first:]) if first is not None else ""


@cache
def _ways(kind: str) -> dict[str, Any]:
    return table(*WORDS)[kind]


class RecurrenceWords:
    """One pass over the words of a recurrence."""

    def __init__(self, language: str, text: str, now: datetime) -> None:
        self.words, self.language, self.now = words_of(language), language, now
        pieces = list(_pieces(text, self.words))
        self.written, self.tokens = [one for one, _ in pieces], [token for _, token in pieces]
        self.each, self.interval = False, 1
        self.begins = -1
        """The position after `every`."""
        self.often: dict[str, Any] = {}
        self.said = Repeated()
        self.sure: list[bool] = []
        self.left: tuple[Weekday, ...] = ()
        self.count: tuple[int, str] | None = None
        self.ends: TimeSaid | None = None
        """The end, if it is only an hour."""
        self.of_clock: set[int] = set()

    def _is(self, kind: str, at: int) -> int | None:
        found = self.words.longest(self.tokens, at, kind)
        return found[1] if found else None

    def _value(self, kind: str, at: int) -> tuple[str, int] | None:
        return self.words.longest(self.tokens, at, kind)

    def _token(self, at: int) -> str:
        return self.tokens[at] if 0 <= at < len(self.tokens) else ""

    def _past(self, at: int) -> int:
        """Return the position after meaningless words."""
        while at < len(self.tokens) and (after := self._is("filler", at)) is not None and not self._names(at):
            at = after
        return at

    def _names(self, at: int) -> bool:
        return self._day(at) is not None

    def _joint(self, at: int) -> int | None:
        """Return the position after a joining word, unless a time begins there."""
        after = self._is("and", at) or (
            None if self._is("at", at) or self._is("tonight", at) else self._is("filler", at)
        )
        longer = max(self._is(kind, at) or 0 for kind in ("part", "day", "to", "since", "before"))
        return after if after is not None and after >= longer else None

    def _passed(self, at: int) -> int | None:
        for kind in ("and", "filler", "again_noise", "again_of_month"):
            if (after := self._is(kind, at)) is not None:
                return after
        known = self.often or self.said.parts or self.said.clocks
        return at + 1 if known and not self._token(at)[:1].isdigit() else None

    def _number(self, at: int) -> tuple[int, int] | None:
        token = self._token(at)
        if re.fullmatch(r"\d{1,3}", token):
            return int(token), at + 1
        found = self._value("number", at)
        return (int(found[0]), found[1]) if found else None

    def _day(self, at: int) -> tuple[Weekday, int] | None:
        """Return a weekday; an abbreviation that is also another word only next to other weekdays."""
        found = self._value("weekday", at)
        if found is None:
            return None
        if self._token(at) in SHORT_DAYS and not (self.each or self._token(at - 1) in BETWEEN_DAYS):
            behind = self._token(found[1])
            if not (behind in SPLIT or behind[:1].isdigit()) or at:
                return None
        return tuple(Weekday)[int(found[0])], found[1]

    def _way(self, kind: str, default: Any = None) -> Any:
        """Return how the language puts recurrences together, by a kind of `rule_words.toml`."""
        return _ways(kind).get(self.language, default)

    def _set(self, unit: str, number: str | int = 1, **more: Any) -> None:
        interval = int(number) * self.interval
        self.interval = 1
        self.often |= {"every": Every(unit)} | ({"interval": interval} if interval > 1 else {}) | more
