"""Many similar requests: few messages, none lost, none approved unseen, each member decided once."""

from functools import partial

import pytest

from approvals.approval_batch_members import MOST
from approvals.pause import set_paused
from approvals.tap_result import TapResult
from butler.contract.card import rich_text
from butler.contract.reasons import in_own_words
from butler.store.queries import approval_batches, approvals, audit
from butler.store.queries.approval_batches import ApprovalBatchState
from butler.store.tables import approval_batches as floods_table
from butler.store.tables import approvals as approvals_table
from tests.approvals.approval_batch_harness import OWN, ask_many, batches_in, digest, labels, newest_batch, see_all
from tests.approvals.harness import Harness, card_text
from tests.approvals.phone import OWNER
from tests.approvals.providers import A_MAIL, ANNA, BOT_SEND, MAIL, STRANGER


async def states(harness: Harness, ids: list[str]) -> list[str]:
    return [await harness.state(one) for one in ids]


async def test_ap_10_a_flood_of_forty_gives_few_messages_and_each_one_can_be_read_whole(harness: Harness) -> None:
    ids = await ask_many(harness, 40)
    assert len(harness.channel.cards) == OWN + 1
    assert harness.channel.edits == 0
    own = {card.approval_id for card in list(harness.channel.cards.values())[:OWN]}
    assert own == set(ids[:OWN])
    assert digest(harness).title.startswith("1 of 37 wait · Telegram messages as you\n36 not shown to you yet")
    shown: dict[str, str] = {}
    for _ in range(37):
        shown[digest(harness).approval_id] = card_text(digest(harness))
        await harness.tap("▶")
    assert list(shown) == ids[OWN:]
    assert all(f"Message number {number}" in text for number, text in enumerate(shown.values(), OWN + 1))
    assert len(harness.channel.cards) == OWN + 1
    assert [one.approval_id for one in await harness.pending()] == ids


async def test_an_item_looks_as_on_a_card_of_its_own(harness: Harness) -> None:
    await ask_many(harness, 4)
    own, shared = harness.channel.cards["102"], digest(harness)
    assert own.body == "Message number 3"
    same = {"approval_id", "title", "body", "buttons", "expires_at"}
    assert shared.model_dump(exclude=same) == own.model_dump(exclude=same)
    assert shared.body == "Message number 4"
    assert labels(shared) == ["Approve this", "Deny this"]


async def test_three_alike_have_cards_of_their_own_and_others_count_apart(harness: Harness) -> None:
    await ask_many(harness, 3)
    await harness.ask(MAIL, call_id="m1")
    await harness.ask(call_id="x1", args={"to": [ANNA], "text": "elsewhere"}, chat="telegram:-5")
    await harness.ask(BOT_SEND, call_id="b1", args={"to": [STRANGER], "text": "x"})
    assert len(harness.channel.cards) == 6
    assert not await harness.store.read(approval_batches.all_open)


async def test_another_risk_is_another_flood(harness: Harness) -> None:
    args = {"to": [ANNA], "text": "x"}
    await ask_many(harness, 4)
    for number in range(5):
        origins = {"to": A_MAIL, "text": A_MAIL}
        await harness.ask(call_id=f"h{number}", args=args, origins=origins)
    rows = await harness.store.read(lambda c: approvals.in_state(c, "pending"))
    highest = [row for row in rows if row.risk == "highest"]
    assert len(highest) == 5
    assert all(row.card_refs and row.batch_id is None for row in highest)


async def test_what_takes_more_than_one_message_has_its_own_card(harness: Harness) -> None:
    await ask_many(harness, 4)
    long = await harness.ask(args={"to": [ANNA], "text": "long " * 1000}, call_id="long")
    row = await harness.row(long)
    assert row.card_refs
    assert row.batch_id is None


async def test_one_that_grew_by_an_edit_leaves_for_a_card_of_its_own(harness: Harness) -> None:
    ids = await ask_many(harness, 5)
    harness.channel.pages = lambda card: 2 if "number 4" in card.body else 1  # type: ignore[method-assign]
    await harness.write(lambda c: approvals.warn(c, ids[3], in_own_words("look again")))
    row = await harness.row(ids[3])
    await harness.redraw(row)
    assert harness.channel.newest.approval_id == ids[3]
    assert (await harness.row(ids[3])).batch_id is None
    await harness.tap("Approve")
    assert await harness.state(ids[3]) == "approved"
    assert harness.channel.cards["103"].approval_id == ids[4]


