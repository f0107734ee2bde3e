"""A flood of alike requests: few messages, none lost, none approved unseen, each member decided once."""

from functools import partial

from approvals.batches import MOST
from approvals.pause import set_paused
from approvals.tapped import Tapped
from butler.contract.card import rich_text
from butler.contract.reasons import in_own_words
from butler.store.queries import approval_batches, approvals, audit
from butler.store.queries.approval_batches import ApprovalBatchState
from butler.store.tables import approval_batches as floods_table
from butler.store.tables import approvals as approvals_table
from tests.approvals.floods import OWN, batch, digest, flood_of, floods_in, labels, see_all
from tests.approvals.house import House, card_text
from tests.approvals.phone import OWNER
from tests.approvals.providers import A_MAIL, ANNA, BOT_SEND, MAIL, STRANGER


async def states(house: House, ids: list[str]) -> list[str]:
    return [await house.state(one) for one in ids]


async def test_ap_10_a_flood_of_forty_gives_few_messages_and_each_one_can_be_read_whole(house: House) -> None:
    ids = await flood_of(house, 40)
    assert len(house.channel.cards) == OWN + 1
    assert house.channel.edits == 0
    own = {card.approval_id for card in list(house.channel.cards.values())[:OWN]}
    assert own == set(ids[:OWN])
    assert digest(house).title.startswith("1 of 37 wait · Telegram messages as you\n36 not shown to you yet")
    shown: dict[str, str] = {}
    for _ in range(37):
        shown[digest(house).approval_id] = card_text(digest(house))
        await house.tap("▶")
    assert list(shown) == ids[OWN:]
    assert all(f"Message number {number}" in text for number, text in enumerate(shown.values(), OWN + 1))
    assert len(house.channel.cards) == OWN + 1
    assert [one.approval_id for one in await house.pending()] == ids


async def test_an_item_looks_as_on_a_card_of_its_own(house: House) -> None:
    await flood_of(house, 4)
    own, shared = house.channel.cards["102"], digest(house)
    assert own.body == "Message number 3"
    same = {"approval_id", "title", "body", "buttons", "expires_at"}
    assert shared.model_dump(exclude=same) == own.model_dump(exclude=same)
    assert shared.body == "Message number 4"
    assert labels(shared) == ["Approve this", "Deny this"]


async def test_three_alike_have_cards_of_their_own_and_others_count_apart(house: House) -> None:
    await flood_of(house, 3)
    await house.ask(MAIL, call_id="m1")
    await house.ask(call_id="x1", args={"to": [ANNA], "text": "elsewhere"}, chat="telegram:-5")
    await house.ask(BOT_SEND, call_id="b1", args={"to": [STRANGER], "text": "x"})
    assert len(house.channel.cards) == 6
    assert not await house.store.read(approval_batches.all_open)


async def test_another_risk_is_another_flood(house: House) -> None:
    args = {"to": [ANNA], "text": "x"}
    await flood_of(house, 4)
    for number in range(5):
        origins = {"to": A_MAIL, "text": A_MAIL}
        await house.ask(call_id=f"h{number}", args=args, origins=origins)
    rows = await house.store.read(lambda c: approvals.in_state(c, "pending"))
    highest = [row for row in rows if row.risk == "highest"]
    assert len(highest) == 5
    assert all(row.card_refs and row.batch_id is None for row in highest)


async def test_what_takes_more_than_one_message_has_its_own_card(house: House) -> None:
    await flood_of(house, 4)
    long = await house.ask(args={"to": [ANNA], "text": "long " * 1000}, call_id="long")
    row = await house.row(long)
    assert row.card_refs
    assert row.batch_id is None


async def test_one_that_grew_by_an_edit_leaves_for_a_card_of_its_own(house: House) -> None:
    ids = await flood_of(house, 5)
    house.channel.pages = lambda card: 2 if "number 4" in card.body else 1  # type: ignore[method-assign]
    await house.write(lambda c: approvals.warn(c, ids[3], in_own_words("look again")))
    row = await house.row(ids[3])
    await house.redraw(row)
    assert house.channel.newest.approval_id == ids[3]
    assert (await house.row(ids[3])).batch_id is None
    await house.tap("Approve")
    assert await house.state(ids[3]) == "approved"
    assert house.channel.cards["103"].approval_id == ids[4]


