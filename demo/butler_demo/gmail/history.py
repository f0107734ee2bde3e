"""The history of one mailbox, from which clients catch up by `historyId`."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from butler_demo.gmail.records import Message

_FIRST_ID = 1000
HISTORY_LIFETIME = timedelta(days=7)
"""How long changes are kept; Gmail promises a week and sometimes keeps less."""


class HistoryKind(StrEnum):
    """The kinds of change, named as in the parameter `historyTypes`."""

    MESSAGE_ADDED = "messageAdded"
    MESSAGE_DELETED = "messageDeleted"
    LABEL_ADDED = "labelAdded"
    LABEL_REMOVED = "labelRemoved"


@dataclass(frozen=True)
class HistoryEntry:
    """One change; `message` is the mail after it, `label_ids` the labels that came or went."""

    id: int
    at: datetime
    kind: HistoryKind
    message: Message
    label_ids: tuple[str, ...] = ()


class History:
    """An append-only list of changes with rising ids that are not contiguous, as Gmail's are not."""

    def __init__(self) -> None:
        self.current = _FIRST_ID
        self._oldest = _FIRST_ID
        self._entries: list[HistoryEntry] = []

    def advance(self) -> int:
        """Return the id for the next change."""
        self.current += 7
        return self.current

    def append(self, kind: HistoryKind, message: Message, at: datetime, label_ids: tuple[str, ...] = ()) -> None:
        """Record a change under the message's own history id, or under a new one if that is taken."""
        taken = bool(self._entries) and self._entries[-1].id >= message.history_id
        entry_id = self.advance() if taken else message.history_id
        self._entries.append(HistoryEntry(entry_id, at, kind, message, label_ids))

    def forget(self) -> None:
        """Drop what has been recorded: every id handed out before now is too old."""
        self._entries.clear()
        self._oldest = self.advance()

    def knows(self, history_id: int, now: datetime) -> bool:
        """Whether a client can catch up from this id: no change after it is too old to be kept."""
        self._expire(now)
        return self._oldest <= history_id <= self.current

    def since(self, history_id: int) -> Iterator[HistoryEntry]:
        """Return the changes after this id, oldest first."""
        return (entry for entry in self._entries if entry.id > history_id)

    def _expire(self, now: datetime) -> None:
        expired = 0
        for entry in self._entries:
            if entry.at > now - HISTORY_LIFETIME:
                break
            self._oldest = entry.id
            expired += 1
        del self._entries[:expired]
