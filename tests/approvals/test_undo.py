"""The undo window after a yes: per tool, none if it is zero, and exactly one winner at its end."""

import asyncio

import pytest

from approvals.states import State
from butler.contract.card import rich_text
from butler.contract.inbound import InboundKind
from butler.store.queries import approvals
from tests.approvals.approval_batch_harness import ask_many, digest, labels, see_all
from tests.approvals.harness import Harness
from tests.approvals.providers import MAIL, PRIVATE_READ, SEND


async def test_each_tool_has_its_own_window_and_the_answer_says_how_long(harness: Harness) -> None:
    harness.configure(undo_windows={SEND: "30s", "user_email_*": "2m"})
    await harness.ask(SEND)
    assert (await harness.tap("Approve")).endswith("Sending in 30 s.")
    assert rich_text(harness.channel.newest.outcome).endswith("Sending in 30 s.")
    mail = await harness.ask(MAIL, call_id="m", args={"to": ["mail:a@friends.example"], "text": "x"})
    assert (await harness.tap("Approve")).endswith("Sending in 120 s.")
    harness.clock.turn(seconds=119)
    await harness.run()
    assert await harness.state(mail) == "approved"
    harness.clock.turn(seconds=1)
    await harness.run()
    assert await harness.state(mail) == "done"


async def test_without_a_window_it_is_done_at_once_and_there_is_no_undo(harness: Harness) -> None:
    harness.configure(undo_windows={SEND: "0s"})
    approval_id = await harness.ask()
    shown: list[list[str]] = []
    edit = harness.channel.edit

    async def watch(*args: object) -> None:
        await edit(*args)  # type: ignore[arg-type]
        shown.append(labels(harness.channel.newest))

    harness.channel.edit = watch  # type: ignore[method-assign,assignment]
    button = harness.channel.button("Approve")
    answer = await harness.approvals.decide(harness.tap_of(button))
    assert answer.text == "Approved by you at 12:00:00 on 5 March 2026. Sending now."
    await harness.approvals.handlers()[approvals.SHOW_CARD](approval_id)
    assert await harness.state(approval_id) == "approved"
    assert rich_text(harness.channel.newest.outcome).endswith("Sending now.")
    await harness.run()
    assert await harness.state(approval_id) == "done"
    assert shown
    assert not any(shown)


async def test_a_digest_without_a_window_offers_no_undo(harness: Harness) -> None:
    harness.configure(undo_window="0s")
    await ask_many(harness, 5)
    await see_all(harness)
    answer = await harness.approvals.decide(harness.tap_of(harness.channel.button("Approve all 2")))
    assert answer.text == "Approved 2. Sending now."
    await harness.approvals.handlers()["show_batch"](answer.approval_id or "")
    await harness.run()
    assert len(harness.provider.effects) == 2
    assert labels(digest(harness)) == []


@pytest.mark.parametrize("seconds", [9, 10, 3600])
async def test_an_undo_that_comes_before_the_claim_wins(harness: Harness, seconds: int) -> None:
    approval_id = await harness.approved()
    harness.clock.turn(seconds=seconds)
    answer = await harness.approvals.decide(harness.tap_of(harness.channel.button("Undo")))
    await harness.approvals.handlers()[approvals.EXECUTE](approval_id)
    await harness.run()
    assert answer.text.startswith("Undone at")
    assert answer.text.endswith("Nothing was sent.")
    assert await harness.state(approval_id) == "cancelled"
    assert not harness.provider.calls


async def test_an_undo_that_comes_after_the_claim_is_too_late_and_says_what_is_being_done(harness: Harness) -> None:
    approval_id = await harness.approved()
    told: list[str] = []
    button = harness.channel.button("Undo")
    invoke = harness.invoker.invoke

    async def tapped_meanwhile(call: object) -> object:
        told.append((await harness.approvals.decide(harness.tap_of(button))).text)
        return await invoke(call)  # type: ignore[arg-type]

    harness.invoker.invoke = tapped_meanwhile  # type: ignore[method-assign,assignment]
    await harness.after_undo_window()
    assert told == ["Too late to undo. Approved by you at 12:00:00 on 5 March 2026. Being sent."]
    assert await harness.state(approval_id) == "done"
    assert len(harness.provider.effects) == 1


@pytest.mark.parametrize("first", ["undo", "claim"])
async def test_undo_and_claim_at_the_same_moment_have_one_winner(lasting_harness: Harness, first: str) -> None:
    harness = lasting_harness
    approval_id = await harness.approved()
    tap = harness.tap_of(harness.channel.button("Undo"))
    harness.clock.turn(seconds=10)

    async def undo() -> str:
        return (await harness.approvals.decide(tap)).text

    async def claim() -> str:
        await harness.approvals.handlers()[approvals.EXECUTE](approval_id)
        return ""

    both = [undo(), claim()] if first == "undo" else [claim(), undo()]
    told = "".join(await asyncio.gather(*both))
    state, effects = await harness.state(approval_id), len(harness.provider.effects)
    assert (state, effects, told.startswith("Undone")) in {("cancelled", 0, True), ("done", 1, False)}
    assert told.startswith(("Undone", "Too late to undo."))


async def test_a_read_is_done_at_once_as_it_leaves_nothing_to_be_undone(harness: Harness) -> None:
    await harness.ask(PRIVATE_READ, args={"item": "m-1"})
    assert (await harness.tap("Approve")).endswith("Doing it now.")
    assert labels(harness.channel.newest) == []
    await harness.run()
    assert [call.tool for call in harness.provider.effects] == [PRIVATE_READ]


async def test_a_tool_that_went_while_its_card_waited_is_withdrawn_by_the_yes(harness: Harness) -> None:
    harness.configure(undo_window="7s")
    approval_id = await harness.ask()
    del harness.invoker.tools[SEND]
    assert (await harness.tap("Approve")).startswith("Withdrawn")
    assert await harness.state(approval_id) == State.SUPERSEDED
    assert harness.context.undo_for(SEND).total_seconds() == 7, (
        "nobody knows what it was, so it keeps the longer window"
    )
    assert harness.context.undo_for(PRIVATE_READ).total_seconds() == 0


async def test_by_a_word_nothing_is_taken_back_where_something_newer_was_begun(harness: Harness) -> None:
    first = await harness.approved()
    harness.clock.turn(seconds=1)
    second = await harness.row(await harness.approved(call_id="plan:2"))
    await harness.write(lambda c: approvals.move(c, second.approval_id, second.revision, "approved", "executing"))
    said = harness.tap_of("", kind=InboundKind.CHAT)
    assert await harness.write(lambda c: harness.approvals.take_back(c, said, harness.clock.now())) == ""
    assert await harness.state(first) == "approved"


async def test_by_a_word_the_newer_of_two_is_taken_back_and_then_the_older(harness: Harness) -> None:
    first = await harness.approved()
    harness.clock.turn(seconds=1)
    second = await harness.approved(call_id="plan:2")
    said = harness.tap_of("", kind=InboundKind.CHAT)
    for older, newer, more in ((first, second, True), (second, first, False)):
        told = await harness.write(lambda c: harness.approvals.take_back(c, said, harness.clock.now()))
        assert ("/undo" in told) is more
        assert await harness.state(newer) == "cancelled"
        assert await harness.state(older) == ("approved" if more else "cancelled")
    assert await harness.write(lambda c: harness.approvals.take_back(c, said, harness.clock.now())) == ""
