"""The bulk controller as a process of its own, to be killed: lists an order, or goes on with what was left."""

import asyncio
import json
import logging
import os
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import structlog

from butler.bulk.follow_up_runs import put_back
from butler.bulk.service import BulkService
from butler.clock import RealClock
from butler.contract.bulk import BulkOrder, BulkSnapshot
from butler.contract.tools import ToolCall
from butler.discovery import discover
from butler.engine import LocalEngine
from butler.offline import offline_context
from butler.sink import StoreCursors, StoreMirror
from butler.store.blobs import FileBlobs
from butler.store.open import open_store
from butler.store.queries import bulk

CALL = ToolCall("user_bench_act", None, call_id="bench", trace_id="bench")
PEAK = "peak.json"
"""Where the worker leaves its largest resident size in megabytes, once it ended by itself."""


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be done, and where: the module by its channel, and its settings as a file would have them."""

    folder: str
    channel: str
    settings: dict[str, Any]
    adapter: str
    account: str
    order: dict[str, Any]
    secrets: tuple[str, ...] = ()
    """Variables of the environment that hold what the module signs in with."""
    undo: bool = False

    def written(self) -> str:
        """As an argument of the worker's."""
        return json.dumps(asdict(self))


class Nobody:
    """An owner whom nothing is told."""

    telegram_user_id: int | None = None
    emails: frozenset[str] = frozenset()


async def work(job: Job) -> None:
    """List and begin where nothing is begun yet, and work off what is open."""
    clock, folder = RealClock(), Path(job.folder)
    store = open_store("sqlite:///butler.db", data_dir=folder)
    engine = LocalEngine(store, clock)
    harness = BulkService(store, clock, Nobody(), FileBlobs(folder / "blobs"), zone=ZoneInfo("UTC"), wake=engine.wake)
    context = offline_context({name: os.environ[name] for name in job.secrets})
    storage = replace(context.storage, cursors=StoreCursors(store, clock), mirror=StoreMirror(store, clock))
    context = replace(context, storage=storage, bulk=harness.launcher)
    made = discover()[job.channel]
    module = made(made.settings_model.model_validate(job.settings), context)
    harness.adapters.add(module.bulk_adapters())
    for kind, handler in harness.handlers().items():
        engine.register(kind, handler)
    run = await store.read(lambda c: bulk.by_call(c, CALL.call_id))
    if run is None:
        wanted = BulkOrder(job.adapter, job.account, job.order)
        result = await harness.launcher.snapshot(wanted, CALL)
        assert result.data is not None, result.error
        await harness.launcher.start(wanted, BulkSnapshot.model_validate(result.data["snapshot"]), CALL)
    elif job.undo and not await store.read(lambda c: bulk.of_run(c, run.run_id)):
        await store.write(lambda c: put_back(c, harness.adapters, run, clock.now()))
    running = asyncio.create_task(engine.run())
    while await store.read(lambda c: bulk.open_runs(c, job.adapter, job.account)):  # noqa: ASYNC110 - only rows tell
        await asyncio.sleep(0.05)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await module.stop()
    await store.close()
    (folder / PEAK).write_text(json.dumps(largest_size()))


def largest_size() -> float:
    """In megabytes. What getrusage says begins with the size of the process that started this one."""
    with Path("/proc/self/status").open(encoding="ascii") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM:"))


def main() -> None:
    """A `Job` as JSON, and its secrets in the environment."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    asyncio.run(work(Job(**json.loads(sys.argv[1]))))


if __name__ == "__main__":
    main()
