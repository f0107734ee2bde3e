"""Rates how well a passage answers a question, from 0 to 1, by vectors and words.

The rating is a logistic function of six features. Its weights were fitted to the tuning half of `bench/retrieval_data`
(`bench/retrieval_fit.py` prints them), and its bias so that `MIN_RELEVANCE` refuses nineteen of twenty questions
without an answer. The same number orders the results.
"""

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Final

from butler.agents.memory.index import Hit
from butler.agents.memory.words import Vocabulary, has_digit


@dataclass(frozen=True, slots=True)
class Signs:
    """The features of a passage for a question."""

    nearness: float
    """Cosine of the two vectors."""
    usual: float
    """How usual the two vectors are, on average: some texts seem near to everything."""
    coverage: float
    """The share of the question's words that the passage has; numbers and codes count twice."""
    numbers: float
    """1 if the passage has all numbers and codes of the question, -1 if it has none; 0 if the question has none."""
    whole: float
    """1 if it has every word of the question."""
    standing: float
    """`coverage` weighted by its full text score relative to the best: rare words raise it."""


WEIGHTS: Final = Signs(nearness=21.52, usual=-18.17, coverage=0.07, numbers=4.17, whole=6.43, standing=3.93)
BIAS: Final = -3.06


@dataclass(frozen=True, slots=True)
class Asked:
    """The features of a question."""

    words: Sequence[str]
    """Its content words (`words.asked`)."""
    usual: float
    """How near its vector is to texts in general."""


def signs(question: Asked, hit: Hit, best: float) -> Signs:
    """Compute the features of a passage for a question; `best` is the best full text score of any passage."""
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
    """Return the relevance, from 0 to 1."""
    return 1 / (1 + math.exp(-BIAS - sum(w * s for w, s in zip(astuple(WEIGHTS), astuple(seen), strict=True))))
