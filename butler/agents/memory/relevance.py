"""How well a passage fits a question, from 0 to 1, by what vectors and words say of it.

A logistic function of six signs. Its weights were fitted to the tuning half of `bench/retrieval_data`
(`bench/retrieval_fit.py` prints them), and its bias set so that `MIN_RELEVANCE` is where nineteen of twenty questions
without an answer are refused. It orders what was found as well, so there is one number for both.
"""

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Final

from butler.agents.memory.index import Hit
from butler.agents.memory.words import Vocabulary, has_digit


@dataclass(frozen=True, slots=True)
class Signs:
    """What is known of a passage beside a question."""

    nearness: float
    """Cosine of the two vectors."""
    usual: float
    """How near each of the two is to anything, on average: some texts seem near to all."""
    coverage: float
    """Share of the question's words that the passage has; numbers and codes count twice."""
    numbers: float
    """1 where the passage has all numbers and codes of the question, -1 where it has none; 0 where there are none."""
    whole: float
    """1 where it has every word of the question."""
    standing: float
    """`coverage` by its full text score beside the best one's: rare words lift it."""


WEIGHTS: Final = Signs(nearness=21.52, usual=-18.17, coverage=0.07, numbers=4.17, whole=6.43, standing=3.93)
BIAS: Final = -3.06


@dataclass(frozen=True, slots=True)
class Asked:
    """What is known of a question."""

    words: Sequence[str]
    """Those that say what it is about (`words.asked`)."""
    usual: float
    """How near its vector is to anything."""


def signs(question: Asked, hit: Hit, best: float) -> Signs:
    """Of a question and a passage; `best` is the best full text score that any passage has."""
    passage = Vocabulary(hit.words.split())
    weights = [2.0 if has_digit(word) else 1.0 for word in question.words]
    found = [passage.has(word) for word in question.words]
    total = sum(weights)
    coverage = sum(w * f for w, f in zip(weights, found, strict=True)) / total if total else 0.0
    numbers = [f for word, f in zip(question.words, found, strict=True) if has_digit(word)]
    return Signs(
        nearness=hit.nearness,
        usual=(question.usual + hit.usual) / 2,
        coverage=coverage,
        numbers=2 * sum(numbers) / len(numbers) - 1 if numbers else 0.0,
        whole=1.0 if found and min(found) == 1 else 0.0,
        standing=coverage * hit.score / best,
    )


def relevance(seen: Signs) -> float:
    """From 0 to 1."""
    return 1 / (1 + math.exp(-BIAS - sum(w * s for w, s in zip(astuple(WEIGHTS), astuple(seen), strict=True))))
