"""Searches many patterns together: one RE2 pass finds which of them occur in a text, then their spans are located.

RE2's time is linear in any text. A pattern's first group, if it has one, is its span.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# google-re2 is untyped.

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

MEMORY = 16 << 20
"""Bytes for the states of one automaton; beyond it, states are rebuilt as needed."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern. `kind` is the name of its spans, `check` names a validator of its matches."""

    kind: str
    regex: str
    check: str = ""
    whole: bool = False
    """Whether the whole match is the span, regardless of groups."""


class Match(NamedTuple):
    """A pattern's match, and the place of its span."""

    pattern: Pattern
    rank: int
    """The pattern's rank among those searched, 0 being the first."""
    start: int
    end: int
    text: str


def is_linear(regex: str) -> bool:
    """Return whether RE2 accepts a pattern, and so searches in time that is linear in the text."""
    import re2  # noqa: PLC0415 - loads a native library

    options: Any = re2.Options()
    options.log_errors = False
    try:
        re2.compile(regex, options=options)
    except re2.error:
        return False
    return True


class Look(NamedTuple):
    """A text after its pass: `hits` are the ranks of the patterns that occur in it, in order."""

    patterns: "PatternSet"
    text: str
    encoded: bytes
    hits: tuple[int, ...]

    def find(self, ranks: Collection[int], most: int | None = None) -> list[Match]:
        """Return the matches of the requested hits; at most `most` of each, if given."""
        found: list[Match] = []
        for rank in self.hits:
            if rank in ranks:
                pattern, text = self.patterns.patterns[rank], self.text
                found += [Match(pattern, rank, start, end, text[start:end]) for start, end in self._places(rank, most)]
        return found

    def _places(self, rank: int, most: int | None) -> list[tuple[int, int]]:
        """Return the spans of a pattern, in code points."""
        regex, group = self.patterns.compiled(rank)
        # A group may be unused in a match.
        spans = [span for one in islice(regex.finditer(self.encoded), most) if (span := one.span(group))[0] < span[1]]
        return spans if len(self.encoded) == len(self.text) else self._in_code_points(spans)

    def _in_code_points(self, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Convert byte positions to code points, each from the one before, so that the time stays linear."""
        places: list[tuple[int, int]] = []
        at = place = 0
        for start, end in spans:
            first = place + len(self.encoded[at:start].decode(errors="replace"))
            place = first + len(self.encoded[start:end].decode(errors="replace"))
            at = end
            places.append((first, place))
        return places


class PatternSet:
    """Patterns that one pass searches together.

    Each group of patterns has its own automaton: a single one would need states for the combinations of every two
    patterns, and each new text would pay for building those.
    """

    def __init__(self, *groups: Sequence[Pattern]) -> None:
        import re2  # noqa: PLC0415 - loads a native library

        options: Any = re2.Options()
        options.max_mem = MEMORY
        options.log_errors = False
        self.patterns = tuple(pattern for group in groups for pattern in group)
        self._sets: list[tuple[int, Any]] = []
        before = 0
        for group in filter(None, groups):
            automaton: Any = re2.Set.SearchSet(options)
            for pattern in group:
                automaton.Add(pattern.regex)
            automaton.Compile()
            self._sets.append((before, automaton))
            before += len(group)
        self._options = options
        self._compiled: dict[int, tuple[Any, int]] = {}

    def ranks(self, kinds: Collection[str]) -> frozenset[int]:
        """Return the ranks of the patterns of these kinds."""
        return frozenset(rank for rank, pattern in enumerate(self.patterns) if pattern.kind in kinds)

    def look(self, text: str) -> Look:
        """Find which patterns occur in a text."""
        encoded = text.encode(errors="replace")
        hits: list[int] = []
        for before, automaton in self._sets:
            found: Sequence[int] | None = automaton.Match(encoded)
            if found:
                hits += [before + rank for rank in found]
        hits.sort()
        return Look(self, text, encoded, tuple(hits))

    def compiled(self, rank: int) -> tuple[Any, int]:
        """Compile one pattern; return it with the group of its span."""
        known = self._compiled.get(rank)
        if known is None:
            import re2  # noqa: PLC0415 - loads a native library

            pattern = self.patterns[rank]
            regex: Any = re2.compile(pattern.regex, options=self._options)
            known = self._compiled[rank] = (regex, 1 if regex.groups and not pattern.whole else 0)
        return known
