"""The items that a step found: the records with an id in the data of its outcome."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

ID_KEYS = (
    "message_id", "note_id", "reminder_id", "event_id", "card_id", "board_id", "inbound_id", "id", "source_id", "path",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a list that a step found."""

    key: str
    data: Mapping[str, Any]
    at: datetime | None

    @property
    def sender(self) -> str:
        """The author's address, such as `mail:anna@friends.example`; empty if there is none."""
        if mail := self.data.get("from"):
            return f"mail:{mail}"
        return str(self.data.get("sender") or "")


def items(data: Mapping[str, Any]) -> list[Item]:
    """Return the items that a step found: its list of records, or the one record it read."""
    empty: list[Mapping[str, Any]] = []
    lists = (found for value in data.values() if (found := _records(value)))
    records = next((found for found in lists if any(map(key_of, found))), empty)
    if not records:
        nested = [cast("Mapping[str, Any]", value) for value in data.values() if isinstance(value, dict)]
        records = [record for record in nested if key_of(record)] or ([data] if key_of(data) else [])
    return [Item(key, record, _moment(record)) for record in records if (key := key_of(record))]


def _records(value: Any) -> list[Mapping[str, Any]]:
    if not isinstance(value, list):
        return []
    return [cast("Mapping[str, Any]", item) for item in cast("list[Any]", value) if isinstance(item, dict)]


def key_of(record: Mapping[str, Any]) -> str:
    """Return the id of a record at its provider."""
    return next((str(record[name]) for name in ID_KEYS if record.get(name)), "")


def _moment(record: Mapping[str, Any]) -> datetime | None:
    return time_of(record.get("date") or record.get("at") or record.get("sent_at"))


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a record as a provider gave it; empty for anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def time_of(value: Any) -> datetime | None:
    """Parse a moment as a provider wrote it (ISO 8601); None for anything else, and for one without its offset."""
    try:
        at = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return at if at.tzinfo is not None else None
