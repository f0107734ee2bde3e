"""The weekly digest: once a week, late but once after a downtime, and with the head of the audit log to keep."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from approvals.weekly import OWNER as SUBJECT
from approvals.weekly import WEEKLY, next_monday
from butler.contract.card import Style, rich_text
from butler.store.chain import Head
from butler.store.queries import audit
from tests.approvals.house import House
from tests.approvals.phone import NOON
from tests.approvals.providers import ANNA, STRANGER

LONDON = ZoneInfo("Europe/London")
MONDAY = datetime(2026, 3, 9, 9, tzinfo=UTC)
LATE: dict[str, Any] = {"to": [ANNA], "text": "I'll be late"}


async def waiting(house: House) -> list[datetime]:
    return [run_at for kind, _, run_at in await house.works() if kind == WEEKLY]


async def digests(house: House) -> list[str]:
    return [text for text in await house.said() if "The audit log ends at" in text]


async def until(house: House, when: datetime) -> None:
    house.clock.time = when
    await house.run()


@pytest.mark.parametrize(
    ("at", "due"),
    [
        (NOON, MONDAY),
        (MONDAY, datetime(2026, 3, 16, 9, tzinfo=UTC)),
        (datetime(2026, 3, 9, 8, 59, 59, tzinfo=UTC), MONDAY),
        (datetime(2026, 3, 28, 12, tzinfo=UTC), datetime(2026, 3, 30, 8, tzinfo=UTC)),
    ],
    ids=["in the week", "at the hour", "just before it", "over the change of clocks"],
)
def test_it_is_due_on_the_next_monday_at_nine_of_the_owners_wall_time(at: datetime, due: datetime) -> None:
    assert next_monday(at, LONDON) == due


async def test_exactly_one_is_waiting_however_often_the_daemon_starts(house: House) -> None:
    for _ in range(3):
        await house.approvals.schedule_weekly()
        house.restart()
        house.clock.turn(hours=1)
    assert await waiting(house) == [MONDAY]


async def test_a_week_is_told_with_its_decisions_rules_and_what_is_open(house: House) -> None:
    await house.know("Anna", ANNA)
    await house.approvals.schedule_weekly()
    await house.ask(args=LATE)
    await house.tap("Always…")
    await house.tap("Save rule")
    await house.tap("Approve", house.channel.cards["100"])
    await house.after_undo_window()
    await house.ask(call_id="no", args={"to": [ANNA], "text": "no"})
    await house.tap("Deny", sender=STRANGER)
    await house.tap("Deny")
    await house.ask(call_id="undone", args={"to": [ANNA], "text": "undone"})
    await house.tap("Approve")
    await house.tap("Undo")
    await house.ask(call_id="maybe", args={"to": [ANNA], "text": "maybe"})
    house.provider.script.append(RuntimeError())
    await house.tap("Approve")
    await house.after_undo_window()
    for number in range(2):
        house.clock.turn(hours=1)
        await house.request(args=LATE, call_id=f"passed-{number}")
        await house.run()
    await house.ask(call_id="old", args={"to": [ANNA], "text": "old"})
    await until(house, datetime(2026, 3, 8, tzinfo=UTC))
    await until(house, MONDAY)
    (told,) = await digests(house)
    seq, head = await house.store.read(audit.head)
    assert told == (
        "Your week since 12:00:00 on 5 March 2026\n"
        "Cards: 3 approved by you, 1 undone or stopped, 1 denied, 1 expired, 2 passed by your rules.\n"
        "Rule 1 let pass 2 times, last at 14:00:20 on 5 March 2026: Send message (Telegram, as you) to Anna "
        "(telegram:1002), in this chat, text exactly “I'll be late”; until 4 April 2026, 13:00, 10 times at most.\n"
        "Taps that did nothing, such as late ones or ones by others: 1.\n"
        "Not known whether they were done: 1. Their cards have buttons to say so.\n"
        "\n"
        f"The audit log ends at entry {seq}. With the next line, butler audit verify --head checks it:\n"
        f"{seq}:{head}"
    )
    message = next(one for one in await house.messages() if rich_text(one.text) == told)
    assert [span.text for span in message.text if span.style is Style.CODE] == [f"{seq}:{head}"]
    assert await waiting(house) == [datetime(2026, 3, 16, 9, tzinfo=UTC)]


async def test_the_head_that_is_told_finds_a_cut_tail(house: House) -> None:
    await house.approvals.schedule_weekly()
    await house.ask()
    await until(house, MONDAY)
    seq, _, digest = (await digests(house))[0].rpartition("\n")[2].partition(":")
    assert await house.store.read(lambda c: audit.verify(c, [Head(int(seq), digest)])) is None
    assert await house.store.read(lambda c: audit.verify(c, [Head(int(seq) + 1, digest)])) is not None


async def test_each_week_counts_only_what_came_after_the_last(house: House) -> None:
    await house.know("Anna", ANNA)
    await house.approvals.schedule_weekly()
    await house.ask(args=LATE)
    await house.tap("Always…")
    await house.tap("Save rule")
    await house.tap("Deny", house.channel.cards["100"])
    await house.request(args=LATE, call_id="1")
    await house.run()
    await until(house, MONDAY)
    house.clock.turn(hours=1)
    await house.request(args=LATE, call_id="2")
    await house.run()
    await until(house, datetime(2026, 3, 16, 9, tzinfo=UTC))
    first, second = await digests(house)
    assert "1 denied, 1 passed by your rules" in first
    assert "Cards: 1 passed by your rules." in second
    assert "Rule 1 let pass once, last at 10:00:00 on 9 March 2026" in second


async def test_a_week_in_which_nothing_happened_is_silent(house: House) -> None:
    await house.ask()
    await house.tap("Deny")
    await house.approvals.schedule_weekly()
    await until(house, MONDAY)
    assert await house.said() == []
    assert await waiting(house) == [datetime(2026, 3, 16, 9, tzinfo=UTC)]


async def test_a_head_that_moved_is_told_even_if_nothing_else_is_worth_telling(house: House) -> None:
    await house.approvals.schedule_weekly()
    await house.write(lambda c: audit.append(c, "paired", "telegram:42", "owner", {}, NOON))
    await until(house, MONDAY)
    (told,) = await digests(house)
    assert told.startswith("The audit log ends at entry 1. ")


async def test_after_weeks_of_downtime_it_is_told_late_but_once(house: House) -> None:
    await house.approvals.schedule_weekly()
    await house.ask()
    await house.tap("Deny")
    house.clock.time = datetime(2026, 3, 25, 15, tzinfo=UTC)
    house.restart()
    await house.approvals.schedule_weekly()
    await house.run()
    assert len(await digests(house)) == 1
    assert await waiting(house) == [datetime(2026, 3, 30, 8, tzinfo=UTC)]


async def test_a_row_that_is_handled_again_after_a_death_tells_nothing_twice(house: House) -> None:
    await house.approvals.schedule_weekly()
    await house.ask()
    house.clock.time = MONDAY
    tell = house.approvals.handlers()[WEEKLY]
    await tell(SUBJECT)
    house.restart()
    await house.approvals.handlers()[WEEKLY](SUBJECT)
    await house.approvals.schedule_weekly()
    assert len(await digests(house)) == 1
    assert await waiting(house) == [datetime(2026, 3, 16, 9, tzinfo=UTC)]


async def test_a_row_without_a_note_of_the_last_one_begins_to_count_now(house: House) -> None:
    await house.approvals.handlers()[WEEKLY](SUBJECT)
    assert await digests(house) == []
    assert await waiting(house) == [MONDAY]


async def test_before_pairing_nobody_is_told_and_the_weeks_go_on(house: House) -> None:
    house.channel.home_chat = None
    await house.approvals.schedule_weekly()
    await house.write(lambda c: audit.append(c, "pairing", "", "owner", {}, NOON))
    await until(house, MONDAY)
    assert await house.said() == []
    assert await waiting(house) == [datetime(2026, 3, 16, 9, tzinfo=UTC)]


async def test_a_second_one_in_a_week_is_left_to_the_next_with_all_that_it_counts(house: House) -> None:
    """The owner moves from Auckland to Honolulu, where the same Monday comes a day later."""
    house.zone = ZoneInfo("Pacific/Auckland")
    house.configure(quiet_hours="")
    await house.approvals.schedule_weekly()
    await house.ask()
    await house.tap("Deny")
    await until(house, datetime(2026, 3, 8, 20, tzinfo=UTC))
    assert len(await digests(house)) == 1
    house.zone = ZoneInfo("Pacific/Honolulu")
    house.restart()
    await house.approvals.schedule_weekly()
    await house.ask(call_id="2")
    await house.tap("Deny")
    assert await waiting(house) == [datetime(2026, 3, 9, 19, tzinfo=UTC)]
    await until(house, datetime(2026, 3, 9, 19, tzinfo=UTC))
    await until(house, datetime(2026, 3, 16, 19, tzinfo=UTC))
    assert [text.count("1 denied") for text in await digests(house)] == [1, 1]
