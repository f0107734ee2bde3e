"""Keeps the sources running: one that fails is started again, one that only the owner can help is left and told."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import structlog

from butler.contract.errors import Reconfigure
from butler.contract.module import Health, Source

log = structlog.get_logger(__name__)

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
Tell = Callable[[str, str], Awaitable[None]]
"""Takes a key and a sentence for the owner; says it once a day at most."""


class Supervisor:
    """All sources, side by side."""

    def __init__(self, sources: Sequence[Source], tell: Tell) -> None:
        self._sources, self._tell = sources, tell
        self._stopped: dict[str, str] = {}

    async def run(self) -> None:
        """Run until cancelled."""
        async with asyncio.TaskGroup() as group:
            for source in self._sources:
                group.create_task(self._keep(source), name=f"source:{source.name}")

    def health(self) -> dict[str, Health]:
        """Each source's last completed round trip, by name."""
        return {source.name: self._health(source) for source in self._sources}

    def _health(self, source: Source) -> Health:
        health = source.health()
        if why := self._stopped.get(source.name):
            return Health(health.last_ok, health.stale_after_s, why, stopped=True)
        return health

    async def _keep(self, source: Source) -> None:
        pause = FIRST_PAUSE_S
        while True:
            started = asyncio.get_running_loop().time()
            try:
                await source.run()
                why = "ended by itself"
            except Reconfigure as error:
                self._stopped[source.name] = str(error)
                log.warning("source_stopped", source=source.name, why=str(error))
                await self._tell(f"stopped:{source.name}", f"{source.name} has stopped. {error}.")
                return
            except Exception as error:  # noqa: BLE001 - the boundary: one source must not take the others down
                why = type(error).__name__
            if asyncio.get_running_loop().time() - started > LONGEST_PAUSE_S:
                pause = FIRST_PAUSE_S
            log.warning("source_restarts", source=source.name, why=why, pause_s=pause)
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_S)
