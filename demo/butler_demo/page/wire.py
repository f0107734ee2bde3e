"""Events as the page's script reads them: JSON objects with a `kind`, times in milliseconds since the epoch."""

import json
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import cast

from butler_demo.events import Event


def event_json(event: Event) -> dict[str, object]:
    """One event with its kind and its fields."""
    return {"kind": event.kind, **_members(event)}


def message(name: str, data: object) -> bytes:
    """A message of server-sent events."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def _members(record: object) -> dict[str, object]:
    assert is_dataclass(record), "events are dataclasses"
    return {field.name: _plain(getattr(record, field.name)) for field in fields(record)}


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return int(value.timestamp() * 1000)
    if isinstance(value, tuple):
        return [_plain(item) for item in cast("tuple[object, ...]", value)]
    return _members(value) if is_dataclass(value) else value
