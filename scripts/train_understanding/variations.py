"""Makes variations of an example: other names, politeness, slips, no capitals, two requests in one, another context."""

import random
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from butler.understanding.context import APPROVAL, ASKED, KINDS, flags_of
from scripts.train_understanding.examples import Example, Span

PEOPLE = frozenset({"to", "from", "with"})
EXCHANGED = frozenset(
    {"to", "from", "with", "time", "time_of", "every", "topic", "title", "text", "reported", "asked", "query", "place",
     "list", "board", "label", "folder", "duration", "lead", "subject"}
)  # fmt: skip
ALONE = ("answer.", "chat.", "choose", "more", "unclear", "approve.change", "decline.", "undo", "refine")
"""Requests that are not joined to others."""
FORGOTTEN, ALSO, FITTING, BARE, QUESTION = 0.1, 0.2, 0.6, 0.5, 0.2
"""How often a context is left out, a card waits as well, a context that fits is put to a request that points at
something, a request has none, and the butler asked something."""


@dataclass(frozen=True)
class Pool:
    """What a language's variations are made of."""

    lists: Mapping[str, Sequence[str]]
    spans: Mapping[tuple[str, str], Sequence[str]]
    """The words of slots, by the slot and the word before it."""


def pool_of(examples: Sequence[Example], lists: Mapping[str, Sequence[str]]) -> Pool:
    """Collect what one language's examples offer."""
    spans: dict[tuple[str, str], list[str]] = {}
    for example in examples:
        for span in example.spans:
            if span.slot in EXCHANGED:
                spans.setdefault((span.slot, _before(example, span)), []).append(example.text[span.start : span.end])
    return Pool(lists, spans)


def varied(example: Example, others: Sequence[Example], pool: Pool, chance: random.Random) -> Example:
    """One variation; often the example itself."""
    one = _exchanged(example, pool, chance)
    if chance.random() < 0.25 and not example.starts and not example.intent.startswith(ALONE):
        second = _exchanged(chance.choice(others), pool, chance)
        if not second.starts and not second.intent.startswith(ALONE):
            one = _joined(one, second, pool, chance)
    if not example.intent.startswith(("answer.", "choose")):
        if chance.random() < 0.2:
            one = _prefixed(one, chance.choice(pool.lists["before"]))
        if chance.random() < 0.15:
            one = _suffixed(one, chance.choice(pool.lists["after"]))
    return _typed(replace(one, context=_context(example, chance)), chance)


def _context(example: Example, chance: random.Random) -> tuple[str, ...]:
    """What was there before: as the example says, mostly; what fits where it points at something; else anything."""
    if example.context:
        if chance.random() < FORGOTTEN:
            return ()
        also = chance.random() < ALSO
        if APPROVAL in example.context:
            return (*example.context, chance.choice(KINDS)) if also else example.context
        return (*example.context, APPROVAL) if also and ASKED not in example.context else example.context
    if chance.random() < FITTING and (
        example.intent.startswith(("answer.", "approve.")) or any(span.slot == "ref" for span in example.spans)
    ):
        return flags_of(example.intent)
    if chance.random() < BARE:
        return ()
    asked = (ASKED,) if chance.random() < QUESTION else ()
    return (chance.choice((*KINDS, APPROVAL)), *asked)


def _before(example: Example, span: Span) -> str:
    words = example.text[: span.start].split()
    return words[-1].lower() if words else ""


def _exchanged(example: Example, pool: Pool, chance: random.Random) -> Example:
    spans = sorted(example.spans, key=lambda span: span.start)
    for at in range(len(spans)):
        span = spans[at]
        words: str | None = None
        if span.slot in PEOPLE and chance.random() < 0.35 and _is_name(example.text[span.start : span.end]):
            words = chance.choice(pool.lists["names"])
        elif span.slot in EXCHANGED and chance.random() < 0.25:
            offered = pool.spans.get((span.slot, _before(example, span)), ())
            words = chance.choice(offered) if offered else None
        if words:
            example = _replaced(example, span, words)
            spans = sorted(example.spans, key=lambda span: span.start)
    return example


def _is_name(words: str) -> bool:
    return len(words.split()) == 1 and words.isalpha()


def _replaced(example: Example, span: Span, words: str) -> Example:
    moved = len(words) - (span.end - span.start)
    text = example.text[: span.start] + words + example.text[span.end :]
    spans = tuple(
        replace(s, end=s.end + moved) if s is span
        else replace(s, start=s.start + moved, end=s.end + moved) if s.start >= span.end
        else s
        for s in example.spans
    )  # fmt: skip
    return replace(
        example, text=text, spans=spans, starts=tuple(s + moved if s >= span.end else s for s in example.starts)
    )


def _prefixed(example: Example, words: str) -> Example:
    space = words + " "
    first = example.text[:1]
    text = space + (first.lower() if example.text[1:2].islower() else first) + example.text[1:]
    return replace(
        example,
        text=text,
        spans=_moved(example.spans, len(space)),
        starts=tuple(s + len(space) for s in example.starts),
    )


def _suffixed(example: Example, words: str) -> Example:
    text = example.text.rstrip(".!")
    if any(span.end > len(text) for span in example.spans):
        return example
    return replace(example, text=f"{text}{'' if words[:1] in ',.!' else ' '}{words}")


def _joined(first: Example, second: Example, pool: Pool, chance: random.Random) -> Example:
    join = chance.choice(pool.lists["join"]) if chance.random() < 0.7 else chance.choice([". ", ", ", "; ", "\n"])
    head = first.text.rstrip(".!")
    if any(span.end > len(head) for span in first.spans):
        head = first.text
    between = join if join[-1:].isspace() else join + " "
    if between[:1] not in ",.;\n":
        between = " " + between
    start = len(head) + len(between) - len(between.lstrip(" ,.;\n"))
    at = len(head) + len(between)
    begins = start if between.strip(" ,.;\n") else at
    body = second.text[:1].lower() + second.text[1:] if second.text[1:2].islower() else second.text
    return replace(first, text=head + between + body, spans=(*first.spans, *_moved(second.spans, at)), starts=(begins,))


def _moved(spans: Sequence[Span], by: int) -> tuple[Span, ...]:
    return tuple(replace(span, start=span.start + by, end=span.end + by) for span in spans)


def _typed(example: Example, chance: random.Random) -> Example:
    text = example.text
    if chance.random() < 0.3:
        text = text.lower() if len(text.lower()) == len(text) else text
    if chance.random() < 0.1:
        text = "".join(
            character if len(plain := unicodedata.normalize("NFD", character)) == 1 else plain[0] for character in text
        )
    if chance.random() < 0.1:
        text = _slipped(text, chance)
    if chance.random() < 0.1:
        text = text.replace(",", " ").replace("'", " ") if chance.random() < 0.5 else text.replace(",", " ")
    return replace(example, text=text)


def _slipped(text: str, chance: random.Random) -> str:
    """A slip that leaves the length as it is: two letters exchanged, or one for another."""
    at = chance.randrange(max(1, len(text) - 1))
    if len(text[at : at + 2]) < 2 or not text[at : at + 2].isalpha():
        return text
    if chance.random() < 0.5:
        return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return text[:at] + chance.choice("abcdefghijklmnopqrstuvwxyz") + text[at + 1 :]
