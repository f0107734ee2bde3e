"""The ceilings of `[bulk]`: how many items one order may have, and how many a day, counted from the rows."""

from datetime import datetime
from fnmatch import fnmatchcase
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from approvals.limits import start_of_day
from butler.contract.speech import say, say_number
from butler.store.queries import bulk
from config.bulk import BulkSettings


class Caps:
    """The ceilings, checked when an order is listed and again when it is begun."""

    def __init__(self, settings: BulkSettings, zone: ZoneInfo) -> None:
        self._settings, self._zone = settings, zone

    def most(self, tool: str) -> int | None:
        """Return how many items one order of a tool may have; None for any number."""
        limit = self._settings.limit_for(tool)
        return None if limit is None else limit.per_run

    def beyond(self, connection: sa.Connection, tool: str, count: int, now: datetime) -> str:
        """Return one sentence on why `count` items are too many now; empty if they are not."""
        limit = self._settings.limit_for(tool)
        if limit is None:
            return ""
        if limit.per_run is not None and count > limit.per_run:
            return say(
                "There are {count} of them, and {most} at most may be done at once: narrow it, such as by age or by "
                "sender. The ceiling is per_run in [[bulk.limit]] for {tool}.",
                count=say_number(count),
                most=say_number(limit.per_run),
                tool=limit.tool,
            )
        if limit.per_day is None:
            return ""
        since = bulk.done_since(connection, start_of_day(now, self._zone))
        done = sum(things for by, things in since if fnmatchcase(by, limit.tool))
        if done + count <= limit.per_day:
            return ""
        return say(
            "There are {count} of them, and of the {most} that may be done in a day {done} have been: narrow it, or go "
            "on tomorrow. The ceiling is per_day in [[bulk.limit]] for {tool}.",
            count=say_number(count),
            most=say_number(limit.per_day),
            done=say_number(done),
            tool=limit.tool,
        )
