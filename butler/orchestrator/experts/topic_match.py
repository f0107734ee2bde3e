"""Picks the expert for a request by its topic, if exactly one knows that topic. Only the owner's words count.

A request that also names a channel without tools of this expert, such as Telegram, gets no expert.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from butler.agents.reader.answers import own_lines
from butler.orchestrator.embedded.lexer import QUOTES, Phrases, Tail, fold, lex, name_phrase
from butler.orchestrator.experts.expert import Expert

BUTLERS = "butler"
"""The channel of the butler itself: people address it by that word, and mean no tool by it."""
MARGINS = (">", "|")
"""Signs before the lines of a quoted mail."""
HEADED = re.compile(r"^\s*(?:From|Von|De) ?: ?\S")
"""The first line of a mail that was pasted with its header."""
NAMES_ITS_WRITER = re.compile(r"\b(?:wrote|writes|schrieb|schreibt|a écrit|écrit|escribió|escribe)\b.{0,60}:\s*$")
"""A line above a quotation."""


def by_topic(
    words: str, experts: Sequence[Expert], installed: Iterable[str], people: Iterable[str] = ()
) -> Expert | None:
    """Return the only expert with a topic in the request; None if there is none, or several.

    `installed` are the names of all tools; `people` are the names of contacts and the butler, which are no topics.
    """
    stretches = list(_own_tails(words))
    called = frozenset(map(fold, people))
    topics = [(one, _topics(tuple(topic for topic in one.topics if fold(topic) not in called))) for one in experts]
    knowing = [one for one, its in topics if any(stretch.find(its) for stretch in stretches)]
    if len(knowing) != 1:
        return None
    (expert,) = knowing
    elsewhere = _channels(installed) - _channels(one.tool for one in expert.tools)
    spoken = {token.word for stretch in stretches for token in stretch.tokens[stretch.at : stretch.end]}
    # A word may be a topic of one expert and the channel of another's tools, such as "files".
    return None if spoken & (elsewhere - set(expert.topics)) else expert


def _channels(tools: Iterable[str]) -> frozenset[str]:
    """Return the channels in tool names, but the butler's own."""
    return frozenset(channel for tool in tools for channel in tool.split("_")[1:2]) - {BUTLERS}


@cache
def _topics(topics: tuple[str, ...]) -> Phrases:
    return Phrases(tuple(option for topic in topics for option in name_phrase(topic).options))


def _own(words: str) -> Iterator[str]:
    """Yield the lines that are not marked as quoted, up to a pasted or quoted mail."""
    for line in words.splitlines():
        if HEADED.match(line) or NAMES_ITS_WRITER.search(line):
            return
        if not line.lstrip().startswith(MARGINS):
            yield line


def _own_tails(words: str) -> Iterator[Tail]:
    """Yield the stretches in the owner's own words, without quotations and without quoted or pasted mails."""
    here = start = lex(own_lines("\n".join(_own(words))))
    while not here.done:
        if here.word() in QUOTES and (quoted := here.quoted()) is not None:
            yield start.until(here)
            here = start = quoted[1]
        else:
            here = here.skip()
    yield start.until(here)
