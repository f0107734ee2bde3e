"""The moment of a wall time, also in the nights in which summer time begins or ends."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo


def moment(local_time: datetime, zone: ZoneInfo) -> datetime:
    """The moment of a wall time: once, and in a gap of summer time the first moment that exists."""
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
