"""A voice message becomes words before anything else is made of it; the owner reads what was heard.

What was heard is stored with the item, so nobody listens twice. Words that were not heard well are only shown, with a
button that says them: nothing is done on a guess.
"""

from collections.abc import Callable

import sqlalchemy as sa

from butler.contract.agent_ports import Listener, Transcript
from butler.contract.agents import AgentFailure
from butler.contract.card import Button, OwnerMessage, Rich, Span, Style
from butler.contract.inbound import Inbound
from butler.contract.ports import BlobStore, Clock
from butler.contract.provenance import Labelled, Origin
from butler.contract.speech import say
from butler.contract.tools import Attachment
from butler.store.queries import conversations, inbox, outbox
from butler.store.queries.inbox import InboxState
from butler.store.store import Store

SPOKEN, SPEAKER, HEARD = "spoken", "speaker", "heard"
"""Keys of an item's payload: that it is a voice message, whose it is where it was forwarded, and who heard it."""
SURE = 0.5
"""Below this, what was heard may be anything."""


class Hearing:
    """Listens to the owner's voice messages, and to those that they forward."""

    def __init__(
        self, store: Store, clock: Clock, listener: Listener, blobs: BlobStore, wake: Callable[[], None]
    ) -> None:
        self._store, self._clock, self._listener, self._blobs, self._wake = store, clock, listener, blobs, wake

    async def heard(self, item: Inbound) -> Inbound | None:
        """The item with its words; None where there is nothing to be done with them, which was said then."""
        recording = _recording(item)
        if recording is None:
            return item
        listened = await self._listen(recording)
        now = self._clock.now()

        def store(connection: sa.Connection) -> Inbound | None:
            message, amended = self._told(connection, item, listened)
            if amended is not None:
                inbox.amend(connection, amended)
            else:
                inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now)
            outbox.add(connection, item.chat, message, now=now, dedup_key=f"heard:{item.inbound_id}")
            return amended

        amended = await self._store.write(store, "heard")
        self._wake()
        return amended

    async def _listen(self, recording: Attachment) -> Transcript | AgentFailure:
        return await self._listener.hear(await self._blobs.get(recording.sha256), recording.media_type)

    def _told(
        self, connection: sa.Connection, item: Inbound, listened: Transcript | AgentFailure
    ) -> tuple[OwnerMessage, Inbound | None]:
        """What the owner is told, and the item as it goes on, where it does."""
        reply_to = item.message_ref or None
        if isinstance(listened, AgentFailure):
            text = say("🎙 I could not listen to this: {why}.", why=listened.message.rstrip("."))
            return OwnerMessage(text=(Span(text=text),), reply_to=reply_to), None
        origin = _speaker(item)
        if origin != item.origin or listened.confidence >= SURE:
            said = Labelled(value=listened.text, origins=frozenset({origin}))
            payload = item.payload | {HEARD: listened.heard_by}
            amended = item.model_copy(update={"text": listened.text, "segments": (said,), "payload": payload})
            return OwnerMessage(text=_quoted(say("🎙 I heard:"), listened), reply_to=reply_to), amended
        now = self._clock.now()
        data = conversations.offer(connection, item.chat, listened.text, now=now)
        button = Button(label=say("Yes, I said that"), data=data)
        text = _quoted(say("🎙 I am not sure that I heard you well:"), listened)
        return OwnerMessage(text=text, buttons=((button,),), reply_to=reply_to), None


def _recording(item: Inbound) -> Attachment | None:
    """The recording that nobody has listened to yet."""
    if not item.payload.get(SPOKEN) or item.payload.get(HEARD) or item.text:
        return None
    return next(iter(item.attachments), None)


def _speaker(item: Inbound) -> Origin:
    """Who speaks: whoever sent it, or the one whose message it was."""
    speaker = item.payload.get(SPEAKER)
    return Origin.model_validate(speaker) if speaker else item.origin


def _quoted(head: str, listened: Transcript) -> Rich:
    return (Span(text=f"{head} "), Span(text=listened.text, style=Style.ITALIC))
