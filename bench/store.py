"""What durability costs: commits of the store against bare fdatasync, in turns within one run, and the engine's rate.

A ratio is a rate over fdatasync's rate: 0.5 means that a commit takes as long as two of them, 20 that twenty rows
become durable in the time of one.
"""

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa

from bench.machine import report, table
from butler.clock import RealClock
from butler.engine import LocalEngine
from butler.store.open import open_store
from butler.store.queries import cursors, work
from butler.store.store import GROUP, Store

PAGE = b"\x5a" * 4120  # one page of SQLite's write-ahead log with its header
LANES = 50
NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Floor:
    """A file that grows by one page and one fdatasync at a time."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)

    def sync_once(self) -> None:
        os.write(self._file, PAGE)
        os.fdatasync(self._file)

    def close(self) -> None:
        os.close(self._file)


def write_row(connection: sa.Connection) -> None:
    """One row, as an inbox item leaves one."""
    work.add(connection, "bench", "s" * 32, now=NOW)


async def seconds(action: Callable[[], Awaitable[object]]) -> float:
    began = time.perf_counter()
    await action()
    return time.perf_counter() - began


async def commits(store: Store, floor: Floor, rounds: int) -> tuple[float, float, float]:
    """Median seconds of an fdatasync, of a commit alone, and of a commit of a whole group, taken in turns."""
    syncs: list[float] = []
    singles: list[float] = []
    groups: list[float] = []

    async def group() -> None:
        await asyncio.gather(*(store.write(write_row) for _ in range(GROUP)))

    async def sync() -> None:
        floor.sync_once()

    for _ in range(rounds):
        syncs.append(await seconds(sync))
        singles.append(await seconds(lambda: store.write(write_row)))
        groups.append(await seconds(group))
    return statistics.median(syncs), statistics.median(singles), statistics.median(groups)


async def engine_rate(store: Store, rows: int) -> tuple[float, int]:
    """Rows a second from writing to deletion over many lanes, and how many ran out of order."""
    engine = LocalEngine(store, RealClock())
    last: dict[str, int] = {}
    handled = out_of_order = 0
    everything = asyncio.Event()

    async def handle(subject: str) -> None:
        nonlocal handled, out_of_order
        lane, number = subject.split(":")
        out_of_order += int(number) != last.get(lane, -1) + 1
        last[lane] = int(number)
        handled += 1
        if handled == rows:
            everything.set()

    async def chat(lane: int) -> None:
        for number in range(rows // LANES):

            def one(connection: sa.Connection, number: int = number) -> None:
                work.add(connection, "bench", f"{lane}:{number}", now=NOW, lane=str(lane))
                cursors.put(connection, "offset", str(number), NOW)

            await store.write(one)
            engine.wake()

    engine.register("bench", handle)
    serving = asyncio.create_task(engine.run())
    began = time.perf_counter()
    await asyncio.gather(*(chat(lane) for lane in range(LANES)))
    await everything.wait()
    await engine.drain(60)
    took = time.perf_counter() - began
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    return rows / took, out_of_order


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="sqlite:///butler.db", help="an empty database")
    parser.add_argument("--folder", type=Path, help="where to put the files (default: a temporary folder here)")
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--rows", type=int, default=10_000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder or Path.cwd()) as name:
        folder = Path(name)
        floor, store = Floor(folder / "floor"), open_store(args.url, data_dir=folder)
        sync_s, single_s, group_s = await commits(store, floor, args.rounds)
        await store.write(lambda connection: connection.exec_driver_sql("DELETE FROM work"))
        rate, out_of_order = await engine_rate(store, args.rows // LANES * LANES)
        await store.close()
        floor.close()
    single, group = sync_s / single_s, GROUP * sync_s / group_s
    rows = [
        ("fdatasync of one page", f"{sync_s * 1e3:.3f}", f"{1 / sync_s:.0f}", "1"),
        ("commit of one row", f"{single_s * 1e3:.3f}", f"{1 / single_s:.0f}", f"{single:.2f}"),
        (f"commit of {GROUP} rows", f"{group_s * 1e3:.3f}", f"{GROUP / group_s:.0f}", f"{group:.2f}"),
        (f"engine, {LANES} lanes", "", f"{rate:.0f}", ""),
    ]
    table(("", "p50 ms", "rows/s", "vs fdatasync"), rows)
    ratios = {"single_vs_fdatasync": round(single, 3), "group64_vs_fdatasync": round(group, 2)}
    report("store", ratios, {"engine_rows_per_s": round(rate), "out_of_order": out_of_order})


if __name__ == "__main__":
    asyncio.run(main())
