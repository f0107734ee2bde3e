"""Example requests as they are written in the intents' files: `text [anna](to) [I'm on my way](reported)`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from butler.understanding.words import words_of

SPAN = re.compile(r"\[([^\[\]]+)\]\(([a-z_]+)\)")
OUTSIDE = "O"


@dataclass(frozen=True, slots=True)
class Span:
    """A slot's words, by their place in the text."""

    slot: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Example:
    """One request and what it means. `starts` are the places at which further requests begin."""

    language: str
    intent: str
    text: str
    spans: tuple[Span, ...]
    starts: tuple[int, ...] = ()

    def tags(self) -> list[str]:
        """For each word: `B-slot` where a slot begins, `I-slot` within it, else `O`."""
        found: list[str] = []
        for word in words_of(self.text):
            span = next((s for s in self.spans if s.start < word.end and word.start < s.end), None)
            first = span is not None and (word.start <= span.start)
            found.append(OUTSIDE if span is None else ("B-" if first else "I-") + span.slot)
        return found

    def clause_starts(self) -> list[bool]:
        """For each word, whether a further request begins with it."""
        return [any(word.start <= start < word.end for start in self.starts) for word in words_of(self.text)]


def parsed(line: str, language: str, intent: str) -> Example:
    """Read one line; raise `ValueError` where its brackets do not match."""
    text, spans, at = "", list[Span](), 0
    for match in SPAN.finditer(line):
        text += line[at : match.start()]
        spans.append(Span(match[2], len(text), len(text) + len(match[1])))
        text += match[1]
        at = match.end()
    text += line[at:]
    if "](" in text:
        raise ValueError(f"the brackets of this line do not match: {line}")
    return Example(language, intent, text, tuple(spans))


def read(text: str, language: str) -> tuple[list[Example], dict[str, list[str]]]:
    """The examples of a file, and its further lists by name."""
    found: list[Example] = []
    lists: dict[str, list[str]] = {}
    for heading, line in _lines(text):
        if heading.startswith("+"):
            lists.setdefault(heading[1:], []).append(line)
        else:
            found.append(parsed(line, language, heading))
    return found, lists


def _lines(text: str) -> Iterator[tuple[str, str]]:
    heading = ""
    for line in text.splitlines():
        if line.startswith("# "):
            heading = line[2:].split()[0]
        elif line.strip() and heading:
            yield heading, line.strip()
