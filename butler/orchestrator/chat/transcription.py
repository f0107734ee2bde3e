"""Turns a voice message into words before anything else is done; the owner reads the transcript.

The transcript is stored with the item, so nothing is transcribed twice. An uncertain transcript is only shown, with a
button that confirms it: nothing is done on a guess.
"""

from collections.abc import Callable

import sqlalchemy as sa

from butler.agents.voice.port import Listener, Transcript
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
"""Keys of an item's payload: that it is a voice message, who spoke if it was forwarded, and who transcribed it."""
SURE = 0.5
"""Below this confidence, the transcript may be wrong altogether."""


class Transcriber:
    """Transcribes the owner's voice messages, and those that they forward."""

    def __init__(
        self, store: Store, clock: Clock, listener: Listener, blobs: BlobStore, wake: Callable[[], None]
    ) -> None:
        self._store, self._clock, self._listener, self._blobs, self._wake = store, clock, listener, blobs, wake

    async def transcribe(self, item: Inbound) -> Inbound | None:
        """Return the item with its words; None if they cannot be used, which is reported to the owner."""
        recording = _recording(item)
        if recording is None:
            return item
        listened = await self._listen(recording)
        now = self._clock.now()

        def store(connection: sa.Connection) -> Inbound | None:
            message, amended = self._outcome(connection, item, listened)
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

    def _outcome(
        self, connection: sa.Connection, item: Inbound, listened: Transcript | AgentFailure
    ) -> tuple[OwnerMessage, Inbound | None]:
        """Return the message to the owner, and the item with its words if it goes on."""
        reply_to = item.message_ref or None
        if isinstance(listened, AgentFailure):
            text = say("🎙 I could not listen to this: {why}.", why=listened.message.rstrip("."))
            return OwnerMessage(text=(Span(text=text),), reply_to=reply_to), None
        origin = _speaker(item)
        if origin != item.origin or listened.confidence >= SURE:
            labelled = Labelled(value=listened.text, origins=frozenset({origin}))
            payload = item.payload | {HEARD: listened.heard_by}
            amended = item.model_copy(update={"text": listened.text, "segments": (labelled,), "payload": payload})
            return OwnerMessage(text=_quoted(say("🎙 I heard:"), listened), reply_to=reply_to), amended
        now = self._clock.now()
        data = conversations.offer(connection, item.chat, listened.text, now=now)
        button = Button(label=say("Yes, I said that"), data=data)
        text = _quoted(say("🎙 I am not sure that I heard you well:"), listened)
        return OwnerMessage(text=text, buttons=((button,),), reply_to=reply_to), None


def _recording(item: Inbound) -> Attachment | None:
    """Return the recording that is not transcribed yet."""
    if not item.payload.get(SPOKEN) or item.payload.get(HEARD) or item.text:
        return None
    return next(iter(item.attachments), None)


def _speaker(item: Inbound) -> Origin:
    """Return who speaks: the sender, or the author of a forwarded message."""
    speaker = item.payload.get(SPEAKER)
    return Origin.model_validate(speaker) if speaker else item.origin


def _quoted(head: str, listened: Transcript) -> Rich:
    return (Span(text=f"{head} "), Span(text=listened.text, style=Style.ITALIC))
