"""Example requests as they are written in the intents' files: `text [anna](to) [I'm on my way](reported)`.

A heading `# card.due @card` says behind the intent what was there before the message, by the flags of
`butler/understanding/context.py`. Under `# +compound` stand messages of several requests, each with its intent before
it: `{mail.archive} archive [it](ref) {message.send} and tell [bob](to) [it's done](reported)`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from butler.understanding.context import FLAGS, flags_of
from butler.understanding.words import words_of

PART = re.compile(r"\{([a-z_.]+)\}\s*")
COMPOUND = "+compound"
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
    """One request and what it means.

    `starts` are the places at which further requests begin; `context` is what was there before it.
    """

    language: str
    intent: str
    text: str
    spans: tuple[Span, ...]
    starts: tuple[int, ...] = ()
    context: tuple[str, ...] = ()

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


def compound(line: str, language: str) -> list[Example]:
    """The message of several requests that a line holds, and each of its requests alone, after the one before it."""
    pieces = PART.split(line)
    parts = [parsed(words.strip(), language, intent) for intent, words in zip(pieces[1::2], pieces[2::2], strict=True)]
    whole = parts[0]
    for part in parts[1:]:
        at = len(whole.text) + 1
        moved = tuple(replace(span, start=span.start + at, end=span.end + at) for span in part.spans)
        whole = replace(
            whole, text=f"{whole.text} {part.text}", spans=(*whole.spans, *moved), starts=(*whole.starts, at)
        )
    later = [replace(one, context=flags_of(before.intent)) for before, one in pairwise(parts)]
    return [whole, parts[0], *later]


def read(text: str, language: str) -> tuple[list[Example], dict[str, list[str]]]:
    """The examples of a file, and its further lists by name. Raises `ValueError` for a line that is wrong."""
    found: list[Example] = []
    lists: dict[str, list[str]] = {}
    for heading, line in _lines(text):
        intent, *marks = heading.split()
        context = tuple(mark.removeprefix("@") for mark in marks)
        if unknown := set(context) - set(FLAGS):
            raise ValueError(f"nothing is called {', '.join(sorted(unknown))} in the heading {heading}")
        if intent == COMPOUND:
            whole, first, *later = compound(line, language)
            found += [replace(whole, context=context), replace(first, context=context), *later]
        elif intent.startswith("+"):
            lists.setdefault(intent[1:], []).append(line)
        else:
            found.append(replace(parsed(line, language, intent), context=context))
    return found, lists


def _lines(text: str) -> Iterator[tuple[str, str]]:
    heading = ""
    for line in text.splitlines():
        if line.startswith("# "):
            heading = line[2:].strip()
        elif line.strip() and heading:
            yield heading, line.strip()
