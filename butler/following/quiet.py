"""Quiet hours of what is not urgent: it is held until they end, and said then in one message.

One place decides. What the owner waits for (answers, reminders, what they asked for just now) never comes here; what
does is what the butler tells on its own: digests, answers that did not come, alerts that are not critical.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from butler.contract.card import Button, OwnerMessage, Span, Style
from butler.contract.ports import Clock, WorkHandler
from butler.contract.speech import say
from butler.store.queries import outbox, work
from butler.store.queries.outbox import OutboxRow
from butler.store.store import Store
from config.approvals import QuietHours

QUIET_OVER = "quiet_over"
"""The work that says what was held; its subject is the chat."""
MOST_BUTTONS = 12
"""Rows of buttons of one message; what would have more is said on its own."""


class Quiet:
    """Knows the quiet hours, and holds what may wait."""

    def __init__(
        self, store: Store, clock: Clock, zone: ZoneInfo, hours: QuietHours | None, wake: Callable[[], None]
    ) -> None:
        self._store, self._clock, self._zone, self._hours, self._wake = store, clock, zone, hours, wake

    def handlers(self) -> dict[str, WorkHandler]:
        """Work that it does."""
        return {QUIET_OVER: self.over}

    def until(self, at: datetime) -> datetime | None:
        """When the quiet hours that a moment falls into end; None outside of them."""
        until = self._hours.until(at.astimezone(self._zone)) if self._hours else None
        return until.astimezone(UTC) if until else None

    def say(
        self, connection: sa.Connection, chat: str, message: OwnerMessage, *, now: datetime, dedup_key: str
    ) -> str | None:
        """Put a message on its way, or hold it; its id, or None when a message with this key was said before."""
        until = self.until(now)
        if until is None:
            return outbox.add(connection, chat, message, now=now, dedup_key=dedup_key)
        message_id = outbox.add_held(connection, chat, message, now=now, dedup_key=dedup_key)
        if message_id is not None:
            work.cancel(connection, QUIET_OVER, chat)
            work.add(connection, QUIET_OVER, chat, now=now, run_at=until)
        return message_id

    async def over(self, chat: str) -> None:
        """Say what was held for a chat, in one message where it fits into one."""
        now = self._clock.now()

        def release(connection: sa.Connection) -> None:
            if (until := self.until(now)) is not None:
                # The clock, or the person, has moved back into them.
                work.add(connection, QUIET_OVER, chat, now=now, run_at=until)
                return
            held = outbox.held(connection, chat)
            if len(held) == 1 or sum(len(row.message.buttons) for row in held) > MOST_BUTTONS:
                for row in held:
                    outbox.let_go(connection, row.message_id, now)
            elif held:
                message_id = outbox.add(connection, chat, _together(held), now=now)
                assert message_id is not None
                for row in held:
                    outbox.said_with(connection, row.message_id, message_id, now)

        await self._store.write(release, "quiet_over")
        self._wake()


def _together(held: Sequence[OutboxRow]) -> OwnerMessage:
    spans = [Span(text=say("While it was quiet:"), style=Style.BOLD)]
    buttons: list[tuple[Button, ...]] = []
    files = tuple(file for row in held for file in row.message.attachments)
    for row in held:
        spans += [Span(text="\n\n"), *row.message.text]
        buttons += row.message.buttons
    return OwnerMessage(text=tuple(spans), attachments=files, buttons=tuple(buttons))
