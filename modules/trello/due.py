"""Due dates: wall times of the owner's, in the zone that the call was frozen with."""

from datetime import datetime
from zoneinfo import ZoneInfo

from butler.contract.speech import say, say_moment


def due_at(due: datetime, in_zone: str, zone: ZoneInfo) -> datetime:
    """Return the due moment; `zone` is the owner's current zone."""
    return due.replace(tzinfo=ZoneInfo(in_zone) if in_zone else zone)


def due_text(due: datetime | None, in_zone: str, zone: ZoneInfo) -> str:
    """Return the due time in `zone` in words, with the zone's name if it differs; empty for None."""
    if due is None:
        return ""
    text = say_moment(due_at(due, in_zone, zone).astimezone(zone))
    return text if in_zone in {"", zone.key} else say("{moment} ({place})", moment=text, place=zone.key)