async def test_a_flood_that_everybody_left_is_closed_and_says_so(house: House) -> None:
    ids = await flood_of(house, 4)
    house.channel.pages = lambda card: 2  # type: ignore[method-assign]
    await house.redraw(await house.row(ids[3]))
    assert (await batch(house)).state == ApprovalBatchState.CLOSED
    assert house.channel.cards["103"].title == "Nothing waits here any more · Telegram messages as you"
    assert labels(house.channel.cards["103"]) == []
    assert house.channel.newest.approval_id == ids[3]


async def test_approve_this_decides_the_one_that_is_shown_and_goes_on_with_the_next(house: House) -> None:
    ids = await flood_of(house, 6)
    told = await house.tap("Approve this")
    assert told == "Approved by you at 12:00:00 on 5 March 2026. Sending in 10 s."
    assert await states(house, ids[OWN:]) == ["approved", "pending", "pending"]
    assert digest(house).approval_id == ids[4]
    assert digest(house).title.splitlines() == [
        "1 of 2 wait · Telegram messages as you",
        "1 not shown to you yet",
        "Decided: 1 approved",
    ]
    assert labels(digest(house)) == ["◀", "▶", "Approve this", "Deny this", "Undo"]
    assert (await house.tap("Deny this")).startswith("Denied by you at")
    await house.after_undo_window()
    assert await states(house, ids[OWN:]) == ["done", "denied", "pending"]
    assert [call.args.text for call in house.provider.effects] == ["Message number 4"]
    assert digest(house).title.splitlines()[-1] == "Decided: 1 sent, 1 denied"


async def test_all_are_offered_only_once_each_was_shown(house: House) -> None:
    await flood_of(house, 6)
    assert labels(digest(house)) == ["◀", "▶", "Approve this", "Deny this"]
    await house.tap("▶")
    assert "Approve all 3" not in labels(digest(house))
    await house.tap("▶")
    assert labels(digest(house))[-2:] == ["Approve all 3", "Deny all 3"]
    await house.tap("◀")
    assert labels(digest(house))[-2:] == ["Approve all 3", "Deny all 3"]


async def test_approve_all_approves_each_and_may_be_undone(house: House) -> None:
    ids = await flood_of(house, 8)
    await see_all(house)
    assert await house.tap("Approve all 5") == "Approved 5. Sending in 10 s."
    assert await states(house, ids[OWN:]) == ["approved"] * 5
    assert labels(digest(house)) == ["Undo all 5"]
    assert "1. approved, sending in 10 s – to Anna at telegram:1002: “Message number 4”" in digest(house).body
    house.clock.turn(seconds=9)
    assert await house.tap("Undo all 5") == "Undone 5. Nothing of that was sent."
    await house.after_undo_window()
    assert await states(house, ids[OWN:]) == ["cancelled"] * 5
    assert not house.provider.calls
    assert "5: 5 undone" in card_text(digest(house))
    assert labels(digest(house)) == []


async def test_approve_all_does_each_once_and_the_summary_says_what_came_of_it(house: House) -> None:
    ids = await flood_of(house, 8)
    await see_all(house)
    edits = house.channel.edits
    await house.tap("Approve all 5")
    await house.after_undo_window()
    assert await states(house, ids[OWN:]) == ["done"] * 5
    assert sorted(call.args.text for call in house.provider.effects) == [f"Message number {n}" for n in range(4, 9)]
    assert house.channel.edits - edits == 2
    assert len(house.channel.cards) == OWN + 1
    assert digest(house).title == "Nothing waits here any more · Telegram messages as you"
    assert digest(house).body.splitlines()[0] == "1. sent – to Anna at telegram:1002: “Message number 4”"
    assert labels(digest(house)) == []
    assert (await batch(house)).state == ApprovalBatchState.CLOSED
    rows = await house.store.read(audit.rows)
    assert [row.kind for row in rows].count("batch.approve_all") == 1
    assert await house.store.read(audit.verify) is None


async def test_deny_all_denies_each(house: House) -> None:
    ids = await flood_of(house, 5)
    await see_all(house)
    assert await house.tap("Deny all 2") == "Denied 2. Nothing was sent."
    assert await states(house, ids[OWN:]) == ["denied"] * 2


