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
    """Remove names of things in the request's reason: `took my pills, because I couldn't find the box`."""
    match = _within().search(request.text)
    if match is None or request.intent in WITH_TEXTS or not request.intent.startswith(OF_THINGS):
        return request
    named = any(one.slot in NAMES and one.start < match.start() for one in request.slots)
    kept = tuple(one for one in request.slots if not (named and one.slot in NAMES and one.start > match.start()))
    return replace(request, slots=kept)


@cache
def _within() -> re.Pattern[str]:
    return re.compile(rf"(?:,\s*|\s){_openings('because').pattern}", re.IGNORECASE)


def _is_reason(one: Request) -> bool:
    if goes_on_with(one.text) or (one.intent in LATER and AGO.search(one.text) is not None):
        return True
    stated = _openings("statements").match(one.text.lstrip(" ,;.")) is not None
    return stated and one.intent not in WRITES | STATED


@cache
def _openings(kind: str) -> re.Pattern[str]:
    words = any_of(stored("butler.orchestrator.understanding.requests", "reasons", kind))
    return re.compile(rf"(?:{words})(?![\w'’])", re.IGNORECASE)
