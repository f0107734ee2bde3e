"""What becomes of an answer that the owner's channel will not take."""

import asyncio
from typing import Any

import pytest

from butler.contract.card import MessageRef, OwnerMessage, plain
from butler.contract.errors import Refuse, Retryable
from butler.engine import LocalEngine
from butler.store.queries import conversations, outbox, work
from tests.orchestrator.builders import NOON, OWNER
from tests.orchestrator.harness import Harness


def deny(harness: Harness, monkeypatch: pytest.MonkeyPatch, *errors: Exception) -> list[str]:
    """The channel raises these first, then takes what comes; the texts that were tried."""
    tried: list[str] = []
    left, take = list(errors), harness.phone.say

    async def say(chat: str, message: OwnerMessage) -> MessageRef:
        tried.append(message.text[0].text)
        if left:
            raise left.pop(0)
        return await take(chat, message)

    monkeypatch.setattr(harness.phone, "say", say)
    return tried


async def put(harness: Harness, text: str) -> Any:
    return await harness.store.write(
        lambda c: outbox.add(c, OWNER, OwnerMessage(text=plain(text)), now=NOON, dedup_key="turn:1")
    )


async def test_ap_18_an_answer_that_is_refused_is_told_and_remembered_as_not_delivered(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    deny(harness, monkeypatch, Refuse("Telegram refused it."))
    message_id = await put(harness, "It is done.")
    await harness.run()
    assert harness.phone.said == ["I had something to say here that could not be delivered (Telegram refused it)."]
    row = await harness.store.read(lambda c: outbox.get(c, message_id))
    assert row is not None
    assert row.state == "refused"
    history = (await harness.store.read(lambda c: conversations.load(c, OWNER))).history
    assert [said.content for said in history] == harness.phone.said


async def test_ap_18_an_answer_that_meets_an_outage_is_delivered_later(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = deny(harness, monkeypatch, Retryable("offline"), Retryable("offline"))
    message_id = await put(harness, "It is done.")
    for _ in range(2):
        with pytest.raises(Retryable):
            await harness.handlers[outbox.DELIVER](message_id)
    await harness.run()
    assert tried == ["It is done."] * 3
    assert harness.phone.said == ["It is done."]


async def test_news_of_a_refusal_that_is_refused_as_well_ends_there(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = deny(harness, monkeypatch, Refuse("no"), Refuse("no"))
    await put(harness, "It is done.")
    await harness.run()
    assert len(tried) == 2
    assert harness.phone.said == []


async def test_changes_that_wait_for_their_chat_are_drawn_once_and_hold_nothing_back(harness: Harness) -> None:
    free, drawn = asyncio.Event(), list[str]()
    take = harness.phone.redraw

    async def redraw(ref: MessageRef, message: OwnerMessage) -> None:
        drawn.append(message.text[0].text)
        await free.wait()
        await take(ref, message)

    harness.phone.redraw = redraw  # type: ignore[method-assign]
    message_id = await put(harness, "0 of 4 done")
    engine, reached = LocalEngine(harness.store, harness.clock), asyncio.Queue[str]()
    for kind in (outbox.DELIVER, outbox.REDRAW):
        engine.register(kind, harness.handlers[kind])
    engine.register("mark", reached.put)
    running = asyncio.create_task(engine.run())

    async def taken_up(lane: str) -> None:
        """The engine takes rows up as they were written: with this one, all before it; in their lane, after them."""
        await harness.store.write(lambda c: work.add(c, "mark", lane, now=NOON, lane=lane))
        engine.wake()
        assert await asyncio.wait_for(reached.get(), 60) == lane

    try:
        await taken_up(f"out:{OWNER}")
        for done in range(1, 5):
            text = OwnerMessage(text=plain(f"{done} of 4 done"))
            await harness.store.write(lambda c, text=text: outbox.redraw(c, message_id, text, NOON))
            await taken_up("beside")
        await harness.store.write(lambda c: outbox.add(c, OWNER, OwnerMessage(text=plain("The picture")), now=NOON))
        free.set()
        await taken_up(f"out:{OWNER}")
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert drawn == ["1 of 4 done", "4 of 4 done"]
    assert harness.phone.said == ["4 of 4 done", "The picture"]


async def test_what_was_drawn_in_between_is_drawn_back(harness: Harness) -> None:
    message_id = await put(harness, "as ever")
    await harness.run()
    for text in ("other", "as ever"):
        message = OwnerMessage(text=plain(text))
        await harness.store.write(lambda c, message=message: outbox.redraw(c, message_id, message, NOON))
        await harness.run()
        assert harness.phone.said == [text]


async def test_a_change_that_may_have_arrived_is_taken_back_all_the_same(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    message_id = await put(harness, "as ever")
    await harness.run()
    take = harness.phone.redraw

    async def lost(ref: MessageRef, message: OwnerMessage) -> None:
        await take(ref, message)
        raise Retryable("no answer")

    monkeypatch.setattr(harness.phone, "redraw", lost)
    await harness.store.write(lambda c: outbox.redraw(c, message_id, OwnerMessage(text=plain("other")), NOON))
    with pytest.raises(Retryable):
        await harness.run()
    monkeypatch.setattr(harness.phone, "redraw", take)
    await harness.store.write(lambda c: outbox.redraw(c, message_id, OwnerMessage(text=plain("as ever")), NOON))
    await harness.run()
    assert harness.phone.said == ["as ever"]
