"""What becomes of an answer that the owner's channel will not take."""

from typing import Any

import pytest

from butler.contract.card import MessageRef, OwnerMessage, plain
from butler.contract.errors import Refuse, Retryable
from butler.store.queries import conversations, outbox
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
