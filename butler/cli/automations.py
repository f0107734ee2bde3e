"""List, show, change, replay and dry-run automations: implements `butler automations`."""

from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from approvals.visible import visible, visible_line
from butler.automations import repository
from butler.automations.reading import checked
from butler.cli.database import changing, reading
from butler.cli.output import counted, json_text
from butler.clock import RealClock
from butler.contract.automation_words import dry_words, event_line, line
from butler.contract.automations import Automation, AutomationAction, AutomationFiring, SavedAutomation
from butler.contract.errors import Refuse
from butler.offline import offline_registry
from butler.store.queries import automations
from config.automations import read
from config.load import load

ID_SHOWN, FIRINGS = 10, 20
BECAME = {
    AutomationAction.PAUSE: "is paused",
    AutomationAction.RESUME: "goes on",
    AutomationAction.REMOVE: "is removed",
}


def list_automations(path: Path, *, as_json: bool) -> str:
    """Return all automations, by number."""
    zone = _zone(path)
    with reading(path) as connection:
        kept, people = automations.every(connection), repository.people(connection)
    if as_json:
        return json_text([_json(one) for one in kept])
    return "\n\n".join(visible(line(one, zone, people)) for one in kept) or "There are no automations."


def show_automation(path: Path, number: int, *, as_json: bool) -> str:
    """Return one automation, with its last firings. Raise `Refuse`."""
    zone = _zone(path)
    with reading(path) as connection:
        kept = repository.known(connection, number)
        fired = automations.fired(connection, kept.automation_id, FIRINGS)
        people = repository.people(connection)
    if as_json:
        return json_text(_json(kept) | {"fired": [_fired_json(one) for one in fired]})
    lines = [visible(line(kept, zone, people)), ""]
    for one in fired:
        what = visible_line(event_line(one.event, zone)) if one.event else one.event_id[:ID_SHOWN]
        lines.append(f"{one.at.astimezone(zone):%Y-%m-%d %H:%M:%S}  {one.state:9}  {what}")
    return "\n".join(lines if fired else [*lines, "It has not fired yet."])


def take_step(path: Path, number: int, step: str) -> str:
    """Pause, resume or remove an automation. Raise `Refuse`."""
    now = RealClock().now()
    with changing(path) as connection:
        kept = repository.take(connection, number, AutomationAction(step), now)
    return f"Automation {number}, {visible_line(kept.automation.name)}, {BECAME[AutomationAction(step)]}."


def replay_event(path: Path, beginning: str, number: int) -> str:
    """Have a running daemon fire an event once more. Raise `Refuse`."""
    now = RealClock().now()
    with changing(path) as connection:
        event = repository.the_event(connection, beginning)
        fitting = repository.fits(connection, event, number)
        for one in fitting:
            automations.ask_replay(connection, one.automation_id, event.event_id, now)
    return f"{counted(len(fitting), 'automation fires', 'automations fire')} once more for {event.event_id[:ID_SHOWN]}."


def try_file(path: Path, file: Path, *, as_json: bool) -> str:
    """Return the automations of a file, and when each would have fired. Raise `ConfigError`."""
    loaded, now = load(path), RealClock().now()
    known = {spec.tool_name: spec for spec in offline_registry(loaded.settings.modules)[0].specs()}
    found = checked(file, read(file), loaded.settings.butler.timezone, known)
    zone = _zone(path)
    try:
        with reading(path) as connection:
            tried = [(one, _tried(connection, one, now, zone)) for one in found]
    except Refuse:
        # Without a database there are no events yet.
        tried = [(one, "Nothing has happened yet.") for one in found]
    if as_json:
        return json_text([{"file": str(file), "name": one.name, "would_have": text} for one, text in tried])
    return "\n".join(f"{one.name}\n  {visible(text)}" for one, text in tried) or f"{file} holds no automation."


def _tried(connection: sa.Connection, one: Automation, now: datetime, zone: ZoneInfo) -> str:
    return dry_words(repository.dry_run(connection, one, now), one, zone)


def _zone(path: Path) -> ZoneInfo:
    return ZoneInfo(load(path).settings.butler.timezone)


def _json(kept: SavedAutomation) -> dict[str, Any]:
    return kept.model_dump(mode="json")


def _fired_json(one: AutomationFiring) -> dict[str, Any]:
    return {"event": one.event_id, "replay": one.replay, "at": one.at.isoformat(), "state": one.state}
