"""How well a passage fits a question, from 0 to 1, by what vectors and words say of it.

A logistic function of five signs. Its weights were fitted to the tuning half of `bench/retrieval_data`
(`bench/retrieval_fit.py` prints them), and its bias set so that 0.5 is where nineteen of twenty questions without an
answer are refused. It orders what was found as well, so there is one number for both.
"""

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Final

from butler.agents.memory.words import Vocabulary, has_digit


@dataclass(frozen=True, slots=True)
class Signs:
    """What is known of a passage beside a question."""

    nearness: float
    """Cosine of the two vectors."""
    coverage: float
    """Share of the question's words that the passage has; numbers and codes count twice."""
    numbers: float
    """1 where the passage has all numbers and codes of the question, -1 where it has none; 0 where there are none."""
    whole: float
    """1 where it has every word of the question."""
    standing: float
    """`coverage` by its full text score beside the best one's: rare words lift it."""


WEIGHTS: Final = Signs(nearness=21.29, coverage=1.86, numbers=1.7, whole=5.43, standing=2.66)
BIAS: Final = -8.25


def signs(question: Sequence[str], passage: Vocabulary, nearness: float, score: float) -> Signs:
    """Of a question's words (`words.asked`) and a passage; `score` is its full text score by the best one's."""
    weights = [2.0 if has_digit(word) else 1.0 for word in question]
    found = [passage.has(word) for word in question]
    total = sum(weights)
    coverage = sum(w * f for w, f in zip(weights, found, strict=True)) / total if total else 0.0
    numbers = [f for word, f in zip(question, found, strict=True) if has_digit(word)]
    return Signs(
        nearness=nearness,
        coverage=coverage,
        numbers=2 * sum(numbers) / len(numbers) - 1 if numbers else 0.0,
        whole=1.0 if found and min(found) == 1 else 0.0,
        standing=coverage * score,
    )


def relevance(seen: Signs) -> float:
    """From 0 to 1."""
    return 1 / (1 + math.exp(-BIAS - sum(w * s for w, s in zip(astuple(WEIGHTS), astuple(seen), strict=True))))
