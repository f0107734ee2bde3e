"""Cards that nobody answers: one reminder at a civil hour, then expiry, which is told and is no denial."""

from datetime import UTC, datetime, timedelta

from approvals.expiry import expire, expire_stale
from butler.contract.card import OwnerMessage
from butler.contract.reasons import Reason, ReasonCode
from butler.store.queries import approvals
from butler.store.queries.plans import PLAN_STEP
from butler.store.tables import outbox
from tests.approvals.floods import OWN, flood_of, see_all
from tests.approvals.house import House
from tests.approvals.phone import OWNER
from tests.approvals.providers import ANNA, SEND, STRANGER


async def kinds(house: House) -> list[str]:
    return [kind for kind, _, _ in await house.works()]


async def test_a_card_expires_at_its_time_and_its_requester_is_told(house: House) -> None:
    approval_id = await house.ask(plan_id="plan-1")
    card = house.channel.newest
    house.clock.turn(hours=47, minutes=59)
    await house.run()
    assert await house.state(approval_id) == "pending"
    house.clock.turn(minutes=1)
    await house.run()
    assert await house.state(approval_id) == "expired"
    told = await house.said()
    assert told[-1] == (
        "Nobody answered in time, so this has expired and nothing was sent: "
        "Sends a message (to telegram:1002): “I'll be late”."
    )
    assert PLAN_STEP in await kinds(house)
    assert "Expired at 12:00:00 on 7 March 2026" in house.channel.newest.outcome[0].text
    assert (await house.tap("Approve", card)).startswith("Expired at")
    assert not house.provider.calls


async def test_the_line_about_a_card_names_some_recipients_and_counts_the_rest(house: House) -> None:
    to = [f"telegram:{number}" for number in range(5)]
    await house.ask(args={"to": to, "text": "x"})
    await house.ask(args={"to": [], "text": "x"}, call_id="c2")
    house.clock.turn(hours=48)
    await house.run()
    assert [line.partition(": ")[2] for line in (await house.said())[-2:]] == [
        "Sends a message (to telegram:0, telegram:1, telegram:2 and 2 more): “x”.",
        "Sends a message: “x”.",
    ]


async def test_one_reminder_comes_at_half_the_time_as_a_reply_to_the_card(house: House) -> None:
    await house.ask()
    house.clock.turn(hours=24)
    await house.run()
    await house.run()
    (line,) = await house.said()
    waits, _, what = line.partition(": ")
    assert waits == "This still waits for your answer, until 12:00:00 on 7 March 2026"
    assert what == "Sends a message (to telegram:1002): “I'll be late”."
    rows = await house.store.read(lambda c: list(c.execute(outbox.select()).mappings()))
    assert OwnerMessage.model_validate(rows[0]["message"]).reply_to == "100"
    assert approvals.REMIND not in await kinds(house)


async def test_a_reminder_says_whom_the_owner_knows_and_how_the_text_begins(house: House) -> None:
    await house.know("Anna", ANNA)
    await house.ask(args={"to": [ANNA], "text": "Dear Anna,\n\n" + "it is a long story. " * 20})
    await house.ask(args={"to": [ANNA], "text": ""}, call_id="c2")
    house.clock.turn(hours=24)
    await house.run()
    begins = "Dear Anna, it is a long story. it is a long story. it is a long story. it is a…"
    assert [line.partition(": ")[2] for line in await house.said()] == [
        f"Sends a message (to Anna at {ANNA}): “{begins}”.",
        f"Sends a message (to Anna at {ANNA}).",
    ]


async def test_a_reminder_waits_for_the_end_of_the_quiet_hours(house: House) -> None:
    house.clock.time = datetime(2026, 3, 5, 23, 0, tzinfo=UTC)
    await house.ask()
    due = {kind: run_at for kind, _, run_at in await house.works()}[approvals.REMIND]
    assert due == datetime(2026, 3, 7, 7, 0, tzinfo=UTC)


async def test_a_reminder_that_a_downtime_carried_into_the_quiet_hours_waits_too(house: House) -> None:
    await house.ask()
    house.clock.time = datetime(2026, 3, 6, 23, 0, tzinfo=UTC)
    await house.run()
    assert not await house.said()
    house.clock.time = datetime(2026, 3, 7, 7, 0, tzinfo=UTC)
    await house.run()
    assert len(await house.said()) == 1


async def test_without_quiet_hours_a_reminder_comes_at_any_hour(house: House) -> None:
    house.configure(quiet_hours="", expires="24h")
    await house.ask()
    house.clock.turn(hours=12)
    await house.run()
    assert len(await house.said()) == 1


async def test_no_reminder_is_planned_that_would_come_after_the_end(house: House) -> None:
    house.configure(expires="2h")
    house.clock.time = datetime(2026, 3, 5, 21, 30, tzinfo=UTC)
    await house.ask()
    assert approvals.REMIND not in await kinds(house)