async def test_a_flood_that_everybody_left_is_closed_and_says_so(harness: Harness) -> None:
    ids = await ask_many(harness, 4)
    harness.channel.pages = lambda card: 2  # type: ignore[method-assign]
    await harness.redraw(await harness.row(ids[3]))
    assert (await newest_batch(harness)).state == ApprovalBatchState.CLOSED
    assert harness.channel.cards["103"].title == "Nothing waits here any more · Telegram messages as you"
    assert labels(harness.channel.cards["103"]) == []
    assert harness.channel.newest.approval_id == ids[3]


async def test_approve_this_decides_the_one_that_is_shown_and_goes_on_with_the_next(harness: Harness) -> None:
    ids = await ask_many(harness, 6)
    told = await harness.tap("Approve this")
    assert told == "Approved by you at 12:00:00 on 5 March 2026. Sending in 10 s."
    assert await states(harness, ids[OWN:]) == ["approved", "pending", "pending"]
    assert digest(harness).approval_id == ids[4]
    assert digest(harness).title.splitlines() == [
        "1 of 2 wait · Telegram messages as you",
        "1 not shown to you yet",
        "Decided: 1 approved",
    ]
    assert labels(digest(harness)) == ["◀", "▶", "Approve this", "Deny this", "Undo"]
    assert (await harness.tap("Deny this")).startswith("Denied by you at")
    await harness.after_undo_window()
    assert await states(harness, ids[OWN:]) == ["done", "denied", "pending"]
    assert [call.args.text for call in harness.provider.effects] == ["Message number 4"]
    assert digest(harness).title.splitlines()[-1] == "Decided: 1 sent, 1 denied"


async def test_all_are_offered_only_once_each_was_shown(harness: Harness) -> None:
    await ask_many(harness, 6)
    assert labels(digest(harness)) == ["◀", "▶", "Approve this", "Deny this"]
    await harness.tap("▶")
    assert "Approve all 3" not in labels(digest(harness))
    await harness.tap("▶")
    assert labels(digest(harness))[-2:] == ["Approve all 3", "Deny all 3"]
    await harness.tap("◀")
    assert labels(digest(harness))[-2:] == ["Approve all 3", "Deny all 3"]


async def test_approve_all_approves_each_and_may_be_undone(harness: Harness) -> None:
    ids = await ask_many(harness, 8)
    await see_all(harness)
    assert await harness.tap("Approve all 5") == "Approved 5. Sending in 10 s."
    assert await states(harness, ids[OWN:]) == ["approved"] * 5
    assert labels(digest(harness)) == ["Undo all 5"]
    assert "1. approved, sending in 10 s – to Anna at Telegram 1002: “Message number 4”" in digest(harness).body
    harness.clock.turn(seconds=9)
    assert await harness.tap("Undo all 5") == "Undone 5. Nothing of that was sent."
    await harness.after_undo_window()
    assert await states(harness, ids[OWN:]) == ["cancelled"] * 5
    assert not harness.provider.calls
    assert "5: 5 undone" in card_text(digest(harness))
    assert labels(digest(harness)) == []


async def test_approve_all_does_each_once_and_the_summary_says_what_came_of_it(harness: Harness) -> None:
    ids = await ask_many(harness, 8)
    await see_all(harness)
    edits = harness.channel.edits
    await harness.tap("Approve all 5")
    await harness.after_undo_window()
    assert await states(harness, ids[OWN:]) == ["done"] * 5
    assert sorted(call.args.text for call in harness.provider.effects) == [f"Message number {n}" for n in range(4, 9)]
    assert harness.channel.edits - edits == 2
    assert len(harness.channel.cards) == OWN + 1
    assert digest(harness).title == "Nothing waits here any more · Telegram messages as you"
    assert digest(harness).body.splitlines()[0] == "1. sent – to Anna at Telegram 1002: “Message number 4”"
    assert labels(digest(harness)) == []
    assert (await newest_batch(harness)).state == ApprovalBatchState.CLOSED
    rows = await harness.store.read(audit.rows)
    assert [row.kind for row in rows].count("batch.approve_all") == 1
    assert await harness.store.read(audit.verify) is None


async def test_deny_all_denies_each(harness: Harness) -> None:
    ids = await ask_many(harness, 5)
    await see_all(harness)
    assert await harness.tap("Deny all 2") == "Denied 2. Nothing was sent."
    assert await states(harness, ids[OWN:]) == ["denied"] * 2


