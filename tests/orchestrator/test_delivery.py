"""What becomes of an answer that the owner's channel will not take."""

import asyncio
from typing import Any

import pytest

from butler.contract.card import MessageRef, OwnerMessage, plain
from butler.contract.errors import Refuse, Retryable
from butler.engine import LocalEngine
from butler.store.queries import conversations, outbox, work
from tests.orchestrator.house import House
from tests.orchestrator.things import NOON, OWNER


def deny(house: House, monkeypatch: pytest.MonkeyPatch, *errors: Exception) -> list[str]:
    """The channel raises these first, then takes what comes; the texts that were tried."""
    tried: list[str] = []
    left, take = list(errors), house.phone.say

    async def say(chat: str, message: OwnerMessage) -> MessageRef:
        tried.append(message.text[0].text)
        if left:
            raise left.pop(0)
        return await take(chat, message)

    monkeypatch.setattr(house.phone, "say", say)
    return tried


async def put(house: House, text: str) -> Any:
    return await house.store.write(
        lambda c: outbox.add(c, OWNER, OwnerMessage(text=plain(text)), now=NOON, dedup_key="turn:1")
    )


async def test_ap_18_an_answer_that_is_refused_is_told_and_remembered_as_not_delivered(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    deny(house, monkeypatch, Refuse("Telegram refused it."))
    message_id = await put(house, "It is done.")
    await house.run()
    assert house.phone.said == ["I had something to say here that could not be delivered (Telegram refused it)."]
    row = await house.store.read(lambda c: outbox.get(c, message_id))
    assert row is not None
    assert row.state == "refused"
    history = (await house.store.read(lambda c: conversations.load(c, OWNER))).history
    assert [said.content for said in history] == house.phone.said


async def test_ap_18_an_answer_that_meets_an_outage_is_delivered_later(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = deny(house, monkeypatch, Retryable("offline"), Retryable("offline"))
    message_id = await put(house, "It is done.")
    for _ in range(2):
        with pytest.raises(Retryable):
            await house.handlers[outbox.DELIVER](message_id)
    await house.run()
    assert tried == ["It is done."] * 3
    assert house.phone.said == ["It is done."]


async def test_news_of_a_refusal_that_is_refused_as_well_ends_there(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = deny(house, monkeypatch, Refuse("no"), Refuse("no"))
    await put(house, "It is done.")
    await house.run()
    assert len(tried) == 2
    assert house.phone.said == []


async def test_changes_that_wait_for_their_chat_are_drawn_once_and_hold_nothing_back(house: House) -> None:
    free, drawn = asyncio.Event(), list[str]()
    take = house.phone.redraw

    async def redraw(ref: MessageRef, message: OwnerMessage) -> None:
        drawn.append(message.text[0].text)
        await free.wait()
        await take(ref, message)

    house.phone.redraw = redraw  # type: ignore[method-assign]
    message_id = await put(house, "0 of 4 done")
    engine, reached = LocalEngine(house.store, house.clock), asyncio.Queue[str]()
    for kind in (outbox.DELIVER, outbox.REDRAW):
        engine.register(kind, house.handlers[kind])
    engine.register("mark", reached.put)
    running = asyncio.create_task(engine.run())

    async def taken_up(lane: str) -> None:
        """The engine takes rows up as they were written: with this one, all before it; in their lane, after them."""
        await house.store.write(lambda c: work.add(c, "mark", lane, now=NOON, lane=lane))
        engine.wake()
        assert await asyncio.wait_for(reached.get(), 60) == lane

    try:
        await taken_up(f"out:{OWNER}")
        for done in range(1, 5):
            text = OwnerMessage(text=plain(f"{done} of 4 done"))
            await house.store.write(lambda c, text=text: outbox.redraw(c, message_id, text, NOON))
            await taken_up("beside")
        await house.store.write(lambda c: outbox.add(c, OWNER, OwnerMessage(text=plain("The picture")), now=NOON))
        free.set()
        await taken_up(f"out:{OWNER}")
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert drawn == ["1 of 4 done", "4 of 4 done"]
    assert house.phone.said == ["4 of 4 done", "The picture"]


async def test_what_was_drawn_in_between_is_drawn_back(house: House) -> None:
    message_id = await put(house, "as ever")
    await house.run()
    for text in ("other", "as ever"):
        message = OwnerMessage(text=plain(text))
        await house.store.write(lambda c, message=message: outbox.redraw(c, message_id, message, NOON))
        await house.run()
        assert house.phone.said == [text]


async def test_a_change_that_may_have_arrived_is_taken_back_all_the_same(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    message_id = await put(house, "as ever")
    await house.run()
    take = house.phone.redraw

    async def lost(ref: MessageRef, message: OwnerMessage) -> None:
        await take(ref, message)
        raise Retryable("no answer")

    monkeypatch.setattr(house.phone, "redraw", lost)
    await house.store.write(lambda c: outbox.redraw(c, message_id, OwnerMessage(text=plain("other")), NOON))
    with pytest.raises(Retryable):
        await house.run()
    monkeypatch.setattr(house.phone, "redraw", take)
    await house.store.write(lambda c: outbox.redraw(c, message_id, OwnerMessage(text=plain("as ever")), NOON))
    await house.run()
    assert house.phone.said == ["as ever"]
