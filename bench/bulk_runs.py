"""What the benches of bulk operations share: a controller that is started, killed at random, and started again."""

import asyncio
import json
import random
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

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
