"""Notes on a provider's answer besides its data: the request's id, and how many more requests are allowed.

Readers of headers write them here, and the door puts them into the result's meta, even for a failed call: that is when
support at the provider needs the request's id.
"""

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

_REQUEST_IDS = ("x-request-id", "x-amz-request-id", "sb-request-id", "x-correlation-id", "cf-ray")
_REMAINING = (
    "x-rate-limit-api-token-remaining",
    "x-rate-limit-api-key-remaining",
    "x-ratelimit-remaining",
    "ratelimit-remaining",
)
_ID = re.compile(r"[A-Za-z0-9_.:+=/-]{1,128}")
"""The form of an id; any other value could be somebody's text."""
_MOST_DIGITS = 9


@dataclass(slots=True)
class CallNotes:
    """The notes of one call; of several requests, the last id and the smallest number left."""

    request_id: str = ""
    remaining: int | None = None


_current: ContextVar[CallNotes | None] = ContextVar("call_notes", default=None)


@contextmanager
def noting() -> Generator[CallNotes]:
    """Collect the notes made within this context, including threads that are started in it."""
    notes = CallNotes()
    token = _current.set(notes)
    try:
        yield notes
    finally:
        _current.reset(token)


def note_headers(headers: Mapping[str, str]) -> None:
    """Note what an answer's headers say; outside a call nothing is noted."""
    notes = _current.get()
    if notes is None:
        return
    known = {name.lower(): value.strip() for name, value in headers.items()}
    found = next((known[name] for name in _REQUEST_IDS if _ID.fullmatch(known.get(name, ""))), "")
    notes.request_id = found or notes.request_id
    left = [int(known[name]) for name in _REMAINING if _is_number(known.get(name, ""))]
    if notes.remaining is not None:
        left.append(notes.remaining)
    notes.remaining = min(left, default=None)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
