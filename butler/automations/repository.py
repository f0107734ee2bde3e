"""The owner's automations for tools, buttons and commands: a narrow port to the store."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa

from butler.automations.firing import Firing
from butler.contract.automation_words import IN_A_FILE, NO_SUCH
from butler.contract.automations import (
    Automation,
    AutomationAction,
    AutomationFiring,
    AutomationState,
    DryRun,
    SavedAutomation,
)
from butler.contract.errors import Refuse
from butler.contract.events import Event, EventName
from butler.contract.names import Identity
from butler.contract.ports import Clock
from butler.contract.provenance import Origin
from butler.contract.speech import phrase, say
from butler.store.queries import automations, contacts, events
from butler.store.store import Store

LOOKED_BACK = timedelta(days=30)
MOST_EVENTS = 20_000
"""Events that one dry run searches."""
SHOWN, TIMES_SHOWN = 5, 3
HAS_ENDED = phrase("automation {number} has ended; say anew what I shall do, and until when")
_CAN = {
    AutomationAction.PAUSE: ((AutomationState.ACTIVE,), AutomationState.PAUSED),
    AutomationAction.RESUME: ((AutomationState.PAUSED, AutomationState.STOPPED), AutomationState.ACTIVE),
    AutomationAction.REMOVE: (
        tuple(one for one in AutomationState if one is not AutomationState.REMOVED),
        AutomationState.REMOVED,
    ),
}


class StoreAutomations:
    """Implements `AutomationRepository`."""

    def __init__(self, store: Store, clock: Clock, firing: Firing, wake: Callable[[], None]) -> None:
        self._store, self._clock, self._firing, self._wake = store, clock, firing, wake

    async def save(self, key: str, automation: Automation, replaces: int = 0) -> SavedAutomation:
        now, automation_id = self._clock.now(), events.id_of(key)

        def write(connection: sa.Connection) -> SavedAutomation:
            again = automations.get(connection, automation_id) is not None
            if replaces and not again:
                take(connection, replaces, AutomationAction.REMOVE, now)
            return automations.add(connection, automation_id, automation, source=key, now=now)

        kept = await self._store.write(write, "automation.save")
        self._wake()
        return kept

    async def people(self) -> Mapping[str, str]:
        return await self._store.read(people)

    async def kept(self) -> Sequence[SavedAutomation]:
        return await self._store.read(automations.every)

    async def get(self, number: int) -> SavedAutomation:
        return await self._store.read(lambda c: known(c, number))

    async def fired(self, number: int, limit: int) -> Sequence[AutomationFiring]:
        return await self._store.read(lambda c: automations.fired(c, known(c, number).automation_id, limit))

    async def take(self, number: int, step: AutomationAction) -> SavedAutomation:
        now = self._clock.now()
        kept = await self._store.write(lambda c: take(c, number, step, now), "automation.step")
        self._wake()
        return kept

    async def replay(self, key: str, event_id: str, number: int = 0) -> Sequence[SavedAutomation]:
        now = self._clock.now()

        def fire(connection: sa.Connection) -> list[SavedAutomation]:
            event = the_event(connection, event_id)
            fitting = fits(connection, event, number)
            for one in fitting:
                if not automations.replayed_by(connection, one.automation_id, key):
                    again = automations.replays(connection, one.automation_id, event.event_id) + 1
                    self._firing.fire(connection, one, event, again, now, key)
            return fitting

        fired = await self._store.write(fire, "automation.replay")
        self._wake()
        return fired

    async def dry_run(self, automation: Automation) -> DryRun:
        now = self._clock.now()
        return await self._store.read(lambda c: dry_run(c, automation, now))


def people(connection: sa.Connection) -> dict[str, str]:
    """Return the names of the owner's contacts, by id."""
    return {one.contact_id: one.name for one in contacts.all_confirmed(connection)}


def known(connection: sa.Connection, number: int) -> SavedAutomation:
    """Return the automation with a number. Raise `Refuse`."""
    found = automations.by_number(connection, number)
    if found is None:
        raise Refuse(say(NO_SUCH, number=number))
    return found


def take(connection: sa.Connection, number: int, step: AutomationAction, now: datetime) -> SavedAutomation:
    """Pause, resume or remove an automation; do nothing if it already is in that state. Raise `Refuse`."""
    found = known(connection, number)
    if step is AutomationAction.REMOVE and found.by_file:
        raise Refuse(say(IN_A_FILE, number=number))
    if step is not AutomationAction.REMOVE and found.standing is AutomationState.ENDED:
        raise Refuse(say(HAS_ENDED, number=number))
    came_from, standing = _CAN[step]
    automations.set_state(connection, found.automation_id, came_from, standing, now)
    after = automations.get(connection, found.automation_id)
    assert after is not None
    return after


def the_event(connection: sa.Connection, beginning: str) -> Event:
    """Return the event whose id begins so. Raise `Refuse` unless there is exactly one."""
    found = events.beginning_with(connection, beginning) if beginning else ()
    if len(found) != 1:
        raise Refuse(say("there is no event {event}, or more than one begins so", event=beginning[:40]))
    return found[0]


def fits(connection: sa.Connection, event: Event, number: int) -> list[SavedAutomation]:
    """Return the automations that match an event, paused or not, or the numbered one. Raise `Refuse` if none does."""
    every = [known(connection, number)] if number else automations.every(connection)
    fitting = [one for one in every if is_its(one, event)]
    if not fitting:
        raise Refuse(say("no automation fits this event"))
    return fitting


def is_its(kept: SavedAutomation, event: Event) -> bool:
    """Return whether an automation fires for an event, as far as the event alone decides."""
    if event.name is EventName.CLOCK:
        return event.facts["automation"] == kept.automation_id
    return kept.automation.matches(event)


def dry_run(connection: sa.Connection, automation: Automation, now: datetime) -> DryRun:
    """Return when an automation would have fired, or when a scheduled one fires next."""
    since = now - LOOKED_BACK
    if (rule := automation.clock) is not None:
        times = [at for at, _ in zip(rule.fires(now), range(TIMES_SHOWN), strict=False)]
        return DryRun(len(times), since, tuple(_time(at) for at in times))
    assert automation.when is not None
    found = events.since(connection, automation.when.event, since, MOST_EVENTS)
    matched = [event for event in found if automation.matches(event)]
    first = events.first_at(connection) or now
    begins = max(since, first) if len(found) < MOST_EVENTS else found[0].at
    return DryRun(len(matched), begins, tuple(matched[-SHOWN:]))


def _time(at: datetime) -> Event:
    return Event(
        event_id=f"clock:{at.isoformat()}",
        name=EventName.CLOCK,
        channel="automations",
        identity=Identity.BOT,
        account="",
        at=at,
        facts={"automation": ""},
        origin=Origin.butler("clock"),
    )
