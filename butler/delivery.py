"""Delivers the outbox to the owner: at least once, in the order of each chat, noting the message ids.

A message that can never be delivered is reported back: to the conversation, and to the owner.
"""

from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime

import sqlalchemy as sa
import structlog

from butler.contract.card import OwnerChannel, OwnerMessage, plain
from butler.contract.errors import ChatClosedError, Refuse
from butler.contract.ports import Clock
from butler.contract.reasons import of_error
from butler.contract.speech import say
from butler.guardrails.guard import Guard
from butler.orchestrator.replies.reply_checks import looked_over
from butler.store.conversation import ConversationState
from butler.store.queries import conversations, outbox
from butler.store.queries.outbox import OutboxRow
from butler.store.store import Store

log = structlog.get_logger(__name__)

_UNDELIVERED = "undelivered:"
_MOST_KNOWN = 200


class Delivery:
    """The work handlers of `deliver` and `redraw` rows."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        channel: OwnerChannel,
        wake: Callable[[], None],
        guard: Guard | None = None,
    ) -> None:
        """`guard` checks outgoing messages."""
        self._store, self._clock, self._channel, self._wake = store, clock, channel, wake
        self._guard = guard
        self._shown: OrderedDict[str, OwnerMessage] = OrderedDict()
        """The current texts of the last sent or drawn messages, the oldest first."""

    async def deliver(self, message_id: str) -> None:
        """Send one message. A lost connection is `Retryable`, so that the engine retries it."""
        row = await self._store.look(lambda c: outbox.get(c, message_id))
        if row is None or row.state != "waiting":
            return
        try:
            ref = await self._channel.say(row.chat, looked_over(self._guard, row.message))
        except ChatClosedError as closed:
            why = of_error(closed)
            log.warning("chat_closed", chat=row.chat, why=closed.detail)
            await self._store.write(lambda c: outbox.keep(c, message_id, why), "kept")
            return
        except Refuse as refusal:
            error = refusal
            log.warning("message_refused", chat=row.chat, why=error.detail)
            await self._store.write(lambda c: self._feed_back(c, row, error), "refused")
            self._wake()
            return
        self._reads(message_id, row.message)
        await self._store.write(lambda c: outbox.sent(c, message_id, ref, self._now()), "sent", flushed=False)

    async def redraw(self, message_id: str) -> None:
        """Redraw a sent message with its current text; an unsent one will be sent with it.

        The first draws all changes that came while the chat was waited for: later ones in the lane have nothing left to
        change, and would delay the next message.
        """
        row = await self._store.read(lambda c: outbox.get(c, message_id))
        if row is None or row.ref is None or self._shown.get(message_id) == row.message:
            return
        self._shown.pop(message_id, None)  # as long as the chat may show either text
        try:
            await self._channel.redraw(row.ref, looked_over(self._guard, row.message))
        except Refuse as refusal:
            log.warning("redraw_refused", chat=row.chat, why=refusal.detail)
            return
        self._reads(message_id, row.message)

    def _reads(self, message_id: str, message: OwnerMessage) -> None:
        self._shown[message_id] = message
        if len(self._shown) > _MOST_KNOWN:
            self._shown.popitem(last=False)

    def _feed_back(self, connection: sa.Connection, row: OutboxRow, error: Refuse) -> None:
        now = self._now()
        outbox.refused(connection, row.message_id, of_error(error), now)
        if row.dedup_key.startswith(_UNDELIVERED):
            # Its report was refused as well: nobody can be told in this chat.
            return
        text = say("I had something to say here that could not be delivered ({why}).", why=error.detail.rstrip("."))

        def change(state: ConversationState) -> None:
            state.add_message("assistant", text, timestamp=now)

        conversations.update(connection, row.chat, change, now)
        message = OwnerMessage(text=plain(text))
        outbox.add(connection, row.chat, message, now=now, dedup_key=f"{_UNDELIVERED}{row.message_id}")

    def _now(self) -> datetime:
        return self._clock.now()
