"""A finished act can be deleted by a tap, or corrected by a reply and a yes: for a while, and once."""
# names: made up here

from datetime import timedelta

import pytest

from approvals.follow_up_actions import TAKES_PIN
from approvals.follow_up_actions import TOO_LATE as TAP_TOO_LATE
from approvals.follow_ups import CLOSE, FollowUpKind
from approvals.pin import PIN
from approvals.states import State
from approvals.tap_result import TapResult
from butler.contract.card import rich_text
from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.tools import Reconciled, Settled
from butler.store.queries import audit, cursors
from butler.store.store import Store
from butler.store.tables import approvals as approvals_table
from butler.store.tables import buttons as buttons_table
from tests.approvals.follow_up_harness import RESAY, UNSEND, FollowUpHarness
from tests.approvals.phone import OWNER
from tests.approvals.providers import ANNA, MAIL, STRANGER, fault

LATER = "I'll be twenty minutes late"


@pytest.fixture
async def harness(store: Store) -> FollowUpHarness:
    harness = FollowUpHarness(store)
    await harness.meet_anna()
    return harness


# The buttons


async def test_the_card_of_what_was_sent_offers_to_delete_and_to_correct_it_for_a_while(
    harness: FollowUpHarness,
) -> None:
    approval_id = await harness.sent()
    assert harness.labels(approval_id) == ["Delete", "Correct…"]
    due = (await harness.row(approval_id)).finished_at
    assert due is not None
    assert [(kind, at) for kind, _, at in await harness.works()] == [(CLOSE, due + timedelta(minutes=15))]
    harness.clock.turn(minutes=15)
    await harness.run()
    assert harness.labels(approval_id) == []
    assert harness.outcome(approval_id) == "Sent at 12:00:10 on 5 March 2026."
    assert await harness.works() == []


