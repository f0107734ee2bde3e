"""Unanswered cards: one reminder at a civil hour, then expiry, which is reported as such and not as a denial."""

from datetime import UTC, datetime, timedelta

from approvals.expiry import expire, expire_stale
from butler.contract.card import OwnerMessage
from butler.contract.reasons import Reason, ReasonCode
from butler.store.queries import approvals
from butler.store.queries.plans import PLAN_STEP
from butler.store.tables import outbox
from tests.approvals.approval_batch_harness import OWN, ask_many, see_all
from tests.approvals.harness import Harness
from tests.approvals.phone import OWNER
from tests.approvals.providers import ANNA, SEND, STRANGER


async def kinds(harness: Harness) -> list[str]:
    return [kind for kind, _, _ in await harness.works()]


async def test_a_card_expires_at_its_time_and_its_requester_is_told(harness: Harness) -> None:
    approval_id = await harness.ask(plan_id="plan-1")
    card = harness.channel.newest
    harness.clock.turn(hours=47, minutes=59)
    await harness.run()
    assert await harness.state(approval_id) == "pending"
    harness.clock.turn(minutes=1)
    await harness.run()
    assert await harness.state(approval_id) == "expired"
    told = await harness.said()
    assert told[-1] == (
        "Nobody answered in time, so this has expired and nothing was sent: "
        "Sends a message (to Telegram 1002): “I'll be late”."
    )
    assert PLAN_STEP in await kinds(harness)
    assert "Expired at 12:00:00 on 7 March 2026" in harness.channel.newest.outcome[0].text
    assert (await harness.tap("Approve", card)).startswith("Expired at")
    assert not harness.provider.calls


async def test_the_line_about_a_card_names_some_recipients_and_counts_the_rest(harness: Harness) -> None:
    to = [f"telegram:{number}" for number in range(5)]
    await harness.ask(args={"to": to, "text": "x"})
    await harness.ask(args={"to": [], "text": "x"}, call_id="c2")
    harness.clock.turn(hours=48)
    await harness.run()
    assert [line.partition(": ")[2] for line in (await harness.said())[-2:]] == [
        "Sends a message (to Telegram 0, Telegram 1, Telegram 2 and 2 more): “x”.",
        "Sends a message: “x”.",
    ]


async def test_one_reminder_comes_at_half_the_time_as_a_reply_to_the_card(harness: Harness) -> None:
    await harness.ask()
    harness.clock.turn(hours=24)
    await harness.run()
    await harness.run()
    (line,) = await harness.said()
    waits, _, what = line.partition(": ")
    assert waits == "This still waits for your answer, until 12:00:00 on 7 March 2026"
    assert what == "Sends a message (to Telegram 1002): “I'll be late”."
    rows = await harness.store.read(lambda c: list(c.execute(outbox.select()).mappings()))
    assert OwnerMessage.model_validate(rows[0]["message"]).reply_to == "100"
    assert approvals.REMIND not in await kinds(harness)


