"""Holds back words of the owner that read like an attack, with a warning, until a tap confirms them.

An owner who pastes a text written to steer an assistant should hear of it first. The tap runs the same words and
weakens nothing: what asks still asks. Words that could not be checked are held back as well.
"""

import asyncio
from collections.abc import Callable

import sqlalchemy as sa
import structlog

from butler.contract.card import Button, OwnerChannel, OwnerMessage, plain
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.ports import Clock
from butler.contract.speech import phrase, say
from butler.guardrails.guard import Guard, GuardrailsInput
from butler.orchestrator.planning.own_words import is_proved, owner_words
from butler.orchestrator.planning.requests import behind
from butler.provenance import dump
from butler.store.conversation import ConversationState
from butler.store.queries import conversations, inbox, outbox
from butler.store.queries.inbox import InboxNote, InboxState
from butler.store.store import Store

log = structlog.get_logger(__name__)

RUN = phrase("Run anyway")
UNCHECKED = phrase("I could not look it over for words that steer an assistant.")
REMEMBERED = "Held back a message that reads like an attack."


class HeldBack:
    """Checks what the owner says before it is planned."""

    def __init__(
        self, store: Store, clock: Clock, channel: OwnerChannel, guard: Guard | None, wake: Callable[[], None]
    ) -> None:
        self._store, self._clock, self._channel, self._guard, self._wake = store, clock, channel, guard, wake

    async def takes(self, item: Inbound) -> bool:
        """Hold a message back if it reads like an attack; return whether it was held back."""
        words = owner_words(item).words.value
        why = await asyncio.to_thread(self._why, words)  # the first text waits for the patterns to be loaded
        if why is None:
            return False
        await self._store.write(lambda connection: self._hold(connection, item, words, why), "held_back")
        self._wake()
        return True

    async def takes_mail(self, item: Inbound) -> bool:
        """Do the same for a mail that is proved to be the owner's; its button goes to their chat."""
        home = self._channel.home()
        if home is None or not is_proved(item) or item.payload.get("quarantine"):
            return False
        return await self.takes(item.model_copy(update={"chat": home, "reply_to": None}))

    def _why(self, words: str) -> str | None:
        """Return why the words are held back; None for words that are planned."""
        if self._guard is None or not words.strip():
            return None
        given = GuardrailsInput(content=words, check_type="input_validation", metadata={"from": "owner"})
        try:
            verdict = self._guard.check(given)
        except Exception:  # an act depends on these words, so unchecked words are held back
            log.exception("guard_failed")
            return say(UNCHECKED)
        return verdict.reasoning if verdict.risk_category == "injection" else None

    def _hold(self, connection: sa.Connection, item: Inbound, words: str, why: str) -> None:
        if inbox.state(connection, item.inbound_id) is not InboxState.NEW:
            return
        now = self._clock.now()
        about, origins = _about(connection, item), dump(behind(connection, item))
        data = conversations.offer(connection, item.chat, words, replied_to=about, origins=origins, now=now)
        text = say(
            "⚠️ I did nothing. {why} If these are your own words, tap “Run anyway”; whatever asks you, still asks.",
            why=why,
        )
        message = OwnerMessage(
            text=plain(text),
            reply_to=None if item.kind is InboundKind.MAIL else item.message_ref or None,
            buttons=((Button(label=say(RUN), data=data),),),
        )
        outbox.add(connection, item.chat, message, now=now, dedup_key=f"turn:{item.inbound_id}")

        def remember(state: ConversationState) -> None:
            state.begin_turn(item.inbound_id)
            state.add_message("assistant", REMEMBERED, timestamp=now)

        conversations.update(connection, item.chat, remember, now)
        inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now, detail=InboxNote.HELD_BACK)


def _about(connection: sa.Connection, item: Inbound) -> str:
    """Return the handle of the only thing shown in the message that was replied to; else an empty string."""
    shown_in = outbox.by_ref(connection, item.chat, item.reply_to) if item.reply_to else None
    state = conversations.load(connection, item.chat)
    handles = [one.handle for one in state.referents if shown_in and one.shown_in == shown_in]
    return handles[0] if len(handles) == 1 else ""
