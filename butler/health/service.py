"""Monitors Butler itself: the dead-man alarm, the machine's alarms, systemd's watchdog, and `/status`."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from importlib.metadata import version
from pathlib import Path

import structlog

from butler.clock import RealClock
from butler.contract.errors import Retryable
from butler.contract.module import Health
from butler.engine import LocalEngine
from butler.health.alarms import Alarms, Machine
from butler.health.deadman import DeadMan, OwnerChannels
from butler.health.status_report import StatusReport
from butler.health.store_check import StoreCheck
from butler.health.watchdog import Watchdog
from butler.services import Services

log = structlog.get_logger(__name__)

LOOK_EVERY = timedelta(seconds=15)


class HealthService:
    """Built once; `keep` runs beside everything else."""

    def __init__(
        self,
        services: Services,
        data_dir: Path,
        engine: LocalEngine,
        health: Callable[[], Mapping[str, Health]],
        ways: OwnerChannels,
    ) -> None:
        store, clock, settings = services.store, services.clock, services.settings
        self._clock, self._engine, self._zone = clock, engine, services.zone
        self.deadman = DeadMan(services, health, ways)
        # A clock set on purpose may jump.
        told = isinstance(clock, RealClock)
        machine = Machine(data_dir, self.last_tick)
        self.alarms = Alarms(clock, settings.health, machine, services.tell, tells_jumps=told)
        self.standing = StatusReport(
            store, clock, self._zone, settings.llm, data_dir, version("butler"), self.last_tick
        )
        self.storing = StoreCheck(store, clock, ways.channel)
        self._watchdog = Watchdog(clock, self.last_tick)

    def now(self) -> datetime:
        """Return the time in the owner's zone."""
        return self._clock.now().astimezone(self._zone)

    def last_tick(self) -> datetime | None:
        """Return when the engine last looked for work."""
        return self._engine.last_tick

    async def keep(self) -> None:
        """Run all monitors until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._watchdog.keep(), name="watchdog")
            group.create_task(self._look(), name="health")
            group.create_task(self.storing.keep(), name="storing")

    async def _look(self) -> None:
        while True:
            await self._clock.sleep(LOOK_EVERY.total_seconds())
            try:
                await self.alarms.look(await self.deadman.look())
            except (Retryable, OSError) as outage:
                log.warning("health_not_looked_at", kind=type(outage).__name__)
