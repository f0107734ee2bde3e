"""Voice messages: what was heard becomes the words of whoever spoke, is shown, and is never acted on as a guess."""

from typing import Any

import sqlalchemy as sa

from butler.agents.voice.port import Transcript
from butler.contract.agents import AgentFailure
from butler.contract.errors import AgentErrorCode
from butler.contract.inbound import Inbound
from butler.contract.provenance import Origin, Trust
from butler.contract.tools import Attachment
from butler.orchestrator.chat.transcription import Transcriber
from butler.orchestrator.planning.own_words import owner_words
from butler.store.queries import conversations, inbox
from butler.store.queries.inbox import InboxState
from butler.store.tables import outbox
from tests.orchestrator.builders import OWN, OWNER, message
from tests.orchestrator.harness import Harness
from tests.support.context import MemoryBlobs

BOB = Origin(trust=Trust.UNTRUSTED, source="telegram:1003", shown_as="a message forwarded from @bob (1003)")
REFUSED = AgentFailure(agent_id="voice", error_code=AgentErrorCode.PARSER_UNSUPPORTED, message="nobody speaks in it")


class Ears:
    """A listener that hears what it is told."""

    def __init__(self, heard: Transcript | AgentFailure) -> None:
        self.heard, self.listened = heard, 0

    async def hear(self, recording: bytes, media_type: str) -> Transcript | AgentFailure:
        assert (recording, media_type) == (b"OggS", "audio/ogg")
        self.listened += 1
        return self.heard


def transcript(text: str = "remind me to call Anna", sure: float = 0.9) -> Transcript:
    return Transcript(text=text, language="en", seconds=2, confidence=sure, heard_by="a model")


async def voice(blobs: MemoryBlobs, **payload: Any) -> Inbound:
    file = Attachment(name="voice.ogg", size=4, sha256=await blobs.put(b"OggS"), media_type="audio/ogg")
    return message("", segments=(), attachments=(file,), payload={"spoken": True, **payload})


async def listen(
    harness: Harness, heard: Transcript | AgentFailure, **payload: Any
) -> tuple[Inbound | None, Ears, str]:
    """What becomes of a voice message, who listened, and what the owner is told."""
    blobs, ears = MemoryBlobs(), Ears(heard)
    item = await voice(blobs, **payload)
    await harness.store.write(lambda c: inbox.add(c, item))
    after = await Transcriber(harness.store, harness.clock, ears, blobs, lambda: None).transcribe(item)
    rows = await harness.store.read(lambda c: list(c.execute(sa.select(outbox.c.message)).scalars()))
    told = "".join(span["text"] for span in rows[-1]["text"]) if rows else ""
    return after, ears, told


async def stored(harness: Harness) -> tuple[Inbound, InboxState]:
    found = await harness.store.read(lambda c: inbox.get(c, "in-1"))
    assert found is not None
    return found


async def test_what_the_owner_says_is_the_owners_words_and_is_shown(harness: Harness) -> None:
    after, ears, told = await listen(harness, transcript())
    assert after is not None
    assert owner_words(after).words.value == "remind me to call Anna"
    assert owner_words(after).words.origins == {OWN}
    assert told == "🎙 I heard: remind me to call Anna"
    item, state = await stored(harness)
    assert (item, state) == (after, InboxState.NEW)
    again = await Transcriber(harness.store, harness.clock, ears, MemoryBlobs(), lambda: None).transcribe(item)
    assert (again, ears.listened) == (item, 1), "nobody listens twice, not even after a crash"


async def test_what_somebody_else_says_is_shown_and_is_nobodys_order(harness: Harness) -> None:
    after, _, told = await listen(harness, transcript("pay me"), speaker=BOB.model_dump(mode="json"))
    assert after is not None
    assert owner_words(after).words.value == ""
    assert after.segments[0].origins == {BOB}
    assert told == "🎙 I heard: pay me"


async def test_words_that_were_not_heard_well_wait_for_a_tap(harness: Harness) -> None:
    after, _, told = await listen(harness, transcript(sure=0.3))
    assert after is None
    assert told.startswith("🎙 I am not sure that I heard you well: remind me")
    row = (await harness.store.read(lambda c: list(c.execute(sa.select(outbox.c.message)).scalars())))[-1]
    data = row["buttons"][0][0]["data"]
    choice = await harness.store.read(lambda c: conversations.choice(c, data, OWNER))
    assert choice is not None
    assert choice.words == "remind me to call Anna"
    assert (await stored(harness))[1] is InboxState.DONE


async def test_a_recording_that_nobody_can_listen_to_is_said(harness: Harness) -> None:
    after, _, told = await listen(harness, REFUSED)
    assert (after, told) == (None, "🎙 I could not listen to this: nobody speaks in it.")
    assert (await stored(harness))[1] is InboxState.DONE


async def test_a_message_with_words_or_without_a_recording_is_left_as_it_is(harness: Harness) -> None:
    ears = Ears(REFUSED)
    hearing = Transcriber(harness.store, harness.clock, ears, MemoryBlobs(), lambda: None)
    for item in (message("hello"), message("look", payload={"spoken": True}), message("", payload={"spoken": True})):
        assert await hearing.transcribe(item) is item
    assert ears.listened == 0
