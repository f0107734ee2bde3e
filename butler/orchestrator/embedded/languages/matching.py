"""Reads one text by the grammar of one language: every way to read it, rewritten into English.

Rewriting is synchronous: a slot that another rule fills stands in the template as that rule says it, and a slot for
names or search words stands there letter for letter as the owner wrote it.
"""

import re
from collections.abc import Callable, Iterator
from itertools import islice

from butler.orchestrator.embedded import day
from butler.orchestrator.embedded.languages.pattern import Node, OneOf, Rule, Sequence, Slot, Word
from butler.orchestrator.embedded.languages.tongue import Tongue
from butler.orchestrator.embedded.lexer import ENDS, QUOTES, name_phrase

Slots = dict[str, str]
Said = tuple[str, int]
"""What stands somewhere, rewritten, and where it ends."""

MOST_NAMES, MOST_WORDS, MOST_DIGITS = 8, 12, 4
"""Words of a list of names and of what is looked for, and digits of a number."""
LONGEST_HEAD = 60
"""Words of a reply: beyond that nothing begins."""
MOST_READINGS = 40
"""Of one thing at one place: a sentence of many filters could be cut in as many ways as there are stars."""
LONGEST_FIRST = frozenset({"when", "since"})
"""Kinds of which as much is meant as can be read, because what follows could be a text."""
BREAKS = frozenset(':;!?"()<>[]{}') | set(QUOTES)
CLOCK = re.compile(r"(\d{1,2})(?:[:.h](\d{2})|h)", re.ASCII)
DATE = re.compile(r"(\d{1,2})[./](\d{1,2})(?:[./](\d{4}|\d{2}))?", re.ASCII)
DECIMAL = re.compile(r"\d{1,4}\.\d{1,2}", re.ASCII)
ISO = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
MONTHS = [month.capitalize() for month in day.MONTHS]
PRIMITIVES = ("who", "words", "n", "amount", "clock", "date")
"""Kinds of slots that no grammar needs to define."""


