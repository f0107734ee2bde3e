"""List reminders: implements `butler reminders`."""

from datetime import datetime
from pathlib import Path
from typing import Any

from butler.cli.database import reading
from butler.cli.output import json_text
from butler.contract.ports import DeliveredReminder, Reminder
from butler.contract.rule_words import rule_in_words
from butler.contract.speech import say_moment
from butler.store.queries import reminders

MOST = 1_000


def listed(path: Path, *, as_json: bool, everything: bool) -> str:
    """Return the pending ones, the next first; with `everything` also the fired ones, the latest first."""
    with reading(path) as connection:
        waiting = reminders.waiting(connection, MOST)
        items = reminders.delivered(connection, MOST) if everything else []
    if as_json:
        return json_text([*map(_json, waiting), *map(_delivered_json, items)])
    if not waiting and not items:
        return "No reminder is waiting."
    return "\n".join([*map(_line, waiting), *map(_delivered_line, items)])


def _json(reminder: Reminder) -> dict[str, Any]:
    return {
        "id": reminder.reminder_id,
        "text": reminder.text,
        "state": reminder.state,
        "due_at": _local(reminder, reminder.due_at).isoformat(),
        "zone": reminder.rule.zone,
        "often": rule_in_words(reminder.rule),
        "rule": reminder.rule.model_dump(mode="json", exclude_defaults=True),
        "times_past": reminder.times_past,
        "snoozed": reminder.snoozed,
        "waits_for_event": bool(reminder.until_event),
    }


def _delivered_json(said: DeliveredReminder) -> dict[str, Any]:
    delivered = said.delivered_at.isoformat() if said.delivered_at else None
    return {
        **_json(said.reminder),
        "due_at": _local(said.reminder, said.due_at).isoformat(),
        "fired_at": said.fired_at.isoformat(),
        "delivered_at": delivered,
    }


def _line(reminder: Reminder) -> str:
    often = rule_in_words(reminder.rule)
    more = [often] if often else []
    more += ["put off"] if reminder.snoozed else []
    more += ["or when they answer"] if reminder.until_event else []
    tail = f" ({', '.join(more)})" if more else ""
    return f"{_when(reminder, reminder.due_at)}  {reminder.text}{tail}"


def _delivered_line(said: DeliveredReminder) -> str:
    how = "said and delivered" if said.delivered_at else "said, not delivered yet"
    return f"{_when(said.reminder, said.due_at)}  {said.reminder.text} ({how})"


def _when(reminder: Reminder, at: datetime) -> str:
    return f"{say_moment(_local(reminder, at))} {reminder.rule.zone}"


def _local(reminder: Reminder, at: datetime) -> datetime:
    return reminder.rule.local(at)
