"""The automations' service: its event listener, its work handlers, the list with its buttons."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from approvals.states import State
from approvals.visible import visible, visible_line
from butler.automations.dispatch import Listener
from butler.automations.ending import Ending
from butler.automations.firing import Firing
from butler.automations.from_settings import keep_written
from butler.automations.limits import KEY
from butler.automations.repository import StoreAutomations, people, take
from butler.automations.times import DueAutomations
from butler.contract.automation_words import NONE, fired_line, line, taken_words
from butler.contract.automations import Automation, AutomationAction, AutomationState, SavedAutomation
from butler.contract.card import Button, OwnerMessage, Rich, plain
from butler.contract.errors import Refuse
from butler.contract.inbound import Inbound
from butler.contract.ports import Clock, OwnerFacts
from butler.contract.quoted_words import others_lines
from butler.contract.speech import phrase, say
from butler.engine import WorkHandler
from butler.follow_up.quiet_hours import QuietHoursHold
from butler.home_zone import HomeZone
from butler.orchestrator.replies.buttons import button
from butler.store.queries import approvals, automations, outbox
from butler.store.store import Store

CREATE = "bot_automations_create"
MOST_SHOWN, FIRINGS_SHOWN = 20, 10
SHOW = "show"
LABELS = {
    AutomationAction.PAUSE.value: phrase("Pause {number}"),
    AutomationAction.RESUME.value: phrase("Go on with {number}"),
    AutomationAction.REMOVE.value: phrase("Remove {number}"),
    SHOW: phrase("What {number} did"),
}


class AutomationService:
    """The service that `butler.app` builds. Its state is in the store. Implements `Taps`."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        owner: OwnerFacts,
        wake: Callable[[], None],
        zone: ZoneInfo,
        quiet: QuietHoursHold | None = None,
    ) -> None:
        self._store, self._clock, self._owner, self._zone = store, clock, owner, zone
        self._ending = Ending(store, clock, self._home, wake, quiet)
        self._firing = Firing(store, clock, self._home, wake, zone, self._ending, quiet)
        self._times = DueAutomations(store, clock, wake)
        self.repository = StoreAutomations(store, clock, self._firing, wake)

    @property
    def key(self) -> str:
        """The name under which its buttons are stored."""
        return KEY

    def listeners(self) -> Sequence[Listener]:
        """Return the event listeners."""
        return (self._firing.on_event,)

    def handlers(self) -> dict[str, WorkHandler]:
        """Return the work handlers by the kind of row."""
        return {
            automations.DUE: self._times.due,
            automations.END: self._ending.ended,
            automations.REPLAY: self._replay,
        }

    async def clock_went_back(self) -> None:
        """Reschedule what a fast clock had put far ahead."""
        await self._times.clock_went_back()

    async def keep_written(self, written: Sequence[tuple[str, Automation]]) -> None:
        """Update the automations of the settings, by their place there."""
        now, zone = self._clock.now(), self._zone
        away = (zone.home, zone.key) if isinstance(zone, HomeZone) and zone.key != zone.home else None
        await self._store.write(lambda c: keep_written(c, written, now, away), "automation.written")

    def say(self, connection: sa.Connection, chat: str, key: str, now: datetime) -> None:
        """Queue the list for a chat; `key` prevents duplicates."""
        kept = automations.every(connection)
        shown, names = kept[:MOST_SHOWN], people(connection)
        saving = _saving(connection)
        text = "\n\n".join([*(visible(line(one, self._zone, names)) for one in shown), *saving]) or say(NONE)
        if len(kept) > len(shown):
            text += "\n\n" + say("These are the first {shown} of {count}.", shown=len(shown), count=len(kept))
        rows = tuple(self._buttons(connection, chat, one, now) for one in shown)
        outbox.add(connection, chat, OwnerMessage(text=plain(text), buttons=rows), now=now, dedup_key=key)

    def tapped(self, connection: sa.Connection, item: Inbound, stored: Mapping[str, Any], now: datetime) -> None:
        """Handle a button under the list."""
        try:
            spans = self._done(connection, int(stored["number"]), str(stored["step"]), now)
        except Refuse as refused:
            spans = plain(refused.detail)
        message = OwnerMessage(text=spans)
        outbox.add(connection, item.chat, message, now=now, dedup_key=f"automation:{item.inbound_id}")

    def _done(self, connection: sa.Connection, number: int, step: str, now: datetime) -> Rich:
        if step == SHOW:
            return self._firings(connection, number)
        kept = take(connection, number, AutomationAction(step), now)
        return plain(taken_words(AutomationAction(step), number, kept.automation.name))

    def _firings(self, connection: sa.Connection, number: int) -> Rich:
        kept = automations.by_number(connection, number)
        fired = automations.fired(connection, kept.automation_id, FIRINGS_SHOWN) if kept is not None else []
        if not fired:
            return plain(say("Automation {number} has not fired yet.", number=number))
        return others_lines("\n".join(fired_line(one, self._zone) for one in fired))

    def _buttons(
        self, connection: sa.Connection, chat: str, kept: SavedAutomation, now: datetime
    ) -> tuple[Button, ...]:
        on = kept.standing is AutomationState.ACTIVE
        steps = [
            AutomationAction.PAUSE.value if on else AutomationAction.RESUME.value,
            *([] if kept.by_file else [AutomationAction.REMOVE.value]),
            SHOW,
        ]
        return tuple(
            button(
                connection,
                chat,
                KEY,
                say(LABELS[step], number=kept.number),
                {"number": kept.number, "step": step},
                now,
            )
            for step in steps
        )

    async def _replay(self, subject: str) -> None:
        """Replay what a command requested, once."""
        automation_id, event_id, _ = subject.split("/", 2)
        kept = await self._store.look(lambda c: automations.get(c, automation_id))
        if kept is not None and kept.standing is not AutomationState.REMOVED:
            await self.repository.replay(f"command:{subject}", event_id, kept.number)

    def _home(self) -> str | None:
        """Return the owner's own chat; None before pairing."""
        user_id = self._owner.telegram_user_id
        return None if user_id is None else f"telegram:{user_id}"


def _saving(connection: sa.Connection) -> list[str]:
    """Return the automations that were approved but not saved yet, while that can be undone."""
    approved = approvals.in_state(connection, State.APPROVED, State.EXECUTING)
    names = [visible_line(str(json.loads(row.args)["name"])) for row in approved if row.tool == CREATE]
    return [say("“{name}” is being saved.", name=name) for name in names]
