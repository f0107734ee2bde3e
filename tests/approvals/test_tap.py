"""Taps: who may decide what, only once, and the answer to the tapper."""

import asyncio

import pytest

from approvals.buttons import DATA_PREFIX
from approvals.reason_words import details_in_words
from approvals.tap_result import TapResult
from butler.contract.card import Button, rich_text
from butler.contract.inbound import Inbound
from butler.contract.reasons import Reason, ReasonCode, in_own_words
from butler.store.queries import approvals, audit
from butler.store.queries.plans import PLAN_STEP
from butler.store.tables import approvals as approvals_table
from butler.store.tables import buttons
from tests.approvals.harness import Harness
from tests.approvals.phone import OWNER
from tests.approvals.providers import STRANGER
from tests.approvals.second_channel import Killed


async def refusals(harness: Harness) -> list[tuple[str, str, str]]:
    rows = await harness.store.read(audit.rows)
    return [(row.subject, row.actor, row.data["why"]) for row in rows if row.kind == "approval.tap_refused"]


async def test_a_yes_is_recorded_answered_and_acted_on_after_the_undo_window(harness: Harness) -> None:
    approval_id = await harness.ask(plan_id="plan-1")
    told = await harness.tap("Approve")
    assert told == "Approved by you at 12:00:00 on 5 March 2026. Sending in 10 s."
    assert harness.channel.answers == [("q1", told, False)]
    row = await harness.row(approval_id)
    assert (row.state, row.decided_by) == ("approved", OWNER)
    works = {kind: run_at for kind, _, run_at in await harness.works()}
    assert works == {approvals.EXECUTE: row.execute_at}
    assert not harness.provider.effects
    await harness.after_undo_window()
    assert [call.args.text for call in harness.provider.effects] == ["I'll be late"]
    assert await harness.state(approval_id) == "done"
    assert [kind for kind, _, _ in await harness.works()] == [PLAN_STEP]


async def test_a_no_is_final(harness: Harness) -> None:
    approval_id = await harness.ask()
    card = harness.channel.newest
    assert await harness.tap("Deny") == "Denied by you at 12:00:00 on 5 March 2026. Nothing was sent."
    assert (await harness.tap("Approve", card)).startswith("Already decided. Denied by you")
    harness.clock.turn(hours=1)
    await harness.run()
    assert await harness.state(approval_id) == "denied"
    assert not harness.provider.calls


async def test_undo_within_the_window_keeps_it_from_being_sent(harness: Harness) -> None:
    approval_id = await harness.approved()
    harness.clock.turn(seconds=9)
    assert await harness.tap("Undo") == "Undone at 12:00:09 on 5 March 2026. Nothing was sent."
    await harness.after_undo_window()
    assert await harness.state(approval_id) == "cancelled"
    assert not harness.provider.calls
    assert not harness.channel.newest.buttons


async def test_undo_after_the_act_is_too_late_and_says_so(harness: Harness) -> None:
    await harness.approved()
    card = harness.channel.newest
    await harness.after_undo_window()
    told = await harness.tap("Undo", card)
    assert told == "Too late to undo. Sent at 12:00:10 on 5 March 2026."
    assert len(harness.provider.effects) == 1


async def test_a_hundred_parallel_taps_are_one_decision_and_one_execution(lasting_harness: Harness) -> None:
    harness = lasting_harness
    approval_id = await harness.ask()
    taps = [harness.tap_of(harness.channel.button("Approve")) for _ in range(100)]
    answers = await asyncio.gather(*(harness.approvals.decide(tap) for tap in taps))
    assert [answer.tapped for answer in answers].count(TapResult.DECIDED) == 1
    late = [answer.text for answer in answers if answer.tapped is not TapResult.DECIDED]
    assert all(text.startswith("Already decided. Approved by you") for text in late)
    assert len(harness.channel.answers) == 100
    harness.clock.turn(seconds=10)
    await asyncio.gather(*(harness.approvals.handlers()[approvals.EXECUTE](approval_id) for _ in range(20)))
    await harness.run()
    assert len(harness.provider.effects) == 1
    kinds = [row.kind for row in await harness.store.read(lambda c: audit.rows(c, approval_id, 1000))]
    assert kinds.count("approval.approved") == kinds.count("approval.executing") == 1
    assert kinds.count("approval.tap_refused") == 99
    assert await harness.store.read(audit.verify) is None


async def test_tb_13_an_old_yes_that_is_delivered_again_changes_nothing(harness: Harness) -> None:
    first = await harness.ask()
    tap = harness.tap_of(harness.channel.button("Approve"))
    await harness.approvals.decide(tap)
    await harness.after_undo_window()
    second = await harness.ask(call_id="plan-2:1")
    harness.restart()
    answer = await harness.approvals.decide(tap)
    assert (answer.tapped, answer.text) == (TapResult.TOO_LATE, "Already decided. Sent at 12:00:10 on 5 March 2026.")
    assert answer.approval_id == first
    await harness.run()
    assert len(harness.provider.effects) == 1
    assert await harness.state(second) == "pending"