async def test_a_late_reminder_gives_way_to_the_expiry(house: House) -> None:
    approval_id = await house.ask()
    house.clock.turn(hours=48)
    await house.approvals.handlers()[approvals.REMIND](approval_id)
    assert not await house.said()


async def test_what_is_decided_is_neither_reminded_of_nor_expired(house: House) -> None:
    approval_id = await house.ask()
    await house.tap("Deny")
    assert not {approvals.REMIND, approvals.EXPIRE} & set(await kinds(house))
    house.clock.turn(hours=48)
    handlers = house.approvals.handlers()
    await handlers[approvals.REMIND](approval_id)
    await handlers[approvals.EXPIRE](approval_id)
    assert await house.state(approval_id) == "denied"
    assert not await house.said()


async def test_an_expiry_that_comes_too_early_comes_again(house: House) -> None:
    approval_id = await house.ask()
    house.clock.turn(hours=1)
    await house.approvals.handlers()[approvals.EXPIRE](approval_id)
    assert await house.state(approval_id) == "pending"
    house.clock.turn(hours=47)
    await house.run()
    assert await house.state(approval_id) == "expired"
    assert len([line for line in await house.said() if "expired" in line]) == 1


async def test_ap_06_what_expired_while_butler_was_down_is_closed_at_start(house: House) -> None:
    approval_id = await house.ask()
    house.clock.turn(days=30)
    house.restart()
    await house.run()
    assert await house.state(approval_id) == "expired"
    assert not {approvals.REMIND, approvals.EXPIRE, approvals.EXECUTE} & set(await kinds(house))


async def test_nobody_is_told_where_nobody_is_paired(house: House) -> None:
    house.owner.telegram_user_id = None
    house.channel.home_chat = None
    approval_id = (await house.request(chat="")).approval_id
    house.clock.turn(hours=48)
    await house.run()
    assert await house.state(approval_id or "") == "expired"
    assert not await house.said()


async def test_pending_lists_what_waits_oldest_first(house: House) -> None:
    first = await house.ask()
    house.clock.turn(minutes=1)
    second = await house.ask(call_id="c2", args={"to": [STRANGER], "text": "x"})
    await house.ask(call_id="c3")
    await house.tap("Deny")
    listed = await house.pending()
    assert [one.approval_id for one in listed] == [first, second]
    one = listed[0]
    assert one.tool == SEND
    await house.write(lambda c: house.approvals.say_pending(c, OWNER, "all", house.clock.now()))
    assert (await house.said())[-1].startswith(
        "2 waiting for your yes:\n1. Sends a message (to telegram:1002): “I'll be late”\n2. Sends"
    )
    assert one.expires_at - one.created_at == timedelta(hours=48)


async def test_tb_30_an_edit_withdraws_what_the_old_words_asked_for(house: House) -> None:
    pending = await house.ask(plan_id="plan-1")
    old_card = house.channel.newest
    approved = await house.approved(call_id="c2")
    other = await house.ask(call_id="c3", requested_by="in-2")
    now = house.clock.now()
    withdrawn = await house.write(
        lambda c: house.approvals.supersede_requested_by(c, "in-1", Reason(ReasonCode.MESSAGE_EDITED), now)
    )
    await house.run()
    assert withdrawn == 2
    assert [await house.state(one) for one in (pending, approved, other)] == ["superseded", "superseded", "pending"]
    assert all(not card.buttons for card in house.channel.cards.values() if card.approval_id in {pending, approved})
    assert house.channel.cards["100"].outcome[0].text == (
        "Withdrawn at 12:00:00 on 5 March 2026: you edited the message that asked for it. Nothing was sent."
    )
    assert (await house.tap("Approve", old_card)).startswith("Withdrawn at")
    await house.after_undo_window()
    assert not house.provider.calls
    assert PLAN_STEP in await kinds(house)


async def test_tb_30_what_was_begun_is_not_withdrawn(house: House) -> None:
    approval_id = await house.approved()
    await house.after_undo_window()
    now = house.clock.now()
    assert not await house.write(
        lambda c: house.approvals.supersede_requested_by(c, "in-1", Reason(ReasonCode.MESSAGE_EDITED), now)
    )
    assert await house.state(approval_id) == "done"


async def test_cards_of_a_group_that_moved_are_sent_anew_and_their_buttons_work(house: House) -> None:
    old, new = "telegram:-5", "telegram:-1005"
    approval_id = await house.ask(chat=old)
    decided = await house.ask(chat=old, call_id="c2")
    await house.tap("Deny", chat=old)
    await house.write(lambda c: house.approvals.chat_moved(c, old, new, house.clock.now()))
    await house.run()
    assert [card.approval_id for card in house.channel.cards.values()] == [approval_id, decided, approval_id]
    assert (await house.tap("Approve", house.channel.cards["100"], chat=new)).startswith("Approved")