async def test_one_that_joins_takes_approve_all_away_until_it_was_shown(harness: Harness) -> None:
    ids = await ask_many(harness, 6)
    await see_all(harness)
    before = digest(harness)
    ids += await ask_many(harness, 1, first=7)
    assert "Approve all 4" not in labels(digest(harness))
    told = await harness.tap("Approve all 3", before)
    assert told == "1 of 4 were not shown to you yet as they are. Nothing was done."
    assert await states(harness, ids[OWN:]) == ["pending"] * 4
    await see_all(harness)
    assert await harness.tap("Approve all 4") == "Approved 4. Sending in 10 s."


async def test_one_that_changed_has_to_be_shown_anew(harness: Harness) -> None:
    ids = await ask_many(harness, 6)
    await see_all(harness)
    before = digest(harness)
    await harness.write(lambda c: approvals.warn(c, ids[3], in_own_words("Look at this first.")))
    await harness.redraw(await harness.row(ids[3]))
    assert "Approve all 3" not in labels(digest(harness))
    assert (await harness.tap("Approve all 3", before)).startswith("1 of 3 were not shown")
    await see_all(harness)
    assert "Look at this first." in card_text(digest(harness))
    assert await harness.tap("Approve all 3") == "Approved 3. Sending in 10 s."


async def test_what_changed_while_it_was_being_drawn_is_not_seen(harness: Harness) -> None:
    ids = await ask_many(harness, 4, run=False)
    show = harness.channel.show

    async def meanwhile(*args: object) -> object:
        ref = await show(*args)  # type: ignore[arg-type]
        if harness.channel.newest.approval_id == ids[3]:
            await harness.write(lambda c: approvals.warn(c, ids[3], in_own_words("Look at this first.")))
        return ref

    harness.channel.show = meanwhile  # type: ignore[method-assign,assignment]
    await harness.run()
    assert not (await newest_batch(harness)).seen


async def test_a_button_for_all_names_who_they_are(harness: Harness) -> None:
    ids = await ask_many(harness, 6)
    await see_all(harness)
    before = digest(harness)
    await harness.tap("Deny this")
    told = await harness.tap("Approve all 3", before)
    assert told == "A newer version has replaced this card. Nothing was done."
    assert (await states(harness, ids[OWN:])).count("pending") == 2


async def test_taps_on_a_page_that_was_turned_or_decided_do_nothing_and_say_so(harness: Harness) -> None:
    ids = await ask_many(harness, 6)
    first = digest(harness)
    await harness.tap("▶")
    assert await harness.tap("Approve this", first) == "A newer version has replaced this card. Nothing was done."
    assert await harness.tap("▶", first) == "This page was turned already."
    assert await states(harness, ids[OWN:]) == ["pending"] * 3
    second = digest(harness)
    await harness.tap("Approve this")
    assert (await harness.tap("Deny this", second)).startswith("Already decided. Approved by you")
    assert (await harness.tap("Approve this", second)).startswith("Already decided. Approved by you")
    assert await states(harness, ids[OWN:]) == ["pending", "approved", "pending"]


async def test_all_after_all_were_decided_is_too_late(harness: Harness) -> None:
    await ask_many(harness, 5)
    await see_all(harness)
    before = digest(harness)
    await harness.tap("Deny all 2")
    assert await harness.tap("Approve all 2", before) == "Nothing waits here any more. 2 denied."


async def test_undo_all_after_the_acts_is_too_late_and_some_may_be_undone(harness: Harness) -> None:
    ids = await ask_many(harness, 5)
    await see_all(harness)
    await harness.tap("Approve all 2")
    card = digest(harness)
    harness.clock.turn(seconds=10)
    await harness.approvals.handlers()[approvals.EXECUTE](ids[3])
    assert await harness.tap("Undo all 2", card) == "Undone 1. Nothing of that was sent. Too late for 1."
    assert await states(harness, ids[OWN:]) == ["done", "cancelled"]
    assert await harness.tap("Undo all 2", card) == "Too late to undo. 1 sent, 1 undone."


