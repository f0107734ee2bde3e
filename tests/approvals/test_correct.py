"""What was done can be put right by a reply to its card and a yes to another one, for a while."""
# names: made up here

from typing import Any

import pytest

from approvals.changes import earlier_text
from approvals.correct import DELETED, ONLY_TEXT, TOO_LATE, UNDER_WAY, WAITS
from approvals.follow_up_actions import SAY_IT
from approvals.follow_ups import Follow
from approvals.revise import SAME, Change, Put
from approvals.states import State
from butler.contract.card import rich_text
from butler.contract.errors import IntegrationErrorCode
from butler.contract.tools import Recipient
from butler.store.store import Store
from tests.approvals.followed import RESAY, UNSEND, FollowHouse
from tests.approvals.house import card_text
from tests.approvals.providers import A_MAIL, ANNA, OWN_WORDS, STRANGER, fault

LATER = "I'll be twenty minutes late"


@pytest.fixture
async def house(store: Store) -> FollowHouse:
    house = FollowHouse(store)
    await house.meet_anna()
    return house


def change(text: str = LATER, by: str = "in-2", *, partly: bool = False, **more: Any) -> Change:
    return Change(by, text=Put(text, OWN_WORDS, partly=partly), **more)


async def correct(house: FollowHouse, approval_id: str, wanted: Change | None = None) -> Any:
    """What the owner's reply to the card comes to."""
    now = house.clock.now()
    told = await house.write(lambda c: house.approvals.correct(c, approval_id, wanted or change(), now))
    await house.run()
    return told


async def test_correct_says_what_to_do_and_decides_nothing(house: FollowHouse) -> None:
    approval_id = await house.sent()
    assert not (await house.drafted(approval_id)).asked
    assert await house.tap_on(approval_id, "Correct…") == SAY_IT
    assert (await house.drafted(approval_id)).asked
    assert house.labels(approval_id) == ["Delete", "Correct…"]
    assert len(house.provider.effects) == 1


async def test_a_correction_is_a_card_with_the_difference_that_is_approved_as_any(house: FollowHouse) -> None:
    approval_id = await house.sent()
    await correct(house, approval_id, change(partly=True))
    row = await house.follows(approval_id, Follow.CORRECT)
    card = house.channel.newest
    assert (card.approval_id, card.title, card.body) == (row.approval_id, "For your approval", LATER)
    assert rich_text(card.changes) == "I'll be twenty minutes late"
    assert [span.text for span in card.changes if span.style.value == "underline"] == ["twenty minutes "]
    assert house.labels(row.approval_id)[:2] == ["Approve", "Deny"]
    assert house.outcome(approval_id).endswith("Whether it is corrected waits for your yes, on a card of its own.")
    await house.tap_on(row.approval_id, "Approve")
    assert house.outcome(approval_id).endswith("Correcting it in 10 s.")
    await house.after_undo_window()
    (args,) = house.effects(RESAY)
    assert args.model_dump() == {
        "chat": ANNA,
        "message_id": "sent",
        "was": "I'll be late",
        "account": "main",
        "text": LATER,
    }
    assert house.outcome(approval_id).endswith("Corrected at 12:00:20 on 5 March 2026, as its own card shows.")
    assert house.labels(row.approval_id) == []
    assert house.labels(approval_id) == ["Delete", "Correct…"]


async def test_nothing_lets_a_correction_pass_without_a_yes(house: FollowHouse) -> None:
    first = await house.sent()
    await correct(house, first)
    row = await house.follows(first, Follow.CORRECT)
    await house.tap("Always…")
    await house.tap("Save rule")
    await house.tap_on(row.approval_id, "Deny")
    await correct(house, first, change(by="in-3"))
    assert (await house.follows(first, Follow.CORRECT, 2)).state == State.PENDING
    assert house.effects(RESAY) == []


