"""Each part of a digest is told from the rows that it is of."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.reasons import ReasonCode, reason
from butler.store.queries import inbox, work
from tests.digests.day_harness import DayHarness
from tests.orchestrator.builders import NOON, mail
from tests.orchestrator.harness import SEND, planned, step

MIDNIGHT = datetime(2026, 3, 4, 23, 0, tzinfo=UTC)
"""When the day begins in Berlin."""


async def test_what_failed_and_what_was_put_aside_is_told(home: DayHarness) -> None:
    anna = await home.contact("Anna")
    home.results[SEND] = [failed(IntegrationErrorCode.REJECTED, "they block you")]
    await home.say("tell", planned(step(1, SEND, to={"contact": anna}, text="I am late.")))
    await home.tap("Approve")
    await home.store.write(
        lambda c: work.fail(c, work.add(c, "a_kind", "x", now=NOON), reason(ReasonCode.FAULT, kind="KeyError"))
    )
    home.clock.time += timedelta(minutes=1)
    await home.command("digest")
    wanted = "⚠️ 2 things failed\n• Telegram: send message · failed\n• 1 part of my work is put aside"
    assert wanted in home.phone.said[-1]


async def test_what_came_into_the_butlers_mailbox_is_told_without_the_owners_own(home: DayHarness) -> None:
    for number, sender in enumerate(("mail:anna@friends.example", "mail:eve@evil.example", "mail:me@home.example")):
        key, subject = f"mail-{number}", {"subject": f"Matter {number}"}
        item = mail("Hello", inbound_id=key, dedup_key=key, sender=sender, sender_name="", payload=subject)
        await home.store.write(lambda c, item=item: inbox.add(c, item))
    home.clock.time += timedelta(minutes=1)
    await home.command("digest")
    text = home.phone.said[-1]
    assert "📮 2 mails to me\n• Anna: Matter 0\n• eve@evil.example: Matter 1" in text
    assert "Matter 2" not in text


async def test_whole_days_come_first_and_what_began_before_says_until_when(home: DayHarness) -> None:
    await home.event("Lunch", NOON + timedelta(hours=1))
    await home.event("Night train", MIDNIGHT - timedelta(hours=3), ends=NOON + timedelta(hours=2))
    days: dict[str, Any] = {"first_day": date(2026, 3, 4), "last_day": date(2026, 3, 6)}
    await home.event("Fair", MIDNIGHT - timedelta(days=1), ends=MIDNIGHT + timedelta(days=2), **days)
    over: dict[str, Any] = {"first_day": date(2026, 3, 4), "last_day": date(2026, 3, 4)}
    await home.event("Holiday", MIDNIGHT - timedelta(days=1), ends=MIDNIGHT, **over)
    await home.command("digest")
    wanted = "📅 3 events\n• all day: Fair\n• until 15:00 Night train\n• 14:00–15:00 Lunch"
    assert wanted in home.phone.said[-1]
