"""Reads values without a language model: by plain rules, and nothing in case of doubt.

If the texts contain a single value, it is the answer. Of several, the value whose sentence shares the most words with
the question is taken; if none shares a word, or several share as many, there is no answer.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from butler.agents.reader.answers import own_lines
from butler.agents.reader.port import ReaderInput, ReaderOutput, Reading
from butler.agents.reader.values import distinct, values
from butler.agents.tailor.passages import Passage, passages
from butler.agents.tailor.terms import found, terms
from butler.contract.agents import AgentFailure, ReadKind

MOST_VALUES = 400
"""The most values that are considered."""
LONGEST_CHUNK = 20_000


class RuleReader:
    """Implements `Reader`."""

    async def read(self, given: ReaderInput) -> ReaderOutput | AgentFailure:
        items = list(islice(_said(given), MOST_VALUES))
        every = distinct([one for _, one in items])
        if len(every) <= 1 or given.kind is ReadKind.YES_NO:
            return _only(every)
        question = terms(given.ask)
        fits = [_fits(passage, question) for passage, _ in items]
        best = max(fits)
        meant = distinct([one for (_, one), fit in zip(items, fits, strict=True) if fit == best])
        return _only(meant) if best and len(meant) == 1 else ReaderOutput(several=every)


def _only(found: Sequence[Reading]) -> ReaderOutput:
    return ReaderOutput(reading=found[0]) if len(found) == 1 else ReaderOutput(several=list(found))


def _said(given: ReaderInput) -> Iterator[tuple[Passage, Reading]]:
    for chunk in given.context_chunks:
        text = chunk.content[:LONGEST_CHUNK]
        text = own_lines(text) if given.kind is ReadKind.YES_NO else text
        for passage in passages(chunk.model_copy(update={"content": text})):
            for one in values(given.kind, passage.quote, chunk, given.people, given.zone):
                yield passage, one


def _fits(passage: Passage, question: Sequence[str]) -> int:
    """Return how many words of the question the sentence has."""
    own = frozenset(terms(passage.text))
    return sum(found(term, own) > 0 for term in question)
