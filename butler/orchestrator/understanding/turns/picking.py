"""Picks an offered answer by words instead of a tap: `yes`, `the second one`, `the electricity one`."""

from collections.abc import Sequence

from butler.orchestrator.planning.plan_types import Choice, PlannerOutput, Unclear
from butler.orchestrator.understanding.requests.carrying import CHOOSE
from butler.orchestrator.understanding.things.refs import pointed
from butler.understanding.reader import Request
from butler.understanding.words import words_of

YES = "answer.yes"
PICKS = frozenset({YES, CHOOSE})
SHORTEST = 3
"""The least number of letters of a word that identifies an answer."""


def picked(answer: Request, question: PlannerOutput | None, language: str) -> Choice | None:
    """Return the picked answer; None if no answer fits, several do, or only a tap may give it."""
    if not isinstance(question, Unclear) or not question.choices:
        return None
    found = _by_words(answer, question.choices, language)
    return found if found is not None and not found.alias else None


def _by_words(answer: Request, choices: Sequence[Choice], language: str) -> Choice | None:
    if answer.intent == YES:
        return choices[0] if len(choices) == 1 else None
    way = pointed(" ".join(answer.words("ref")) or answer.text, language)
    if len(way.numbers) == 1:
        return choices[way.numbers[0] - 1] if 0 < way.numbers[0] <= len(choices) else None
    if way.last:
        return choices[-1]
    words = {one.text.casefold() for one in words_of(answer.text) if len(one.text) >= SHORTEST}
    counts = [len(words & {one.text.casefold() for one in words_of(choice.label)}) for choice in choices]
    best = max(counts)
    return choices[counts.index(best)] if best and counts.count(best) == 1 else None
