"""Fires reminders when they fall due, or on the events that they wait for."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import uuid4

import sqlalchemy as sa

from butler.contract.card import OwnerChannel, OwnerMessage, Span
from butler.contract.errors import Retryable
from butler.contract.events import MOST_TEXT, Event, EventName
from butler.contract.names import Identity
from butler.contract.ports import Clock
from butler.contract.provenance import Origin, Trust
from butler.contract.speech import say, say_many, say_moment
from butler.engine import WorkHandler
from butler.provenance import as_kept
from butler.store.errors import StoreUnavailableError
from butler.store.queries import events, firings, outbox, reminder_times, reminders
from butler.store.queries.firings import FiringKind
from butler.store.queries.reminder_times import Fired
from butler.store.store import Store

CHANNEL = "reminders"
Say = Callable[[sa.Connection, Fired, str], OwnerMessage]
"""Builds a reminder's message for a chat, in the transaction that marks it as fired."""


class NotDueYet(Retryable):
    """It is not due yet by the clock as it is now."""


def plainly(_connection: sa.Connection, fired: Fired, _chat: str) -> OwnerMessage:
    """Return the message without buttons."""
    return OwnerMessage(text=(Span(text=words(fired)),))


def words(fired: Fired) -> str:
    """Return the message of a fired time: the text, and whether it is late or an event came first."""
    text = as_kept(fired.reminder.text, frozenset(fired.reminder.origins))
    if fired.event is not None:
        event = unproved(fired.event) if fired.unproved else happened(fired.event)
        return say("⏰ ({event}) {text}", event=event, text=text)
    if not fired.late:
        return f"⏰ {text}"
    due = say_moment(fired.reminder.rule.local(fired.due_at))
    if fired.missed:
        more = say_many(fired.missed, "and {count} more time since", "and {count} more times since")
        return say("⏰ (late: it was due {moment}, {more}) {text}", moment=due, more=more, text=text)
    return say("⏰ (late: it was due {moment}) {text}", moment=due, text=text)


def happened(event: Event) -> str:
    """Describe the event that came first, by the owner's names and no words of others."""
    who = _who(event)
    match event.name:
        case EventName.MAIL_RECEIVED:
            return say("a mail of {who} came", who=who)
        case EventName.CHAT_RECEIVED:
            return say("{who} wrote", who=who)
        case _:
            return say("what it waits for has happened")


def unproved(event: Event) -> str:
    """Describe a mail whose sender is unproved."""
    return say(
        "a mail that says it is from {who} came; who sent it is not proved, so I also remind you at your time",
        who=_who(event),
    )


def _who(event: Event) -> str:
    return str(event.facts.get("contact") or event.facts.get("sender") or "").removeprefix("mail:")


@dataclass(frozen=True, slots=True)
class Schedule:
    """The work handler of `remind` rows, and a listener of events."""

    store: Store
    clock: Clock
    channel: OwnerChannel
    wake: Callable[[], None]
    say: Say = plainly

    def handlers(self) -> dict[str, WorkHandler]:
        """Return the work handlers."""
        return {reminders.REMIND: self.remind}

    async def remind(self, reminder_id: str) -> None:
        """Fire a reminder: mark it as fired in the transaction that queues its message."""
        chat, now = self._chat(), self.clock.now()

        def work(connection: sa.Connection) -> bool:
            fired = reminder_times.fire(connection, reminder_id, now)
            if fired is not None:
                self._tell(connection, fired, chat)
            return fired is not None

        if await self.store.write(work, "remind"):
            self.wake()
            return
        # This handler's row ends with it; after the clock was set back, it is the only one.
        later = await self.store.read(lambda c: reminder_times.uncovered_due_time(c, reminder_id, now))
        if later is not None:
            raise NotDueYet(until=later)

    async def on_event(self, event: Event) -> None:
        """Fire what waits for this event, once and in place of its time, unless the event's sender is unproved."""
        if event.name is EventName.REMINDER_DUE or not await self.store.look(reminders.any_awaits):
            return
        chat, now = self._chat(), self.clock.now()

        def work(connection: sa.Connection) -> None:
            for fired in reminder_times.fire_early(connection, event, now):
                self._tell(connection, fired, chat)

        await self.store.write(work, "remind.event")
        self.wake()

    async def clock_went_back(self) -> None:
        """Reschedule what a fast clock had put far ahead."""
        now = self.clock.now()
        await self.store.write(lambda c: reminder_times.heal(c, now), "remind.heal")
        self.wake()

    def _chat(self) -> str:
        chat = self.channel.home()
        if chat is None:
            raise StoreUnavailableError("nobody is paired, so nobody can be reminded")
        return chat

    def _tell(self, connection: sa.Connection, fired: Fired, chat: str) -> None:
        reminder_id = fired.reminder.reminder_id
        key = f"remind:{reminder_id}:{fired.due_at:%Y-%m-%dT%H:%M:%SZ}"
        message = self.say(connection, fired, chat)
        message_id = outbox.add(connection, chat, message, now=fired.at, dedup_key=key)
        firings.says(connection, FiringKind.REMINDER, reminder_id, fired.due_at, message_id)
        events.emit(connection, _event(fired, reminders.depth(connection, reminder_id)), key, fired.at)


def _event(fired: Fired, depth: int) -> Event:
    reminder = fired.reminder
    return Event(
        event_id=uuid4().hex,
        name=EventName.REMINDER_DUE,
        channel=CHANNEL,
        identity=Identity.BOT,
        account="",
        at=fired.at,
        facts={"reminder": reminder.reminder_id, "text": reminder.text[:MOST_TEXT], "late": fired.late},
        origin=_origin(reminder.origins, reminder.reminder_id),
        subject=reminder.reminder_id,
        depth=depth,
    )


def _origin(origins: tuple[Origin, ...], reminder_id: str) -> Origin:
    """Return the least trusted origin; a reminder without any is the owner's."""
    ranks = tuple(Trust)
    return max(origins, key=lambda one: ranks.index(one.trust), default=Origin.owner(f"reminder:{reminder_id}"))
