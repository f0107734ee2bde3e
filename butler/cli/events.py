"""List events: implements `butler events`."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from approvals.visible import visible_line
from butler.cli.database import reading
from butler.cli.output import json_text
from butler.contract.automation_words import event_line
from butler.contract.errors import Refuse
from butler.contract.events import EventName
from butler.store.queries import events
from config.load import load

ID_SHOWN = 10
"""The shown prefix of an id; `automations replay` accepts it."""
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


def list_events(path: Path, name: str, limit: int, *, as_json: bool) -> str:
    """Return the newest events. Raise `Refuse` for an unknown event name."""
    if name and name not in set(EventName):
        raise Refuse(f"no event is called {name}; there are {', '.join(EventName)}")
    zone = ZoneInfo(load(path).settings.butler.timezone)
    with reading(path) as connection:
        found = events.since(connection, EventName(name) if name else None, BEGINNING, limit)
    if as_json:
        return json_text([one.model_dump(mode="json") for one in found])
    lines = (f"{one.event_id[:ID_SHOWN]}  {visible_line(event_line(one, zone))}" for one in found)
    return "\n".join(lines) or "Nothing has happened yet."
