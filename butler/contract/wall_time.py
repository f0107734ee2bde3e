"""Converts wall times to moments, even in the nights in which summer time begins or ends."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from butler.contract.speech import say, say_moment


def moment_in(at: datetime, in_zone: str, zone: ZoneInfo) -> datetime:
    """Return the moment of a call's time: a wall time is in the zone that was frozen with the call (an IANA name).

    If that zone is empty, it is in `zone`, the owner's current one; a time with an offset is taken as it is.
    """
    return at if at.tzinfo is not None else moment(at, ZoneInfo(in_zone) if in_zone else zone)


def local_moment(at: datetime | None, in_zone: str, zone: ZoneInfo) -> str:
    """Return a call's time in words, in `zone`, which is named if it is not the call's own; empty for None."""
    if at is None:
        return ""
    text = say_moment(moment_in(at, in_zone, zone).astimezone(zone))
    return text if in_zone in {"", zone.key} else say("{moment} ({place})", moment=text, place=zone.key)


def moment(local_time: datetime, zone: ZoneInfo) -> datetime:
    """Return the moment of a wall time; in a gap at the beginning of summer time, the first moment that exists.

    Of a time that the clocks show twice, return the first moment, or the second with `fold=1`.
    """
    if local_time.fold:
        second = local_time.replace(tzinfo=zone).astimezone(UTC)
        if second.astimezone(zone).replace(tzinfo=None) == local_time:
            return second
    aware = local_time.replace(tzinfo=zone, fold=0)
    instant = aware.astimezone(UTC)
    if instant.astimezone(zone).replace(tzinfo=None) == local_time:
        return instant
    # The wall clock jumps over this time; fold 0 and 1 give the offsets before and after the jump.
    before, after = aware.utcoffset(), aware.replace(fold=1).utcoffset()
    gap = abs((after or timedelta()) - (before or timedelta()))
    # Clocks change at whole minutes.
    first_valid = (instant - gap).replace(second=0, microsecond=0)
    while first_valid.astimezone(zone).replace(tzinfo=None) < local_time:
        first_valid += timedelta(minutes=1)
    return first_valid
