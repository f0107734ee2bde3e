"""The bulk controller as a process of its own, to be killed: lists an order, or goes on with what was left."""

import asyncio
import json
import logging
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import structlog

from butler.bulk.again import put_back
from butler.bulk.house import BulkHouse
from butler.clock import RealClock
from butler.contract.bulk import BulkOrder, BulkSnapshot
from butler.contract.tools import ToolCall
from butler.engine import LocalEngine
from butler.offline import offline_context
from butler.sink import StoreCursors, StoreMirror
from butler.store.blobs import FileBlobs
from butler.store.open import open_store
from butler.store.queries import bulk
from modules.email.config import EmailSettings
from modules.email.module import EmailModule

VARIABLE, ACCOUNT = "USER_EMAIL_OAUTH_JSON", "me"
CALL = ToolCall("user_email_archive", None, call_id="bench", trace_id="bench")


class Nobody:
    """An owner whom nothing is told."""

    telegram_user_id: int | None = None
    emails: frozenset[str] = frozenset()


async def work(folder: Path, url: str, credentials: str, order: dict[str, Any], *, undo: bool) -> None:
    """List and begin where nothing is begun yet, and work off what is open."""
    clock = RealClock()
    store = open_store("sqlite:///butler.db", data_dir=folder)
    engine = LocalEngine(store, clock)
    house = BulkHouse(store, clock, Nobody(), FileBlobs(folder / "blobs"), zone=ZoneInfo("UTC"), wake=engine.wake)
    own = {"cursors": StoreCursors(store, clock), "mirror": StoreMirror(store, clock), "bulk": house.desk}
    context = replace(offline_context({VARIABLE: credentials}), **own)
    section = {"api_root": url, "credentials_env": VARIABLE}
    module = EmailModule(EmailSettings.model_validate({"user": section}), context)
    house.adapters.add(module.bulk_adapters())
    for kind, handler in house.handlers().items():
        engine.register(kind, handler)
    run = await store.read(lambda c: bulk.by_call(c, CALL.call_id))
    if run is None:
        wanted = BulkOrder("gmail", ACCOUNT, order)
        result = await house.desk.snapshot(wanted, CALL)
        assert result.data is not None, result.error
        await house.desk.start(wanted, BulkSnapshot.model_validate(result.data["snapshot"]), CALL)
    elif undo and not await store.read(lambda c: bulk.of_run(c, run.run_id)):
        await store.write(lambda c: put_back(c, house.adapters, run, clock.now()))
    running = asyncio.create_task(engine.run())
    while await store.read(lambda c: bulk.open_runs(c, "gmail", ACCOUNT)):  # noqa: ASYNC110 - only rows tell
        await asyncio.sleep(0.05)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await module.stop()
    await store.close()


def main() -> None:
    """`FOLDER URL ORDER [undo]`, with the credentials in the environment."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    folder, url, order = Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
    asyncio.run(work(folder, url, os.environ[VARIABLE], order, undo="undo" in sys.argv))


if __name__ == "__main__":
    main()
