"""The weekly digest: once a week, once after a downtime, with the head of the audit log to keep."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from approvals.weekly_digest import OWNER as SUBJECT
from approvals.weekly_digest import WEEKLY, next_monday
from butler.contract.card import Style, rich_text
from butler.store.chain import Head
from butler.store.queries import audit
from tests.approvals.harness import Harness
from tests.approvals.phone import NOON
from tests.approvals.providers import ANNA, STRANGER

LONDON = ZoneInfo("Europe/London")
MONDAY = datetime(2026, 3, 9, 9, tzinfo=UTC)
LATE: dict[str, Any] = {"to": [ANNA], "text": "I'll be late"}


async def waiting(harness: Harness) -> list[datetime]:
    return [run_at for kind, _, run_at in await harness.works() if kind == WEEKLY]


async def digests(harness: Harness) -> list[str]:
    return [text for text in await harness.said() if "The audit log ends at" in text]


async def until(harness: Harness, when: datetime) -> None:
    harness.clock.time = when
    await harness.run()


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


async def test_exactly_one_is_waiting_however_often_the_daemon_starts(harness: Harness) -> None:
    for _ in range(3):
        await harness.approvals.schedule_weekly()
        harness.restart()
        harness.clock.turn(hours=1)
    assert await waiting(harness) == [MONDAY]


async def test_a_week_is_told_with_its_decisions_rules_and_what_is_open(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    await harness.approvals.schedule_weekly()
    await harness.ask(args=LATE)
    await harness.tap("Always…")
    await harness.tap("Save rule")
    await harness.tap("Approve", harness.channel.cards["100"])
    await harness.after_undo_window()
    await harness.ask(call_id="no", args={"to": [ANNA], "text": "no"})
    await harness.tap("Deny", sender=STRANGER)
    await harness.tap("Deny")
    await harness.ask(call_id="undone", args={"to": [ANNA], "text": "undone"})
    await harness.tap("Approve")
    await harness.tap("Undo")
    await harness.ask(call_id="maybe", args={"to": [ANNA], "text": "maybe"})
    harness.provider.script.append(RuntimeError())
    await harness.tap("Approve")
    await harness.after_undo_window()
    for number in range(2):
        harness.clock.turn(hours=1)
        await harness.request(args=LATE, call_id=f"passed-{number}")
        await harness.run()
    await harness.ask(call_id="old", args={"to": [ANNA], "text": "old"})
    await until(harness, datetime(2026, 3, 8, tzinfo=UTC))
    await until(harness, MONDAY)
    (told,) = await digests(harness)
    seq, head = await harness.store.read(audit.head)
    assert told == (
        "Your week since 12:00:00 on 5 March 2026\n"
        "Cards: 3 approved by you, 1 undone or stopped, 1 denied, 1 expired, 2 passed by your rules.\n"
        "Rule 1 let pass 2 times, last at 14:00:20 on 5 March 2026: Send message (Telegram, as you) to Anna "
        "(Telegram 1002), in this chat, text exactly “I'll be late”; until 4 April 2026, 13:00, 10 times at most.\n"
        "Taps that did nothing, such as late ones or ones by others: 1.\n"
        "Not known whether they were done: 1. Their cards have buttons to say so.\n"
        "\n"
        f"The audit log ends at entry {seq}. With the next line, butler audit verify --head checks it:\n"
        f"{seq}:{head}"
    )
    message = next(one for one in await harness.messages() if rich_text(one.text) == told)
    assert [span.text for span in message.text if span.style is Style.CODE] == [f"{seq}:{head}"]
    assert await waiting(harness) == [datetime(2026, 3, 16, 9, tzinfo=UTC)]


async def test_the_head_that_is_told_finds_a_cut_tail(harness: Harness) -> None:
    await harness.approvals.schedule_weekly()
    await harness.ask()
    await until(harness, MONDAY)
    seq, _, digest = (await digests(harness))[0].rpartition("\n")[2].partition(":")
    assert await harness.store.read(lambda c: audit.verify(c, [Head(int(seq), digest)])) is None
    assert await harness.store.read(lambda c: audit.verify(c, [Head(int(seq) + 1, digest)])) is not None


async def test_each_week_counts_only_what_came_after_the_last(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    await harness.approvals.schedule_weekly()
    await harness.ask(args=LATE)
    await harness.tap("Always…")
    await harness.tap("Save rule")
    await harness.tap("Deny", harness.channel.cards["100"])
    await harness.request(args=LATE, call_id="1")
    await harness.run()
    await until(harness, MONDAY)
    harness.clock.turn(hours=1)
    await harness.request(args=LATE, call_id="2")
    await harness.run()
    await until(harness, datetime(2026, 3, 16, 9, tzinfo=UTC))
    first, second = await digests(harness)
    assert "1 denied, 1 passed by your rules" in first
    assert "Cards: 1 passed by your rules." in second
    assert "Rule 1 let pass once, last at 10:00:00 on 9 March 2026" in second


async def test_a_week_in_which_nothing_happened_is_silent(harness: Harness) -> None:
    await harness.ask()
    await harness.tap("Deny")
    await harness.approvals.schedule_weekly()
    await until(harness, MONDAY)
    assert await harness.said() == []
    assert await waiting(harness) == [datetime(2026, 3, 16, 9, tzinfo=UTC)]


async def test_a_head_that_moved_is_told_even_if_nothing_else_is_worth_telling(harness: Harness) -> None:
    await harness.approvals.schedule_weekly()
    await harness.write(lambda c: audit.append(c, "paired", "telegram:42", "owner", {}, NOON))
    await until(harness, MONDAY)
    (told,) = await digests(harness)
    assert told.startswith("The audit log ends at entry 1. ")


async def test_after_weeks_of_downtime_it_is_told_late_but_once(harness: Harness) -> None:
    await harness.approvals.schedule_weekly()
    await harness.ask()
    await harness.tap("Deny")
    harness.clock.time = datetime(2026, 3, 25, 15, tzinfo=UTC)
    harness.restart()
    await harness.approvals.schedule_weekly()
    await harness.run()
    assert len(await digests(harness)) == 1
    assert await waiting(harness) == [datetime(2026, 3, 30, 8, tzinfo=UTC)]


async def test_a_row_that_is_handled_again_after_a_death_tells_nothing_twice(harness: Harness) -> None:
    await harness.approvals.schedule_weekly()
    await harness.ask()
    harness.clock.time = MONDAY
    tell = harness.approvals.handlers()[WEEKLY]
    await tell(SUBJECT)
    harness.restart()
    await harness.approvals.handlers()[WEEKLY](SUBJECT)
    await harness.approvals.schedule_weekly()
    assert len(await digests(harness)) == 1
    assert await waiting(harness) == [datetime(2026, 3, 16, 9, tzinfo=UTC)]


async def test_a_row_without_a_note_of_the_last_one_begins_to_count_now(harness: Harness) -> None:
    await harness.approvals.handlers()[WEEKLY](SUBJECT)
    assert await digests(harness) == []
    assert await waiting(harness) == [MONDAY]


async def test_before_pairing_nobody_is_told_and_the_weeks_go_on(harness: Harness) -> None:
    harness.channel.home_chat = None
    await harness.approvals.schedule_weekly()
    await harness.write(lambda c: audit.append(c, "pairing", "", "owner", {}, NOON))
    await until(harness, MONDAY)
    assert await harness.said() == []
    assert await waiting(harness) == [datetime(2026, 3, 16, 9, tzinfo=UTC)]


async def test_a_second_one_in_a_week_is_left_to_the_next_with_all_that_it_counts(harness: Harness) -> None:
    """The owner moves from Auckland to Honolulu, where the same Monday comes a day later."""
    harness.zone = ZoneInfo("Pacific/Auckland")
    harness.configure(quiet_hours="")
    await harness.approvals.schedule_weekly()
    await harness.ask()
    await harness.tap("Deny")
    await until(harness, datetime(2026, 3, 8, 20, tzinfo=UTC))
    assert len(await digests(harness)) == 1
    harness.zone = ZoneInfo("Pacific/Honolulu")
    harness.restart()
    await harness.approvals.schedule_weekly()
    await harness.ask(call_id="2")
    await harness.tap("Deny")
    assert await waiting(harness) == [datetime(2026, 3, 9, 19, tzinfo=UTC)]
    await until(harness, datetime(2026, 3, 9, 19, tzinfo=UTC))
    await until(harness, datetime(2026, 3, 16, 19, tzinfo=UTC))
    assert [text.count("1 denied") for text in await digests(harness)] == [1, 1]
