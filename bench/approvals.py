"""How many yeses a second become durable, and how soon a tap has its effect.

A decision is the owner's tap on Approve as it goes through the real desk on a real file: the button's hash, the checks,
the compare-and-set, the audit entry, the work rows, one commit. Beside it, in turns within one run: `fdatasync` of a
plain file, and plain sqlite3 with synchronous=FULL that changes one row and adds another.
"""

import argparse
import asyncio
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import event

from approvals.tap_result import TapResult
from bench.approval_harness import Harness
from bench.machine import report, table
from bench.store import Floor
from butler.contract.inbound import Inbound
from butler.store.blobs import FileBlobs
from butler.store.open import open_store
from butler.store.store import GROUP

SINGLES = 8
"""Of each kind, one at a time, in a round."""
WARM = 5


@dataclass(slots=True)
class Times:
    """Seconds each took."""

    sync: list[float] = field(default_factory=list)
    plain: list[float] = field(default_factory=list)
    single: list[float] = field(default_factory=list)
    group: list[float] = field(default_factory=list)


class PlainSqlite:
    """The least that a durable decision could be: a compare-and-set and an entry in a log."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        for statement in (
            "PRAGMA journal_mode=WAL",
            "PRAGMA synchronous=FULL",
            "CREATE TABLE decisions (id INTEGER PRIMARY KEY, state TEXT NOT NULL)",
            "CREATE TABLE log (seq INTEGER PRIMARY KEY, entry TEXT NOT NULL)",
        ):
            self._connection.execute(statement)
        self._next = 0

    def decide_once(self) -> None:
        self._next += 1
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute("INSERT INTO decisions VALUES (?, 'approved')", (self._next,))
        self._connection.execute("INSERT INTO log (entry) VALUES (?)", ("s" * 400,))
        self._connection.execute("COMMIT")

    def close(self) -> None:
        self._connection.close()


def seconds(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


async def decisions(harness: Harness, floor: Floor, plain: PlainSqlite, rounds: int) -> Times:
    """All four in turns; what a decision needs beforehand is not measured."""
    times = Times()
    for number in range(WARM + rounds):
        if number == WARM:
            times = Times()
        taps = await harness.waiting(SINGLES + GROUP)
        times.sync += [seconds(floor.sync_once) for _ in range(SINGLES)]
        times.plain += [seconds(plain.decide_once) for _ in range(SINGLES)]
        for tap in taps[:SINGLES]:
            times.single.append(await decided(harness, [tap]))
        times.group.append(await decided(harness, taps[SINGLES:]))
        await harness.store.write(lambda connection: connection.exec_driver_sql("DELETE FROM work"))
    return times


async def decided(harness: Harness, taps: list[Inbound]) -> float:
    """Seconds until all of these taps at once are decided, durably."""
    began = time.perf_counter()
    answers = await asyncio.gather(*map(harness.approvals.decide, taps))
    took = time.perf_counter() - began
    assert all(answer.tapped is TapResult.DECIDED for answer in answers)
    return took


async def effects(harness: Harness, taps: int) -> list[float]:
    """Milliseconds from a tap to its effect, with the engine, the executor and no undo window; one at a time."""
    for kind, handler in harness.approvals.handlers().items():
        harness.engine.register(kind, handler)
    serving = asyncio.create_task(harness.engine.run())
    took: list[float] = []
    for number in range(WARM + taps):
        await harness.ask()
        harness.engine.wake()
        card = await harness.channel.shown.get()
        button = next(button for line in card.buttons for button in line if button.label == "Approve")
        harness.tools.effect.clear()
        began = time.perf_counter()
        await harness.approvals.decide(harness.tap(button, message_ref=str(harness.channel.cards)))
        await harness.tools.effect.wait()
        if number >= WARM:
            took.append((time.perf_counter() - began) * 1e3)
    await harness.engine.drain(10)
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    assert harness.tools.effects == WARM + taps
    return took


async def statements(harness: Harness) -> int:
    """How many statements a decision takes. Comes last: listening makes each of them slower."""
    taps = await harness.waiting(1)
    ran: list[str] = []
    event.listen(harness.store.engine, "before_cursor_execute", lambda *args: ran.append(args[2]))
    await decided(harness, taps)
    return len(ran)


async def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.approvals", description=__doc__)
    parser.add_argument("--folder", type=Path, help="where to put the files (default: a temporary folder here)")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--taps", type=int, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder or Path.cwd()) as name:
        folder = Path(name)
        floor, plain = Floor(folder / "floor"), PlainSqlite(folder / "plain.db")
        store = open_store("sqlite:///butler.db", data_dir=folder)
        harness = Harness(store, FileBlobs(folder / "blobs"))
        await harness.know()
        times = await decisions(harness, floor, plain, options.rounds)
        took = sorted(await effects(harness, options.taps))
        count = await statements(harness)
        await store.close()
        plain.close()
        floor.close()
    p99 = took[min(len(took) - 1, len(took) * 99 // 100)]
    sync_s, plain_s, single_s, group_s = map(statistics.median, (times.sync, times.plain, times.single, times.group))
    each_s = group_s / GROUP
    rows = [
        (what, f"{took_s * 1e3:.3f}", f"{1 / took_s:.0f}", f"{sync_s / took_s:.2f}", f"{plain_s / took_s:.2f}")
        for what, took_s in (
            ("fdatasync of one page", sync_s),
            ("plain sqlite3, two rows", plain_s),
            ("a decision alone", single_s),
            (f"a decision of {GROUP} at once", each_s),
        )
    ]
    table(("", "p50 ms", "a second", "vs fdatasync", "vs sqlite3"), rows)
    print(f"A decision is {count} statements.")
    print(f"From a tap to its effect: p50 {statistics.median(took):.1f} ms, p99 {p99:.1f} ms")
    report(
        "approvals",
        {
            "single_vs_fdatasync": round(sync_s / single_s, 3),
            "group64_vs_fdatasync": round(sync_s / each_s, 3),
            "single_vs_sqlite3": round(plain_s / single_s, 3),
            "group64_vs_sqlite3": round(plain_s / each_s, 3),
        },
        {
            "tap_to_effect_p50_ms": round(statistics.median(took), 2),
            "tap_to_effect_p99_ms": round(p99, 2),
            "statements_per_decision": count,
            "decisions_per_s": round(1 / single_s),
            "decisions_per_s_64_at_once": round(1 / each_s),
        },
    )


if __name__ == "__main__":
    asyncio.run(main())
