"""Shows a model's answer while it comes in: one message that is edited, with a button that cancels it.

The message is a row like every other. After a crash the request is planned anew, and its answer takes the same message.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from butler.agents.llm import OnText
from butler.contract.card import OwnerMessage, Rich, Span, Style, plain
from butler.contract.inbound import Inbound
from butler.contract.ports import Clock
from butler.contract.speech import phrase, say
from butler.orchestrator.planning.own_words import owner_words
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.planning.requests import FROM_CHAT
from butler.orchestrator.replies.answer_text import ONE_MESSAGE, answer_spans, divided
from butler.orchestrator.replies.buttons import button
from butler.store.conversation import ConversationState
from butler.store.queries import conversations, inbox, outbox
from butler.store.queries.inbox import InboxState
from butler.store.store import Store

FEWEST = 120
"""Characters before anything is shown: less may be the words before a plan, and is soon complete."""
LONGEST = 4 * ONE_MESSAGE
"""Characters of which a draft shows the beginning."""
EVERY_S = 1.2
"""Seconds between two edits, which clients and the Bot API bear."""
CANCELLED = phrase("(Cancelled. Nothing was done.)")
REMEMBERED = "The owner cancelled this before it was answered. Nothing was done."
TOO_LATE = phrase("That had ended before, so there was nothing to cancel.")

MORE = Span(text=" …")
"""The last span of a draft."""

Plan = Callable[[OnText | None], Awaitable[PlannerOutput]]


class AnswerDrafts:
    """The answers that are coming in now; implements `ButtonHandler` for their Cancel buttons."""

    key = "cancel_answer"

    def __init__(self, store: Store, clock: Clock, wake: Callable[[], None]) -> None:
        self._store, self._clock, self._wake = store, clock, wake
        self._running: dict[str, asyncio.Future[PlannerOutput]] = {}
        self._cancelled: set[str] = set()

    async def planned(self, item: Inbound, plan: Plan) -> PlannerOutput | None:
        """Return what is planned for a request; None if the owner cancelled it, which has settled the request."""
        if item.kind not in FROM_CHAT:
            return await plan(None)
        draft = _Draft(self._store, self._clock, self._wake, item, self.key)
        # A task of its own: a tap ends the thinking about this request, and not what works off all requests.
        task = asyncio.ensure_future(plan(draft))
        self._running[item.inbound_id] = task
        try:
            return await task
        except asyncio.CancelledError:
            if item.inbound_id in self._cancelled:
                return None
            raise
        finally:
            self._running.pop(item.inbound_id, None)
            self._cancelled.discard(item.inbound_id)

    def tapped(self, connection: sa.Connection, item: Inbound, stored: Mapping[str, Any], now: datetime) -> None:
        """End the request: what was shown of the answer stays, and nothing follows."""
        request = str(stored["request"])
        if inbox.state(connection, request) is not InboxState.NEW:
            outbox.add(
                connection,
                item.chat,
                OwnerMessage(text=plain(say(TOO_LATE))),
                now=now,
                dedup_key=f"turn:{item.inbound_id}",
            )
            return
        inbox.settle(connection, request, InboxState.DONE, now=now)
        if (known := inbox.get(connection, request)) is not None:
            _remember(connection, known[0], now)
        message_id = outbox.id_by_key(connection, _key(request))
        if message_id is not None and (row := outbox.get(connection, message_id)) is not None:
            text = (*row.message.text[:-1], Span(text=f"\n\n{say(CANCELLED)}", style=Style.ITALIC))
            outbox.redraw(connection, message_id, OwnerMessage(text=text), now)
        if (task := self._running.get(request)) is not None:
            self._cancelled.add(request)
            # This runs on the store's own thread; the task belongs to the loop.
            task.get_loop().call_soon_threadsafe(task.cancel)


class _Draft:
    """Implements `OnText`: shows the words so far, not too often."""

    def __init__(self, store: Store, clock: Clock, wake: Callable[[], None], item: Inbound, key: str) -> None:
        self._store, self._clock, self._wake, self._item, self._key = store, clock, wake, item, key
        self._shown_at = float("-inf")

    async def __call__(self, text: str) -> None:
        at = self._clock.monotonic()
        if len(text) < FEWEST or at - self._shown_at < EVERY_S:
            return
        self._shown_at = at
        # Set before the transaction, which nothing else may wait for, and no more than is shown.
        shown = (*divided(answer_spans(text[:LONGEST]))[0], MORE)
        await self._store.write(lambda c: self._show(c, shown), "answer_draft", flushed=False)
        self._wake()

    def _show(self, connection: sa.Connection, shown: Rich) -> None:
        if inbox.state(connection, self._item.inbound_id) is not InboxState.NEW:
            return
        now, chat, request = self._clock.now(), self._item.chat, self._item.inbound_id
        message_id = outbox.id_by_key(connection, _key(request))
        if message_id is None:
            cancel = button(connection, chat, self._key, say("Cancel"), {"request": request}, now)
            message = OwnerMessage(text=shown, buttons=((cancel,),))
            outbox.add(connection, chat, message, now=now, dedup_key=_key(request))
        elif (row := outbox.get(connection, message_id)) is not None:
            outbox.redraw(connection, message_id, OwnerMessage(text=shown, buttons=row.message.buttons), now)


def _remember(connection: sa.Connection, item: Inbound, now: datetime) -> None:
    """Keep what the owner asked and that they cancelled it: their next words may come back to it."""
    words = owner_words(item).words

    def change(state: ConversationState) -> None:
        state.begin_turn(item.inbound_id)
        state.add_message(
            "user",
            words.value,
            timestamp=item.received_at,
            origins=list(words.origins),
            message_ref=item.message_ref,
        )
        state.add_message("assistant", REMEMBERED, timestamp=now)

    conversations.update(connection, item.chat, change, now)


def finish(connection: sa.Connection, item: Inbound, message: OwnerMessage, now: datetime) -> None:
    """Queue the answer to a request: in place of its draft, if there is one, with what is too long below it."""
    key, draft = f"turn:{item.inbound_id}", outbox.id_by_key(connection, _key(item.inbound_id))
    if draft is None:
        outbox.add(connection, item.chat, message, now=now, dedup_key=key)
        return
    first, *rest = divided(message.text)
    outbox.redraw(connection, draft, OwnerMessage(text=first, buttons=() if rest else message.buttons), now)
    if rest:
        below = OwnerMessage(text=_joined(rest), buttons=message.buttons)
        outbox.add(connection, item.chat, below, now=now, dedup_key=key)


def close(connection: sa.Connection, item: Inbound, now: datetime) -> None:
    """Settle the draft of a request that came to something else than words."""
    draft = outbox.id_by_key(connection, _key(item.inbound_id))
    if draft is not None:
        outbox.redraw(connection, draft, OwnerMessage(text=plain(say("All right."))), now)


def _joined(parts: list[Rich]) -> Rich:
    return tuple(span for part in parts for span in part)


def _key(inbound_id: str) -> str:
    return f"draft:{inbound_id}"
