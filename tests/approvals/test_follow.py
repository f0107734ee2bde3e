"""What was done can be taken back by a tap, and put right by a reply and a yes, for a while and once."""
# names: made up here

from datetime import timedelta

import pytest

from approvals.follow_up_actions import TAKES_PIN
from approvals.follow_up_actions import TOO_LATE as TAP_TOO_LATE
from approvals.follow_ups import CLOSE, Follow
from approvals.pin import PIN
from approvals.states import State
from approvals.tapped import Tapped
from butler.contract.card import rich_text
from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.tools import Reconciled, Settled
from butler.store.queries import audit, cursors
from butler.store.store import Store
from butler.store.tables import approvals as approvals_table
from butler.store.tables import buttons as buttons_table
from tests.approvals.followed import RESAY, UNSEND, FollowHouse
from tests.approvals.phone import OWNER
from tests.approvals.providers import ANNA, MAIL, STRANGER, fault

LATER = "I'll be twenty minutes late"


@pytest.fixture
async def house(store: Store) -> FollowHouse:
    house = FollowHouse(store)
    await house.meet_anna()
    return house


# The buttons


async def test_the_card_of_what_was_sent_offers_to_delete_and_to_correct_it_for_a_while(house: FollowHouse) -> None:
    approval_id = await house.sent()
    assert house.labels(approval_id) == ["Delete", "Correct…"]
    due = (await house.row(approval_id)).finished_at
    assert due is not None
    assert [(kind, at) for kind, _, at in await house.works()] == [(CLOSE, due + timedelta(minutes=15))]
    house.clock.turn(minutes=15)
    await house.run()
    assert house.labels(approval_id) == []
    assert house.outcome(approval_id) == "Sent at 12:00:10 on 5 March 2026."
    assert await house.works() == []


async def test_a_clock_that_went_back_keeps_the_buttons_for_their_time(house: FollowHouse) -> None:
    approval_id = await house.sent()
    house.clock.turn(minutes=14)
    for subject in (approval_id, "nobody"):
        await house.approvals.handlers()[CLOSE](subject)
    await house.run()
    assert house.labels(approval_id) == ["Delete", "Correct…"]
    house.clock.turn(minutes=1)
    await house.run()
    assert house.labels(approval_id) == []


async def test_no_buttons_for_what_cannot_follow(house: FollowHouse) -> None:
    several = await house.sent(args={"to": [ANNA, STRANGER], "text": "x"})
    assert house.labels(several) == []
    other = await house.sent(tool=MAIL, call_id="c2")
    assert house.labels(other) == []
    house.configure(correct_for="0s")
    never = await house.sent(call_id="c3")
    assert house.labels(never) == []


@pytest.mark.parametrize("broken", ["gone", "faulty", "without a text"])
async def test_a_card_is_drawn_whatever_a_module_makes_of_its_result(house: FollowHouse, broken: str) -> None:
    if broken == "gone":
        house.invoker.tools.pop(UNSEND)
        house.invoker.tools.pop(RESAY)
    elif broken == "faulty":
        house.provider.script = [fault(IntegrationErrorCode.INVALID_OUTPUT, Effect.DONE)]
    else:
        house.invoker.change(RESAY, args=house.invoker.spec(UNSEND).args)
    approval_id = await house.sent()
    assert house.labels(approval_id) == (["Delete"] if broken == "without a text" else [])
    assert "ent at" in house.outcome(approval_id)


async def test_what_the_owner_marked_as_done_is_known_too_little_of_to_follow_it(house: FollowHouse) -> None:
    house.provider.script = [fault(IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)]
    approval_id = await house.approved()
    await house.after_undo_window()
    await house.tap("It was done")
    assert await house.state(approval_id) == State.DONE
    assert house.labels(approval_id) == []


