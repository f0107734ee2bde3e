"""Builds questions to memory, notes, and requests to forget."""

import re

from butler.contract.provenance import Trust
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.say import capital
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.understanding import files
from butler.orchestrator.understanding.act_words import says
from butler.orchestrator.understanding.mail.filters import without, words_about
from butler.orchestrator.understanding.said import Builder, Said, bare
from butler.orchestrator.understanding.things.named import POINTING, telling
from butler.orchestrator.understanding.things.pointing import HANDLE, pointing_words
from butler.orchestrator.understanding.things.refs import several, tappable
from butler.understanding.stored_words import group_in, whole_in
from butler.understanding.times.lexicon import folded

WHAT_TO_KEEP = phrase("What shall I remember?")
WHAT_TO_FORGET = phrase("What shall I forget?")
KEPT = frozenset({ReferentKind.SOURCE, ReferentKind.NOTE})
FEW = 3
"""The least number of identifying words of a self-contained question."""
BACK = 3
"""The number of earlier messages that may hold the topic of a question."""
LONGEST = 1_000
WORDS = ("butler.orchestrator.understanding", "memory_words")
READ_THINGS, QUESTION = whole_in(*WORDS, "read_things"), whole_in(*WORDS, "question")
JOINS = re.compile(rf"\W*{group_in(*WORDS, 'joins')}\b")
POINTS = re.compile(rf"(?<!\w){group_in(*WORDS, 'points')}(?!\w)")
SHORT = 12
"""The most words of a follow-up question."""

OWN = re.compile(rf"\b{group_in(*WORDS, 'own')}\s+\w{{3,}}", re.IGNORECASE)
"""Words for an unmarked thing of the owner's."""


def asked_on(said: Said, most: int = SHORT) -> PlannerOutput | None:
    """Return the plan for a bare `and when?` after another question; None if there was no question before.

    Args:
        said: The request.
        most: The most words of such a question.
    """
    text = said.request.text.strip().rstrip("?! ")
    if not QUESTION.search(text) or len(text.split()) > most or not said.scene.has("bot_memory_search"):
        return None
    before = talked_of(said, text)
    return calls.plan(calls.search_memory(f"{text} ({before})"[:LONGEST])) if before else None


def keep(said: Said) -> PlannerOutput:
    """`note that [the spare key is with mrs patel](text)`."""
    said.need("bot_notes_remember")
    kept = [one for one in said.request.slots if one.slot in {"text", "reported", "query", "topic"}]
    text = bare(kept[0].text) if kept else ""
    url = said.words("url")
    if url and url not in text:
        text = f"{text}: {url}" if text else url
    if not text:
        raise Asking(say(WHAT_TO_KEEP))
    return calls.plan(calls.remember(capital(text)))


def notes(said: Said) -> PlannerOutput:
    """`what did I note about [the key](query)`."""
    said.need("bot_notes_search")
    words = words_about(said, "query", "topic")
    return calls.plan(calls.search_notes(telling(words, POINTING)))


def ask(said: Said) -> PlannerOutput:
    """Ask memory the whole question (`when does my lease end`), with the question that it continues."""
    if files.is_asked(said, bare(said.words("query"))):
        return files.read(said)
    said.need("bot_memory_search")
    question = (bare(said.words("query")) or said.request.text).strip().rstrip("?! ")
    before = talked_of(said, question)
    return calls.plan(calls.search_memory(f"{question} ({before})"[:LONGEST] if before else question))


def talked_of(said: Said, question: str) -> str:
    """Return the owner's earlier question that this one continues (`and what does it say about pets`), or ""."""
    if not (_goes_on(said.request.text) or _goes_on(question) or _points(question)):
        return ""
    shown = said.scene.request.last_shown
    if shown is not None and shown.kind not in {*KEPT, ReferentKind.FILE, ReferentKind.PAGE}:
        return ""
    own = [
        one.content.strip().rstrip("?! ")
        for one in said.scene.request.history
        if one.role == "user" and all(origin.trust is Trust.OWNER for origin in one.origins)
    ]
    return next((one for one in own[: -BACK - 1 : -1] if not _goes_on(one) and _tells(one)), "")


def _goes_on(text: str) -> bool:
    """Return whether words begin like a continuation, or hardly identify anything."""
    return JOINS.match(folded(text)) is not None or not _tells(text)


def _tells(text: str) -> bool:
    return len(telling(text, POINTING, pointing_words()).split()) >= FEW


def _points(text: str) -> bool:
    return POINTS.search(folded(text)) is not None


def forget(said: Said) -> PlannerOutput:
    """`forget what you know about [northwind](topic)`, `forget [that](ref)`."""
    said.need("bot_memory_forget")
    words = words_about(said, "topic", "query")
    described = telling(" ".join(said.request.words("ref")), POINTING, pointing_words())
    if any(word.isdigit() for word in described.split()) or len(described.split()) > FEW:
        described = ""
    shown = any(one.kind in KEPT for one in (*said.scene.request.referents, *said.scene.request.replied_to))
    if shown and (HANDLE.search(said.request.text) or not words):
        found = several(said, KEPT)
        return calls.plan(*(calls.forget(source={"handle": one.handle}) for one in found))
    if not words and not described:
        raise Asking(say(WHAT_TO_FORGET))
    return calls.plan(calls.forget(words=words or described))


def sources(said: Said) -> PlannerOutput:
    """`which mails did you read about [northwind](topic)`; `what do you know about it` is a question."""
    words = words_about(said, "topic", "query")
    named = words or OWN.search(said.request.text)
    if named and says("known", said.request.text) and not READ_THINGS.search(said.request.text):
        return ask(without(said, "query"))
    said.need("bot_memory_list")
    return calls.plan(calls.list_memory(**({"words": words} if words else {})))


BUILDERS: dict[str, Builder] = {
    "note.create": keep, "note.search": notes, "memory.ask": ask, "memory.forget": tappable(forget),
    "memory.list": sources, **files.BUILDERS,
}  # fmt: skip
