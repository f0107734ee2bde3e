"""Alerts to the owner about failures: one sentence, once a day, through the outbox."""

from collections.abc import Callable
from dataclasses import dataclass

import sqlalchemy as sa

from approvals.reason_words import in_words
from butler.contract.card import OwnerChannel, OwnerMessage, plain
from butler.contract.ports import Clock
from butler.contract.reasons import Reason
from butler.contract.speech import say
from butler.sink import INBOUND
from butler.store.queries import inbox, outbox
from butler.store.queries.inbox import InboxState
from butler.store.store import Store


@dataclass(frozen=True, slots=True)
class OwnerAlerts:
    """Sends alerts to the owner. Before pairing there is nobody to tell."""

    store: Store
    clock: Clock
    channel: OwnerChannel
    wake: Callable[[], None]

    async def tell(self, key: str, sentence: str, sign: str = "⚠️") -> None:
        """Tell the owner, once a day for each key; raise the store's errors."""
        await self.store.write(lambda c: self._add(c, key, sentence, sign), "tell")
        self.wake()

    async def dead_letter(self, kind: str, subject: str, why: Reason) -> None:
        """Quarantine the item of a failed row, and tell the owner."""

        def note(connection: sa.Connection) -> None:
            said = in_words(why)
            text = say("I could not do a part of my work and have put it aside: {why}", why=said)
            if kind == INBOUND:
                text = say("I could not handle something that came in and have put it aside: {why}", why=said)
                inbox.settle(connection, subject, InboxState.QUARANTINED, now=self.clock.now(), detail=(why,))
            self._add(connection, f"dead_letter:{kind}:{subject}", text)

        await self.store.write(note, "dead_letter")
        self.wake()

    def _add(self, connection: sa.Connection, key: str, sentence: str, sign: str = "⚠️") -> None:
        chat, now = self.channel.home(), self.clock.now()
        if chat is not None:
            message = OwnerMessage(text=plain(f"{sign} {sentence.rstrip('.')}."))
            outbox.add(connection, chat, message, now=now, dedup_key=f"{key}:{now:%Y-%m-%d}")
