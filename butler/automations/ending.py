"""Ends automations whose last day or last time is past, and tells the owner."""

from collections.abc import Callable
from datetime import datetime

import sqlalchemy as sa

from butler.contract.automation_words import until_words
from butler.contract.automations import AutomationState, SavedAutomation
from butler.contract.card import OwnerMessage, plain
from butler.contract.ports import Clock
from butler.contract.speech import say
from butler.follow_up.quiet_hours import QuietHoursHold
from butler.orchestrator.replies import own_reports
from butler.store.errors import StoreUnavailableError
from butler.store.queries import automations, outbox
from butler.store.store import Store

LIVE = (AutomationState.ACTIVE, AutomationState.PAUSED, AutomationState.STOPPED)


class Ending:
    """The work handler of `automation_end` rows."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        home: Callable[[], str | None],
        wake: Callable[[], None],
        quiet: QuietHoursHold | None,
    ) -> None:
        self._store, self._clock, self._home, self._wake, self._quiet = store, clock, home, wake, quiet

    async def ended(self, automation_id: str) -> None:
        """End an automation whose `until` is past. Raise `StoreUnavailableError` while nobody is paired."""
        now = self._clock.now()

        def end(connection: sa.Connection) -> None:
            kept = automations.get(connection, automation_id)
            if kept is None or kept.standing not in LIVE or kept.automation.until is None:
                return
            if now < kept.automation.until.ends:
                # The clock went back, or a later end was set meanwhile.
                automations.wait_for_end(connection, automation_id, kept.automation, now)
            else:
                self.end(connection, kept, now)

        await self._store.write(end, "automation.end")
        self._wake()

    def end(self, connection: sa.Connection, kept: SavedAutomation, now: datetime) -> None:
        """End an automation within a transaction, and tell the owner; nothing if it no longer is."""
        chat = self._home()
        if chat is None:
            raise StoreUnavailableError("nobody is paired, so nobody can be told")
        if not automations.set_state(connection, kept.automation_id, LIVE, AutomationState.ENDED, now):
            return
        text = _words(kept)
        if not text:
            return
        key = f"automation-end:{kept.automation_id}:{kept.digest}"
        message = OwnerMessage(text=plain(text))
        if self._quiet is None:
            outbox.add(connection, chat, message, now=now, dedup_key=key)
        else:
            self._quiet.say(connection, chat, message, now=now, dedup_key=key)
        held = None if self._quiet is None else self._quiet.until(now)
        own_reports.keep(connection, chat, own_reports.automation_ended(kept.number), held or now, now)


def _words(kept: SavedAutomation) -> str:
    """Return what the owner is told; empty of what was to be done once, as that speaks for itself."""
    automation, number = kept.automation, kept.number
    if automation.until is not None:
        return say(
            "🏁 Automation {number}, “{name}”, has ended, as you wanted: it ran until {day}.",
            number=number,
            name=automation.name,
            day=until_words(automation.until),
        )
    if automation.clock is not None and automation.clock.repeats:
        return say(
            "🏁 Automation {number}, “{name}”, has ended: this was its last time.", number=number, name=automation.name
        )
    return ""
