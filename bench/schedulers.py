"""APScheduler's `AsyncIOScheduler` beside the engine: start, memory, lateness, a clock that is set, and a kill.

The same number of jobs lies far ahead in both, each in SQLite, APScheduler's in its `SQLAlchemyJobStore`. Some fall due
while it is watched. Each case is a process of its own; a job of either notes that it ran, in a file.
"""

import argparse
import asyncio
import gc
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.machine import report, table
from butler.clock import RealClock
from butler.engine import LocalEngine
from butler.store.open import open_store
from butler.store.queries import work

OURS, THEIRS = "engine", "apscheduler"
KIND, DUE, DUE_WITHIN_S, WORK_S, PART = "bench", 200, 4.0, 0.05, 2_000
JUMP, AHEAD_S = timedelta(hours=1), 6.0
_offset = timedelta()
"""How far the clock was set, for both."""


def now() -> datetime:
    """The clock as it was set."""
    return datetime.now(UTC) + _offset


class SetClock(RealClock):
    """The real clock, set."""

    def now(self) -> datetime:
        return now()


class SetDatetime(datetime):
    """The same for APScheduler, which asks `datetime.now`."""

    @classmethod
    def now(cls, tz: Any = None) -> "SetDatetime":
        return cls.fromtimestamp((datetime.now(UTC) + _offset).timestamp(), tz)


async def ran(due: float, notes: str, work_s: float) -> None:
    """A job: it notes when it ran, once it has done its work."""
    began = time.time()
    await asyncio.sleep(work_s)
    with Path(notes).open("a", encoding="utf-8") as file:  # noqa: ASYNC230 - a line takes microseconds, in both
        file.write(f"{due} {began}\n")


class Engine:
    """The engine over its rows."""

    def __init__(self, folder: Path, notes: Path, work_s: float) -> None:
        self._store = open_store(f"sqlite:///{folder}/butler.db", data_dir=folder)
        self._engine = LocalEngine(self._store, SetClock())
        self._engine.register(KIND, self._handle)
        self._notes, self._work_s = str(notes), work_s
        self._running: asyncio.Task[None] | None = None

    async def _handle(self, subject: str) -> None:
        await ran(float(subject), self._notes, self._work_s)

    async def fill(self, times: list[datetime]) -> None:
        for start in range(0, len(times), PART):
            rows = [work.NewWork(KIND, f"{one.timestamp()}", run_at=one) for one in times[start : start + PART]]
            await self._store.write(lambda c, rows=rows: work.add_all(c, rows, now=now()))
        self._engine.wake()

    async def start(self) -> None:
        self._running = asyncio.create_task(self._engine.run())

    async def stop(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
        await self._store.close()


class ApScheduler:
    """`AsyncIOScheduler` set up so that it drops nothing that it can help to drop."""

    def __init__(self, folder: Path, notes: Path, work_s: float) -> None:
        from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore  # noqa: PLC0415 - only this case pays for it
        from apscheduler.schedulers import base  # noqa: PLC0415 - as above
        from apscheduler.schedulers.asyncio import AsyncIOScheduler  # noqa: PLC0415 - as above

        base.datetime = SetDatetime  # type: ignore[attr-defined]
        self._scheduler: Any = AsyncIOScheduler(
            jobstores={"default": SQLAlchemyJobStore(f"sqlite:///{folder}/jobs.db")},
            job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1},
            timezone=UTC,
        )
        self._notes, self._work_s = str(notes), work_s

    async def fill(self, times: list[datetime]) -> None:
        if not self._scheduler.running:
            self._scheduler.start(paused=True)
        for one in times:
            given = (one.timestamp(), self._notes, self._work_s)
            self._scheduler.add_job("bench.schedulers:ran", "date", run_date=one, args=given)

    async def start(self) -> None:
        if self._scheduler.running:
            self._scheduler.resume()
        else:
            self._scheduler.start()

    async def stop(self) -> None:
        self._scheduler.shutdown(wait=False)
        await asyncio.sleep(0)


def noted(notes: Path) -> list[tuple[float, float]]:
    """When each job that ran was due, and when it began."""
    if not notes.exists():
        return []
    lines = notes.read_text("utf-8").splitlines()
    return [(float(due), float(began)) for due, began in (line.split() for line in lines)]


