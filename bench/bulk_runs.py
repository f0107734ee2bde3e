"""What the benches of bulk operations share: a controller that is started, killed at random, and started again."""

import asyncio
import json
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa

from bench.bulk_worker import CALL, PEAK, Job
from butler.store.open import open_store
from butler.store.queries import bulk
from butler.store.queries.bulk import ItemState
from butler.store.tables import bulk_items

ROOT = Path(__file__).parent.parent


async def run(job: Job, environment: Mapping[str, str], kill_after: float | None = None) -> bool:
    """Start the controller, and wait for its end or kill it; whether it ended by itself."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.bulk_worker", job.written()), env=dict(environment), cwd=ROOT
    )
    with suppress(TimeoutError):
        async with asyncio.timeout(kill_after):
            if await process.wait():
                raise SystemExit("the controller failed")
            return True
    process.kill()
    await process.wait()
    return False


async def run_killed(
    job: Job, environment: Mapping[str, str], kills: int, chance: random.Random, between: tuple[float, float]
) -> float:
    """Work it off, killed so often after so many seconds; how many seconds it took."""
    began, left = time.monotonic(), kills
    while not await run(job, environment, chance.uniform(*between) if left else None):
        left -= 1
    return time.monotonic() - began


async def undo(job: Job, environment: Mapping[str, str]) -> None:
    """Put back what it did."""
    await run(replace(job, undo=True), environment)


async def begin(job: Job, environment: Mapping[str, str]) -> None:
    """Let the controller list and begin, and kill it there: who is killed before has done nothing yet."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.bulk_worker", job.written()), env=dict(environment), cwd=ROOT
    )
    while process.returncode is None and not _has_begun(Path(job.folder)):  # noqa: ASYNC110 - only rows tell
        await asyncio.sleep(0.2)
    process.kill()
    await process.wait()


def _has_begun(folder: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"file:{folder / 'butler.db'}?mode=ro", uri=True)) as database:
            return bool(database.execute("SELECT 1 FROM bulk_items WHERE sent > 0 LIMIT 1").fetchall())
    except sqlite3.OperationalError:
        return False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the rows say of the first run."""

    done: int
    lost: int
    again: int
    """Sent more than once."""
    peak_mb: float


async def outcome(folder: Path) -> Outcome:
    """Read it where the controller kept it."""
    store = open_store("sqlite:///butler.db", data_dir=folder)
    try:
        found = await store.read(lambda c: bulk.by_call(c, CALL.call_id))
        assert found is not None
        counts = await store.read(lambda c: bulk.counts(c, found.run_id))
        twice = sa.select(sa.func.count()).where(bulk_items.c.run_id == found.run_id, bulk_items.c.sent > 1)
        again = await store.read(lambda c: c.execute(twice).scalar_one())
    finally:
        await store.close()
    done = counts[ItemState.DONE]
    peak = json.loads((folder / PEAK).read_text())
    return Outcome(done, found.total - done, again, peak)


@dataclass(frozen=True, slots=True)
class Spent:
    """What an account has taken of its provider so far, or one way through."""

    requests: int
    refused: int
    units: int = 0
    seconds: float = 0.0

    def since(self, before: "Spent", seconds: float) -> "Spent":
        """What was taken from then on."""
        counts = (self.requests - before.requests, self.refused - before.refused, self.units - before.units)
        return Spent(*counts, seconds)


class Account(Protocol):
    """An account on its provider's stand-in, as the benches see it."""

    def job(self, folder: Path) -> Job:
        """What the controller is to do."""
        ...

    def environment(self) -> dict[str, str]:
        """Who may sign in to it."""
        ...

    def state(self) -> object:
        """All of it, to be compared."""
        ...

    def changed(self) -> int:
        """How many things are as the order wants them now."""
        ...

    def spent(self) -> Spent:
        """What it has taken until now."""
        ...


@dataclass(frozen=True, slots=True)
class Played:
    """What came of it, left alone and killed."""

    calm: Spent
    hurt: Spent
    found: Outcome
    changed: int
    restored: bool
    peak_mb: float


async def play_twice(account: Account, kills: int, chance: random.Random, between: tuple[float, float]) -> Played:
    """Once left alone, once killed so often amid its acts after so many seconds; each time all of it is undone."""
    before, environment = account.state(), account.environment()
    with tempfile.TemporaryDirectory() as plain, tempfile.TemporaryDirectory() as killed:
        alone, job, start = account.job(Path(plain)), account.job(Path(killed)), account.spent()
        seconds = await run_killed(alone, environment, 0, chance, between)
        calm = account.spent().since(start, seconds)
        peak = (await outcome(Path(plain))).peak_mb
        await undo(alone, environment)
        restored = account.state() == before
        start, began = account.spent(), time.monotonic()
        if kills:
            await begin(job, environment)
        await run_killed(job, environment, max(0, kills - 1), chance, between)
        hurt = account.spent().since(start, time.monotonic() - began)
        found, changed = await outcome(Path(killed)), account.changed()
        await undo(job, environment)
    return Played(calm, hurt, found, changed, restored and account.state() == before, peak)