async def test_what_is_corrected_twice_shows_each_difference_against_what_stands_there(house: FollowHouse) -> None:
    approval_id = await house.sent()
    await correct(house, approval_id)
    await house.tap("Approve")
    await house.after_undo_window()
    assert (await house.drafted(approval_id)).text == LATER
    await correct(house, approval_id, change("I'll be thirty minutes late"))
    assert rich_text(house.channel.newest.changes) == "I'll be twentythirty minutes late"
    await house.tap("Approve")
    await house.after_undo_window()
    thirty = "I'll be thirty minutes late"
    assert [(args.was, args.text) for args in house.effects(RESAY)] == [("I'll be late", LATER), (LATER, thirty)]
    first = await house.follows(approval_id, Follow.CORRECT)
    await house.redraw(first)
    card = [card for card in house.channel.cards.values() if card.approval_id == first.approval_id][-1]
    assert "thirty" not in card_text(card)
    second = await house.follows(approval_id, Follow.CORRECT, 2)
    assert (await house.drafted(second.approval_id)).approval_id == approval_id


async def test_only_what_is_new_is_a_correction(house: FollowHouse) -> None:
    approval_id = await house.sent()
    assert await correct(house, approval_id, change("I'll be late")) == SAME
    assert await correct(house, approval_id, Change("in-2")) == SAME
    to = Put((Recipient(address=STRANGER),), OWN_WORDS)
    for more in ({"recipients": to}, {"account": Put("work", OWN_WORDS)}, {"subject": Put("x", OWN_WORDS)}):
        assert await correct(house, approval_id, change(**more)) == ONLY_TEXT
    assert await correct(house, "nobody") == TOO_LATE


async def test_one_correction_waits_at_a_time(house: FollowHouse) -> None:
    approval_id = await house.sent()
    await correct(house, approval_id)
    assert await correct(house, approval_id, change("x")) == WAITS
    await house.tap("Approve")
    assert await correct(house, approval_id, change("x")) == UNDER_WAY


async def test_a_reply_that_comes_late_corrects_nothing(house: FollowHouse) -> None:
    approval_id = await house.sent()
    house.clock.turn(minutes=15)
    assert await correct(house, approval_id) == TOO_LATE
    assert not (await house.drafted(approval_id)).correctable


async def test_what_is_deleted_after_a_correction_is_deleted_whole(house: FollowHouse) -> None:
    approval_id = await house.sent()
    await correct(house, approval_id)
    await house.tap("Approve")
    await house.after_undo_window()
    await house.tap_on(approval_id, "Delete")
    await house.after_undo_window()
    assert len(house.effects(UNSEND)) == 1
    said = house.outcome(approval_id)
    assert "Corrected at" in said
    assert said.endswith("Deleted at 12:00:30 on 5 March 2026.")
    assert await correct(house, approval_id, change("x")) == DELETED
    assert not (await house.drafted(approval_id)).correctable


async def test_the_card_of_a_correction_says_that_the_message_is_gone_since(house: FollowHouse) -> None:
    approval_id = await house.sent()
    await correct(house, approval_id)
    await house.tap("Approve")
    await house.after_undo_window()
    correction = await house.follows(approval_id, Follow.CORRECT)
    assert house.outcome(correction.approval_id).endswith("Done at 12:00:20 on 5 March 2026.")
    await house.tap_on(approval_id, "Delete")
    assert "deleted since" not in house.outcome(correction.approval_id)
    await house.after_undo_window()
    assert house.outcome(correction.approval_id).endswith("The message was deleted since.")


@pytest.mark.parametrize("text", [LATER, "Never mind"], ids=["a part", "all of it"])
async def test_what_the_message_says_now_stands_once_on_the_card_of_a_correction(house: FollowHouse, text: str) -> None:
    approval_id = await house.sent()
    await correct(house, approval_id, change(text))
    card = house.channel.newest
    assert "It says now" not in dict(card.fields)
    assert earlier_text(card.changes) == "I'll be late"


