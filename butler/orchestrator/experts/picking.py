"""Picks the expert for a request by what it is about, where exactly one knows of that. Only the owner's words count.

A request that also names a channel which this expert has no tools for, such as Telegram, is for no expert.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from butler.orchestrator.embedded.lexer import QUOTES, Phrases, Tail, lex, name_phrase
from butler.orchestrator.experts.expert import Expert


def by_topic(words: str, experts: Sequence[Expert], installed: Iterable[str]) -> Expert | None:
    """The only one of whose topics there is a word in the request; None where there is none, or several.

    `installed` are the names of all tools.
    """
    stretches = list(_said(words))
    knowing = [one for one in experts if any(stretch.find(_topics(one.topics)) for stretch in stretches)]
    if len(knowing) != 1:
        return None
    (expert,) = knowing
    elsewhere = _channels(installed) - _channels(one.tool for one in expert.tools)
    spoken = {token.word for stretch in stretches for token in stretch.tokens[stretch.at : stretch.end]}
    # A word may be a topic of one expert and the channel of another's tools, such as "files".
    return None if spoken & (elsewhere - set(expert.topics)) else expert


def _channels(tools: Iterable[str]) -> frozenset[str]:
    """The channels in names of tools."""
    return frozenset(channel for tool in tools for channel in tool.split("_")[1:2])


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
