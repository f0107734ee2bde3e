"""How the butler is doing, as `/status` tells it below the channels."""

from datetime import date, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from butler.contract.card import OwnerMessage, plain
from butler.contract.reasons import ReasonCode, reason
from butler.health.status_report import StatusReport
from butler.store.queries import cursors, digests, model_use, outbox, reminders, work
from butler.store.queries.counts import LAST_RETENTION, queue
from butler.store.queries.model_use import Used
from butler.store.store import Store
from config.settings import LlmSettings
from tests.approvals.conftest import harness, store
from tests.approvals.harness import Harness
from tests.approvals.phone import NOON, OWNER, TestClock
from tests.services.plugin import postgres
from tests.store.fixtures import lasting_store, lasting_url
from tests.support.schedules import once_at

__all__ = ["harness", "lasting_store", "lasting_url", "postgres", "store"]


def standing(store: Store, tmp_path: Path, clock: TestClock) -> StatusReport:
    return StatusReport(
        store, clock, ZoneInfo("Europe/Berlin"), LlmSettings(), tmp_path, "1.2.3", lambda: NOON - timedelta(hours=1)
    )


async def test_an_idle_house_says_so(store: Store, tmp_path: Path) -> None:
    lines = await standing(store, tmp_path, TestClock()).lines()
    assert lines[0] == "No work waits. The engine has not looked for work for 3600 s."
    assert lines[1] == "Language models: 0.00 of 1 US dollars today, 0.00 of 10 this month."
    assert lines[2].startswith("Database ")
    assert lines[3] == "Butler 1.2.3, running since Thursday 5 March 2026 at 13:00."


async def test_what_waits_is_due_or_was_set_aside_is_counted(store: Store, tmp_path: Path) -> None:
    clock = TestClock()

    def fill(connection: object) -> None:
        for number in range(2):
            work.add(connection, "x", f"{number}", now=NOON)  # type: ignore[arg-type]
        failed = work.add(connection, "x", "f", now=NOON)  # type: ignore[arg-type]
        work.fail(connection, failed, reason(ReasonCode.FAULT, kind="KeyError"))  # type: ignore[arg-type]
        work.add(connection, "x", "later", now=NOON, run_at=NOON + timedelta(days=1))  # type: ignore[arg-type]
        model_use.add(connection, date(2026, 3, 5), Used(1, 10, 0.25))  # type: ignore[arg-type]
        model_use.add(connection, date(2026, 3, 5), Used(1, 10, 0.25))  # type: ignore[arg-type]
        model_use.add(connection, date(2026, 3, 1), Used(1, 10, 1.0))  # type: ignore[arg-type]
        model_use.add(connection, date(2026, 2, 28), Used(1, 10, 5.0))  # type: ignore[arg-type]

    await store.write(fill)
    clock.turn(seconds=30)
    lines = await standing(store, tmp_path, clock).lines()
    assert lines[0].startswith("2 pieces of work are due, the oldest for 30 s. One was set aside.")
    assert lines[1] == "Language models: 0.50 of 1 US dollars today, 1.50 of 10 this month."


async def test_cards_times_and_messages_that_wait_are_told(harness: Harness, tmp_path: Path) -> None:
    in_an_hour = NOON + timedelta(hours=1)
    await harness.ask(call_id="later", not_before=in_an_hour)
    await harness.tap("Approve")
    await harness.ask(call_id="now")

    def wait(connection: sa.Connection) -> None:
        reminders.add(connection, "r", "call mum", once_at(in_an_hour, "Europe/Berlin"), now=NOON)
        work.add(connection, digests.DUE, "evening", now=NOON, run_at=NOON + timedelta(hours=7))
        outbox.add(connection, OWNER, OwnerMessage(text=plain("hello")), now=NOON, dedup_key="x")

    await harness.write(wait)
    lines = await standing(harness.store, tmp_path, harness.clock).lines()
    assert lines[1:4] == [
        "One card waits for your yes. One waits for its time. One message to you is not sent yet.",
        "Next reminder: Thu 5 Mar 14:00.",
        "Next digest: Thu 5 Mar 20:00.",
    ]


async def test_when_the_house_was_last_kept_is_told(store: Store, tmp_path: Path) -> None:
    at = {"at": "2026-03-05T02:30:00+00:00", "rows": {}, "files": 0, "bytes": 0}
    await store.write(lambda c: cursors.put_fact(c, LAST_RETENTION, at, NOON))
    lines = await standing(store, tmp_path, TestClock()).lines()
    assert lines[1] == "Old data last deleted: Thu 5 Mar 03:30."


async def test_the_size_of_the_database_is_known_to_both_databases(lasting_store: Store) -> None:
    found = await lasting_store.read(lambda c: queue(c, NOON))
    assert found.size > 10_000
