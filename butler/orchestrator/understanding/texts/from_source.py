"""Plans messages whose text comes from a source: `tell Bob what the lease says about pets`.

No planner reads the source. A step looks it up, and the text is a reference from which the tailor makes a draft that
waits on a card. If the source does not answer, nothing is drafted.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from butler.contract.agents import PlanStep
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.draft import Draft
from butler.orchestrator.embedded.say import capital
from butler.orchestrator.planning.plan_types import Planned
from butler.orchestrator.understanding.said import Said, bare
from butler.orchestrator.understanding.texts.text_words import group
from butler.understanding.patterns import any_of
from butler.understanding.reader import Request
from butler.understanding.stored_words import stored

SEARCH, PAGE = "bot_memory_search", "bot_web_read_page"
TEXT = "⟦draft⟧"
"""The placeholder for the text while the rest of the plan is made."""
URL = re.compile(r"https?://\S+")
WITH = re.compile(rf"^\W*{group('with')}\s+", re.IGNORECASE)
ABOUT = re.compile(rf"\b{group('about')}\s+(.+)$", re.IGNORECASE)
SEND = "message.send"
READS = frozenset({"web.read", "file.read", "memory.ask", "mail.read", "message.reply", "mail.reply"})
"""Intents that the reader may mark instead of a message: reading, and answering."""


def source_asked(request: Request) -> str:
    """Return what the message shall say from a source, in the owner's words; empty if the text itself was said."""
    people = [one for one in request.slots if one.slot == "to"]
    if not people or ":" in URL.sub("", request.text) or _any("asks").search(request.text):
        return ""
    words = _any("between").sub("", WITH.sub("", request.text[people[-1].end :])).strip(" ,.!?")
    begins = _any("begins").match(words)
    return bare(words) if begins is not None and _any("sources").search(words, begins.end()) else ""


def as_message(request: Request) -> Request:
    """Return the request as a message if it was marked as reading what the message shall say."""
    meant = {SEND, *READS}
    if request.intent not in meant or not source_asked(request):
        return request
    others = tuple(one for one in request.readings if one[0] not in meant)
    return replace(request, readings=((SEND, sum(share for name, share in request.readings if name in meant)), *others))


def drafted_from_source(asked: str, draft: Draft, said: Said, settle: Callable[[Draft], Planned]) -> Planned:
    """Return the steps that look it up, and those that send the draft.

    Args:
        asked: What the message shall say.
        draft: The recipients, and the way of sending.
        said: The request.
        settle: Makes the steps that send.
    """
    look = _look(asked, said)
    about = ABOUT.search(asked)
    subject = capital(about[1] if about is not None else asked)
    sending = settle(replace(draft, text=TEXT, subject=draft.subject or subject))
    return calls.plan(look, *(_with_draft(step, asked) for step in calls.moved(sending, 1)))


def _look(asked: str, said: Said) -> PlanStep:
    """Return the step that reads a page if its address was said, else one that searches memory."""
    url = URL.search(asked)
    said.need(PAGE if url is not None else SEARCH)
    if url is not None:
        return calls.read_source(PAGE, "url", url[0].rstrip(".,;:!?)"), "")
    return calls.search_memory(asked)


def _with_draft(step: PlanStep, asked: str) -> PlanStep:
    """Return a sending step with a reference in place of its text."""
    draft = {"draft": {"from": [1], "ask": asked}}
    args: dict[str, Any] = {name: draft if value == TEXT else value for name, value in step.args.items()}
    holds = args != step.args
    return step.model_copy(update={"args": args, "depends_on": [*step.depends_on, 1]}) if holds else step


@cache
def _any(kind: str) -> re.Pattern[str]:
    words = any_of(stored("butler.orchestrator.understanding.texts", "from_source", kind))
    return re.compile(rf"(?<![\w'’])(?:{words})(?![\w])", re.IGNORECASE)