async def test_one_that_joins_takes_approve_all_away_until_it_was_shown(house: House) -> None:
    ids = await flood_of(house, 6)
    await see_all(house)
    before = digest(house)
    ids += await flood_of(house, 1, first=7)
    assert "Approve all 4" not in labels(digest(house))
    told = await house.tap("Approve all 3", before)
    assert told == "1 of 4 were not shown to you yet as they are. Nothing was done."
    assert await states(house, ids[OWN:]) == ["pending"] * 4
    await see_all(house)
    assert await house.tap("Approve all 4") == "Approved 4. Sending in 10 s."


async def test_one_that_changed_has_to_be_shown_anew(house: House) -> None:
    ids = await flood_of(house, 6)
    await see_all(house)
    before = digest(house)
    await house.write(lambda c: approvals.warn(c, ids[3], in_own_words("Look at this first.")))
    await house.redraw(await house.row(ids[3]))
    assert "Approve all 3" not in labels(digest(house))
    assert (await house.tap("Approve all 3", before)).startswith("1 of 3 were not shown")
    await see_all(house)
    assert "Look at this first." in card_text(digest(house))
    assert await house.tap("Approve all 3") == "Approved 3. Sending in 10 s."


async def test_what_changed_while_it_was_being_drawn_is_not_seen(house: House) -> None:
    ids = await flood_of(house, 4, run=False)
    show = house.channel.show

    async def meanwhile(*args: object) -> object:
        ref = await show(*args)  # type: ignore[arg-type]
        if house.channel.newest.approval_id == ids[3]:
            await house.write(lambda c: approvals.warn(c, ids[3], in_own_words("Look at this first.")))
        return ref

    house.channel.show = meanwhile  # type: ignore[method-assign,assignment]
    await house.run()
    assert not (await batch(house)).seen


async def test_a_button_for_all_names_who_they_are(house: House) -> None:
    ids = await flood_of(house, 6)
    await see_all(house)
    before = digest(house)
    await house.tap("Deny this")
    told = await house.tap("Approve all 3", before)
    assert told == "A newer version has replaced this card. Nothing was done."
    assert (await states(house, ids[OWN:])).count("pending") == 2


async def test_taps_on_a_page_that_was_turned_or_decided_do_nothing_and_say_so(house: House) -> None:
    ids = await flood_of(house, 6)
    first = digest(house)
    await house.tap("▶")
    assert await house.tap("Approve this", first) == "A newer version has replaced this card. Nothing was done."
    assert await house.tap("▶", first) == "This page was turned already."
    assert await states(house, ids[OWN:]) == ["pending"] * 3
    second = digest(house)
    await house.tap("Approve this")
    assert (await house.tap("Deny this", second)).startswith("Already decided. Approved by you")
    assert (await house.tap("Approve this", second)).startswith("Already decided. Approved by you")
    assert await states(house, ids[OWN:]) == ["pending", "approved", "pending"]


async def test_all_after_all_were_decided_is_too_late(house: House) -> None:
    await flood_of(house, 5)
    await see_all(house)
    before = digest(house)
    await house.tap("Deny all 2")
    assert await house.tap("Approve all 2", before) == "Nothing waits here any more. 2 denied."


async def test_undo_all_after_the_acts_is_too_late_and_some_may_be_undone(house: House) -> None:
    ids = await flood_of(house, 5)
    await see_all(house)
    await house.tap("Approve all 2")
    card = digest(house)
    house.clock.turn(seconds=10)
    await house.approvals.handlers()[approvals.EXECUTE](ids[3])
    assert await house.tap("Undo all 2", card) == "Undone 1. Nothing of that was sent. Too late for 1."
    assert await states(house, ids[OWN:]) == ["done", "cancelled"]
    assert await house.tap("Undo all 2", card) == "Too late to undo. 1 sent, 1 undone."


