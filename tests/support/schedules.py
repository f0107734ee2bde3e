"""Rules of reminders."""

from datetime import datetime
from zoneinfo import ZoneInfo

from butler.contract.schedules import RecurrenceRule, ZoneChange


def once_at(at: datetime, zone: str) -> RecurrenceRule:
    """Return a rule for one moment, whatever zone the owner is in by then."""
    there = at.astimezone(ZoneInfo(zone))
    return RecurrenceRule(zone=zone, start=there.replace(tzinfo=None), later=bool(there.fold), keeps=ZoneChange.INSTANT)
