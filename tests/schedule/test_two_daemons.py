"""Two daemons in two processes on one PostgreSQL: what is due for both at once is said once, and nothing goes wrong."""

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path

import pytest
import sqlalchemy as sa

from butler.contract.automations import Automation, Tell
from butler.contract.schedules import RecurrenceRule
from butler.store.open import open_store
from butler.store.queries.firings import FiringKind
from butler.store.tables import automation_firings, events, firings
from tests.schedule.schedule_harness import SetClock, running_schedule, texts_of, utc
from tests.store.fixtures import empty_postgres

MANY, DAYS = 20, ("2027-06-01T06:00", "2027-06-02T06:00", "2027-06-03T06:00")
"""Eight o'clock in Berlin."""
BEGIN = "2027-06-01T05:00"
EIGHT = RecurrenceRule.model_validate({"zone": "Europe/Berlin", "start": "2027-06-01T08:00", "every": "day"})


async def _line(process: asyncio.subprocess.Process, text: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{text}\n".encode())
    await process.stdin.drain()


async def _hears(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    return (await process.stdout.readline()).decode().strip()


@pytest.mark.nightly
@pytest.mark.services
async def test_two_processes_say_reminders_automations_and_digests_once(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = empty_postgres(request)
    store = open_store(url, data_dir=tmp_path)
    async with running_schedule(store, SetClock(utc(BEGIN))) as one:
        for number in range(MANY):
            await one.book.add(f"call:{number}", f"task {number}", EIGHT)
            spec = Automation(name=f"deed {number}", clock=EIGHT, do=(Tell(tell=f"deed {number}"),))
            await one.by_themselves.repository.save(f"call:{number}", spec)
    command = [sys.executable, "-m", "tests.schedule.second_daemon", url, str(tmp_path), BEGIN]
    pipe = asyncio.subprocess.PIPE
    both = [await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe) for _ in range(2)]
    try:
        assert [await _hears(one) for one in both] == ["ready", "ready"]
        for day in DAYS:
            for one in both:
                await _line(one, day)
            assert [await _hears(one) for one in both] == ["done", "done"]
        for one in both:
            await _line(one, "")
        assert [json.loads(await _hears(one)) for one in both] == [[], []]
        assert [await one.wait() for one in both] == [0, 0]
    finally:
        for one in both:
            if one.returncode is None:
                one.kill()
                await one.wait()

    def found(connection: sa.Connection) -> tuple[Counter[str], int, Counter[str]]:
        times = Counter(connection.execute(sa.select(firings.c.kind)).scalars())
        told = connection.execute(sa.select(sa.func.count()).select_from(automation_firings)).scalar_one()
        return times, told, Counter(connection.execute(sa.select(events.c.name)).scalars())

    times, told, happened = await store.read(found)
    due = MANY * len(DAYS)
    assert times == {FiringKind.REMINDER: due, FiringKind.AUTOMATION: due, FiringKind.DIGEST: len(DAYS)}
    assert told == due
    assert happened == {"reminder.due": due, "clock": due}
    texts = Counter(text if text[0] in "⏰⚡" else text.split()[0] for text in await texts_of(store))
    assert texts == {
        **{f"⏰ task {number}": len(DAYS) for number in range(MANY)},
        **{f"⚡ deed {number}": len(DAYS) for number in range(MANY)},
        "☀️": len(DAYS),
    }
    await store.close()
