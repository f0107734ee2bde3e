"""Reading without a language model: by plain rules, and nothing where there is a doubt.

What the texts say just once is what is meant. Of several the one is taken whose sentence speaks of what is asked for;
where that is none or more than one, nothing is.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from butler.agents.reader.answers import own_lines
from butler.agents.reader.values import distinct, values
from butler.agents.tailor.passages import Passage, passages
from butler.agents.tailor.terms import found, terms
from butler.contract.agents import AgentFailure, ReaderInput, ReaderOutput, Reading, ReadKind

MOST_VALUES = 400
"""Values that are looked at; whoever writes more of them into a text does not want to be understood."""
LONGEST_CHUNK = 20_000


class RuleReader:
    """Meets `Reader`."""

    async def read(self, given: ReaderInput) -> ReaderOutput | AgentFailure:
        said = list(islice(_said(given), MOST_VALUES))
        every = distinct([one for _, one in said])
        if len(every) <= 1 or given.kind is ReadKind.YES_NO:
            return _only(every)
        question = terms(given.ask)
        fits = [_fits(passage, question) for passage, _ in said]
        best = max(fits)
        meant = distinct([one for (_, one), fit in zip(said, fits, strict=True) if fit == best])
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
    """How many words of the question the sentence has."""
    own = frozenset(terms(passage.text))
    return sum(found(term, own) > 0 for term in question)