async def test_what_a_standing_rule_let_pass_has_them_too(house: FollowHouse) -> None:
    await house.ask()
    await house.tap("Always…")
    await house.tap("Save rule")
    verdict = await house.request(call_id="c2")
    await house.run()
    assert verdict.approval_id is not None
    assert house.labels(verdict.approval_id) == ["Delete", "Correct…"]
    await house.tap_on(verdict.approval_id, "Delete")
    await house.after_undo_window()
    assert "Deleted at" in house.outcome(verdict.approval_id)


# Delete


async def test_a_tap_on_delete_is_the_yes_and_is_told_on_the_card_that_was_tapped(house: FollowHouse) -> None:
    approval_id = await house.sent()
    assert await house.tap_on(approval_id, "Delete") == "Deleting it in 10 s."
    assert house.outcome(approval_id).endswith("Deleting it in 10 s.")
    assert house.labels(approval_id) == ["Undo"]
    await house.after_undo_window()
    assert house.outcome(approval_id).endswith("Deleted at 12:00:20 on 5 March 2026.")
    assert house.labels(approval_id) == []
    (args,) = house.effects(UNSEND)
    assert args.model_dump() == {"chat": ANNA, "message_id": "sent", "was": "I'll be late", "account": "main"}
    assert len(house.channel.cards) == 1


async def test_a_deletion_is_an_approval_with_its_own_entries(house: FollowHouse) -> None:
    approval_id = await house.sent()
    await house.tap_on(approval_id, "Delete")
    await house.after_undo_window()
    row = await house.follows(approval_id, Follow.DELETE)
    assert (row.tool, row.account, row.decided_by, row.chat) == (UNSEND, "main", OWNER, OWNER)
    entries = (await house.store.read(lambda c: audit.rows(c, row.approval_id)))[::-1]
    kinds = [entry.kind.removeprefix("approval.") for entry in entries]
    assert kinds == ["requested", "followed", "approved", "executing", "attempt", "done"]
    assert entries[1].data == {
        "what": "delete",
        "follows": approval_id,
        "by": f"a tap on the card of {approval_id}",
        "inbound": "tap-2",
    }
    assert entries[1].actor == entries[2].actor == OWNER
    assert await house.store.read(audit.verify) is None


async def test_a_second_tap_and_a_tap_on_an_old_button_delete_nothing_more(house: FollowHouse) -> None:
    approval_id = await house.sent()
    old = house.button_of(approval_id, "Delete")
    await house.tap_on(approval_id, "Delete")
    again = await house.approvals.decide(house.tap_of(old))
    assert again.text == "Deleting it in 10 s."
    await house.after_undo_window()
    again = await house.approvals.decide(house.tap_of(old))
    assert again.text.startswith("Deleted at")
    await house.after_undo_window()
    assert len(house.effects(UNSEND)) == 1


async def test_undo_takes_the_yes_to_a_deletion_back_and_it_can_be_given_again(house: FollowHouse) -> None:
    approval_id = await house.sent()
    old = house.button_of(approval_id, "Delete")
    await house.tap_on(approval_id, "Delete")
    undo = house.button_of(approval_id, "Undo")
    assert await house.tap_on(approval_id, "Undo") == "Not deleted: you took that back."
    assert house.outcome(approval_id).endswith("Not deleted: you took that back.")
    assert house.labels(approval_id) == ["Delete", "Correct…"]
    await house.after_undo_window()
    assert house.effects(UNSEND) == []
    told = (await house.approvals.decide(house.tap_of(old))).text
    assert told == "Not deleted: you took that back."
    told = (await house.approvals.decide(house.tap_of(undo))).text
    assert told == "Too late to undo. Not deleted: you took that back."
    await house.tap_on(approval_id, "Delete")
    late = house.button_of(approval_id, "Undo")
    await house.after_undo_window()
    assert len(house.effects(UNSEND)) == 1
    told = (await house.approvals.decide(house.tap_of(late))).text
    assert told.startswith("Too late to undo. Deleted at")


async def test_a_tap_that_comes_late_deletes_nothing(house: FollowHouse) -> None:
    approval_id = await house.sent()
    old = house.button_of(approval_id, "Delete")
    house.clock.turn(minutes=15)
    assert (await house.approvals.decide(house.tap_of(old))).text == TAP_TOO_LATE
    await house.run()
    assert house.effects(UNSEND) == []


