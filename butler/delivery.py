"""Brings what stands in the outbox to the owner: at least once, in order of a chat, with its place noted after."""

from datetime import datetime

import structlog

from butler.contract.card import OwnerChannel
from butler.contract.errors import ChatClosedError, Refuse
from butler.contract.ports import Clock
from butler.store.queries import outbox
from butler.store.store import Store

log = structlog.get_logger(__name__)


class Delivery:
    """The work handler of `deliver` rows."""

    def __init__(self, store: Store, clock: Clock, channel: OwnerChannel) -> None:
        self._store, self._clock, self._channel = store, clock, channel

    async def deliver(self, message_id: str) -> None:
        """Send one message. A lost connection is `Retryable`, so that the engine comes back to it."""
        row = await self._store.look(lambda c: outbox.get(c, message_id))
        if row is None or row.state != "waiting":
            return
        try:
            ref = await self._channel.say(row.chat, row.message)
        except ChatClosedError as closed:
            why = closed.detail
            log.warning("chat_closed", chat=row.chat, why=why)
            await self._store.write(lambda c: outbox.keep(c, message_id, why), "kept")
            return
        except Refuse as refusal:
            why = refusal.detail
            log.warning("message_refused", chat=row.chat, why=why)
            await self._store.write(lambda c: outbox.refused(c, message_id, why, self._now()), "refused")
            return
        await self._store.write(lambda c: outbox.sent(c, message_id, ref, self._now()), "sent", flushed=False)

    def _now(self) -> datetime:
        return self._clock.now()