async def test_a_tap_that_is_delivered_again_before_the_act_does_not_decide_twice(harness: Harness) -> None:
    approval_id = await harness.ask()
    tap = harness.tap_of(harness.channel.button("Approve"))
    await harness.approvals.decide(tap)
    before = await harness.row(approval_id)
    harness.clock.turn(seconds=5)
    harness.restart()
    assert (await harness.approvals.decide(tap)).tapped is TapResult.TOO_LATE
    assert (await harness.row(approval_id)).execute_at == before.execute_at


async def test_ap_26_a_member_of_an_allowed_group_cannot_approve(harness: Harness) -> None:
    group = "telegram:-100123"
    approval_id = await harness.ask(chat=group)
    told = await harness.tap("Approve", sender=STRANGER, chat=group)
    assert told == "This is not yours to decide. Nothing was done."
    assert await harness.state(approval_id) == "pending"
    assert await refusals(harness) == [(approval_id, STRANGER, "foreign")]
    assert (await harness.tap("Approve", chat=group)).startswith("Approved by you")


async def test_ap_27_a_bystanders_taps_leave_the_card_open_and_the_owner_is_told_once(harness: Harness) -> None:
    approval_id = await harness.ask()
    for label in ("Approve", "Deny", "Approve"):
        await harness.tap(label, sender=STRANGER)
    assert await harness.state(approval_id) == "pending"
    warning = "Somebody else (telegram:666) tapped a button that is yours alone. Nothing was done."
    assert details_in_words((await harness.row(approval_id)).detail) == warning
    await harness.run()
    assert rich_text(harness.channel.newest.outcome) == warning
    assert await harness.said() == []
    assert len(await refusals(harness)) == 3


async def test_a_strangers_guess_is_refused_and_told_too(harness: Harness) -> None:
    answer = await harness.approvals.decide(harness.tap_of("a:guess", sender=STRANGER))
    assert answer.tapped is TapResult.FOREIGN
    assert await refusals(harness) == [("", STRANGER, "foreign")]
    assert len(await harness.said()) == 1


async def test_before_pairing_everybody_is_a_stranger_and_nobody_is_told(harness: Harness) -> None:
    await harness.ask()
    harness.owner.telegram_user_id = None
    harness.channel.home_chat = None
    answer = await harness.approvals.decide(harness.tap_of(harness.channel.button("Approve"), sender=""))
    assert answer.tapped is TapResult.FOREIGN
    assert not await harness.said()


@pytest.mark.parametrize("data", ["a:guess", "a:", "", "approve:1", "a:" + "\u202e" * 8])
async def test_a_guessed_nonce_is_an_unknown_button(harness: Harness, data: str) -> None:
    approval_id = await harness.ask()
    answer = await harness.approvals.decide(harness.tap_of(data))
    assert answer.tapped is TapResult.UNKNOWN
    assert "I do not know this button" in answer.text
    assert await harness.state(approval_id) == "pending"


async def test_a_tap_without_any_payload_is_an_unknown_button(harness: Harness) -> None:
    assert (await harness.approvals.decide(harness.tap_of("x", payload={}))).tapped is TapResult.UNKNOWN


async def test_a_button_that_was_shown_to_an_earlier_owner_is_dead(harness: Harness) -> None:
    approval_id = await harness.ask()
    harness.owner.telegram_user_id = 43
    answer = await harness.approvals.decide(harness.tap_of(harness.channel.button("Approve"), sender="telegram:43"))
    assert answer.tapped is TapResult.UNKNOWN
    answer = await harness.approvals.decide(harness.tap_of(harness.channel.button("Approve")))
    assert answer.tapped is TapResult.FOREIGN
    assert await harness.state(approval_id) == "pending"


async def test_a_button_does_nothing_in_another_chat(harness: Harness) -> None:
    approval_id = await harness.ask()
    answer = await harness.approvals.decide(harness.tap_of(harness.channel.button("Approve"), chat="telegram:-5"))
    assert (answer.tapped, answer.text) == (
        TapResult.ELSEWHERE,
        "This button belongs to another chat. Nothing was done.",
    )
    assert await harness.state(approval_id) == "pending"


async def test_a_button_of_an_earlier_revision_does_nothing(harness: Harness) -> None:
    approval_id = await harness.ask()
    await harness.write(lambda c: c.execute(approvals_table.update().values(revision=2)))
    answer = await harness.approvals.decide(harness.tap_of(harness.channel.button("Approve")))
    assert (answer.tapped, answer.text) == (
        TapResult.STALE,
        "A newer version has replaced this card. Nothing was done.",
    )
    assert await harness.state(approval_id) == "pending"