async def test_a_reminder_says_whom_the_owner_knows_and_how_the_text_begins(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    await harness.ask(args={"to": [ANNA], "text": "Dear Anna,\n\n" + "it is a long story. " * 20})
    await harness.ask(args={"to": [ANNA], "text": ""}, call_id="c2")
    harness.clock.turn(hours=24)
    await harness.run()
    begins = "Dear Anna, it is a long story. it is a long story. it is a long story. it is a…"
    assert [line.partition(": ")[2] for line in await harness.said()] == [
        f"Sends a message (to Anna at Telegram 1002): “{begins}”.",
        "Sends a message (to Anna at Telegram 1002).",
    ]


async def test_a_reminder_waits_for_the_end_of_the_quiet_hours(harness: Harness) -> None:
    harness.clock.time = datetime(2026, 3, 5, 23, 0, tzinfo=UTC)
    await harness.ask()
    due = {kind: run_at for kind, _, run_at in await harness.works()}[approvals.REMIND]
    assert due == datetime(2026, 3, 7, 7, 0, tzinfo=UTC)


async def test_a_reminder_that_a_downtime_carried_into_the_quiet_hours_waits_too(harness: Harness) -> None:
    await harness.ask()
    harness.clock.time = datetime(2026, 3, 6, 23, 0, tzinfo=UTC)
    await harness.run()
    assert not await harness.said()
    harness.clock.time = datetime(2026, 3, 7, 7, 0, tzinfo=UTC)
    await harness.run()
    assert len(await harness.said()) == 1


async def test_without_quiet_hours_a_reminder_comes_at_any_hour(harness: Harness) -> None:
    harness.configure(quiet_hours="", expires="24h")
    await harness.ask()
    harness.clock.turn(hours=12)
    await harness.run()
    assert len(await harness.said()) == 1


async def test_no_reminder_is_planned_that_would_come_after_the_end(harness: Harness) -> None:
    harness.configure(expires="2h")
    harness.clock.time = datetime(2026, 3, 5, 21, 30, tzinfo=UTC)
    await harness.ask()
    assert approvals.REMIND not in await kinds(harness)


async def test_a_late_reminder_gives_way_to_the_expiry(harness: Harness) -> None:
    approval_id = await harness.ask()
    harness.clock.turn(hours=48)
    await harness.approvals.handlers()[approvals.REMIND](approval_id)
    assert not await harness.said()


async def test_what_is_decided_is_neither_reminded_of_nor_expired(harness: Harness) -> None:
    approval_id = await harness.ask()
    await harness.tap("Deny")
    assert not {approvals.REMIND, approvals.EXPIRE} & set(await kinds(harness))
    harness.clock.turn(hours=48)
    handlers = harness.approvals.handlers()
    await handlers[approvals.REMIND](approval_id)
    await handlers[approvals.EXPIRE](approval_id)
    assert await harness.state(approval_id) == "denied"
    assert not await harness.said()


async def test_an_expiry_that_comes_too_early_comes_again(harness: Harness) -> None:
    approval_id = await harness.ask()
    harness.clock.turn(hours=1)
    await harness.approvals.handlers()[approvals.EXPIRE](approval_id)
    assert await harness.state(approval_id) == "pending"
    harness.clock.turn(hours=47)
    await harness.run()
    assert await harness.state(approval_id) == "expired"
    assert len([line for line in await harness.said() if "expired" in line]) == 1


async def test_ap_06_what_expired_while_butler_was_down_is_closed_at_start(harness: Harness) -> None:
    approval_id = await harness.ask()
    harness.clock.turn(days=30)
    harness.restart()
    await harness.run()
    assert await harness.state(approval_id) == "expired"
    assert not {approvals.REMIND, approvals.EXPIRE, approvals.EXECUTE} & set(await kinds(harness))


async def test_nobody_is_told_where_nobody_is_paired(harness: Harness) -> None:
    harness.owner.telegram_user_id = None
    harness.channel.home_chat = None
    approval_id = (await harness.request(chat="")).approval_id
    harness.clock.turn(hours=48)
    await harness.run()
    assert await harness.state(approval_id or "") == "expired"
    assert not await harness.said()


async def test_pending_lists_what_waits_oldest_first(harness: Harness) -> None:
    first = await harness.ask()
    harness.clock.turn(minutes=1)
    second = await harness.ask(call_id="c2", args={"to": [STRANGER], "text": "x"})
    await harness.ask(call_id="c3")
    await harness.tap("Deny")
    listed = await harness.pending()
    assert [one.approval_id for one in listed] == [first, second]
    one = listed[0]
    assert one.tool == SEND
    await harness.write(lambda c: harness.approvals.say_pending(c, OWNER, "all", harness.clock.now()))
    assert (await harness.said())[-1].startswith(
        "2 waiting for your yes:\n1. Sends a message (to Telegram 1002): “I'll be late”\n2. Sends"
    )
    assert one.expires_at - one.created_at == timedelta(hours=48)


async def test_tb_30_an_edit_withdraws_what_the_old_words_asked_for(harness: Harness) -> None:
    pending = await harness.ask(plan_id="plan-1")
    old_card = harness.channel.newest
    approved = await harness.approved(call_id="c2")
    other = await harness.ask(call_id="c3", requested_by="in-2")
    now = harness.clock.now()
    withdrawn = await harness.write(
        lambda c: harness.approvals.supersede_requested_by(c, "in-1", Reason(ReasonCode.MESSAGE_EDITED), now)
    )
    await harness.run()
    assert withdrawn == 2
    assert [await harness.state(one) for one in (pending, approved, other)] == ["superseded", "superseded", "pending"]
    assert all(not card.buttons for card in harness.channel.cards.values() if card.approval_id in {pending, approved})
    assert harness.channel.cards["100"].outcome[0].text == (
        "Withdrawn at 12:00:00 on 5 March 2026: you edited the message that asked for it. Nothing was sent."
    )
    assert (await harness.tap("Approve", old_card)).startswith("Withdrawn at")
    await harness.after_undo_window()
    assert not harness.provider.calls
    assert PLAN_STEP in await kinds(harness)


async def test_tb_30_what_was_begun_is_not_withdrawn(harness: Harness) -> None:
    approval_id = await harness.approved()
    await harness.after_undo_window()
    now = harness.clock.now()
    assert not await harness.write(
        lambda c: harness.approvals.supersede_requested_by(c, "in-1", Reason(ReasonCode.MESSAGE_EDITED), now)
    )
    assert await harness.state(approval_id) == "done"


async def test_cards_of_a_group_that_moved_are_sent_anew_and_their_buttons_work(harness: Harness) -> None:
    old, new = "telegram:-5", "telegram:-1005"
    approval_id = await harness.ask(chat=old)
    decided = await harness.ask(chat=old, call_id="c2")
    await harness.tap("Deny", chat=old)
    await harness.write(lambda c: harness.approvals.chat_moved(c, old, new, harness.clock.now()))
    await harness.run()
    assert [card.approval_id for card in harness.channel.cards.values()] == [approval_id, decided, approval_id]
    assert (await harness.tap("Approve", harness.channel.cards["100"], chat=new)).startswith("Approved")


async def test_closing_what_has_moved_meanwhile_tells_nobody(harness: Harness) -> None:
    pending = await harness.row(await harness.ask())
    await harness.tap("Approve")
    approved = await harness.row(pending.approval_id)
    await harness.tap("Undo")
    await harness.write(lambda c: expire(harness.context, c, pending, harness.clock.now()))
    await harness.write(lambda c: expire_stale(harness.context, c, approved, harness.clock.now()))
    assert await harness.state(pending.approval_id) == "cancelled"
    assert not await harness.said()


async def test_a_flood_is_reminded_of_once_as_a_reply_to_its_card(harness: Harness) -> None:
    await ask_many(harness, 40)
    for _ in range(40):
        harness.clock.turn(hours=1)
        await harness.run()
    told = [line for line in await harness.said() if line.startswith("Still waiting")]
    assert told == [
        "Still waiting for your answer, the first until 12:00:00 on 7 March 2026: 37 Telegram messages as you."
    ]
    own = [line for line in await harness.said() if line.startswith("This still waits")]
    assert len(own) == OWN
    rows = await harness.store.read(lambda c: list(c.execute(outbox.select()).mappings()))
    assert {OwnerMessage.model_validate(row["message"]).reply_to for row in rows} == {"100", "101", "102", "103"}


async def test_what_expires_on_a_digest_card_within_minutes_is_told_of_in_one_line(harness: Harness) -> None:
    ids = await ask_many(harness, 3)
    for number in range(4, 24):
        ids += await ask_many(harness, 1, first=number)
        harness.clock.turn(seconds=10)
    late = await ask_many(harness, 2, first=50)
    harness.clock.turn(minutes=10)
    later = await ask_many(harness, 1, first=60)
    harness.clock.time = (await harness.row(ids[OWN])).expires_at
    for _ in range(60):
        harness.clock.turn(seconds=10)
        await harness.run()
    assert {await harness.state(one) for one in ids + late} == {"expired"}
    assert await harness.state(later[0]) == "pending"
    told = [line for line in await harness.said() if "have expired" in line]
    (line,) = told
    assert line == (
        "Nobody answered in time, so 22 have expired and nothing was sent: Telegram messages as you. "
        "All of them: butler approvals --all"
    )
    assert harness.channel.newest.title.startswith("1 of 1 waits")
    harness.clock.turn(minutes=10)
    await harness.run()
    assert await harness.state(later[0]) == "expired"
    assert [line for line in await harness.said() if "this has expired" in line][-1].endswith("“Message number 60”.")


async def test_a_tap_on_a_digest_whose_time_is_over_closes_all_that_are_late_and_says_so(harness: Harness) -> None:
    ids = await ask_many(harness, 6)
    await see_all(harness)
    card = harness.channel.newest
    harness.clock.turn(hours=48)
    told = await harness.approvals.decide(harness.tap_of(harness.channel.button("Approve this", card)))
    assert told.text.startswith("Expired at 12:00:00 on 7 March 2026")
    assert {await harness.state(one) for one in ids[OWN:]} == {"expired"}
    assert (await harness.tap("Approve all 3", card)) == "Nothing waits here any more. 3 expired."
    assert len([line for line in await harness.said() if "3 have expired" in line]) == 1
    assert not harness.provider.calls


async def test_approve_all_leaves_out_what_has_expired_and_says_how_many(harness: Harness) -> None:
    ids = await ask_many(harness, 4)
    harness.clock.turn(hours=1)
    ids += await ask_many(harness, 1, first=5)
    await see_all(harness)
    card = harness.channel.newest
    harness.clock.time = (await harness.row(ids[3])).expires_at
    told = await harness.approvals.decide(harness.tap_of(harness.channel.button("Approve all 2", card)))
    assert told.text == "Approved 1. Sending in 10 s. 1 had expired."
    assert [await harness.state(one) for one in ids[OWN:]] == ["expired", "approved"]


async def test_all_that_expired_cannot_be_approved_together(harness: Harness) -> None:
    ids = await ask_many(harness, 5)
    await see_all(harness)
    card = harness.channel.newest
    harness.clock.turn(hours=48)
    told = await harness.approvals.decide(harness.tap_of(harness.channel.button("Approve all 2", card)))
    assert told.text == "Too late. 2 expired."
    assert {await harness.state(one) for one in ids[OWN:]} == {"expired"}


async def test_what_a_downtime_kept_from_being_done_is_told_of_in_one_line(harness: Harness) -> None:
    ids = await ask_many(harness, 8)
    await see_all(harness)
    await harness.tap("Approve this")
    await harness.tap("Approve all 4")
    harness.clock.turn(hours=2)
    harness.restart()
    await harness.run()
    assert {await harness.state(one) for one in ids[OWN:]} == {"expired"}
    (line,) = await harness.said()
    assert line == (
        "I was down for too long after your yes. Nothing was sent of 5: Telegram messages as you. "
        "All of them: butler approvals --all"
    )
    assert not harness.provider.calls


async def test_one_that_a_downtime_kept_from_being_done_is_told_of_by_itself(harness: Harness) -> None:
    approval_id = await harness.approved()
    harness.clock.turn(hours=2)
    await harness.run()
    assert await harness.state(approval_id) == "expired"
    (line,) = await harness.said()
    assert line.startswith("I was down for too long after your yes. Nothing was sent: Sends a message (to")
