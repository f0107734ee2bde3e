"""Detects gaps in the bot's updates: Telegram keeps them for 24 hours, so the owner is told of a longer silence."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import structlog

from butler.contract.errors import Refuse, Retryable
from butler.contract.module import ModuleContext
from butler.contract.speech import say, say_short_moment

log = structlog.get_logger(__name__)

KEPT_BY_TELEGRAM = timedelta(hours=24)
NOTE_EVERY = timedelta(minutes=5)


class Gap:
    """Records when Telegram was last reached, and checks for a gap after a silence."""

    def __init__(self, context: ModuleContext, tell_owner: Callable[[str], Awaitable[None]]) -> None:
        self._context, self._tell_owner = context, tell_owner
        self._name = ""
        self._noted: datetime | None = None
        self._began = context.clock.now()

    async def load(self, bot_id: int) -> None:
        """Load the time at which Telegram was last reached as this bot."""
        self._name = f"telegram.bot.{bot_id}.polled_at"
        noted = await self._context.storage.cursors.get(self._name)
        self._noted = datetime.fromisoformat(noted) if noted else None

    async def bridged(self, now: datetime) -> bool:
        """Tell the owner of a silence that was too long; return False if this has to be retried."""
        if self._noted is None or now - self._noted <= KEPT_BY_TELEGRAM:
            return True
        return await self._was_reported(self._noted, now)

    async def note(self, now: datetime) -> None:
        """Record that Telegram was reached; writes at most every five minutes."""
        if self._noted is None or not timedelta() <= now - self._noted <= NOTE_EVERY:
            self._noted = now
            await self._context.storage.cursors.set(self._name, now.isoformat())

    async def _was_reported(self, begin: datetime, end: datetime) -> bool:
        try:
            await self._tell_owner(self._words(begin, end))
        except Retryable:
            return False
        except Refuse as error:
            log.warning("gap_not_told", reason=str(error))
        return True

    def _words(self, begin: datetime, end: datetime) -> str:
        zone = self._context.zone
        times = {
            "begin": say_short_moment(begin.astimezone(zone)),
            "end": say_short_moment(end.astimezone(zone)),
        }
        # Reached soon after the start and not before it: the butler was down, not Telegram.
        if begin < self._began and end - self._began <= NOTE_EVERY:
            return say(
                "I was not running from {begin} to {end}. Telegram keeps messages for a bot for 24 hours "
                "only, so some of what was written to me before that may be lost.",
                **times,
            )
        return say(
            "I could not reach Telegram from {begin} to {end}. Telegram keeps messages for a bot for 24 hours "
            "only, so some of what was written to me before that may be lost.",
            **times,
        )
