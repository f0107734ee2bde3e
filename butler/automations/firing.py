"""Matches events with automations; each fires once for an event, however often it is delivered.

Everything that follows from a firing is written in the transaction that marks the event as handled: messages to the
owner, and requests and plans, which are handled like any other. The policy decides on each call by the provenance of
its arguments, and by who caused the event.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from butler.automations.ending import Ending
from butler.automations.limits import skip, stop, tell_loop, verdict_on
from butler.contract.agents import PlanStep
from butler.contract.automation_words import fact_words
from butler.contract.automations import (
    ITEM,
    PLACE,
    AutomationState,
    Call,
    FiringState,
    Request,
    SavedAutomation,
    Tell,
)
from butler.contract.card import OwnerMessage, Span, Style
from butler.contract.events import Event, EventName
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.names import Identity
from butler.contract.ports import Clock
from butler.contract.provenance import Labelled, Origin
from butler.contract.quoted_words import others
from butler.contract.speech import say, say_short_moment
from butler.follow_up.quiet_hours import QuietHoursHold
from butler.orchestrator.chat.turn import add_plan
from butler.orchestrator.execution.event_facts import AUTOMATIONS
from butler.orchestrator.planning.plan_types import Planned
from butler.orchestrator.replies import own_reports
from butler.orchestrator.replies.event_items import event_handle
from butler.sink import INBOUND, lane_of
from butler.store.conversation import ConversationState
from butler.store.errors import StoreUnavailableError
from butler.store.queries import automations, conversations, inbox, outbox, work
from butler.store.queries.event_publisher import CAUSED_BY
from butler.store.queries.inbox import InboxState
from butler.store.store import Store

LONGEST_FACT = 600
"""Characters of a fact in messages to the owner."""
LATE = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class _Time:
    """One firing."""

    kept: SavedAutomation
    event: Event
    replay: int
    chat: str
    now: datetime

    def key(self, *more: object) -> str:
        """Return a key unique to this firing and this part of it."""
        whole = (self.kept.automation_id, self.event.event_id, self.replay, *more)
        return hashlib.sha256(":".join(map(str, whole)).encode()).hexdigest()[:32]


class Firing:
    """Handles every event."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        home: Callable[[], str | None],
        wake: Callable[[], None],
        zone: ZoneInfo,
        ending: Ending,
        quiet: QuietHoursHold | None = None,
    ) -> None:
        self._quiet, self._ending = quiet, ending
        self._store, self._clock, self._home, self._wake, self._zone = store, clock, home, wake, zone

    async def on_event(self, event: Event) -> None:
        """Fire the automations that match. Raise `StoreUnavailableError` while nobody is paired."""
        fitting = await self._store.look(lambda c: fitting_of(c, event))
        if not fitting:
            return
        now = self._clock.now()

        def fire(connection: sa.Connection) -> None:
            for one in fitting:
                # Read its current state: it may have been paused, or have tripped, since the lookup.
                kept = automations.get(connection, one.automation_id)
                if kept is not None and _listens(kept):
                    self.fire(connection, kept, event, 0, now)

        await self._store.write(fire, "automation")
        self._wake()

    def fire(
        self,
        connection: sa.Connection,
        kept: SavedAutomation,
        event: Event,
        replay: int,
        now: datetime,
        replay_key: str = "",
    ) -> bool:
        """Fire an automation for an event, within a transaction; return False if it already fired, or must not."""
        chat = self._home()
        if chat is None:
            raise StoreUnavailableError("nobody is paired, so nobody can be told")
        verdict = verdict_on(connection, kept, event, replay, now)
        state, ours = verdict.state, kept.automation_id
        if not automations.fire(connection, ours, event.event_id, replay, now, state, replay_key):
            return False
        this = _Time(kept, event, replay, chat, now)
        match state:
            case FiringState.FIRED:
                self._act(connection, this)
            case FiringState.TOO_OFTEN:
                stop(connection, chat, kept, f"automation:{this.key('stopped')}", now)
            case FiringState.SKIPPED:
                skip(connection, chat, kept, verdict.goes_on_at or now, now, self._zone)
            case FiringState.LOOP:
                tell_loop(connection, chat, kept, now, self._zone)
        if event.name is EventName.CLOCK and kept.due_at is None and kept.standing is AutomationState.ACTIVE:
            self._ending.end(connection, kept, now)
        return state is FiringState.FIRED

    def _act(self, connection: sa.Connection, this: _Time) -> None:
        do = this.kept.automation.do
        # If the owner is not told about the item, only requests from here can refer to it: a stranger's mail that
        # matches an automation is not what the owner means by "it".
        told = any(isinstance(act, Tell) for act in do)
        handle = event_handle(connection, this.chat, this.event, this.now, unseen=not told)
        for number, act in enumerate(do):
            match act:
                case Tell():
                    message_id = self._say(connection, this, number, act)
                    _shown_in(connection, this, handle, message_id)
                    if message_id is not None:
                        report = own_reports.automation_told(this.kept.number, handle)
                        own_reports.keep(connection, this.chat, report, self._said_at(this, act), this.now)
                case Request():
                    item = _item(this, number, act.words, about=handle)
                    if inbox.add(connection, item):
                        work.add(connection, INBOUND, item.inbound_id, now=this.now, lane=lane_of(item))
                case Call():
                    pass
        if calls := [act for act in do if isinstance(act, Call)]:
            _plan(connection, this, calls, handle)

    def _say(self, connection: sa.Connection, this: _Time, number: int, act: Tell) -> str | None:
        spans = [Span(text="⚡ "), *(one for one in _spans(act.tell, this.event) if one.text)]
        if this.event.name is EventName.CLOCK and this.now - this.event.at > LATE:
            due = say_short_moment(this.event.at.astimezone(self._zone))
            spans.append(Span(text="\n" + say("It was due on {at}; I was down then.", at=due), style=Style.ITALIC))
        message = OwnerMessage(text=tuple(spans))
        key = f"automation:{this.key(number)}"
        if act.urgent or self._quiet is None:
            return outbox.add(connection, this.chat, message, now=this.now, dedup_key=key)
        return self._quiet.say(connection, this.chat, message, now=this.now, dedup_key=key)

    def _said_at(self, this: _Time, act: Tell) -> datetime:
        """Return when the owner is told: at the end of quiet hours if it is held until then."""
        held = None if act.urgent or self._quiet is None else self._quiet.until(this.now)
        return held or this.now


