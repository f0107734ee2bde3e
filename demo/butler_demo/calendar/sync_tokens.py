"""Sync tokens: opaque to the client, and bound to a calendar, a revision and what the first list was asked for."""

import base64
import hashlib
import hmac
import json
import secrets
from datetime import datetime, timedelta
from typing import Any

from butler_demo.calendar.calendar_events import CalendarEvents
from butler_demo.calendar.selection import EventFilter
from butler_demo.google.errors import GoogleError, invalid_value

TOKEN_LIFETIME = timedelta(days=28)
"""How long a token is good; Google says only that it may expire."""


class SyncTokens:
    """Hands out and reads the tokens of one server."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(16)

    def issue(self, book: CalendarEvents, revision: int, wanted: EventFilter, now: datetime) -> str:
        """Return a token for what a list of events has told up to this revision."""
        times = [moment.isoformat() if moment else "" for moment in (wanted.after, wanted.before)]
        text = json.dumps([book.id, revision, now.timestamp(), wanted.single, *times]).encode()
        return base64.urlsafe_b64encode(self._seal(text) + text).decode()

    def read(self, token: str, book: CalendarEvents, now: datetime) -> tuple[int, EventFilter]:
        """Return the revision and the question of a token.

        Raises GoogleError 400 for one that is not this calendar's, 410 for one that has expired.
        """
        try:
            sealed = base64.urlsafe_b64decode(token)
        except ValueError:
            raise invalid_value("syncToken", "Invalid sync token value.") from None
        seal, text = sealed[:16], sealed[16:]
        content: list[Any] = json.loads(text) if hmac.compare_digest(seal, self._seal(text)) else [""]
        if content[0] != book.id:
            raise invalid_value("syncToken", "Invalid sync token value.")
        _, revision, issued, single, after, before = content
        if now.timestamp() - issued > TOKEN_LIFETIME.total_seconds() or revision < book.oldest_token:
            raise full_sync_required()
        return revision, EventFilter(single, after=_moment(after), before=_moment(before))

    def _seal(self, text: bytes) -> bytes:
        return hmac.new(self._key, text, hashlib.sha256).digest()[:16]


def _moment(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def full_sync_required() -> GoogleError:
    """Return the 410 after which a client has to begin anew."""
    return GoogleError(
        410,
        "fullSyncRequired",
        "Sync token is no longer valid, a full sync is required.",
        location={"locationType": "parameter", "location": "syncToken"},
        domain="calendar",
    )
