"""Shows at the owner's request what a waiting card would do; nothing is done, and no card is decided or changed."""

from collections.abc import Callable

import sqlalchemy as sa

from approvals.service import Approvals
from butler.contract.card import OwnerChannel, OwnerMessage, plain
from butler.contract.inbound import Inbound
from butler.contract.ports import Clock
from butler.contract.speech import say
from butler.orchestrator.edits.answers import Card
from butler.orchestrator.planning.own_words import OwnerWords, owner_words
from butler.orchestrator.planning.spoken import ONLY_CARDS, DryAsked, dry_asked
from butler.store.conversation import ConversationState
from butler.store.queries import conversations, inbox, outbox
from butler.store.queries.inbox import InboxState
from butler.store.store import Store


class DryRuns:
    """Answers the owner's requests for a dry run."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        approvals: Approvals,
        channel: OwnerChannel,
        *,
        butler_name: str,
        wake: Callable[[], None],
    ) -> None:
        self._store, self._clock, self._approvals, self._channel = store, clock, approvals, channel
        self._butler_name, self._wake = butler_name, wake

    async def take(self, item: Inbound, card: Card | None) -> bool:
        """Answer a request for a dry run in the owner's own chat with the butler; return False for anything else.

        `card` is the card that it replies to. A reply to another message is about that message.
        """
        words = owner_words(item)
        asked = dry_asked(words.words.value, self._butler_name)
        if asked is None or item.chat != self._channel.home() or (item.reply_to and card is None):
            return False
        text = say(ONLY_CARDS) if asked is DryAsked.REQUEST else await self._shown(card)
        await self._store.write(lambda c: self._settle(c, item, words, text), "dry_run")
        self._wake()
        return True

    async def _shown(self, card: Card | None) -> str:
        if card is not None:
            return await self._approvals.dry_run(card.approval_id)
        waiting = await self._approvals.waiting()
        return await (self._approvals.dry_run(waiting[0]) if len(waiting) == 1 else self._approvals.which_waits())

    def _settle(self, connection: sa.Connection, item: Inbound, said: OwnerWords, told: str) -> None:
        """Answer once, in one transaction with the request."""
        if inbox.state(connection, item.inbound_id) is not InboxState.NEW:
            return
        now = self._clock.now()
        message = OwnerMessage(text=plain(told), reply_to=item.message_ref or None)
        outbox.add(connection, item.chat, message, now=now, dedup_key=f"turn:{item.inbound_id}")

        def remember(state: ConversationState) -> None:
            origins = list(said.words.origins)
            state.add_message(
                "user", said.words.value, timestamp=item.received_at, origins=origins, message_ref=item.message_ref
            )
            # Without what was shown: a card may hold others' words.
            state.add_message("assistant", "Showed what a card would do.", timestamp=now)

        conversations.update(connection, item.chat, remember, now)
        inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now)
