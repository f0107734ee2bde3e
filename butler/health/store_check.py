"""Tests whether the store works, by a small write now and then, for `/healthz` and for alerts to the owner.

If nothing can be stored, the outbox is out of reach too, so the alert is sent directly through the channel.
"""

import asyncio

import structlog

from butler.contract.card import OwnerChannel, OwnerMessage, plain
from butler.contract.errors import ButlerError, Refuse, Retryable
from butler.contract.ports import Clock
from butler.contract.speech import say, say_error
from butler.store.errors import StoreBusyError, StoreDamagedError, StoreLostError
from butler.store.queries import cursors
from butler.store.store import Store

log = structlog.get_logger(__name__)

EVERY_S = 5.0
WITHIN_S = 20.0
"""Seconds after which a write counts as failed for now."""
TELL_AFTER = 3
"""Consecutive failed checks before the owner is alerted; permanent trouble is reported immediately."""
FACT = "stored"


class StoreCheck:
    """Tests the store, and remembers what was reported."""

    def __init__(self, store: Store, clock: Clock, channel: OwnerChannel) -> None:
        self._store, self._clock, self._channel = store, clock, channel
        self._late: StoreBusyError | None = None
        self._found, self._told = 0, False

    def trouble(self) -> str:
        """Return why nothing can be stored now; empty if all is well."""
        error = self._error()
        return say_error(error) if error is not None else ""

    async def keep(self) -> None:
        """Check until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(EVERY_S)

    async def look(self) -> None:
        """Try to store something once, and report a trouble or its end."""
        now = self._clock.now()
        try:
            async with asyncio.timeout(WITHIN_S):
                await self._store.write(lambda c: cursors.put_fact(c, FACT, now.isoformat(), now), FACT, flushed=False)
            self._late = None
        except TimeoutError:
            self._late = StoreBusyError()
        except ButlerError as error:
            log.warning("cannot_store", why=str(error))
        await self._tell(self._error())

    def _error(self) -> ButlerError | None:
        return self._store.trouble or self._late

    async def _tell(self, error: ButlerError | None) -> None:
        self._found = self._found + 1 if error is not None else 0
        lasts = isinstance(error, StoreDamagedError | StoreLostError) or self._found >= TELL_AFTER
        if error is not None and lasts and not self._told:
            self._told = await self._said("⚠️ " + say("I cannot store anything now. {why}.", why=_sentence(error)))
        elif error is None and self._told:
            self._told = not await self._said("✓ " + say("I can store again what comes in."))

    async def _said(self, text: str) -> bool:
        home = self._channel.home()
        if home is None:
            return False
        try:
            await self._channel.say(home, OwnerMessage(text=plain(text)))
        except (Retryable, Refuse) as error:
            log.warning("cannot_store_not_told", why=str(error))
            return False
        return True


def _sentence(error: ButlerError) -> str:
    return say_error(error).rstrip(".")