async def test_closing_what_has_moved_meanwhile_tells_nobody(house: House) -> None:
    pending = await house.row(await house.ask())
    await house.tap("Approve")
    approved = await house.row(pending.approval_id)
    await house.tap("Undo")
    await house.write(lambda c: expire(house.context, c, pending, house.clock.now()))
    await house.write(lambda c: expire_stale(house.context, c, approved, house.clock.now()))
    assert await house.state(pending.approval_id) == "cancelled"
    assert not await house.said()


async def test_a_flood_is_reminded_of_once_as_a_reply_to_its_card(house: House) -> None:
    await flood_of(house, 40)
    for _ in range(40):
        house.clock.turn(hours=1)
        await house.run()
    told = [line for line in await house.said() if line.startswith("Still waiting")]
    assert told == [
        "Still waiting for your answer, the first until 12:00:00 on 7 March 2026: 37 Telegram messages as you."
    ]
    own = [line for line in await house.said() if line.startswith("This still waits")]
    assert len(own) == OWN
    rows = await house.store.read(lambda c: list(c.execute(outbox.select()).mappings()))
    assert {OwnerMessage.model_validate(row["message"]).reply_to for row in rows} == {"100", "101", "102", "103"}


async def test_what_expires_on_a_digest_card_within_minutes_is_told_of_in_one_line(house: House) -> None:
    ids = await flood_of(house, 3)
    for number in range(4, 24):
        ids += await flood_of(house, 1, first=number)
        house.clock.turn(seconds=10)
    late = await flood_of(house, 2, first=50)
    house.clock.turn(minutes=10)
    later = await flood_of(house, 1, first=60)
    house.clock.time = (await house.row(ids[OWN])).expires_at
    for _ in range(60):
        house.clock.turn(seconds=10)
        await house.run()
    assert {await house.state(one) for one in ids + late} == {"expired"}
    assert await house.state(later[0]) == "pending"
    told = [line for line in await house.said() if "have expired" in line]
    (line,) = told
    assert line == (
        "Nobody answered in time, so 22 have expired and nothing was sent: Telegram messages as you. "
        "All of them: butler approvals --all"
    )
    assert house.channel.newest.title.startswith("1 of 1 waits")
    house.clock.turn(minutes=10)
    await house.run()
    assert await house.state(later[0]) == "expired"
    assert [line for line in await house.said() if "this has expired" in line][-1].endswith("“Message number 60”.")


async def test_a_tap_on_a_digest_whose_time_is_over_closes_all_that_are_late_and_says_so(house: House) -> None:
    ids = await flood_of(house, 6)
    await see_all(house)
    card = house.channel.newest
    house.clock.turn(hours=48)
    told = await house.approvals.decide(house.tap_of(house.channel.button("Approve this", card)))
    assert told.text.startswith("Expired at 12:00:00 on 7 March 2026")
    assert {await house.state(one) for one in ids[OWN:]} == {"expired"}
    assert (await house.tap("Approve all 3", card)) == "Nothing waits here any more. 3 expired."
    assert len([line for line in await house.said() if "3 have expired" in line]) == 1
    assert not house.provider.calls


async def test_approve_all_leaves_out_what_has_expired_and_says_how_many(house: House) -> None:
    ids = await flood_of(house, 4)
    house.clock.turn(hours=1)
    ids += await flood_of(house, 1, first=5)
    await see_all(house)
    card = house.channel.newest
    house.clock.time = (await house.row(ids[3])).expires_at
    told = await house.approvals.decide(house.tap_of(house.channel.button("Approve all 2", card)))
    assert told.text == "Approved 1. Sending in 10 s. 1 had expired."
    assert [await house.state(one) for one in ids[OWN:]] == ["expired", "approved"]


async def test_all_that_expired_cannot_be_approved_together(house: House) -> None:
    ids = await flood_of(house, 5)
    await see_all(house)
    card = house.channel.newest
    house.clock.turn(hours=48)
    told = await house.approvals.decide(house.tap_of(house.channel.button("Approve all 2", card)))
    assert told.text == "Too late. 2 expired."
    assert {await house.state(one) for one in ids[OWN:]} == {"expired"}


async def test_what_a_downtime_kept_from_being_done_is_told_of_in_one_line(house: House) -> None:
    ids = await flood_of(house, 8)
    await see_all(house)
    await house.tap("Approve this")
    await house.tap("Approve all 4")
    house.clock.turn(hours=2)
    house.restart()
    await house.run()
    assert {await house.state(one) for one in ids[OWN:]} == {"expired"}
    (line,) = await house.said()
    assert line == (
        "I was down for too long after your yes. Nothing was sent of 5: Telegram messages as you. "
        "All of them: butler approvals --all"
    )
    assert not house.provider.calls


async def test_one_that_a_downtime_kept_from_being_done_is_told_of_by_itself(house: House) -> None:
    approval_id = await house.approved()
    house.clock.turn(hours=2)
    await house.run()
    assert await house.state(approval_id) == "expired"
    (line,) = await house.said()
    assert line.startswith("I was down for too long after your yes. Nothing was sent: Sends a message (to")