async def test_a_deletion_that_fails_is_told_on_both_cards_and_can_be_tried_again(house: FollowHouse) -> None:
    approval_id = await house.sent()
    house.provider.script = [fault(IntegrationErrorCode.NOT_FOUND)]
    await house.tap_on(approval_id, "Delete")
    await house.after_undo_window()
    assert house.outcome(approval_id).endswith("It could not be deleted: the provider said NOT_FOUND.")
    row = await house.follows(approval_id, Follow.DELETE)
    assert "the provider said NOT_FOUND" in house.outcome(row.approval_id)
    assert house.labels(approval_id) == ["Delete", "Correct…"]
    await house.tap_on(approval_id, "Delete")
    await house.after_undo_window()
    assert len(house.effects(UNSEND)) == 1
    assert house.outcome(approval_id).endswith("Deleted at 12:00:30 on 5 March 2026.")


async def test_a_deletion_that_nobody_knows_of_asks_on_a_card_of_its_own(house: FollowHouse) -> None:
    approval_id = await house.sent()
    house.provider.script = [fault(IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)]
    await house.tap_on(approval_id, "Delete")
    await house.after_undo_window()
    assert house.outcome(approval_id).endswith(
        "It is not known whether it was deleted; its own card has buttons to say so."
    )
    assert house.labels(approval_id) == []
    row = await house.follows(approval_id, Follow.DELETE)
    assert house.labels(row.approval_id) == ["It was done", "It was not done"]
    await house.tap_on(row.approval_id, "It was not done")
    assert house.labels(approval_id) == ["Delete", "Correct…"]


async def test_an_act_that_waits_for_its_next_try_says_so(house: FollowHouse) -> None:
    approval_id = await house.sent()
    house.provider.script = [fault(IntegrationErrorCode.UNAVAILABLE)]
    await house.tap_on(approval_id, "Delete")
    await house.after_undo_window()
    assert "Deleting it: the provider said UNAVAILABLE" in house.outcome(approval_id)


async def test_a_pause_a_deny_rule_and_a_limit_keep_it_from_being_deleted(house: FollowHouse) -> None:
    approval_id = await house.sent()
    item = house.tap_of("", payload={"rest": "user"})
    await house.write(lambda c: house.approvals.pause(c, item, house.clock.now()))
    told = await house.tap_on(approval_id, "Delete")
    assert told == "Not deleted: you have paused what acts as you; /resume lets it go on."
    await house.write(lambda c: house.approvals.resume(c, item, house.clock.now()))
    house.configure(deny=[{"tool": UNSEND, "recipient": ANNA, "reason": "what is said is said"}])
    assert await house.tap_on(approval_id, "Delete") == "Not deleted: what is said is said."
    house.configure(limit=[{"tool": "user_telegram_*", "per_day": 1}])
    assert "the limit for today is reached" in await house.tap_on(approval_id, "Delete")
    house.configure()
    await house.tap_on(approval_id, "Delete")
    await house.after_undo_window()
    assert len(house.effects(UNSEND)) == 1


async def test_what_was_paused_within_the_undo_window_is_not_deleted(house: FollowHouse) -> None:
    approval_id = await house.sent()
    await house.tap_on(approval_id, "Delete")
    item = house.tap_of("", payload={"rest": "user"})
    await house.write(lambda c: house.approvals.pause(c, item, house.clock.now()))
    await house.after_undo_window()
    assert house.outcome(approval_id).endswith("Not deleted: you paused what acts as you.")
    assert house.effects(UNSEND) == []