async def test_an_undo_takes_back_what_was_approved_when_it_was_drawn_and_that_once(harness: Harness) -> None:
    ids = await ask_many(harness, 7)
    await harness.tap("Approve this")
    first = digest(harness)
    harness.clock.turn(seconds=1)
    await harness.tap("Approve this")
    assert await harness.tap("Undo", first) == "Undone 1. Nothing of that was sent."
    assert await states(harness, ids[OWN:]) == ["cancelled", "approved", "pending", "pending"]
    assert (await harness.tap("Undo", first)).startswith("Too late to undo.")
    harness.clock.turn(seconds=1)
    await harness.tap("Approve this")
    assert (await harness.tap("Undo", first)).startswith("Too late to undo.")
    assert await states(harness, ids[OWN:]) == ["cancelled", "approved", "approved", "pending"]


async def test_one_whose_end_nobody_knows_gets_a_card_of_its_own(harness: Harness) -> None:
    ids = await ask_many(harness, 5)
    await see_all(harness)
    await harness.tap("Approve all 2")
    harness.provider.script = [RuntimeError("cut off")]
    await harness.after_undo_window()
    assert sorted(await states(harness, ids[OWN:])) == ["done", "unknown"]
    (lost,) = [one for one in ids[OWN:] if await harness.state(one) == "unknown"]
    assert harness.channel.newest.approval_id == lost
    assert labels(harness.channel.newest) == ["It was done", "It was not done"]
    assert "not known whether sent, see its own card – to Anna" in harness.channel.cards["103"].body
    await harness.tap("It was done")
    assert await harness.state(lost) == "done"
    assert "Marked as sent" in rich_text(harness.channel.newest.outcome)
    assert "2: 2 sent" in card_text(harness.channel.cards["103"])


async def test_what_comes_after_a_flood_was_decided_begins_with_cards_of_its_own(harness: Harness) -> None:
    await ask_many(harness, 4)
    await harness.tap("Deny this")
    for _ in range(OWN):
        await harness.tap("Deny", next(card for card in harness.channel.cards.values() if "Deny" in labels(card)))
    await ask_many(harness, 5, first=10)
    assert len(harness.channel.cards) == 4 + OWN + 1
    assert digest(harness).title.startswith("1 of 2 wait")
    assert len(await harness.store.read(lambda c: batches_in(c, OWNER))) == 2


async def test_strangers_and_other_chats_are_refused(harness: Harness) -> None:
    ids = await ask_many(harness, 5)
    button = harness.channel.button("Approve this")
    for more, tapped in (
        ({"sender": STRANGER}, TapResult.FOREIGN),
        ({"chat": "telegram:-9"}, TapResult.ELSEWHERE),
    ):
        answer = await harness.approvals.decide(harness.tap_of(button, **more))
        assert answer.tapped is tapped
    assert await states(harness, ids) == ["pending"] * 5


async def test_no_yes_is_taken_while_acts_in_the_owners_name_are_paused(harness: Harness) -> None:
    ids = await ask_many(harness, 5)
    await see_all(harness)
    await harness.write(lambda c: set_paused(c, OWNER, harness.clock.now()))
    assert "paused" in await harness.tap("Approve all 2")
    assert "paused" in await harness.tap("Approve this")
    assert await states(harness, ids[OWN:]) == ["pending"] * 2
    assert await harness.tap("Deny all 2") == "Denied 2. Nothing was sent."


async def test_a_button_whose_flood_or_item_is_gone_does_nothing(harness: Harness) -> None:
    await ask_many(harness, 4)
    card = digest(harness)
    await harness.write(lambda c: c.execute(approvals_table.delete().where(approvals_table.c.batch_id.is_not(None))))
    assert await harness.tap("Approve this", card) == "A newer version has replaced this card. Nothing was done."
    await harness.write(lambda c: c.execute(floods_table.delete()))
    assert (await harness.tap("Approve this", card)).startswith("I do not know this button any more.")
    assert not harness.provider.calls


@pytest.mark.nightly
async def test_more_than_a_hundred_begin_another_digest(harness: Harness) -> None:
    ids = await ask_many(harness, OWN + MOST + 2)
    count = await counted(harness)
    assert sorted(count.values()) == [2, MOST]
    assert len(harness.channel.cards) == OWN + 2
    fuller = max(count, key=lambda batch_id: count[batch_id])
    (late,) = await ask_many(harness, 1, first=len(ids) + 1)
    assert (await harness.row(late)).batch_id != fuller


async def counted(harness: Harness) -> dict[str, int]:
    """Return the number of pending approvals on each open batch."""
    opened = [newest_batch.batch_id for newest_batch in await harness.store.read(approval_batches.all_open)]
    return {one: await harness.store.read(partial(approval_batches.count_waiting, batch_id=one)) for one in opened}