def _spans(text: str, event: Event) -> Iterator[Span]:
    """Yield the owner's text with the facts inserted; nothing in others' words can be tapped."""
    text, at = fill_in(text, event), 0
    for found in PLACE.finditer(text):
        yield Span(text=text[at : found.start()])
        yield others(fact_words(event, found[1]), LONGEST_FACT)
        at = found.end()
    yield Span(text=text[at:])


def fitting_of(connection: sa.Connection, event: Event) -> list[SavedAutomation]:
    """Return the active automations that match an event."""
    if event.name is EventName.CLOCK:
        found = automations.get(connection, str(event.facts["automation"]))
        return [found] if found is not None and _listens(found) else []
    return [one for one in automations.listening(connection, event.name) if one.automation.matches(event)]


def _listens(kept: SavedAutomation) -> bool:
    """Return whether an automation acts on its events; of one by the clock, last times may still be on their way."""
    ended_by_clock = kept.standing is AutomationState.ENDED and kept.automation.clock is not None
    return kept.standing is AutomationState.ACTIVE or ended_by_clock


def _shown_in(connection: sa.Connection, this: _Time, handle: str, message_id: str | None) -> None:
    """Let a reply to the message refer to the item."""
    if not handle or message_id is None:
        return

    def change(state: ConversationState) -> None:
        state.referents = [
            one.model_copy(update={"shown_in": message_id}) if one.handle == handle else one for one in state.referents
        ]

    conversations.update(connection, this.chat, change, this.now)


def _item(this: _Time, number: int, words: str, *, about: str = "") -> Inbound:
    """Build an inbound item for the request: the words are the owner's, the cause is the event."""
    event, owner = this.event, Origin.owner(f"automation:{this.kept.number}")
    by_clock = event.name is EventName.CLOCK
    inbound_id = f"{CAUSED_BY}{event.depth + 1}:{this.key(number)}"
    return Inbound(
        inbound_id=inbound_id,
        kind=InboundKind.TICK if by_clock else InboundKind.HOOK,
        channel=AUTOMATIONS,
        identity=Identity.BOT,
        account="",
        dedup_key=inbound_id,
        chat=this.chat,
        sender="butler",
        received_at=this.now,
        text=words,
        segments=(Labelled(value=words, origins=frozenset({owner})),),
        origin=owner if by_clock else event.origin,
        payload={
            "automation": this.kept.automation_id,
            "event": event.event_id,
            "facts": dict(event.facts),
            "about": about,
        },
    )


def _plan(connection: sa.Connection, this: _Time, calls: list[Call], handle: str) -> None:
    """Store the calls as a plan, one after the other."""
    item = _item(this, len(this.kept.automation.do), "\n".join(text for call in calls for text in _literals(call.args)))
    if not inbox.add(connection, item):
        return
    steps = tuple(
        PlanStep(
            step_id=number,
            description=this.kept.automation.name,
            tool_call=call.call,
            args=_with_item(call.args, handle),
            depends_on=[number - 1] if number > 1 else [],
        )
        for number, call in enumerate(calls, 1)
    )
    add_plan(Planned(steps), connection, item, this.now)
    inbox.settle(connection, item.inbound_id, InboxState.DONE, now=this.now)


def _with_item(value: Any, handle: str) -> Any:
    match value:
        case {"item": _, **rest} if not rest:
            return {"handle": handle}
        case dict():
            return {name: _with_item(one, handle) for name, one in cast("dict[str, Any]", value).items()}
        case list():
            return [_with_item(one, handle) for one in cast("list[Any]", value)]
        case _:
            return value


def _literals(value: Any) -> list[str]:
    """Return the texts that the owner gave for arguments."""
    match value:
        case str():
            return [value]
        case dict():
            found = cast("dict[str, Any]", value)
            return [] if set(found) <= {"fact", ITEM} else [text for one in found.values() for text in _literals(one)]
        case list():
            return [text for one in cast("list[Any]", value) for text in _literals(one)]
        case _:
            return []


def fill_in(text: str, event: Event) -> str:
    """Return a text to send, its placeholders still empty: an address that replaces a name appears once."""
    nameless = not any(str(event.facts.get(name, "")).strip() for name in ("sender_name", "contact"))
    return text.replace("{sender_name} ({sender})", "{sender}") if nameless else text
