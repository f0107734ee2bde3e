"""Patterns as data, looked for all at once: one pass of RE2 says which of them a text has, spans are found for those.

RE2 takes time that is linear in the text, whoever wrote it. A pattern's first group, where it has one, is its span.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# google-re2 has no types.

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

MEMORY = 64 << 20
"""Bytes for the automaton's states; what comes in over them is looked at pattern by pattern."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One thing to look for. `kind` is what its spans are called, `check` names a validator of what it finds."""

    kind: str
    regex: str
    check: str = ""
    whole: bool = False
    """Whether all of what matches is the span, whatever groups there are."""


@dataclass(frozen=True, slots=True)
class Match:
    """What a pattern found, and where its span is."""

    pattern: Pattern
    start: int
    end: int
    text: str


def is_linear(regex: str) -> bool:
    """Whether RE2 takes a pattern, and so can look for it in time that is linear in the text."""
    import re2  # noqa: PLC0415 - loads a native library

    options: Any = re2.Options()
    options.log_errors = False
    try:
        re2.compile(regex, options=options)
    except re2.error:
        return False
    return True


class PatternSet:
    """Many patterns behind one look."""

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        import re2  # noqa: PLC0415 - loads a native library

        options: Any = re2.Options()
        options.max_mem = MEMORY
        options.log_errors = False
        self._patterns = tuple(patterns)
        self._set: Any = re2.Set.SearchSet(options)
        for pattern in patterns:
            self._set.Add(pattern.regex)
        self._set.Compile()
        self._each: list[Any] = [re2.compile(pattern.regex, options=options) for pattern in patterns]

    def find(self, text: str) -> Iterator[Match]:
        """All matches, pattern by pattern."""
        encoded = text.encode(errors="replace")
        hits: Sequence[int] | None = self._set.Match(encoded)
        if not hits:
            return
        subject = encoded if len(encoded) == len(text) else encoded.decode()
        for hit in sorted(hits):
            pattern = self._patterns[hit]
            group = 1 if self._each[hit].groups and not pattern.whole else 0
            for found in self._each[hit].finditer(subject):
                start, end = found.span(group)
                if start < end:
                    yield Match(pattern, start, end, text[start:end])
