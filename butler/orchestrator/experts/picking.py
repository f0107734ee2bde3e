"""Picks the expert for a request by what it is about, where exactly one knows of that. Only the owner's words count."""

from collections.abc import Iterator, Sequence
from functools import cache

from butler.orchestrator.embedded.lexer import QUOTES, Phrases, Tail, lex, name_phrase
from butler.orchestrator.experts.expert import Expert


def by_topic(words: str, experts: Sequence[Expert]) -> Expert | None:
    """The only one of whose topics there is a word in the request; None where there is none, or several."""
    stretches = list(_said(words))
    knowing = [one for one in experts if any(_mentions(stretch, one) for stretch in stretches)]
    return knowing[0] if len(knowing) == 1 else None


def _mentions(tail: Tail, expert: Expert) -> bool:
    return tail.find(_topics(expert.topics)) is not None


@cache
def _topics(topics: tuple[str, ...]) -> Phrases:
    return Phrases(tuple(option for topic in topics for option in name_phrase(topic).options))


def _said(words: str) -> Iterator[Tail]:
    """The stretches that the owner says: without what stands in quotes, and without lines that quote a mail."""
    lines = (line for line in words.splitlines() if not line.lstrip().startswith(">"))
    here = start = lex("\n".join(lines))
    while not here.done:
        if here.word() in QUOTES and (quoted := here.quoted()) is not None:
            yield start.until(here)
            here = start = quoted[1]
        else:
            here = here.skip()
    yield start.until(here)
