"""Checks a model's claims before anybody reads them. Nothing here is a judgement: all of it is comparison.

A claim is kept if every quote occurs word for word in its chunk, if its numbers, months, links and addresses occur in
those chunks or in the question, and if it does not speak as the butler: only stored records state what the butler has
done or will do.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from butler.agents.tailor.addresses import is_address
from butler.agents.tailor.figures import figures
from butler.agents.tailor.form import ClaimForm, QuoteForm
from butler.agents.tailor.layout import Claim, cite
from butler.agents.tailor.port import SourceCitation
from butler.agents.tailor.quotes import find_quote, says_something
from butler.agents.tailor.terms import found, terms
from butler.contract.agents import RetrievedContext

LONGEST_FOLLOW_UP = 100
MOST_FOLLOW_UPS = 3
LEAST_KNOWN = 0.25
"""The least share of a claim's words that must occur in its sources or the question."""
SECOND_ATTEMPT = 0.8
_IMAGE = re.compile(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?|<img\b[^>]*>", re.IGNORECASE)
_MARKUP = re.compile(r"\[([^\]]*)\]\([^)]*\)|<[^>]{1,500}>")
_AS_BUTLER = re.compile(
    r"(?<!Annex )(?<!Part )(?<!War )\bI (?=[a-z])|\bI['’](?:ve|ll|m|d)\b|\b(?i:we['’]ve|we have|ich|j['’]ai|yo)\b|"
    r"\b(?i:je (?:suis|vais|vous|te|peux|l['’]ai))\b|\b(?i:(?:he|hemos) \w+(?:ado|ido|cho|sto))\b|"
    r"^(?i:done|sent|approved|confirmed|erledigt|gesendet|genehmigt|envoyé|approuvé|fait|hecho|enviado|aprobado)\b"
)
_QUOTED = re.compile(r"[“„«\"][^”“»\"]*[”“»\"]")
_ASKS = re.compile(
    r"(?:what|when|who|where|which|how|why|was|wann|wer|wo|welche[rs]?|wie|warum|quand|qui|où|quel(?:le)?s?|comment|"
    r"pourquoi|combien|¿?(?:qué|cuándo|quién|dónde|cuál(?:es)?|cómo|por qué|cuánt[oa]s?))\b[^\n]*\?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Checked:
    """The kept claims of a model, and for each other claim a message to the model on what is wrong with it."""

    held: tuple[Claim, ...]
    wrong: tuple[str, ...]


def check(claims: Sequence[ClaimForm], chunks: Mapping[str, RetrievedContext], question: str) -> Checked:
    """Keep the claims that the chunks support."""
    held: list[Claim] = []
    wrong: list[str] = []
    for number, claim in enumerate(claims, 1):
        checked = _check(claim, chunks, question)
        if isinstance(checked, Claim):
            held.append(checked)
        else:
            wrong.append(f"claim {number}: {checked}")
    return Checked(tuple(held), tuple(wrong))


def _check(claim: ClaimForm, chunks: Mapping[str, RetrievedContext], question: str) -> Claim | str:
    """Return the claim with its citations, or what is wrong with it."""
    text = " ".join(claim.text.split())
    cited = [chunks[quote.chunk] for quote in claim.quotes if quote.chunk in chunks]
    citations = [one for quote in claim.quotes if (one := _citation(quote, chunks)) is not None]
    if not text or not claim.quotes:
        return "no chunk is quoted for it"
    if len(citations) < len(claim.quotes):
        return "a quote of it does not stand word for word in the chunk that it names, or is too short"
    return _wrong_with(text, [question, *(f"{chunk.title}\n{chunk.content}" for chunk in cited)]) or Claim(
        text, tuple(citations)
    )


def _citation(quote: QuoteForm, chunks: Mapping[str, RetrievedContext]) -> SourceCitation | None:
    chunk = chunks.get(quote.chunk)
    snippet = find_quote(quote.words, chunk.content) if chunk is not None else None
    return cite(chunk, snippet) if chunk is not None and snippet and says_something(snippet) else None


def _wrong_with(text: str, sources: Sequence[str]) -> str:
    """Return why a claim is not supported by its sources and the question; empty if nothing is found."""
    if _IMAGE.search(text) or _MARKUP.search(text):
        return "it holds an image, a link in markup or HTML"
    if _AS_BUTLER.search(_QUOTED.sub("", text)):
        return "it speaks in the first person, or of something done"
    if _foreign(text, sources):
        return "it speaks of something else than the chunks quoted for it"
    missing = figures(text).missing_in(figures("\n".join(sources)))
    return f"the chunks quoted for it do not hold {', '.join(missing[:5])}" if missing else ""


def _foreign(text: str, sources: Sequence[str]) -> bool:
    """Return whether hardly a word of a claim occurs in its sources or the question, which is in its language."""
    lines = terms(text)
    known = frozenset(terms("\n".join(sources)))
    return bool(lines) and sum(found(term, known) > 0 for term in lines) < LEAST_KNOWN * len(lines)


def follow_ups(suggested: Sequence[str]) -> list[str]:
    """Keep suggestions that are plain questions, without address, link, number or request, as they can be tapped."""
    clean: list[str] = []
    for one in suggested:
        text = " ".join(one.split())
        risky = is_address(text) or any(pattern.search(text) for pattern in (_IMAGE, _MARKUP, _AS_BUTLER))
        if (
            _ASKS.fullmatch(text)
            and not risky
            and len(text) <= LONGEST_FOLLOW_UP
            and not re.search(r"\d{3}|[@#/]", text)
        ):
            clean.append(text)
    return list(dict.fromkeys(clean))[:MOST_FOLLOW_UPS]


def confidence(checked: Checked, retried: bool) -> float:
    """Return the confidence: the share of claims that passed, reduced after a second attempt."""
    every = len(checked.held) + len(checked.wrong)
    return (len(checked.held) / every) * (SECOND_ATTEMPT if retried else 1.0) if every else 0.0
