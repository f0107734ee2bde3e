"""One of two daemons on one store, in a process of its own: it says `ready`, lives until it is told to end, tells how.

    python -m tests.schedule.second_daemon STORE_URL DATA_DIR NOW

Its clock goes to the moment that a line of its input says; at the end of the input it prints what failed, as JSON.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import structlog
from structlog.typing import EventDict

from butler.digests.service import DigestService
from butler.store.open import open_store
from config.settings import Settings
from tests.schedule.schedule_harness import Me, ScheduleHarness, SetClock, Way, running_schedule, utc
from tests.support.services import make_services

FAULTS = frozenset({"work_fault", "engine_fault", "engine_waits_for_store", "store_write_failed"})
"""Lines of the log that a lost race must not leave."""
DIGESTS = {"digests": {"morning": "08:00", "evening": ""}}


def with_digests(one: ScheduleHarness, settings: Settings) -> DigestService:
    """The rooms of the day, as the daemon has them, with a digest at eight."""
    return DigestService(one.store, one.clock, settings, zone=one.zone, wake=one.engine.wake)


async def main(url: str, data_dir: str, now: str) -> None:
    """Live."""
    noted: list[str] = []

    def note(_logger: object, _method: str, event: EventDict) -> EventDict:
        if event["event"] in FAULTS:
            noted.append(json.dumps(event, default=str))
        raise structlog.DropEvent

    structlog.configure(processors=[note])
    store, clock = open_store(url, data_dir=Path(data_dir)), SetClock(utc(now))
    loop = asyncio.get_running_loop()
    async with running_schedule(store, clock) as one:
        nobody: Any = None
        settings = Settings.model_validate(DIGESTS)
        services = make_services(
            *(one.store, one.clock), zone=one.zone, wake=one.engine.wake, owner=Me(), channel=Way(), settings=settings
        )
        day = with_digests(one, settings).opened(services, nobody, nobody)
        for kind, handler in day.digests.handlers().items():
            one.engine.register(kind, handler)
        await day.digests.begin()
        print("ready", flush=True)
        while line := (await loop.run_in_executor(None, sys.stdin.readline)).strip():
            await one.turn(utc(line))
            await one.idle()
            print("done", flush=True)
        print(json.dumps([*noted, *one.failed]), flush=True)
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
