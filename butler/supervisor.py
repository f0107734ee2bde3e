"""Keeps the sources running: restarts one that fails, stops one that only the owner can repair, and reports it.

A refused login is still retried periodically. A stop of the owner's own channel cannot be reported there: it goes to
standard error, and the dead-man alarm uses the other channel.
"""

import asyncio
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import structlog

from butler.clock import RealClock
from butler.contract.errors import ButlerError, LoginRefusedError, Reconfigure, Retryable
from butler.contract.module import Health, Source
from butler.contract.ports import Clock
from butler.contract.speech import say, say_error
from butler.services import Tell
from butler.source_names import as_title

log = structlog.get_logger(__name__)

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0


def print_notice(sentence: str) -> None:
    """Print one plain line on standard error, beside the log."""
    sys.stderr.write(f"butler: {sentence}\n")
    sys.stderr.flush()


class Supervisor:
    """Runs all sources concurrently."""

    def __init__(
        self,
        sources: Sequence[Source],
        tell: Tell,
        clock: Clock | None = None,
        *,
        own: str = "",
        aloud: Callable[[str], None] = print_notice,
    ) -> None:
        """`own` is the source of the owner's channel; `aloud` reports its stop outside of that channel."""
        self._sources, self._tell, self._clock = sources, tell, clock or RealClock()
        self._own, self._aloud, self._said = own, aloud, ""
        self._stopped: dict[str, str] = {}
        self._helped = {source.name: asyncio.Event() for source in sources}
        self._occasions: dict[str, str] = {}

    async def run(self) -> None:
        """Run until cancelled, even if every source has stopped: `/healthz` goes on reporting that."""
        async with asyncio.TaskGroup() as group:
            for source in self._sources:
                group.create_task(self._keep(source), name=f"source:{source.name}")
            await asyncio.Event().wait()

    def again(self, channel: str, occasion: str) -> None:
        """Restart a channel's stopped sources after the owner has helped.

        A source that stops after this is reported again, distinguished by `occasion`. One that is just about to stop
        over the old trouble is restarted too.
        """
        for name, helped in self._helped.items():
            if name.partition(".")[0] == channel:
                self._occasions[name] = f":{occasion}"
                helped.set()

    def health(self) -> dict[str, Health]:
        """Return each source's last completed round trip, by name."""
        return {source.name: self._health(source) for source in self._sources}

    def _health(self, source: Source) -> Health:
        health = source.health()
        if why := self._stopped.get(source.name):
            return Health(health.last_ok, health.stale_after_s, why, stopped=True)
        return health

    async def _keep(self, source: Source) -> None:
        helped, pause = self._helped[source.name], FIRST_PAUSE_S
        while True:
            helped.clear()
            started = asyncio.get_running_loop().time()
            try:
                await source.run()
                why = "ended by itself"
            except Reconfigure as error:
                # Count from here, however long it takes until the owner knows.
                again_at = None
                if isinstance(error, LoginRefusedError):
                    again_at = self._clock.monotonic() + error.AGAIN_AFTER.total_seconds()
                if asyncio.get_running_loop().time() - started > LONGEST_PAUSE_S:
                    # The source worked in between, so this is a new trouble.
                    self._said = ""
                if not helped.is_set():
                    await self._stop(source.name, error)
                    await self._until_worth_a_try(helped, again_at)
                self._stopped.pop(source.name, None)
                log.info("source_starts_again", source=source.name)
                pause = FIRST_PAUSE_S
                continue
            except Exception as error:  # noqa: BLE001 - the boundary: one source must not take the others down
                why = _describe(error)
            if asyncio.get_running_loop().time() - started > LONGEST_PAUSE_S:
                pause = FIRST_PAUSE_S
            log.warning("source_restarts", source=source.name, why=why, pause_s=pause)
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_S)

    async def _until_worth_a_try(self, helped: asyncio.Event, again_at: float | None) -> None:
        """Wait until the owner has helped, or until the trouble may have passed: `again_at`, by the monotonic clock."""
        waits: list[asyncio.Future[Any]] = [asyncio.ensure_future(helped.wait())]
        if again_at is not None:
            left_s = max(0.0, again_at - self._clock.monotonic())
            waits.append(asyncio.ensure_future(self._clock.sleep(left_s)))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _stop(self, name: str, error: Reconfigure) -> None:
        self._stopped[name] = why = say_error(error)
        log.warning("source_stopped", source=name, why=str(error))
        sentence = say("{source} has stopped. {why}", source=as_title(name), why=why)
        if name == self._own:
            # A message about this would wait in the closed chat, and come too late.
            if sentence != self._said:
                self._aloud(sentence)
            self._said = sentence
            return
        key = f"stopped:{name}{self._occasions.get(name, '')}"
        await self._tell_owner(key, sentence)

    async def _tell_owner(self, key: str, sentence: str) -> None:
        """Tell the owner, retrying while the store refuses."""
        pause = FIRST_PAUSE_S
        while True:
            try:
                await self._tell(key, sentence)
            except Retryable as outage:
                log.info("owner_not_told", key=key, why=str(outage), pause_s=pause)
            else:
                return
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_S)


def _describe(error: Exception) -> str:
    """Return our own errors' texts; of others, whose text may hold what people wrote, the code location."""
    if isinstance(error, ButlerError):
        return str(error)
    return f"{type(error).__name__}\n{''.join(traceback.format_tb(error.__traceback__))}"