async def test_swapping_the_ids_of_two_cards_does_not_swap_their_meaning(harness: Harness) -> None:
    first = await harness.ask()
    button = harness.channel.button("Approve")
    second = await harness.ask(call_id="plan-2:1")
    newest = list(harness.channel.cards)[-1]
    await harness.approvals.decide(harness.tap_of(button, message_ref=newest))
    assert (await harness.state(first), await harness.state(second)) == ("approved", "pending")


async def test_a_yes_after_the_time_is_up_expires_the_card_even_before_its_timer(harness: Harness) -> None:
    approval_id = await harness.ask()
    harness.clock.turn(hours=48)
    answer = await harness.approvals.decide(harness.tap_of(harness.channel.button("Approve")))
    assert answer.tapped is TapResult.TOO_LATE
    assert answer.text == ("Expired at 12:00:00 on 7 March 2026: nobody answered in time. Nothing was sent.")
    assert await harness.state(approval_id) == "expired"
    await harness.run()
    assert not harness.provider.calls


async def test_a_tap_on_a_withdrawn_card_says_why(harness: Harness) -> None:
    await harness.ask()
    button = harness.channel.button("Approve")
    await harness.write(
        lambda c: harness.approvals.supersede_requested_by(
            c, "in-1", Reason(ReasonCode.MESSAGE_EDITED), harness.clock.now()
        )
    )
    answer = await harness.approvals.decide(harness.tap_of(button))
    assert (
        answer.text
        == "Withdrawn at 12:00:00 on 5 March 2026: you edited the message that asked for it. Nothing was sent."
    )


async def test_a_decision_stands_when_its_tap_cannot_be_answered(harness: Harness) -> None:
    approval_id = await harness.ask()
    tap = harness.tap_of(harness.channel.button("Approve"))
    harness.channel.offline = True
    assert (await harness.approvals.decide(tap)).tapped is TapResult.DECIDED
    assert await harness.state(approval_id) == "approved"


async def test_nonces_are_never_stored_and_fit_into_callback_data(harness: Harness) -> None:
    await harness.ask()
    shown = [button for line in harness.channel.newest.buttons for button in line]
    stored = await harness.store.read(lambda c: [dict(row) for row in c.execute(buttons.select()).mappings()])
    assert len({button.data for button in shown}) == len(stored) == 2
    for button in shown:
        assert 20 <= len(button.data.encode()) <= 64
        assert button.data.removeprefix(DATA_PREFIX) not in str(stored)


async def test_a_long_answer_is_cut_to_what_a_pop_up_holds(harness: Harness) -> None:
    await harness.ask()
    button = harness.channel.button("Deny")
    await harness.write(
        lambda c: harness.approvals.supersede_requested_by(c, "in-1", in_own_words("why " * 100), harness.clock.now())
    )
    answer = await harness.approvals.decide(harness.tap_of(button))
    assert len(answer.text) == 200
    assert answer.text.endswith("…")


async def unknown(harness: Harness) -> str:
    """Build an approval with an unknown outcome."""
    approval_id = await harness.approved()
    harness.provider.script.append(RuntimeError())
    await harness.after_undo_window()
    assert await harness.state(approval_id) == "unknown"
    return approval_id


@pytest.mark.parametrize(
    ("label", "state", "says"),
    [
        ("It was done", "done", "Marked as sent by you at 12:00:10 on 5 March 2026."),
        ("It was not done", "failed", "Marked as not sent by you at 12:00:10 on 5 March 2026."),
    ],
)
async def test_the_owner_settles_what_nobody_knows(harness: Harness, label: str, state: str, says: str) -> None:
    approval_id = await unknown(harness)
    card = harness.channel.newest
    other = "It was not done" if state == "done" else "It was done"
    assert await harness.tap(label) == says
    assert (await harness.tap(other, card)) == f"Already decided. {says}"
    assert await harness.state(approval_id) == state
    assert not harness.channel.newest.buttons


async def test_the_message_that_a_tap_comes_from_is_learnt_and_redrawn(harness: Harness) -> None:
    await harness.request()
    harness.channel.die = "after"
    with pytest.raises(Killed):
        await harness.run()
    harness.restart()
    await harness.run()
    lost, noted = harness.channel.cards
    button: Button = harness.channel.button("Approve", harness.channel.cards[lost])
    tap: Inbound = harness.tap_of(button, message_ref=lost)
    await harness.approvals.decide(tap)
    await harness.run()
    assert harness.channel.cards[lost] == harness.channel.cards[noted]
    assert "Approved by you" in harness.channel.cards[lost].outcome[0].text


async def test_a_message_that_is_known_is_not_learnt_again(harness: Harness) -> None:
    approval_id = await harness.ask()
    before = (await harness.row(approval_id)).card_refs
    await harness.tap("Approve", message_ref=before[0].message.message_ids[0])
    assert (await harness.row(approval_id)).card_refs == before
