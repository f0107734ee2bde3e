"""Answers without a language model: quotes the sentences and rows that match the question.

This tailor states nothing itself, so it makes nothing up, but cannot draw conclusions. The search decides which sources
are relevant; if none has the kind of thing asked for, the tailor says so and shows the passages found. If nothing was
found, or nothing in a document that was named without a search, it only says so.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import cast

from butler.agents.tailor.layout import Claim, cite, layout_of, set_out, wants_brief
from butler.agents.tailor.passages import Passage, passages
from butler.agents.tailor.port import SourceCitation, TailorInput, TailorOutput
from butler.agents.tailor.questions import Asked, asked, holds, may_answer
from butler.agents.tailor.terms import coverage, terms, weights
from butler.agents.tailor.wording import Wording, wording
from butler.contract.agents import AgentFailure, RetrievedContext
from butler.contract.provenance import Trust
from config.agents import MIN_RELEVANCE

Scorer = Callable[[str, Sequence[str]], Awaitable[Sequence[float]]]
"""Returns how near in meaning each text is to the question, from 0 to 1."""

MOST_PASSAGES = 400
"""The most passages that are considered; results of memory have fewer."""
WORDS, MEANING, RELEVANCE, KIND = 0.5, 0.25, 0.5, 0.2
"""The weights of the question's words, its meaning, the search's relevance and the right kind of answer."""
ENOUGH = 0.38
"""Below this score, a passage of a source that was named without a search does not match the question."""
FOUND = MIN_RELEVANCE
"""From this relevance on, a search has found the right source regardless of its words."""
FEW_WORDS, SHORT = 4, 0.6
"""A shorter passage, such as the name under a letter, counts less."""
NEAR, NEAR_SOURCE = 0.8, 0.9
"""A further passage is shown if it scores this share of the best one, and a further source if the search rated it this
share of the best one.
"""
AROUND = 0.6
"""The weight of a word that occurs only in the heading, the title or the sentence before."""
NOTHING, HINT, BEGINNING = 0.05, 0.2, 0.6
"""The confidence of a statement that nothing answers the question, of an answer that lacks the kind of thing asked for,
and of one that shows a document's beginning, or days and amounts.
"""
MOST = {"Executive": 1, "General": 2, "Technical": 4}
LONGEST_QUOTE = 600


@dataclass(frozen=True, slots=True)
class Scored:
    """A passage with its score, from 0 to 1."""

    passage: Passage
    score: float
    speaks_of_it: float
    """The part of the score from the question's words and meaning."""
    by_itself: bool
    """Whether the passage matches without its surroundings."""


class ExtractiveTailor:
    """Implements `Tailor`. Calls `scorer` once for each answer; without one, words alone decide."""

    def __init__(self, scorer: Scorer | None = None) -> None:
        self._scorer = scorer

    async def answer(self, given: TailorInput) -> TailorOutput | AgentFailure:
        result = wording(given.language)
        kind = asked(given.user_query)
        searched = any(chunk.relevance_score < 1 for chunk in given.context_chunks)
        if kind is Asked.SUMMARY and not searched and (first := _beginning(given)):
            content, citations = _quoted(given, first, result)
            return _answered(given, f"{result.beginning}\n{content}", citations, BEGINNING)
        scored = await self._scored(given, kind)
        fitting = [one for one in scored if _fits(one, searched=searched)]
        if not fitting and kind is Asked.DUE and not searched and (due := _due(given)):
            return _answered(given, *_quoted(given, due, result), BEGINNING)
        if not fitting:
            return none(given, result.insufficient, NOTHING)
        answering = [one for one in fitting if may_answer(kind, one.passage.text)]
        if not answering and not searched:
            return none(given, _missing(kind, result) or result.insufficient, HINT)
        most = 1 if wants_brief(given.formatting_instructions) else MOST[given.persona]
        chosen = _of_sources(fitting, answering, most) if searched else _chosen(answering, most)
        content, citations = _quoted(given, [one.passage for one in chosen], result)
        if not any(one in answering for one in chosen):
            only = " ".join(filter(None, (_missing(kind, result), result.shown)))
            return _answered(given, f"{only}\n{content}", citations, HINT)
        return _answered(given, content, citations, _confidence(chosen[0], searched=searched))

    async def _scored(self, given: TailorInput, kind: Asked) -> list[Scored]:
        """Return every passage with its score, the best first."""
        found = list(islice((one for chunk in given.context_chunks for one in passages(chunk)), MOST_PASSAGES))
        own = [frozenset(terms(passage.text)) for passage in found]
        question = terms(given.user_query)
        weighted = weights(question, own)
        near = await self._scorer(given.user_query, [passage.text for passage in found]) if self._scorer else None
        scored: list[Scored] = []
        for number, passage in enumerate(found):
            around = frozenset(terms(_around(passage)))
            covered = coverage(weighted, own[number], around, AROUND)
            about = WORDS * covered + (MEANING * near[number] if near else MEANING * covered)
            right = KIND if kind is not Asked.ANYTHING and holds(kind, passage.text) else 0.0
            relevance = RELEVANCE * max(0.0, min(1.0, passage.chunk.relevance_score))
            itself = coverage(weighted, own[number], frozenset(), 0.0) > 0
            full = 1.0 if len(passage.text.split()) >= FEW_WORDS or passage.row else SHORT
            scored.append(Scored(passage, full * (about + relevance + right * (about > 0)), about, itself))
        return sorted(scored, key=lambda one: one.score, reverse=True)


def _beginning(given: TailorInput) -> list[Passage]:
    """Return the first sentences of the document to summarize, without headings and names."""
    found = (one for chunk in given.context_chunks for one in passages(chunk))
    items = (one for one in found if one.row or len(one.text.split()) >= FEW_WORDS)
    return list(islice(items, MOST[given.persona] + 1))