async def test_a_deletion_that_takes_the_pin_waits_for_it_on_a_card_of_its_own(house: FollowHouse) -> None:
    approval_id = await house.sent(args={"to": [STRANGER], "text": "x"})
    await house.write(lambda c: cursors.put_fact(c, PIN, {"salt": "", "digest": ""}, house.clock.now()))
    assert await house.tap_on(approval_id, "Delete") == TAKES_PIN
    row = await house.follows(approval_id, Follow.DELETE)
    assert house.labels(row.approval_id) == ["Approve", "Deny"]
    assert house.outcome(approval_id).endswith("Whether it is deleted waits for your yes, on a card of its own.")
    assert house.labels(approval_id) == []
    assert (await house.tap_on(row.approval_id, "Approve")).startswith("Type your PIN")
    assert house.effects(UNSEND) == []
    await house.tap_on(row.approval_id, "Deny")
    assert house.outcome(approval_id).endswith("Not deleted: you said no.")
    assert house.labels(approval_id) == ["Delete", "Correct…"]


async def test_a_deletion_goes_where_the_message_is_whichever_account_is_the_first_by_now(
    house: FollowHouse,
) -> None:
    house.act_through("main", "work")
    approval_id = await house.sent()
    house.act_through("work", "main")
    await house.redraw(await house.row(approval_id))
    await house.tap_on(approval_id, "Delete")
    await house.after_undo_window()
    assert [call.account for call in house.provider.effects] == ["main", "main"]


async def test_a_deletion_can_be_brought_down_and_taken_back_there(house: FollowHouse) -> None:
    approval_id = await house.sent()
    await house.tap_on(approval_id, "Delete")
    await house.write(lambda c: house.approvals.say_undoable(c, OWNER, "k", house.clock.now()))
    (message,) = await house.messages()
    assert "1. Deletes a message that you sent (to Anna at telegram:1002)" in rich_text(message.text)
    await house.approvals.decide(house.tap_of(message.buttons[0][0]))
    await house.run()
    row = await house.follows(approval_id, Follow.DELETE)
    assert house.labels(row.approval_id) == ["Undo"]
    await house.tap_on(row.approval_id, "Undo")
    assert house.outcome(approval_id).endswith("Not deleted: you took that back.")


async def test_foreign_stale_and_unknown_taps_do_nothing(house: FollowHouse) -> None:
    approval_id = await house.sent()
    for label in ("Delete", "Correct…"):
        told = await house.tap_on(approval_id, label, sender=STRANGER)
        assert told == "This is not yours to decide. Nothing was done."
    await house.tap_on(approval_id, "Delete", message_ref="999")
    row = await house.row(approval_id)
    assert "999" in [ref.message.message_ids[0] for ref in row.card_refs]


async def test_a_deletion_that_is_found_to_be_done_is_done(house: FollowHouse) -> None:
    approval_id = await house.sent()
    house.provider.script = [fault(IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)]
    house.provider.found = [Reconciled.said(Settled.DONE, "it is gone")]
    await house.tap_on(approval_id, "Delete")
    await house.after_undo_window()
    assert "Deleted at" in house.outcome(approval_id)


async def test_what_went_through_an_account_that_is_gone_cannot_be_deleted(house: FollowHouse) -> None:
    house.act_through("work", "main")
    approval_id = await house.sent()
    house.act_through("main")
    told = await house.tap_on(approval_id, "Delete")
    assert told == "Not deleted: there is no account 'work'; there are main."
    assert house.effects(UNSEND) == []


async def test_buttons_of_what_is_gone_or_stands_at_another_revision_do_nothing(house: FollowHouse) -> None:
    approval_id = await house.sent()
    delete, correct = house.button_of(approval_id, "Delete"), house.button_of(approval_id, "Correct…")
    await house.tap_on(approval_id, "Delete")
    undo = house.button_of(approval_id, "Undo")
    await house.write(lambda c: c.execute(approvals_table.update().values(revision=2)))
    for button in (delete, correct):
        answer = await house.approvals.decide(house.tap_of(button))
        assert (answer.tapped, answer.text.split(".")[0]) == (Tapped.STALE, "A newer version has replaced this card")
    await house.write(lambda c: c.execute(buttons_table.update().values(subject="gone")))
    for button in (delete, correct, undo):
        assert (await house.approvals.decide(house.tap_of(button))).tapped is Tapped.UNKNOWN