def rss_mb() -> float:
    """Memory of this process now."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


async def until(is_so: Callable[[], bool], within_s: float) -> float:
    """Wait until it is so; seconds that it took, or all of them."""
    began = time.monotonic()
    while not is_so() and time.monotonic() - began < within_s:  # noqa: ASYNC110 - jobs tell nobody but a file
        await asyncio.sleep(0.01)
    return time.monotonic() - began


async def child(kind: str, what: str, folder: Path, many: int) -> dict[str, float]:
    """One case, of one of the two."""
    notes = folder / "notes"
    make = Engine if kind == OURS else ApScheduler
    match what:
        case "fill":
            one = make(folder, notes, 0.0)
            far = now() + timedelta(days=30)
            began = time.perf_counter()
            await one.fill([far + timedelta(minutes=number) for number in range(many)])
            took = time.perf_counter() - began
            await one.stop()
            return {"fill_s": took}
        case "run":
            return await _run(make, folder, notes)
        case "jump":
            return await _jump(make, folder, notes)
        case _:
            await _work(make, folder, notes, fill=what == "begin")
            return {}


async def _run(make: Any, folder: Path, notes: Path) -> dict[str, float]:
    """Start over what lies ahead, until the first job that is due has run; then how late many are."""
    one = make(folder, notes, 0.0)
    before, began = rss_mb(), time.perf_counter()
    await one.fill([now()])
    await one.start()
    await until(lambda: len(noted(notes)) == 1, 60)
    start_s, mb = time.perf_counter() - began, rss_mb() - before
    begins = now() + timedelta(seconds=1.5)
    await one.fill([begins + timedelta(seconds=DUE_WITHIN_S * number / DUE) for number in range(DUE)])
    await until(lambda: len(noted(notes)) == DUE + 1, 30)
    late = sorted(began - due for due, began in noted(notes)[1:])
    await one.stop()
    return {"start_s": start_s, "mb": mb, "late_s": statistics.median(late), "late_p99_s": late[int(len(late) * 0.99)]}


async def _jump(make: Any, folder: Path, notes: Path) -> dict[str, float]:
    """The clock is set an hour on while a job waits that is due in a while: how long until it runs."""
    global _offset  # noqa: PLW0603 - a clock that is set is set for all
    one = make(folder, notes, 0.0)
    await one.start()
    await one.fill([now() + timedelta(seconds=AHEAD_S)])
    await asyncio.sleep(0.5)
    _offset = JUMP
    jumped = await until(lambda: bool(noted(notes)), 30)
    await one.stop()
    return {"after_jump_s": jumped}


async def _work(make: Any, folder: Path, notes: Path, *, fill: bool) -> None:
    """Work off what is due until killed, or until nothing has ended for a while."""
    one = make(folder, notes, WORK_S)
    if fill:
        await one.fill([now() + timedelta(milliseconds=number) for number in range(DUE)])
    await one.start()
    count, quiet = -1, 0
    while quiet < 20:
        await asyncio.sleep(0.1)
        quiet = quiet + 1 if len(noted(notes)) == count else 0
        count = len(noted(notes))
    await one.stop()


def spawn(kind: str, what: str, folder: Path, many: int) -> "subprocess.Popen[str]":
    """A case as a process."""
    command = [sys.executable, "-m", "bench.schedulers", "--case", kind, what, str(folder), "--many", str(many)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def finished(kind: str, what: str, folder: Path, many: int) -> dict[str, float]:
    """What a case measured."""
    out, _ = spawn(kind, what, folder, many).communicate(timeout=600)
    return json.loads(out.splitlines()[-1])


def killed(kind: str, folder: Path) -> dict[str, float]:
    """Kill it while jobs are under way, start again; how many never ran, and how many ran twice."""
    first = spawn(kind, "begin", folder, 0)
    while len(noted(folder / "notes")) < DUE // 10:
        time.sleep(0.002)
    first.send_signal(signal.SIGKILL)
    first.wait()
    finished(kind, "again", folder, 0)
    ran_ = [due for due, _ in noted(folder / "notes")]
    return {"lost": DUE - len(set(ran_)), "twice": len(ran_) - len(set(ran_))}


def measured(kind: str, many: int) -> dict[str, float]:
    """Every case of one of the two."""
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        for what in ("fill", "run"):
            found |= finished(kind, what, Path(name), many)
    with tempfile.TemporaryDirectory() as name:
        found |= finished(kind, "jump", Path(name), many)
    with tempfile.TemporaryDirectory() as name:
        found |= killed(kind, Path(name))
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--many", type=int, default=10_000)
    parser.add_argument("--case", nargs=3, help="for the processes that this program starts")
    args = parser.parse_args()
    if args.case:
        kind, what, folder = args.case
        print(json.dumps(asyncio.run(child(kind, what, Path(folder), args.many))))
        return
    both = {kind: measured(kind, args.many) for kind in (OURS, THEIRS)}
    ours, theirs = both[OURS], both[THEIRS]
    table(("what", OURS, THEIRS), [(name, f"{ours[name]:.3f}", f"{theirs[name]:.3f}") for name in ours])
    ratios = {name: theirs[name] / ours[name] for name in ours if ours[name] > 0}
    figures = {f"{kind}_{name}": value for kind, found in both.items() for name, value in found.items()}
    report("schedulers", ratios, figures)


if __name__ == "__main__":
    main()
