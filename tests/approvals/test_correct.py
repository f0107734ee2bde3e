"""A finished act can be corrected for a while, by a reply to its card and a yes to another card."""
# names: made up here

from typing import Any

import pytest

from approvals.changes import earlier_text
from approvals.correct import DELETED, ONLY_TEXT, TOO_LATE, UNDER_WAY, WAITS
from approvals.follow_up_actions import SAY_IT
from approvals.follow_ups import FollowUpKind
from approvals.revise import SAME, Change, NewValue
from approvals.states import State
from butler.contract.card import rich_text
from butler.contract.errors import IntegrationErrorCode
from butler.contract.tools import Recipient
from butler.store.store import Store
from tests.approvals.follow_up_harness import RESAY, UNSEND, FollowUpHarness
from tests.approvals.harness import card_text
from tests.approvals.providers import A_MAIL, ANNA, OWN_WORDS, STRANGER, fault

LATER = "I'll be twenty minutes late"


@pytest.fixture
async def harness(store: Store) -> FollowUpHarness:
    harness = FollowUpHarness(store)
    await harness.meet_anna()
    return harness


def change(text: str = LATER, by: str = "in-2", *, partly: bool = False, **more: Any) -> Change:
    return Change(by, text=NewValue(text, OWN_WORDS, partly=partly), **more)


async def correct(harness: FollowUpHarness, approval_id: str, wanted: Change | None = None) -> Any:
    """Return the outcome of the owner's reply to the card."""
    now = harness.clock.now()
    told = await harness.write(lambda c: harness.approvals.correct(c, approval_id, wanted or change(), now))
    await harness.run()
    return told