async def test_an_undo_takes_back_what_was_approved_when_it_was_drawn_and_that_once(house: House) -> None:
    ids = await flood_of(house, 7)
    await house.tap("Approve this")
    first = digest(house)
    house.clock.turn(seconds=1)
    await house.tap("Approve this")
    assert await house.tap("Undo", first) == "Undone 1. Nothing of that was sent."
    assert await states(house, ids[OWN:]) == ["cancelled", "approved", "pending", "pending"]
    assert (await house.tap("Undo", first)).startswith("Too late to undo.")
    house.clock.turn(seconds=1)
    await house.tap("Approve this")
    assert (await house.tap("Undo", first)).startswith("Too late to undo.")
    assert await states(house, ids[OWN:]) == ["cancelled", "approved", "approved", "pending"]


async def test_one_whose_end_nobody_knows_gets_a_card_of_its_own(house: House) -> None:
    ids = await flood_of(house, 5)
    await see_all(house)
    await house.tap("Approve all 2")
    house.provider.script = [RuntimeError("cut off")]
    await house.after_undo_window()
    assert sorted(await states(house, ids[OWN:])) == ["done", "unknown"]
    (lost,) = [one for one in ids[OWN:] if await house.state(one) == "unknown"]
    assert house.channel.newest.approval_id == lost
    assert labels(house.channel.newest) == ["It was done", "It was not done"]
    assert "not known whether sent, see its own card – to Anna" in house.channel.cards["103"].body
    await house.tap("It was done")
    assert await house.state(lost) == "done"
    assert "Marked as sent" in rich_text(house.channel.newest.outcome)
    assert "2: 2 sent" in card_text(house.channel.cards["103"])


async def test_what_comes_after_a_flood_was_decided_begins_with_cards_of_its_own(house: House) -> None:
    await flood_of(house, 4)
    await house.tap("Deny this")
    for _ in range(OWN):
        await house.tap("Deny", next(card for card in house.channel.cards.values() if "Deny" in labels(card)))
    await flood_of(house, 5, first=10)
    assert len(house.channel.cards) == 4 + OWN + 1
    assert digest(house).title.startswith("1 of 2 wait")
    assert len(await house.store.read(lambda c: floods_in(c, OWNER))) == 2


async def test_strangers_and_other_chats_are_refused(house: House) -> None:
    ids = await flood_of(house, 5)
    button = house.channel.button("Approve this")
    for more, tapped in (
        ({"sender": STRANGER}, Tapped.FOREIGN),
        ({"chat": "telegram:-9"}, Tapped.ELSEWHERE),
    ):
        answer = await house.approvals.decide(house.tap_of(button, **more))
        assert answer.tapped is tapped
    assert await states(house, ids) == ["pending"] * 5


async def test_no_yes_is_taken_while_acts_in_the_owners_name_are_paused(house: House) -> None:
    ids = await flood_of(house, 5)
    await see_all(house)
    await house.write(lambda c: set_paused(c, OWNER, house.clock.now()))
    assert "paused" in await house.tap("Approve all 2")
    assert "paused" in await house.tap("Approve this")
    assert await states(house, ids[OWN:]) == ["pending"] * 2
    assert await house.tap("Deny all 2") == "Denied 2. Nothing was sent."


async def test_a_button_whose_flood_or_item_is_gone_does_nothing(house: House) -> None:
    await flood_of(house, 4)
    card = digest(house)
    await house.write(lambda c: c.execute(approvals_table.delete().where(approvals_table.c.batch_id.is_not(None))))
    assert await house.tap("Approve this", card) == "A newer version has replaced this card. Nothing was done."
    await house.write(lambda c: c.execute(floods_table.delete()))
    assert (await house.tap("Approve this", card)).startswith("I do not know this button any more.")
    assert not house.provider.calls


async def test_more_than_a_hundred_begin_another_digest(house: House) -> None:
    ids = await flood_of(house, OWN + MOST + 2)
    count = await counted(house)
    assert sorted(count.values()) == [2, MOST]
    assert len(house.channel.cards) == OWN + 2
    fuller = max(count, key=lambda batch_id: count[batch_id])
    (late,) = await flood_of(house, 1, first=len(ids) + 1)
    assert (await house.row(late)).batch_id != fuller


async def counted(house: House) -> dict[str, int]:
    """How many wait on each open digest."""
    opened = [batch.batch_id for batch in await house.store.read(approval_batches.all_open)]
    return {one: await house.store.read(partial(approval_batches.count_waiting, batch_id=one)) for one in opened}
