"""When a card is due: a wall time as the person says it, in the zone that the call was frozen with."""

from datetime import datetime
from zoneinfo import ZoneInfo

from butler.contract.speech import say, say_moment


def due_at(due: datetime, in_zone: str, zone: ZoneInfo) -> datetime:
    """The moment that is meant; `zone` is where the person lives now."""
    return due.replace(tzinfo=ZoneInfo(in_zone) if in_zone else zone)


def said_due(due: datetime | None, in_zone: str, zone: ZoneInfo) -> str:
    """The same by the clocks of `zone`, which is named where it is another one; empty for none."""
    if due is None:
        return ""
    said = say_moment(due_at(due, in_zone, zone).astimezone(zone))
    return said if in_zone in {"", zone.key} else say("{moment} ({place})", moment=said, place=zone.key)