class Reading:
    """One text in one language."""

    def __init__(self, tongue: Tongue, text: str, butler_name: str = "") -> None:
        self.text = text
        self.tokens = tongue.lex(text)
        self._tongue = tongue
        self._known: dict[tuple[str, int], list[Said]] = {}
        self._names = [name for option in name_phrase(butler_name).options for name in option]
        self._primitive: dict[str, Callable[[int], Iterator[Said]]] = {
            name: getattr(self, f"_{name}") for name in PRIMITIVES
        }

    def requests(self) -> Iterator[str]:
        """The ways to read the whole text as a request, the likeliest first."""
        starts = self._starts()
        end = len(self.tokens)
        # Where there is nothing but good manners, they are the request: `Hallo!`.
        start = starts[-1] if self._closing(starts[-1]) < end else 0
        yield from (said for said, at in self._read("request", start) if self._closing(at) == end)

    def all_of(self, kind: str) -> str | None:
        """The whole text as one thing of a kind; None where it is none."""
        end = len(self.tokens)
        return next((said for said, at in self._read(kind, 0) if self._closing(at) == end), None)

    def _starts(self) -> list[int]:
        """Where the request may begin: here, and after each thing said before it for good manners.

        `Kannst du sie archivieren?` asks the butler; after a colon or in quotes the question is part of what is said.
        """
        starts = [0]
        while starts[-1] < len(self.tokens):
            at = starts[-1]
            polite, manners = max(((to, said) for said, to in self._read("before", at)), default=(at, ""))
            after = self._butler(at) or polite
            if manners == "?" and self.tokens[-1].word == "?" and not {":", *QUOTES} & {t.word for t in self.tokens}:
                self.tokens = self.tokens[:-1]
            after = after + 1 if at < after and self._word(after) in {",", "!"} else after
            if after == at:
                break
            starts.append(after)
        return starts

    def _butler(self, at: int) -> int:
        size = len(self._names)
        named = size and [token.word for token in self.tokens[at : at + size]] == self._names
        return at + size if named else 0

    def _closing(self, at: int) -> int:
        """Past what may follow a request: signs, a `bitte`, the butler's name, thanks."""
        while at < len(self.tokens):
            after = self._butler(at) or max((to for _, to in self._read("after", at)), default=at)
            after = self._butler(at + 1) if after == at and self._word(at) == "," else after
            if after in {0, at} and (self._word(at) in ENDS or self._word(at) in self._tongue.fillers):
                after = at + 1
            if after in {0, at}:
                break
            at = after
        return at

    def _read(self, kind: str, at: int) -> list[Said]:
        """All readings of one kind of thing that begin here."""
        key = (kind, at)
        if key not in self._known:
            if at > LONGEST_HEAD:
                self._known[key] = []
            elif kind in self._primitive:
                self._known[key] = list(self._primitive[kind](at))
            else:
                rules = self._rules(kind, at)
                found = ((rule.said(slots), to) for rule in rules for slots, to in self._match(rule.pattern, at))
                few = dict.fromkeys(islice(found, MOST_READINGS))
                self._known[key] = sorted(few, key=lambda said: -said[1] * (kind in LONGEST_FIRST))
        return self._known[key]

    def _rules(self, kind: str, at: int) -> Iterator[Rule]:
        """The rules that can begin with the word that stands here."""
        rules, openings = self._tongue.rules[kind], self._tongue.openings[kind]
        word = self._word(at)
        skips = word in self._tongue.fillers
        return (rule for rule, first in zip(rules, openings, strict=True) if skips or first is None or word in first)

    def _match(self, node: Node, at: int) -> Iterator[tuple[Slots, int]]:
        match node:
            case Word(word):
                at = at if self._word(at) == word else self._past_fillers(at)
                if self._word(at) == word:
                    yield {}, at + 1
            case Slot(name, kind):
                yield from (({name: said}, to) for said, to in self._read(kind, self._past_fillers(at)))
            case OneOf(options):
                for option in options:
                    yield from self._match(option, at)
            case Sequence(parts):
                yield from self._sequence(parts, at)

    def _sequence(self, parts: tuple[Node, ...], at: int) -> Iterator[tuple[Slots, int]]:
        if not parts:
            yield {}, at
            return
        for first, middle in self._match(parts[0], at):
            for rest, to in self._sequence(parts[1:], middle):
                yield first | rest, to

    def _past_fillers(self, at: int) -> int:
        while self._word(at) in self._tongue.fillers:
            at += 1
        return at

    def _word(self, at: int) -> str:
        return self.tokens[at].word if at < len(self.tokens) else ""

    def _written(self, start: int, end: int) -> str:
        return self.text[self.tokens[start].start : self.tokens[end - 1].end]

    def _parts_verb(self, at: int, end: int) -> bool:
        """Whether these words end with what belongs to a verb before them: `leg ... an`."""
        apart, last = self._tongue.apart, self._word(end - 1)
        if end != self._closing_from(0) or not apart:
            return False
        return any(last in apart.get(token.word, ()) for token in self.tokens[:at])

    def _closing_from(self, at: int) -> int:
        """Where the words end and the signs of the end begin."""
        end = len(self.tokens)
        while end > at and self._word(end - 1) in ENDS:
            end -= 1
        return end

    def _quoted(self, at: int) -> Iterator[Said]:
        close = QUOTES.get(self._word(at))
        end = next((n for n in range(at + 1, len(self.tokens)) if close and self._word(n) == close), None)
        if end is not None and end > at + 1:
            yield self._written(at, end + 1), end + 1

    def _runs(self, at: int, most: int, breaks: frozenset[str]) -> Iterator[int]:
        """Where a run of words may end, the shortest first."""
        for end in range(at + 1, min(at + most, len(self.tokens)) + 1):
            word = self._word(end - 1)
            if word in breaks:
                return
            if word != "," and not self._parts_verb(at, end):
                yield end

    def _who(self, at: int) -> Iterator[Said]:
        first = self._word(at)
        if first in self._tongue.pronouns:
            yield self._tongue.pronouns[first], at + 1
            return
        if first in self._tongue.no_name - self._tongue.mine or first == ",":
            return
        for end in self._runs(at, MOST_NAMES, frozenset(BREAKS | {"."})):
            if (names := self._names_in(at, end)) and self._word(end - 1) not in self._tongue.joints:
                yield names, end

    def _names_in(self, start: int, end: int) -> str:
        """A list of names in English; each name as it was written."""
        said: list[str] = []
        begins = True
        for at in range(start, end):
            word, written = self._word(at), self._written(at, at + 1)
            if word in self._tongue.joints and not begins:
                said.append("and")
                begins = True
            elif begins and word in self._tongue.mine:
                said.append("my")
                begins = False
            elif begins and at > start and word in self._tongue.to:
                continue
            elif word in self._tongue.no_name or word in self._tongue.fillers:
                return ""
            else:
                said.append(written)
                begins = word == ","
        return " ".join(said).replace(" ,", ",")

    def _words(self, at: int) -> Iterator[Said]:
        """What is looked for, without the article before it."""
        if (quoted := next(self._quoted(at), None)) is not None:
            yield quoted
            return
        while self._word(at) in self._tongue.articles and at + 1 < len(self.tokens):
            at += 1
        if self._word(at) != ",":
            yield from ((self._written(at, end), end) for end in self._runs(at, MOST_WORDS, frozenset(BREAKS)))

    def _n(self, at: int) -> Iterator[Said]:
        word = self._word(at)
        value = int(word) if word.isascii() and word.isdigit() and len(word) <= MOST_DIGITS else None
        value = self._tongue.numbers.get(word) if value is None else value
        if value is not None:
            yield str(value), at + 1

    def _amount(self, at: int) -> Iterator[Said]:
        """`20`, `2,5`: of a unit that follows."""
        number = self._word(at)
        if DECIMAL.fullmatch(number):
            yield number, at + 1
        elif number.isdecimal() and self._word(at + 1) == "," and self._word(at + 2).isdecimal():
            written = self._written(at, at + 3)
            if DECIMAL.fullmatch(plain := written.replace(",", ".")):
                yield plain, at + 3
        yield from self._n(at)

    def _clock(self, at: int) -> Iterator[Said]:
        if match := CLOCK.fullmatch(self._word(at)):
            yield f"{int(match[1])}:{match[2] or '00'}", at + 1

    def _date(self, at: int) -> Iterator[Said]:
        if ISO.fullmatch(self._word(at)):
            yield self._word(at), at + 1
        match = DATE.fullmatch(self._word(at))
        if match is None or not 1 <= int(match[2]) <= len(MONTHS):
            return
        year = match[3] or ""
        year = f"20{year}" if len(year) == 2 else year  # noqa: PLR2004 - two digits of a year
        end = at + 1
        if not year and self._word(end) == "." and self._word(end + 1):
            end += 1
        yield f"{int(match[1])} {MONTHS[int(match[2]) - 1]} {year}".rstrip(), end