def _due(given: TailorInput) -> list[Passage]:
    """Return passages with a day or an amount, first those with both."""
    found = [one for chunk in given.context_chunks for one in passages(chunk) if holds(Asked.DUE, one.text)]
    found.sort(key=lambda one: holds(Asked.AMOUNT, one.text) and holds(Asked.DATE, one.text), reverse=True)
    return found[: MOST[given.persona]]


def _quoted(given: TailorInput, chosen: Sequence[Passage], said: Wording) -> tuple[str, list[SourceCitation]]:
    return set_out(_claims(chosen, said), layout_of(given.formatting_instructions), "\n")


def _answered(given: TailorInput, content: str, citations: list[SourceCitation], confidence: float) -> TailorOutput:
    return TailorOutput(
        content=content,
        citations=citations,
        tone_used=given.persona,
        follow_up_suggestions=[],
        confidence_score=confidence,
    )


def _fits(one: Scored, *, searched: bool) -> bool:
    """Return whether a passage matches the question: by the search that found it, else by its words and meaning."""
    if searched:
        return one.passage.chunk.relevance_score >= FOUND
    return one.score >= ENOUGH and one.speaks_of_it > 0


def _confidence(best: Scored, *, searched: bool) -> float:
    """Combine the best passage's score with the search's relevance of its source."""
    fits = min(1.0, best.score)
    return round((fits + min(1.0, best.passage.chunk.relevance_score)) / 2 if searched else fits, 2)


def none(given: TailorInput, sentence: str, confidence: float) -> TailorOutput:
    """Return an answer of one sentence without citations."""
    return _answered(given, sentence, [], confidence)


def named(chunk: RetrievedContext, said: Wording) -> str:
    """Return a source's title and page."""
    title = " ".join(chunk.title.split())[:80] or said.untitled
    return f"{title}, {said.page.format(number=chunk.page_number)}" if chunk.page_number else title


def _around(passage: Passage) -> str:
    headings = passage.chunk.metadata.get("headings")
    lines = [str(heading) for heading in cast("list[object]", headings)] if isinstance(headings, list) else []
    return " ".join([passage.chunk.title, *lines, passage.before])


def _chosen(scored: Sequence[Scored], most: int) -> list[Scored]:
    """Choose the best passage, and others that score nearly as well and say something else."""
    chosen = [scored[0]]
    for one in scored[1:]:
        if len(chosen) == most or one.score < NEAR * scored[0].score:
            break
        if one.by_itself and _says_more(one, chosen):
            chosen.append(one)
    return chosen


def _of_sources(fitting: Sequence[Scored], answering: Sequence[Scored], most: int) -> list[Scored]:
    """Choose the best passage of each source that the search rated best or nearly so, then more of these passages.

    Passages with the kind of thing asked for come first, and among them the owner's own words. If only a lower-rated
    source has it, its passage comes last.
    """
    sources = _near_sources(fitting)
    near = [one for one in answering if one.passage.chunk.source_id in sources]
    near.sort(key=lambda one: not _is_by_owner(one.passage.chunk))
    near_without = [one for one in fitting if one.passage.chunk.source_id in sources and one not in near]
    best: dict[str, Scored] = {}
    elsewhere = () if near else answering
    for one in [*near, *near_without, *elsewhere]:
        best.setdefault(one.passage.chunk.source_id, one)
    chosen: list[Scored] = []
    for one in [*best.values(), *_chosen(near or near_without, most)]:
        if len(chosen) < most and _says_more(one, chosen):
            chosen.append(one)
    return chosen


def _is_by_owner(chunk: RetrievedContext) -> bool:
    return bool(chunk.origins) and all(origin.trust is Trust.OWNER for origin in chunk.origins)


def _near_sources(fitting: Sequence[Scored]) -> set[str]:
    """Return the sources that the search rated best, or nearly so; a source named without a search has 1."""
    found = [one.passage.chunk for one in fitting]
    highest = max((chunk.relevance_score for chunk in found if chunk.relevance_score < 1), default=0.0)
    return {chunk.source_id for chunk in found if chunk.relevance_score >= NEAR_SOURCE * highest}


def _says_more(one: Scored, chosen: Sequence[Scored]) -> bool:
    return all(one.passage.text.casefold() != other.passage.text.casefold() for other in chosen)


def _claims(chosen: Sequence[Passage], said: Wording) -> list[Claim]:
    """Return the claims, one for each page of a source."""
    pages: dict[tuple[str, int | None], list[Passage]] = {}
    for one in chosen:
        pages.setdefault((one.chunk.source_id, one.chunk.page_number), []).append(one)
    return [_claim(quoted, said) for quoted in pages.values()]


def _claim(quoted: Sequence[Passage], said: Wording) -> Claim:
    opening, closing = said.quote
    quotes = " ".join(f"{opening}{_short(one.text)}{closing}" for one in quoted)
    words = f"{said.says.format(source=named(quoted[0].chunk, said))} {quotes}"
    return Claim(words, tuple(cite(one.chunk, one.quote[:LONGEST_QUOTE]) for one in quoted))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE].rstrip()}…"


def _missing(kind: Asked, said: Wording) -> str:
    """Return a sentence that the kind of thing asked for is missing; empty if that is unknown."""
    sentences = {
        Asked.AMOUNT: said.no_amount,
        Asked.COUNT: said.no_number,
        Asked.DATE: said.no_date,
        Asked.TIME: said.no_date,
        Asked.CONTACT: said.no_contact,
    }
    return sentences.get(kind, "")
