"""Sync tokens: opaque to the client, and bound to a calendar, a revision and what the first list was asked for."""

import base64
import hashlib
import hmac
import json
import secrets
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from butler_demo.calendar.book import CalendarBook
from butler_demo.calendar.selection import EventFilter
from butler_demo.google.errors import GoogleError, invalid_value

TOKEN_LIFETIME = timedelta(days=28)
"""How long a token is good; Google says only that it may expire."""


class SyncTokens:
    """Hands out and reads the tokens of one server."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(16)

    def issue(self, book: CalendarBook, revision: int, wanted: EventFilter, now: datetime) -> str:
        """Return a token for what a list of events has told up to this revision."""
        times = [moment.isoformat() if moment else "" for moment in (wanted.after, wanted.before)]
        return self._sealed([book.id, revision, now.timestamp(), wanted.single, *times])

    def read(self, token: str, book: CalendarBook, now: datetime) -> tuple[int, EventFilter]:
        """Return the revision and the question of a token.

        Raises GoogleError 400 for one that is not this calendar's, 410 for one that has expired.
        """
        revision, single, after, before = self._opened(token, book.id, now, 6)
        if revision < book.oldest_token:
            raise full_sync_required()
        wanted = EventFilter(single=single)
        if after:
            wanted = replace(wanted, after=datetime.fromisoformat(after))
        if before:
            wanted = replace(wanted, before=datetime.fromisoformat(before))
        return revision, wanted

    def issue_for_list(self, address: str, revision: int, now: datetime) -> str:
        """Return a token for what an account's list of calendars has told up to this revision."""
        return self._sealed([f"calendars of {address}", revision, now.timestamp()])

    def read_for_list(self, token: str, address: str, now: datetime) -> int:
        """Return the revision of a token of the calendar list. Raises GoogleError 400 and 410."""
        return self._opened(token, f"calendars of {address}", now, 3)[0]

    def _sealed(self, content: list[Any]) -> str:
        text = json.dumps(content).encode()
        return base64.urlsafe_b64encode(self._seal(text) + text).decode()

    def _opened(self, token: str, owner: str, now: datetime, length: int) -> list[Any]:
        """The revision and what follows the time of issue."""
        try:
            sealed = base64.urlsafe_b64decode(token)
        except ValueError:
            raise invalid_value("syncToken", "Invalid sync token value.") from None
        seal, text = sealed[:16], sealed[16:]
        content: list[Any] = json.loads(text) if hmac.compare_digest(seal, self._seal(text)) else []
        if len(content) != length or content[0] != owner:
            raise invalid_value("syncToken", "Invalid sync token value.")
        if now.timestamp() - content[2] > TOKEN_LIFETIME.total_seconds():
            raise full_sync_required()
        return [content[1], *content[3:]]

    def _seal(self, text: bytes) -> bytes:
        return hmac.new(self._key, text, hashlib.sha256).digest()[:16]


def full_sync_required() -> GoogleError:
    """Return the 410 after which a client has to begin anew."""
    return GoogleError(
        410,
        "fullSyncRequired",
        "Sync token is no longer valid, a full sync is required.",
        location={"locationType": "parameter", "location": "syncToken"},
        domain="calendar",
    )
