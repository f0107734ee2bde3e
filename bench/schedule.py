"""A hundred thousand reminders: how soon the engine is at work over them, what memory it takes, how late each is said.

They are spread over the coming years, but for those of one measured half minute; lateness is from the due time to the
commit that puts the message into the outbox. The floor of the start is one walk over all rows by the database alone.
"""

import argparse
import asyncio
import resource
import statistics
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import sqlalchemy as sa

from bench.machine import report, table
from butler.clock import RealClock
from butler.engine import LocalEngine
from butler.schedule import Schedule
from butler.store.open import open_store
from butler.store.queries import outbox, reminders, work
from butler.store.queries.events import HAPPENED
from butler.store.store import Store
from butler.store.tables import firings
from butler.store.tables import reminders as kept
from butler.store.tables import work as rows
from tests.support.schedules import once_at

ZONE, MARK = "Europe/Berlin", "mark"
WARM_UP_S, MEASURED_S = 3, 30
HOUR = timedelta(hours=1)
PART = 1_000


class Home:
    """The way to the owner; nothing is sent."""

    def home(self) -> str | None:
        return "telegram:42"


async def fill(store: Store, many: int) -> None:
    """Keep so many reminders, one for every 17 minutes of the years to come: copies of one that was made."""
    now = datetime.now(UTC)
    model = await store.write(lambda c: reminders.add(c, "model", "task", once_at(now + HOUR, ZONE), now=now))

    def copies(connection: sa.Connection) -> None:
        row = dict(connection.execute(sa.select(kept)).mappings().one())
        for start in range(1, many, PART):
            numbers = range(start, min(start + PART, many))
            times = {number: now + HOUR + timedelta(minutes=number * 17) for number in numbers}
            connection.execute(
                kept.insert(),
                [
                    row | {"reminder_id": f"{n:032}", "call_id": f"call:{n}", "due_at": due, "rule_at": due}
                    for n, due in times.items()
                ],
            )
            work.add_all(
                connection,
                [work.NewWork(reminders.REMIND, f"{n:032}", run_at=due) for n, due in times.items()],
                now=now,
            )

    assert model.rule_at is not None
    await store.write(copies)


def add_due(connection: sa.Connection, due: int, begins: datetime) -> None:
    """Reminders of the measured time, as many at each second, and a mark at the end of all rows."""
    now = datetime.now(UTC)
    for number in range(due):
        rule = once_at(begins + timedelta(seconds=number % MEASURED_S), ZONE)
        reminders.add(connection, f"due:{number}", f"due {number}", rule, now=now)
    work.add(connection, MARK, "end", now=now)


async def nothing(_subject: str) -> None:
    """What follows a reminder is measured by other benches."""


def rss_mb() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def measured(folder: Path, url: str, begins: datetime, due: int) -> tuple[float, float, list[float]]:
    """Seconds to the first look at all rows, of the floor, and how late each reminder was."""
    store, clock = open_store(url, data_dir=folder), RealClock()
    began = time.perf_counter()
    await store.read(lambda c: c.execute(sa.select(rows.c.work_id, rows.c.run_at)).all())
    floor_s, began = time.perf_counter() - began, time.perf_counter()
    engine = LocalEngine(store, clock)
    schedule = Schedule(store, clock, Home(), engine.wake)  # type: ignore[arg-type]
    at_the_end = asyncio.Event()

    async def mark(_subject: str) -> None:
        at_the_end.set()

    handlers = schedule.handlers() | {HAPPENED: nothing, outbox.DELIVER: nothing, MARK: mark}
    for kind, handler in handlers.items():
        engine.register(kind, handler)
    engine.on_clock_back(schedule.clock_went_back)
    running = asyncio.create_task(engine.run())
    await at_the_end.wait()
    start_s = time.perf_counter() - began
    left = (begins + timedelta(seconds=MEASURED_S + 3) - datetime.now(UTC)).total_seconds()
    await asyncio.sleep(max(left, 0))
    said = await store.read(lambda c: c.execute(sa.select(firings.c.due_at, firings.c.fired_at)).all())
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await store.close()
    assert len(said) == due, f"{len(said)} of {due} were said"
    return start_s, floor_s, [(fired_at - due_at).total_seconds() for due_at, fired_at in said]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--many", type=int, default=100_000)
    parser.add_argument("--due", type=int, default=3_000, help="how many are due in the measured half minute")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, url = Path(name), f"sqlite:///{name}/butler.db"

        async def filled() -> None:
            store = open_store(url, data_dir=folder)
            began = time.perf_counter()
            await fill(store, args.many - args.due)
            seconds = time.perf_counter() - began
            begins = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=WARM_UP_S + 12)
            await store.write(lambda c: add_due(c, args.due, begins))
            await store.close()
            start_s, floor_s, late = await measured(folder, url, begins, args.due)
            p99 = statistics.quantiles(late, n=100)[-1]
            table(
                ("what", "figure"),
                (
                    (f"{args.many} reminders made", f"{seconds:.1f} s"),
                    ("start-up over them", f"{start_s:.3f} s"),
                    ("one walk over the rows", f"{floor_s:.3f} s"),
                    ("the most memory", f"{rss_mb():.0f} MB"),
                    (f"lateness of {len(late)}, median", f"{statistics.median(late):.3f} s"),
                    ("99 of a hundred", f"{p99:.3f} s"),
                ),
            )
            figures = {"lateness_p99_s": p99, "start_s": start_s, "rss_mb": rss_mb()}
            report("schedule", {"start_vs_walk": start_s / floor_s}, figures)

        asyncio.run(filled())


if __name__ == "__main__":
    main()
