"""The time after a yes in which it may be taken back: per tool, none where it is zero, and one winner at its end."""

import asyncio

import pytest

from approvals.states import State
from butler.contract.card import rich_text
from butler.contract.inbound import InboundKind
from butler.store.queries import approvals
from tests.approvals.floods import digest, flood_of, labels, see_all
from tests.approvals.house import House
from tests.approvals.providers import MAIL, PRIVATE_READ, SEND


async def test_each_tool_has_its_own_window_and_the_answer_says_how_long(house: House) -> None:
    house.configure(undo_windows={SEND: "30s", "user_email_*": "2m"})
    await house.ask(SEND)
    assert (await house.tap("Approve")).endswith("Sending in 30 s.")
    assert rich_text(house.channel.newest.outcome).endswith("Sending in 30 s.")
    mail = await house.ask(MAIL, call_id="m", args={"to": ["mail:a@friends.example"], "text": "x"})
    assert (await house.tap("Approve")).endswith("Sending in 120 s.")
    house.clock.turn(seconds=119)
    await house.run()
    assert await house.state(mail) == "approved"
    house.clock.turn(seconds=1)
    await house.run()
    assert await house.state(mail) == "done"


async def test_without_a_window_it_is_done_at_once_and_there_is_no_undo(house: House) -> None:
    house.configure(undo_windows={SEND: "0s"})
    approval_id = await house.ask()
    shown: list[list[str]] = []
    edit = house.channel.edit

    async def watch(*args: object) -> None:
        await edit(*args)  # type: ignore[arg-type]
        shown.append(labels(house.channel.newest))

    house.channel.edit = watch  # type: ignore[method-assign,assignment]
    button = house.channel.button("Approve")
    answer = await house.approvals.decide(house.tap_of(button))
    assert answer.text == "Approved by you at 12:00:00 on 5 March 2026. Sending now."
    await house.approvals.handlers()[approvals.SHOW_CARD](approval_id)
    assert await house.state(approval_id) == "approved"
    assert rich_text(house.channel.newest.outcome).endswith("Sending now.")
    await house.run()
    assert await house.state(approval_id) == "done"
    assert shown
    assert not any(shown)


async def test_a_digest_without_a_window_offers_no_undo(house: House) -> None:
    house.configure(undo_window="0s")
    await flood_of(house, 5)
    await see_all(house)
    answer = await house.approvals.decide(house.tap_of(house.channel.button("Approve all 2")))
    assert answer.text == "Approved 2. Sending now."
    await house.approvals.handlers()["show_batch"](answer.approval_id or "")
    await house.run()
    assert len(house.provider.effects) == 2
    assert labels(digest(house)) == []


@pytest.mark.parametrize("seconds", [9, 10, 3600])
async def test_an_undo_that_comes_before_the_claim_wins(house: House, seconds: int) -> None:
    approval_id = await house.approved()
    house.clock.turn(seconds=seconds)
    answer = await house.approvals.decide(house.tap_of(house.channel.button("Undo")))
    await house.approvals.handlers()[approvals.EXECUTE](approval_id)
    await house.run()
    assert answer.text.startswith("Undone at")
    assert answer.text.endswith("Nothing was sent.")
    assert await house.state(approval_id) == "cancelled"
    assert not house.provider.calls


async def test_an_undo_that_comes_after_the_claim_is_too_late_and_says_what_is_being_done(house: House) -> None:
    approval_id = await house.approved()
    told: list[str] = []
    button = house.channel.button("Undo")
    invoke = house.invoker.invoke

    async def tapped_meanwhile(call: object) -> object:
        told.append((await house.approvals.decide(house.tap_of(button))).text)
        return await invoke(call)  # type: ignore[arg-type]

    house.invoker.invoke = tapped_meanwhile  # type: ignore[method-assign,assignment]
    await house.after_undo_window()
    assert told == ["Too late to undo. Approved by you at 12:00:00 on 5 March 2026. Being sent."]
    assert await house.state(approval_id) == "done"
    assert len(house.provider.effects) == 1


@pytest.mark.parametrize("first", ["undo", "claim"])
async def test_undo_and_claim_at_the_same_moment_have_one_winner(lasting_house: House, first: str) -> None:
    house = lasting_house
    approval_id = await house.approved()
    tap = house.tap_of(house.channel.button("Undo"))
    house.clock.turn(seconds=10)

    async def undo() -> str:
        return (await house.approvals.decide(tap)).text

    async def claim() -> str:
        await house.approvals.handlers()[approvals.EXECUTE](approval_id)
        return ""

    both = [undo(), claim()] if first == "undo" else [claim(), undo()]
    told = "".join(await asyncio.gather(*both))
    state, effects = await house.state(approval_id), len(house.provider.effects)
    assert (state, effects, told.startswith("Undone")) in {("cancelled", 0, True), ("done", 1, False)}
    assert told.startswith(("Undone", "Too late to undo."))


async def test_a_read_is_done_at_once_as_it_leaves_nothing_to_be_undone(house: House) -> None:
    await house.ask(PRIVATE_READ, args={"item": "m-1"})
    assert (await house.tap("Approve")).endswith("Doing it now.")
    assert labels(house.channel.newest) == []
    await house.run()
    assert [call.tool for call in house.provider.effects] == [PRIVATE_READ]


async def test_a_tool_that_went_while_its_card_waited_is_withdrawn_by_the_yes(house: House) -> None:
    house.configure(undo_window="7s")
    approval_id = await house.ask()
    del house.invoker.tools[SEND]
    assert (await house.tap("Approve")).startswith("Withdrawn")
    assert await house.state(approval_id) == State.SUPERSEDED
    assert house.context.undo_for(SEND).total_seconds() == 7, "nobody knows what it was, so it keeps the longer window"
    assert house.context.undo_for(PRIVATE_READ).total_seconds() == 0


async def test_by_a_word_nothing_is_taken_back_where_something_newer_was_begun(house: House) -> None:
    first = await house.approved()
    house.clock.turn(seconds=1)
    second = await house.row(await house.approved(call_id="plan:2"))
    await house.write(lambda c: approvals.move(c, second.approval_id, second.revision, "approved", "executing"))
    said = house.tap_of("", kind=InboundKind.CHAT)
    assert await house.write(lambda c: house.approvals.take_back(c, said, house.clock.now())) == ""
    assert await house.state(first) == "approved"


async def test_by_a_word_the_newer_of_two_is_taken_back_and_then_the_older(house: House) -> None:
    first = await house.approved()
    house.clock.turn(seconds=1)
    second = await house.approved(call_id="plan:2")
    said = house.tap_of("", kind=InboundKind.CHAT)
    for older, newer, more in ((first, second, True), (second, first, False)):
        told = await house.write(lambda c: house.approvals.take_back(c, said, house.clock.now()))
        assert ("/undo" in told) is more
        assert await house.state(newer) == "cancelled"
        assert await house.state(older) == ("approved" if more else "cancelled")
    assert await house.write(lambda c: house.approvals.take_back(c, said, house.clock.now())) == ""