async def test_an_old_text_that_the_difference_shortens_is_told_whole(house: FollowHouse) -> None:
    long = "one two three four five six seven eight nine ten " * 20
    approval_id = await house.sent(args={"to": [ANNA], "text": f"{long}at six"})
    await correct(house, approval_id, change(f"{long}at seven"))
    card = house.channel.newest
    assert rich_text(dict(card.fields)["It says now"]) == f"{long}at six"
    assert len(rich_text(card.changes)) < len(long)


@pytest.mark.parametrize("approved", [False, True])
async def test_a_deletion_withdraws_a_correction_that_has_not_begun(house: FollowHouse, approved: bool) -> None:
    approval_id = await house.sent()
    await correct(house, approval_id)
    if approved:
        await house.tap("Approve")
    await house.tap_on(approval_id, "Delete")
    await house.after_undo_window()
    row = await house.follows(approval_id, Follow.CORRECT)
    assert row.state == State.SUPERSEDED
    assert "you had the message deleted" in house.outcome(row.approval_id)
    assert house.effects(RESAY) == []
    assert len(house.effects(UNSEND)) == 1


async def test_a_message_that_went_in_telegram_meanwhile_is_told(house: FollowHouse) -> None:
    approval_id = await house.sent()
    await correct(house, approval_id)
    house.provider.script = [fault(IntegrationErrorCode.NOT_FOUND)]
    await house.tap("Approve")
    await house.after_undo_window()
    assert house.outcome(approval_id).endswith("It could not be corrected: the provider said NOT_FOUND.")
    assert house.labels(approval_id) == ["Delete", "Correct…"]


async def test_what_others_had_a_hand_in_keeps_its_label(house: FollowHouse) -> None:
    origins = {"to": A_MAIL, "text": A_MAIL}
    approval_id = await house.sent(origins=origins)
    await correct(house, approval_id, change(partly=True))
    row = await house.follows(approval_id, Follow.CORRECT)
    assert row.risk == "highest"
    assert "a mail by eve@evil.example" in card_text(house.channel.newest)
    plain = await house.sent(call_id="c2")
    await correct(house, plain)
    assert (await house.follows(plain, Follow.CORRECT)).risk == "high"


async def test_a_correction_that_may_not_be_done_is_refused_with_the_reason(house: FollowHouse) -> None:
    approval_id = await house.sent()
    house.configure(deny=[{"tool": RESAY, "reason": "what is said is said"}])
    told = await correct(house, approval_id)
    assert told == "I may not do that: what is said is said. Nothing was changed."


async def test_a_correction_can_itself_be_changed_while_it_waits(house: FollowHouse) -> None:
    approval_id = await house.sent()
    await correct(house, approval_id)
    row = await house.follows(approval_id, Follow.CORRECT)
    again = change("I'll be an hour late", "in-3")
    await house.write(lambda c: house.approvals.revise(c, row.approval_id, 1, again, house.clock.now()))
    await house.run()
    assert house.channel.newest.title == "For your approval, changed"
    assert "twenty minutes" in rich_text(house.channel.newest.changes)
    await house.tap("Approve")
    await house.after_undo_window()
    assert [args.text for args in house.effects(RESAY)] == ["I'll be an hour late"]


async def test_a_correction_that_its_tool_does_not_take_is_refused(house: FollowHouse) -> None:
    approval_id = await house.sent()
    told = await correct(house, approval_id, change("half a \ud800 character"))
    assert told == (
        "I may not do that: an argument holds a character or a number that cannot be stored as it is. "
        "Nothing was changed."
    )


async def test_where_the_correcting_tool_is_gone_what_was_corrected_can_still_be_deleted(house: FollowHouse) -> None:
    approval_id = await house.sent()
    await correct(house, approval_id)
    await house.tap("Approve")
    await house.after_undo_window()
    house.invoker.tools.pop(RESAY)
    await house.redraw(await house.row(approval_id))
    assert house.labels(approval_id) == ["Delete"]
    draft = await house.drafted(approval_id)
    assert (draft.deletable, draft.correctable, draft.text) == (True, False, None)