async def test_a_clock_that_went_back_keeps_the_buttons_for_their_time(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    harness.clock.turn(minutes=14)
    for subject in (approval_id, "nobody"):
        await harness.approvals.handlers()[CLOSE](subject)
    await harness.run()
    assert harness.labels(approval_id) == ["Delete", "Correct…"]
    harness.clock.turn(minutes=1)
    await harness.run()
    assert harness.labels(approval_id) == []


async def test_no_buttons_for_what_cannot_follow(harness: FollowUpHarness) -> None:
    several = await harness.sent(args={"to": [ANNA, STRANGER], "text": "x"})
    assert harness.labels(several) == []
    other = await harness.sent(tool=MAIL, call_id="c2")
    assert harness.labels(other) == []
    harness.configure(correct_for="0s")
    never = await harness.sent(call_id="c3")
    assert harness.labels(never) == []


@pytest.mark.parametrize("broken", ["gone", "faulty", "without a text"])
async def test_a_card_is_drawn_whatever_a_module_makes_of_its_result(harness: FollowUpHarness, broken: str) -> None:
    if broken == "gone":
        harness.invoker.tools.pop(UNSEND)
        harness.invoker.tools.pop(RESAY)
    elif broken == "faulty":
        harness.provider.script = [fault(IntegrationErrorCode.INVALID_OUTPUT, Effect.DONE)]
    else:
        harness.invoker.change(RESAY, args=harness.invoker.spec(UNSEND).args)
    approval_id = await harness.sent()
    assert harness.labels(approval_id) == (["Delete"] if broken == "without a text" else [])
    assert "ent at" in harness.outcome(approval_id)


async def test_what_the_owner_marked_as_done_is_known_too_little_of_to_follow_it(harness: FollowUpHarness) -> None:
    harness.provider.script = [fault(IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    await harness.tap("It was done")
    assert await harness.state(approval_id) == State.DONE
    assert harness.labels(approval_id) == []


async def test_what_a_standing_rule_let_pass_has_them_too(harness: FollowUpHarness) -> None:
    await harness.ask()
    await harness.tap("Always…")
    await harness.tap("Save rule")
    verdict = await harness.request(call_id="c2")
    await harness.run()
    assert verdict.approval_id is not None
    assert harness.labels(verdict.approval_id) == ["Delete", "Correct…"]
    await harness.tap_on(verdict.approval_id, "Delete")
    await harness.after_undo_window()
    assert "Deleted at" in harness.outcome(verdict.approval_id)


# Delete


async def test_a_tap_on_delete_is_the_yes_and_is_told_on_the_card_that_was_tapped(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    assert await harness.tap_on(approval_id, "Delete") == "Deleting it in 10 s."
    assert harness.outcome(approval_id).endswith("Deleting it in 10 s.")
    assert harness.labels(approval_id) == ["Undo"]
    await harness.after_undo_window()
    assert harness.outcome(approval_id).endswith("Deleted at 12:00:20 on 5 March 2026.")
    assert harness.labels(approval_id) == []
    (args,) = harness.effects(UNSEND)
    assert args.model_dump() == {"chat": ANNA, "message_id": "sent", "was": "I'll be late", "account": "main"}
    assert len(harness.channel.cards) == 1


async def test_a_deletion_is_an_approval_with_its_own_entries(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    await harness.tap_on(approval_id, "Delete")
    await harness.after_undo_window()
    row = await harness.follows(approval_id, FollowUpKind.DELETE)
    assert (row.tool, row.account, row.decided_by, row.chat) == (UNSEND, "main", OWNER, OWNER)
    entries = (await harness.store.read(lambda c: audit.rows(c, row.approval_id)))[::-1]
    kinds = [entry.kind.removeprefix("approval.") for entry in entries]
    assert kinds == ["requested", "followed", "approved", "executing", "attempt", "done"]
    assert entries[1].data == {
        "what": "delete",
        "follows": approval_id,
        "by": f"a tap on the card of {approval_id}",
        "inbound": "tap-2",
    }
    assert entries[1].actor == entries[2].actor == OWNER
    assert await harness.store.read(audit.verify) is None


async def test_a_second_tap_and_a_tap_on_an_old_button_delete_nothing_more(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    old = harness.button_of(approval_id, "Delete")
    await harness.tap_on(approval_id, "Delete")
    again = await harness.approvals.decide(harness.tap_of(old))
    assert again.text == "Deleting it in 10 s."
    await harness.after_undo_window()
    again = await harness.approvals.decide(harness.tap_of(old))
    assert again.text.startswith("Deleted at")
    await harness.after_undo_window()
    assert len(harness.effects(UNSEND)) == 1


async def test_undo_takes_the_yes_to_a_deletion_back_and_it_can_be_given_again(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    old = harness.button_of(approval_id, "Delete")
    await harness.tap_on(approval_id, "Delete")
    undo = harness.button_of(approval_id, "Undo")
    assert await harness.tap_on(approval_id, "Undo") == "Not deleted: you took that back."
    assert harness.outcome(approval_id).endswith("Not deleted: you took that back.")
    assert harness.labels(approval_id) == ["Delete", "Correct…"]
    await harness.after_undo_window()
    assert harness.effects(UNSEND) == []
    told = (await harness.approvals.decide(harness.tap_of(old))).text
    assert told == "Not deleted: you took that back."
    told = (await harness.approvals.decide(harness.tap_of(undo))).text
    assert told == "Too late to undo. Not deleted: you took that back."
    await harness.tap_on(approval_id, "Delete")
    late = harness.button_of(approval_id, "Undo")
    await harness.after_undo_window()
    assert len(harness.effects(UNSEND)) == 1
    told = (await harness.approvals.decide(harness.tap_of(late))).text
    assert told.startswith("Too late to undo. Deleted at")


async def test_a_tap_that_comes_late_deletes_nothing(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    old = harness.button_of(approval_id, "Delete")
    harness.clock.turn(minutes=15)
    assert (await harness.approvals.decide(harness.tap_of(old))).text == TAP_TOO_LATE
    await harness.run()
    assert harness.effects(UNSEND) == []


async def test_a_deletion_that_fails_is_told_on_both_cards_and_can_be_tried_again(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    harness.provider.script = [fault(IntegrationErrorCode.NOT_FOUND)]
    await harness.tap_on(approval_id, "Delete")
    await harness.after_undo_window()
    assert harness.outcome(approval_id).endswith("It could not be deleted: the provider said NOT_FOUND.")
    row = await harness.follows(approval_id, FollowUpKind.DELETE)
    assert "the provider said NOT_FOUND" in harness.outcome(row.approval_id)
    assert harness.labels(approval_id) == ["Delete", "Correct…"]
    await harness.tap_on(approval_id, "Delete")
    await harness.after_undo_window()
    assert len(harness.effects(UNSEND)) == 1
    assert harness.outcome(approval_id).endswith("Deleted at 12:00:30 on 5 March 2026.")


async def test_a_deletion_that_nobody_knows_of_asks_on_a_card_of_its_own(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    harness.provider.script = [fault(IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)]
    await harness.tap_on(approval_id, "Delete")
    await harness.after_undo_window()
    assert harness.outcome(approval_id).endswith(
        "It is not known whether it was deleted; its own card has buttons to say so."
    )
    assert harness.labels(approval_id) == []
    row = await harness.follows(approval_id, FollowUpKind.DELETE)
    assert harness.labels(row.approval_id) == ["It was done", "It was not done"]
    await harness.tap_on(row.approval_id, "It was not done")
    assert harness.labels(approval_id) == ["Delete", "Correct…"]


async def test_an_act_that_waits_for_its_next_try_says_so(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    harness.provider.script = [fault(IntegrationErrorCode.UNAVAILABLE)]
    await harness.tap_on(approval_id, "Delete")
    await harness.after_undo_window()
    assert "Deleting it: the provider said UNAVAILABLE" in harness.outcome(approval_id)


async def test_a_pause_a_deny_rule_and_a_limit_keep_it_from_being_deleted(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    item = harness.tap_of("", payload={"rest": "user"})
    await harness.write(lambda c: harness.approvals.pause(c, item, harness.clock.now()))
    told = await harness.tap_on(approval_id, "Delete")
    assert told == "Not deleted: you have paused what acts as you; /resume lets it go on."
    await harness.write(lambda c: harness.approvals.resume(c, item, harness.clock.now()))
    harness.configure(deny=[{"tool": UNSEND, "recipient": ANNA, "reason": "what is said is said"}])
    assert await harness.tap_on(approval_id, "Delete") == "Not deleted: what is said is said."
    harness.configure(limit=[{"tool": "user_telegram_*", "per_day": 1}])
    assert "the limit for today is reached" in await harness.tap_on(approval_id, "Delete")
    harness.configure()
    await harness.tap_on(approval_id, "Delete")
    await harness.after_undo_window()
    assert len(harness.effects(UNSEND)) == 1


async def test_what_was_paused_within_the_undo_window_is_not_deleted(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    await harness.tap_on(approval_id, "Delete")
    item = harness.tap_of("", payload={"rest": "user"})
    await harness.write(lambda c: harness.approvals.pause(c, item, harness.clock.now()))
    await harness.after_undo_window()
    assert harness.outcome(approval_id).endswith("Not deleted: you paused what acts as you.")
    assert harness.effects(UNSEND) == []


async def test_a_deletion_that_takes_the_pin_waits_for_it_on_a_card_of_its_own(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent(args={"to": [STRANGER], "text": "x"})
    await harness.write(lambda c: cursors.put_fact(c, PIN, {"salt": "", "digest": ""}, harness.clock.now()))
    assert await harness.tap_on(approval_id, "Delete") == TAKES_PIN
    row = await harness.follows(approval_id, FollowUpKind.DELETE)
    assert harness.labels(row.approval_id) == ["Approve", "Deny"]
    assert harness.outcome(approval_id).endswith("Whether it is deleted waits for your yes, on a card of its own.")
    assert harness.labels(approval_id) == []
    assert (await harness.tap_on(row.approval_id, "Approve")).startswith("Type your PIN")
    assert harness.effects(UNSEND) == []
    await harness.tap_on(row.approval_id, "Deny")
    assert harness.outcome(approval_id).endswith("Not deleted: you said no.")
    assert harness.labels(approval_id) == ["Delete", "Correct…"]


async def test_a_deletion_goes_where_the_message_is_whichever_account_is_the_first_by_now(
    harness: FollowUpHarness,
) -> None:
    harness.act_through("main", "work")
    approval_id = await harness.sent()
    harness.act_through("work", "main")
    await harness.redraw(await harness.row(approval_id))
    await harness.tap_on(approval_id, "Delete")
    await harness.after_undo_window()
    assert [call.account for call in harness.provider.effects] == ["main", "main"]


async def test_a_deletion_can_be_brought_down_and_taken_back_there(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    await harness.tap_on(approval_id, "Delete")
    await harness.write(lambda c: harness.approvals.say_undoable(c, OWNER, "k", harness.clock.now()))
    (message,) = await harness.messages()
    assert "1. Deletes a message that you sent (to Anna at Telegram 1002)" in rich_text(message.text)
    await harness.approvals.decide(harness.tap_of(message.buttons[0][0]))
    await harness.run()
    row = await harness.follows(approval_id, FollowUpKind.DELETE)
    assert harness.labels(row.approval_id) == ["Undo"]
    await harness.tap_on(row.approval_id, "Undo")
    assert harness.outcome(approval_id).endswith("Not deleted: you took that back.")


async def test_foreign_stale_and_unknown_taps_do_nothing(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    for label in ("Delete", "Correct…"):
        told = await harness.tap_on(approval_id, label, sender=STRANGER)
        assert told == "This is not yours to decide. Nothing was done."
    await harness.tap_on(approval_id, "Delete", message_ref="999")
    row = await harness.row(approval_id)
    assert "999" in [ref.message.message_ids[0] for ref in row.card_refs]


async def test_a_deletion_that_is_found_to_be_done_is_done(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    harness.provider.script = [fault(IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)]
    harness.provider.found = [Reconciled.with_text(Settled.DONE, "it is gone")]
    await harness.tap_on(approval_id, "Delete")
    await harness.after_undo_window()
    assert "Deleted at" in harness.outcome(approval_id)


async def test_what_went_through_an_account_that_is_gone_cannot_be_deleted(harness: FollowUpHarness) -> None:
    harness.act_through("work", "main")
    approval_id = await harness.sent()
    harness.act_through("main")
    told = await harness.tap_on(approval_id, "Delete")
    assert told == "Not deleted: there is no account 'work'; there are main."
    assert harness.effects(UNSEND) == []


async def test_buttons_of_what_is_gone_or_stands_at_another_revision_do_nothing(harness: FollowUpHarness) -> None:
    approval_id = await harness.sent()
    delete, correct = harness.button_of(approval_id, "Delete"), harness.button_of(approval_id, "Correct…")
    await harness.tap_on(approval_id, "Delete")
    undo = harness.button_of(approval_id, "Undo")
    await harness.write(lambda c: c.execute(approvals_table.update().values(revision=2)))
    for button in (delete, correct):
        answer = await harness.approvals.decide(harness.tap_of(button))
        assert (answer.tapped, answer.text.split(".")[0]) == (TapResult.STALE, "A newer version has replaced this card")
    await harness.write(lambda c: c.execute(buttons_table.update().values(subject="gone")))
    for button in (delete, correct, undo):
        assert (await harness.approvals.decide(harness.tap_of(button))).tapped is TapResult.UNKNOWN
