"""Quiet hours for what is not urgent: hold it until they end, and then say it in one message.

What the owner waits for (answers, reminders, the results of requests) is never held. What the butler says on its own
is: digests, overdue answers, alerts that are not critical.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from butler.contract.card import Button, OwnerMessage, Span, Style
from butler.contract.ports import Clock
from butler.contract.speech import say
from butler.engine import WorkHandler
from butler.quiet_hours import QuietHoursInForce
from butler.store.queries import outbox, work
from butler.store.queries.outbox import OutboxRow
from butler.store.store import Store

QUIET_OVER = "quiet_over"
"""The work kind that sends the held messages; its subject is the chat."""
MOST_BUTTONS = 12
"""Rows of buttons of one message; a message with more is sent separately."""


class QuietHoursHold:
    """Knows the quiet hours, and holds messages that may wait."""

    def __init__(
        self, store: Store, clock: Clock, zone: ZoneInfo, quiet: QuietHoursInForce, wake: Callable[[], None]
    ) -> None:
        self._store, self._clock, self._zone, self._quiet, self._wake = store, clock, zone, quiet, wake

    def handlers(self) -> dict[str, WorkHandler]:
        """Return the work handlers."""
        return {QUIET_OVER: self.over}

    def until(self, at: datetime) -> datetime | None:
        """Return when the quiet hours around a moment end; None outside of them."""
        hours = self._quiet.hours
        until = hours.until(at.astimezone(self._zone)) if hours else None
        return until.astimezone(UTC) if until else None

    def say(
        self, connection: sa.Connection, chat: str, message: OwnerMessage, *, now: datetime, dedup_key: str
    ) -> str | None:
        """Queue a message, or hold it; return its id, or None if its key is known."""
        until = self.until(now)
        if until is None:
            return outbox.add(connection, chat, message, now=now, dedup_key=dedup_key)
        message_id = outbox.add_held(connection, chat, message, now=now, dedup_key=dedup_key)
        if message_id is not None:
            work.cancel(connection, QUIET_OVER, chat)
            work.add(connection, QUIET_OVER, chat, now=now, run_at=until)
        return message_id

    async def over(self, chat: str) -> None:
        """Send what was held for a chat, in one message if it fits."""
        now = self._clock.now()

        def release(connection: sa.Connection) -> None:
            if (until := self.until(now)) is not None:
                # The clock, or the owner's zone, has moved back into them.
                work.add(connection, QUIET_OVER, chat, now=now, run_at=until)
                return
            held = outbox.held(connection, chat)
            if len(held) == 1 or sum(len(row.message.buttons) for row in held) > MOST_BUTTONS:
                for row in held:
                    outbox.release(connection, row.message_id, now)
            elif held:
                message_id = outbox.add(connection, chat, _together(held), now=now)
                assert message_id is not None
                for row in held:
                    outbox.mark_merged(connection, row.message_id, message_id, now)

        await self._store.write(release, "quiet_over")
        self._wake()

    async def changed(self) -> None:
        """Send what is held at the end of the quiet hours as they are now, or at once."""
        now = self._clock.now()

        def reschedule(connection: sa.Connection) -> None:
            for chat in outbox.chats_held(connection):
                work.cancel(connection, QUIET_OVER, chat)
                work.add(connection, QUIET_OVER, chat, now=now, run_at=self.until(now))

        await self._store.write(reschedule, "quiet_changed")
        self._wake()


def _together(held: Sequence[OutboxRow]) -> OwnerMessage:
    spans = [Span(text=say("While it was quiet:"), style=Style.BOLD)]
    buttons: list[tuple[Button, ...]] = []
    files = tuple(file for row in held for file in row.message.attachments)
    for row in held:
        spans += [Span(text="\n\n"), *row.message.text]
        buttons += row.message.buttons
    return OwnerMessage(text=tuple(spans), attachments=files, buttons=tuple(buttons))
