"""Reports alerts: one message for each group, redrawn as alerts fire and end, with buttons that silence it.

The message is built from the stored events alone, so it is the same however often and in whatever order they are
delivered: an alert that is known to have ended does not fire again by an older delivery.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from butler.contract.card import Button, OwnerChannel, OwnerMessage, Span, Style
from butler.contract.events import Event, EventName
from butler.contract.inbound import Inbound
from butler.contract.ports import Clock
from butler.contract.quoted_words import others
from butler.contract.speech import say, say_many, say_short_moment
from butler.follow_up.quiet_hours import QuietHoursHold
from butler.hooks.notifying import NOBODY
from butler.orchestrator.replies.buttons import button
from butler.store.errors import StoreUnavailableError
from butler.store.queries import cursors, events, outbox
from butler.store.store import Store

REMEMBERED = timedelta(days=7)
"""How long to wait for the end of a firing alert."""
MOST_EVENTS, MOST_SHOWN, MOST_LABEL, MOST_SUMMARY = 2_000, 10, 200, 300
"""The most events of one group that are read, alerts in a message, and characters of a label and of a summary."""
CRITICAL = frozenset({"critical", "page", "emergency"})
HOURS = (1, 8)


@dataclass
class Episode:
    """A group's alerts from the first that fires until all have ended: one message reports them."""

    first: Event
    states: dict[str, Event] = field(default_factory=dict[str, Event])
    """The latest event of each alert, by the event's subject."""

    @property
    def key(self) -> str:
        """The outbox key of its message."""
        return f"alerts:{self.first.event_id}"

    def firing(self) -> Sequence[Event]:
        return [one for one in self.states.values() if one.facts["state"] == "firing"]


class Alerts:
    """Reports alerts and handles their buttons. Implements `Taps`."""

    key = "alerts"

    def __init__(
        self,
        store: Store,
        clock: Clock,
        channel: OwnerChannel,
        quiet: QuietHoursHold,
        *,
        zone: ZoneInfo,
        wake: Callable[[], None],
    ) -> None:
        self._store, self._clock, self._channel, self._quiet = store, clock, channel, quiet
        self._zone, self._wake = zone, wake

    async def on_event(self, event: Event) -> None:
        """Report an alert (a listener). Raises `StoreUnavailableError` while nobody is paired."""
        if event.name is not EventName.ALERT_FIRED:
            return
        if (chat := self._channel.home()) is None:
            raise StoreUnavailableError(NOBODY)
        now = self._clock.now()

        def tell(connection: sa.Connection) -> None:
            group = _group(event)
            if (episode := _episode(connection, group, event)) is not None:
                self._tell(connection, chat, group, episode, event, now)

        await self._store.write(tell, "alert")
        self._wake()

    def tapped(self, connection: sa.Connection, item: Inbound, stored: Mapping[str, Any], now: datetime) -> None:
        """Silence a group for some hours."""
        until = now + timedelta(hours=int(stored["hours"]))
        group = str(stored["group"])
        cursors.put(connection, _silence(group), until.isoformat(), now)
        message_id = outbox.by_ref(connection, item.chat, item.message_ref)
        if (row := outbox.get(connection, message_id) if message_id else None) is not None:
            text = (*row.message.text, self._mark(until))
            outbox.redraw(connection, row.message_id, OwnerMessage(text=text), now)

    def _tell(
        self, connection: sa.Connection, chat: str, group: str, episode: Episode, event: Event, now: datetime
    ) -> None:
        urgent = event.facts["state"] == "firing" and str(event.facts["severity"]).casefold() in CRITICAL
        message_id = outbox.id_by_key(connection, episode.key)
        until = cursors.get(connection, _silence(group))
        silent_until = datetime.fromisoformat(until) if until else now
        if message_id is None:
            if silent_until > now:
                return
            if not episode.firing() and episode.first.facts["state"] == "firing":
                return  # The alert began and ended before it could be reported.
            message = OwnerMessage(text=_text(episode), buttons=self._buttons(connection, chat, group, now))
            if urgent:
                outbox.add(connection, chat, message, now=now, dedup_key=episode.key)
            else:
                self._quiet.say(connection, chat, message, now=now, dedup_key=episode.key)
            return
        row = outbox.get(connection, message_id)
        assert row is not None
        buttons = row.message.buttons if episode.firing() else ()
        mark = (self._mark(silent_until),) if silent_until > now and episode.firing() else ()
        outbox.redraw(connection, message_id, OwnerMessage(text=(*_text(episode), *mark), buttons=buttons), now)
        if urgent:
            outbox.release(connection, message_id, now)

    def _mark(self, until: datetime) -> Span:
        silent = say("Quiet until {when}.", when=say_short_moment(until.astimezone(self._zone)))
        return Span(text=f"\n\n🔕 {silent}", style=Style.ITALIC)

    @staticmethod
    def _buttons(connection: sa.Connection, chat: str, group: str, now: datetime) -> tuple[tuple[Button, ...], ...]:
        line = [
            button(
                connection,
                chat,
                Alerts.key,
                say_many(hours, "Quiet for {count} hour", "Quiet for {count} hours"),
                {"group": group, "hours": hours},
                now,
            )
            for hours in HOURS
        ]
        return (tuple(line),)


def _group(event: Event) -> str:
    return "/".join(event.subject.split("/")[:2])


def _silence(group: str) -> str:
    return f"alerts.silent.{group}"


def _episode(connection: sa.Connection, group: str, event: Event) -> Episode | None:
    """Return the episode of an event, as of its latest state; None if the event says nothing new."""
    found: Episode | None = None
    current: Episode | None = None
    ended: set[str] = set()
    after = event.at - REMEMBERED
    for one in events.since(connection, EventName.ALERT_FIRED, after, MOST_EVENTS, subject=f"{group}/"):
        alert, firing = one.subject, one.facts["state"] == "firing"
        if firing and alert in ended:
            continue  # An older delivery came late.
        if current is None or (not current.firing() and alert not in current.states):
            current = Episode(one)
        if not firing:
            ended.add(alert)
        current.states[alert] = one
        if one.event_id == event.event_id:
            found = current
    return found


def _text(episode: Episode) -> tuple[Span, ...]:
    firing, source = episode.firing(), str(episode.first.facts["source"])
    head = (
        say_many(len(firing), "{count} alert by {source}", "{count} alerts by {source}", source=source)
        if firing
        else say("All alerts by {source} are over", source=source)
    )
    spans = [Span(text=f"{'🔥' if firing else '✅'} {head}", style=Style.BOLD)]
    ordered = [*firing, *(one for one in episode.states.values() if one not in firing)]
    for one in ordered[:MOST_SHOWN]:
        spans += _line(one)
    if (more := len(ordered) - MOST_SHOWN) > 0:
        spans.append(Span(text="\n" + say_many(more, "and {count} more", "and {count} more")))
    return tuple(spans)


def _line(event: Event) -> list[Span]:
    facts = event.facts
    mark = "🔥" if facts["state"] == "firing" else "✅"
    spans = [Span(text=f"\n{mark} ")]
    for name in ("name", "instance", "severity"):
        if fact := str(facts[name]):
            spans += [*([Span(text=" · ")] if len(spans) > 1 else []), others(fact, MOST_LABEL)]
    if summary := str(facts["summary"]):
        spans += [Span(text="\n"), others(summary, MOST_SUMMARY, Style.QUOTE)]
    return spans
