"""What comes in by the clock: reminders that fall due."""

from collections.abc import Callable

import sqlalchemy as sa

from butler.contract.card import OwnerChannel, OwnerMessage, Span
from butler.contract.errors import StoreUnavailableError
from butler.contract.ports import Clock
from butler.store.queries import outbox, reminders
from butler.store.store import Store


class Schedule:
    """The work handler of `remind` rows."""

    def __init__(self, store: Store, clock: Clock, channel: OwnerChannel, wake: Callable[[], None]) -> None:
        self._store, self._clock, self._channel, self._wake = store, clock, channel, wake

    async def remind(self, reminder_id: str) -> None:
        """Say a reminder: it is taken as said in the same transaction that puts it into the outbox."""
        chat, now = self._channel.home(), self._clock.now()
        if chat is None:
            raise StoreUnavailableError("nobody is paired, so nobody can be reminded")

        def work(connection: sa.Connection) -> None:
            reminder = reminders.fire(connection, reminder_id, now)
            if reminder is not None:
                message = OwnerMessage(text=(Span(text=f"⏰ {reminder.text}"),))
                outbox.add(
                    connection,
                    chat,
                    message,
                    now=now,
                    dedup_key=f"remind:{reminder_id}:{reminder.due_at:%Y-%m-%dT%H:%M:%SZ}",
                )

        await self._store.write(work, "remind")
        self._wake()