async def test_correct_says_what_to_do_and_decides_nothing(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    assert not (await harness.drafted(approval_id)).asked
    assert await harness.tap_on(approval_id, "Correct…") == SAY_IT
    assert (await harness.drafted(approval_id)).asked
    assert harness.labels(approval_id) == ["Delete", "Correct…"]
    assert len(harness.provider.effects) == 1


async def test_a_correction_is_a_card_with_the_difference_that_is_approved_as_any(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    await correct(harness, approval_id, change(partly=True))
    row = await harness.follows(approval_id, FollowUpKind.CORRECT)
    card = harness.channel.newest
    assert (card.approval_id, card.title, card.body) == (row.approval_id, "For your approval", LATER)
    assert rich_text(card.changes) == "I'll be twenty minutes late"
    assert [span.text for span in card.changes if span.style.value == "underline"] == ["twenty minutes "]
    assert harness.labels(row.approval_id)[:2] == ["Approve", "Deny"]
    assert harness.outcome(approval_id).endswith("Whether it is corrected waits for your yes, on a card of its own.")
    await harness.tap_on(row.approval_id, "Approve")
    assert harness.outcome(approval_id).endswith("Correcting it in 10 s.")
    await harness.after_undo_window()
    (args,) = harness.effects(RESAY)
    assert args.model_dump() == {
        "chat": ANNA,
        "message_id": "sent",
        "was": "I'll be late",
        "account": "main",
        "text": LATER,
    }
    assert harness.outcome(approval_id).endswith("Corrected at 12:00:20 on 5 March 2026, as its own card shows.")
    assert harness.labels(row.approval_id) == []
    assert harness.labels(approval_id) == ["Delete", "Correct…"]


async def test_nothing_lets_a_correction_pass_without_a_yes(harness: FollowUpHarness) -> None:
    first = await harness.sent()
    await correct(harness, first)
    row = await harness.follows(first, FollowUpKind.CORRECT)
    await harness.tap("Always…")
    await harness.tap("Save rule")
    await harness.tap_on(row.approval_id, "Deny")
    await correct(harness, first, change(by="in-3"))
    assert (await harness.follows(first, FollowUpKind.CORRECT, 2)).state == State.PENDING
    assert harness.effects(RESAY) == []


async def test_what_is_corrected_twice_shows_each_difference_against_what_stands_there(
    harness: FollowUpHarness,
) -> None:
    approval_id = await harness.sent()
    await correct(harness, approval_id)
    await harness.tap("Approve")
    await harness.after_undo_window()
    assert (await harness.drafted(approval_id)).text == LATER
    await correct(harness, approval_id, change("I'll be thirty minutes late"))
    assert rich_text(harness.channel.newest.changes) == "I'll be twentythirty minutes late"
    await harness.tap("Approve")
    await harness.after_undo_window()
    thirty = "I'll be thirty minutes late"
    assert [(args.was, args.text) for args in harness.effects(RESAY)] == [("I'll be late", LATER), (LATER, thirty)]
    first = await harness.follows(approval_id, FollowUpKind.CORRECT)
    await harness.redraw(first)
    card = [card for card in harness.channel.cards.values() if card.approval_id == first.approval_id][-1]
    assert "thirty" not in card_text(card)
    second = await harness.follows(approval_id, FollowUpKind.CORRECT, 2)
    assert (await harness.drafted(second.approval_id)).approval_id == approval_id


async def test_only_what_is_new_is_a_correction(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    assert await correct(harness, approval_id, change("I'll be late")) == SAME
    assert await correct(harness, approval_id, Change("in-2")) == SAME
    to = NewValue((Recipient(address=STRANGER),), OWN_WORDS)
    for more in ({"recipients": to}, {"account": NewValue("work", OWN_WORDS)}, {"subject": NewValue("x", OWN_WORDS)}):
        assert await correct(harness, approval_id, change(**more)) == ONLY_TEXT
    assert await correct(harness, "nobody") == TOO_LATE


async def test_one_correction_waits_at_a_time(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    await correct(harness, approval_id)
    assert await correct(harness, approval_id, change("x")) == WAITS
    await harness.tap("Approve")
    assert await correct(harness, approval_id, change("x")) == UNDER_WAY


async def test_a_reply_that_comes_late_corrects_nothing(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    harness.clock.turn(minutes=15)
    assert await correct(harness, approval_id) == TOO_LATE
    assert not (await harness.drafted(approval_id)).correctable


async def test_what_is_deleted_after_a_correction_is_deleted_whole(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    await correct(harness, approval_id)
    await harness.tap("Approve")
    await harness.after_undo_window()
    await harness.tap_on(approval_id, "Delete")
    await harness.after_undo_window()
    assert len(harness.effects(UNSEND)) == 1
    said = harness.outcome(approval_id)
    assert "Corrected at" in said
    assert said.endswith("Deleted at 12:00:30 on 5 March 2026.")
    assert await correct(harness, approval_id, change("x")) == DELETED
    assert not (await harness.drafted(approval_id)).correctable


async def test_the_card_of_a_correction_says_that_the_message_is_gone_since(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    await correct(harness, approval_id)
    await harness.tap("Approve")
    await harness.after_undo_window()
    correction = await harness.follows(approval_id, FollowUpKind.CORRECT)
    assert harness.outcome(correction.approval_id).endswith("Done at 12:00:20 on 5 March 2026.")
    await harness.tap_on(approval_id, "Delete")
    assert "deleted since" not in harness.outcome(correction.approval_id)
    await harness.after_undo_window()
    assert harness.outcome(correction.approval_id).endswith("The message was deleted since.")


@pytest.mark.parametrize("text", [LATER, "Never mind"], ids=["a part", "all of it"])
async def test_what_the_message_says_now_stands_once_on_the_card_of_a_correction(
    harness: FollowUpHarness, text: str
) -> None:
    approval_id = await harness.sent()
    await correct(harness, approval_id, change(text))
    card = harness.channel.newest
    assert "It says now" not in dict(card.fields)
    assert earlier_text(card.changes) == "I'll be late"


async def test_an_old_text_that_the_difference_shortens_is_told_whole(harness: FollowUpHarness) -> None:
    long = "one two three four five six seven eight nine ten " * 20
    approval_id = await harness.sent(args={"to": [ANNA], "text": f"{long}at six"})
    await correct(harness, approval_id, change(f"{long}at seven"))
    card = harness.channel.newest
    assert rich_text(dict(card.fields)["It says now"]) == f"{long}at six"
    assert len(rich_text(card.changes)) < len(long)


@pytest.mark.parametrize("approved", [False, True])
async def test_a_deletion_withdraws_a_correction_that_has_not_begun(harness: FollowUpHarness, approved: bool) -> None:
    approval_id = await harness.sent()
    await correct(harness, approval_id)
    if approved:
        await harness.tap("Approve")
    await harness.tap_on(approval_id, "Delete")
    await harness.after_undo_window()
    row = await harness.follows(approval_id, FollowUpKind.CORRECT)
    assert row.state == State.SUPERSEDED
    assert "you had the message deleted" in harness.outcome(row.approval_id)
    assert harness.effects(RESAY) == []
    assert len(harness.effects(UNSEND)) == 1


async def test_a_message_that_went_in_telegram_meanwhile_is_told(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    await correct(harness, approval_id)
    harness.provider.script = [fault(IntegrationErrorCode.NOT_FOUND)]
    await harness.tap("Approve")
    await harness.after_undo_window()
    assert harness.outcome(approval_id).endswith("It could not be corrected: the provider said NOT_FOUND.")
    assert harness.labels(approval_id) == ["Delete", "Correct…"]


async def test_what_others_had_a_hand_in_keeps_its_label(harness: FollowUpHarness) -> None:
    origins = {"to": A_MAIL, "text": A_MAIL}
    approval_id = await harness.sent(origins=origins)
    await correct(harness, approval_id, change(partly=True))
    row = await harness.follows(approval_id, FollowUpKind.CORRECT)
    assert row.risk == "highest"
    assert "a mail by eve@evil.example" in card_text(harness.channel.newest)
    plain = await harness.sent(call_id="c2")
    await correct(harness, plain)
    assert (await harness.follows(plain, FollowUpKind.CORRECT)).risk == "high"


async def test_a_correction_that_may_not_be_done_is_refused_with_the_reason(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    harness.configure(deny=[{"tool": RESAY, "reason": "what is said is said"}])
    told = await correct(harness, approval_id)
    assert told == "I may not do that: what is said is said. Nothing was changed."


async def test_a_correction_can_itself_be_changed_while_it_waits(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    await correct(harness, approval_id)
    row = await harness.follows(approval_id, FollowUpKind.CORRECT)
    again = change("I'll be an hour late", "in-3")
    await harness.write(lambda c: harness.approvals.revise(c, row.approval_id, 1, again, harness.clock.now()))
    await harness.run()
    assert harness.channel.newest.title == "For your approval, changed"
    assert "twenty minutes" in rich_text(harness.channel.newest.changes)
    await harness.tap("Approve")
    await harness.after_undo_window()
    assert [args.text for args in harness.effects(RESAY)] == ["I'll be an hour late"]


async def test_a_correction_that_its_tool_does_not_take_is_refused(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    told = await correct(harness, approval_id, change("half a \ud800 character"))
    assert told == (
        "I may not do that: an argument holds a character or a number that cannot be stored as it is. "
        "Nothing was changed."
    )


async def test_where_the_correcting_tool_is_gone_what_was_corrected_can_still_be_deleted(
    harness: FollowUpHarness,
) -> None:
    approval_id = await harness.sent()
    await correct(harness, approval_id)
    await harness.tap("Approve")
    await harness.after_undo_window()
    harness.invoker.tools.pop(RESAY)
    await harness.redraw(await harness.row(approval_id))
    assert harness.labels(approval_id) == ["Delete"]
    draft = await harness.drafted(approval_id)
    assert (draft.deletable, draft.correctable, draft.text) == (True, False, None)
