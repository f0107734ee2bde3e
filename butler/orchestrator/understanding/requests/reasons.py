"""Drops reasons and remarks after a request: `bin the gym mail, I've cancelled the contract`.

Their words are in `reasons.toml`. The reader may take them for requests of their own. Words that begin like a reason
are no request to act on a thing or look it up; messages, notes and reminders may begin so.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from butler.orchestrator.understanding.requests.carrying import OF_THINGS, WRITES
from butler.orchestrator.understanding.requests.request_words import group
from butler.understanding.patterns import any_of
from butler.understanding.reader import Request
from butler.understanding.stored_words import stored

STATED = frozenset({"note.create", "reminder.create", "reminder.done", "calendar.create", "preference.set"})
"""Intents of statements: `I've paid the rent`."""
LATER = frozenset({"reminder.snooze", "reminder.change", "reminder.create"})
AGO = re.compile(rf"{group('ago')}(?!\w)", re.IGNORECASE)
"""Past times, for which nobody sets a reminder."""
NAMES = frozenset({"topic", "ref", "from"})
OFTEN = frozenset({"every"})
WITH_TEXTS = WRITES | {"note.create", "reminder.create"}
"""Requests whose text may continue with a reason."""


def without_reasons(found: Sequence[Request]) -> tuple[Request, ...]:
    """Return the requests of a message without mere reasons; a reason after a text stays, as it may be part of it."""
    kept: list[Request] = []
    for one in found:
        if not kept or kept[-1].intent in WITH_TEXTS or not _is_reason(one):
            kept.append(one)
    return tuple(kept)


def goes_on_with(text: str) -> bool:
    """Return whether words are a reason for those before them."""
    return _openings("joints").match(text.lstrip(" ,;.")) is not None


def without_names_in_a_reason(request: Request) -> Request:
    """Remove names of things, and how often something happens, in the request's reason.

    `took my pills, because I couldn't find the box`; `remind me every Friday …, otherwise they call every month`.
    """
    match = _within(request.language).search(request.text)
    if match is None:
        return request
    of_a_thing = request.intent not in WITH_TEXTS and request.intent.startswith(OF_THINGS)
    for slots in (NAMES if of_a_thing else frozenset[str](), OFTEN):
        if any(one.slot in slots and one.start < match.start() for one in request.slots):
            kept = (one for one in request.slots if one.slot not in slots or one.start < match.start())
            request = replace(request, slots=tuple(kept))
    return request


@cache
def _within(language: str) -> re.Pattern[str]:
    return re.compile(rf"(?:,\s*|\s){_openings('because', language).pattern}", re.IGNORECASE)


def _is_reason(one: Request) -> bool:
    if goes_on_with(one.text) or (one.intent in LATER and AGO.search(one.text) is not None):
        return True
    stated = _openings("statements").match(one.text.lstrip(" ,;.")) is not None
    return stated and one.intent not in WRITES | STATED


@cache
def _openings(kind: str, language: str = "") -> re.Pattern[str]:
    words = any_of(stored("butler.orchestrator.understanding.requests", "reasons", kind, language))
    return re.compile(rf"(?:{words})(?![\w'’])", re.IGNORECASE)
