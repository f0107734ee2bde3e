"""The quiet hours in force: those that the owner set by words, else those of the settings.

All services share one object of them. The row is the truth: it is read at the start, and whenever it has changed.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from butler.contract.speech import say, say_clock
from butler.engine import WorkHandler
from butler.store.queries import cursors, work
from butler.store.store import Store
from config.approvals import QuietHours, parse_quiet_hours, show_quiet_hours

QUIET_HOURS = "quiet_hours"
"""The fact: the quiet hours that the owner set, as the settings write them; an empty text means none."""
QUIET_CHANGED = "quiet_hours_changed"
"""The work kind that adapts everything that waits for their end."""
PERSON = "person"
"""Its subject."""


@dataclass(frozen=True, slots=True)
class Wish:
    """The quiet hours that the owner set by words; None for none at all."""

    hours: QuietHours | None


class QuietHoursInForce:
    """Quiet hours that may change while others hold them."""

    def __init__(self, configured: QuietHours | None) -> None:
        self._configured = configured
        self.wish: Wish | None = None
        """The owner's wish, if there is one."""

    @property
    def hours(self) -> QuietHours | None:
        """The quiet hours now; None if there are none."""
        return self._configured if self.wish is None else self.wish.hours

    async def settle_in(self, store: Store) -> None:
        """Take over what is stored."""
        self.wish = await store.read(wish_of)

    def handlers(self, store: Store, *followers: Callable[[], Awaitable[None]]) -> dict[str, WorkHandler]:
        """Return the work handlers; the followers recompute what waits for the end of quiet hours."""

        async def follow(_subject: str) -> None:
            await self.settle_in(store)
            for one in followers:
                await one()

        return {QUIET_CHANGED: follow}


def wish_of(connection: sa.Connection) -> Wish | None:
    """Return the quiet hours that the owner set by words, if any."""
    stored: Any = cursors.fact(connection, QUIET_HOURS)
    return None if stored is None else Wish(parse_quiet_hours(stored))


def note_wish(connection: sa.Connection, wish: Wish | None, now: datetime) -> None:
    """Store the owner's wish, or that the settings hold again, and adapt everything to it."""
    cursors.put_fact(connection, QUIET_HOURS, None if wish is None else show_quiet_hours(wish.hours), now)
    work.cancel(connection, QUIET_CHANGED, PERSON)
    work.add(connection, QUIET_CHANGED, PERSON, now=now)


def quiet_words(hours: QuietHours | None) -> str:
    """Return quiet hours in a sentence."""
    if hours is None:
        return say("You have no quiet hours.")
    return say("Your quiet hours are from {start} to {end}.", start=say_clock(hours.start), end=say_clock(hours.end))
