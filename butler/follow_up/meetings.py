"""Before a meeting with guests: who comes, the last messages with them, and what memory holds about it.

Sent once for each start time of a meeting, a while before. It names its sources and quotes their titles, never their
content; no model reads it, and no act follows from it.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from approvals.people import Names, is_owner, same_person
from butler.contract.agenda import AgendaEntry, AgendaGuest
from butler.contract.agent_ports import Memory
from butler.contract.agents import MemoryOutput, MemoryQuery, RetrievedContext
from butler.contract.card import OwnerMessage, Rich, Span, Style, plain
from butler.contract.events import Event, EventName
from butler.contract.inbound import Inbound
from butler.contract.polled import PolledKind, PolledQuery
from butler.contract.quoted_words import others
from butler.contract.speech import say, say_clock, say_list, say_many, say_short_date
from butler.engine import WorkHandler
from butler.follow_up.agenda_items import AgendaItem, item_of
from butler.orchestrator.replies.buttons import button
from butler.orchestrator.replies.offers import note_tap
from butler.services import Services
from butler.store.queries import cursors, firings, meetings, outbox, polled, work
from butler.store.queries.firings import FiringKind

PREPARE = "prepare_meetings"
"""The work kind that looks for near meetings; its subject is `OWNER`."""
OWNER = "owner"
AHEAD = timedelta(hours=1)
"""The longest wait until the next look."""
KEY, MUTED = "meeting", "meetings.muted"
MOST, MOST_GUESTS, MOST_LAST, MOST_SOURCES = 100, 6, 3, 4
NAME = 40


class Meetings:
    """Prepares meetings. Implements `Taps`."""

    key = KEY

    def __init__(self, services: Services, memory: Memory) -> None:
        self._store, self._clock, self._channel = services.store, services.clock, services.channel
        self._owner, self._memory = services.owner, memory
        self._zone, self._wake, self._before = services.zone, services.wake, services.settings.digests.prepare

    def handlers(self) -> dict[str, WorkHandler]:
        """Return the work handlers."""
        return {PREPARE: self.look}

    async def begin(self) -> None:
        """Schedule exactly one look at the start, if there is to be any."""
        now = self._clock.now()

        def write(connection: sa.Connection) -> None:
            work.cancel(connection, PREPARE, OWNER)
            if self._before:
                work.add(connection, PREPARE, OWNER, now=now)

        await self._store.write(write, "meetings.begin")
        self._wake()

    async def on_event(self, event: Event) -> None:
        """Look again at near meetings, because calendars have changed."""
        if self._before and event.name in {EventName.EVENT_CHANGED, EventName.EVENT_STARTING}:
            await self.look(OWNER)

    async def look(self, _subject: str) -> None:
        """Report the near meetings, and wait for the next."""
        chat, now = self._channel.home(), self._clock.now()
        coming = await self._store.read(lambda c: self._coming(c, now))
        for item in coming:
            if chat is not None and item.entry.starts - self._before <= now:
                await self._prepare(chat, item, now)
        due = [item.entry.starts - self._before for item in coming if item.entry.starts - self._before > now]

        def again(connection: sa.Connection) -> None:
            work.cancel(connection, PREPARE, OWNER)
            work.add(connection, PREPARE, OWNER, now=now, run_at=min([*due, now + AHEAD]))

        await self._store.write(again, "meetings.look")
        self._wake()

    def _coming(self, connection: sa.Connection, now: datetime) -> list[AgendaItem]:
        """Return meetings with guests that have not begun and that the owner has not declined."""
        query = PolledQuery(PolledKind.EVENT, since=now, until=now + AHEAD + self._before, limit=MOST)
        muted = set(cursors.fact(connection, MUTED) or ())
        found = [item_of(record) for record in polled.find(connection, query)]
        return [
            item
            for item in found
            if item.entry.starts > now
            and not item.entry.all_day
            and not item.entry.declined
            and self._guests(item.entry)
            and not {item.subject, _series(item)} & muted
        ]

    def _guests(self, entry: AgendaEntry) -> list[AgendaGuest]:
        known = {one.address.lower() for one in entry.guests}
        asked = [one for one in entry.guests if one.answer != "declined"]
        if entry.organizer and entry.organizer.lower() not in known and not entry.mine:
            asked.insert(0, AgendaGuest(address=entry.organizer, name=entry.organizer_name))
        return [one for one in asked if not is_owner(self._owner, f"mail:{one.address.lower()}")]

    async def _prepare(self, chat: str, item: AgendaItem, now: datetime) -> None:
        entry = item.entry
        if await self._store.read(lambda c: firings.last(c, FiringKind.MEETING, item.subject)) == entry.starts:
            return
        found = await self._known(entry)

        def tell(connection: sa.Connection) -> None:
            if not firings.fire(connection, FiringKind.MEETING, item.subject, entry.starts, now):
                return
            message = self._message(connection, chat, item, found, now)
            key = f"meeting:{item.subject}:{entry.starts:%Y-%m-%dT%H:%MZ}"
            outbox.add(connection, chat, message, now=now, dedup_key=key)

        await self._store.write(tell, "meeting")
        self._wake()

    async def _known(self, entry: AgendaEntry) -> Sequence[RetrievedContext]:
        """Search memory for the title. The title is the organizer's: only words to search for."""
        if not entry.title.strip():
            return ()
        answer = await self._memory.search(
            MemoryQuery(query_text=entry.title[:200], top_k=MOST_SOURCES * 3, filters=None)
        )
        return answer.results if isinstance(answer, MemoryOutput) else ()

    def _message(
        self, connection: sa.Connection, chat: str, item: AgendaItem, found: Sequence[RetrievedContext], now: datetime
    ) -> OwnerMessage:
        entry, names = item.entry, Names(connection)
        minutes = max(1, round((entry.starts - now).total_seconds() / 60))
        clock = say_clock(entry.starts.astimezone(self._zone))
        head = say_many(minutes, "🗓 In 1 minute, at {clock}:", "🗓 In {count} minutes, at {clock}:", clock=clock)
        title = others(entry.title, style=Style.BOLD) if entry.title.strip() else Span(text=say("(no title)"))
        spans: list[Span] = [Span(text=f"{head} "), title]
        if entry.place.strip():
            spans += [Span(text="\n📍 "), others(entry.place)]
        guests = self._guests(entry)
        spans += [Span(text=f"\n👥 {_people(guests, names)}")] if _all_known(guests, names) else _listed(guests, names)
        spans += chain_lines(say("Last written:"), list(self._last(connection, guests, names)))
        spans += chain_lines(say("In what I have read:"), list(_sources(found)))
        stored = {"subject": item.subject, "series": _series(item)}
        rows = [(button(connection, chat, KEY, say("Not for this one again"), stored | {"verb": "event"}, now),)]
        if entry.series:
            label = say("Never for this series")
            rows = [(*rows[0], button(connection, chat, KEY, label, stored | {"verb": "series"}, now))]
        return OwnerMessage(text=tuple(spans), buttons=tuple(rows))

    def _last(self, connection: sa.Connection, guests: Sequence[AgendaGuest], names: Names) -> Iterator[Rich]:
        """Yield the newest mail or message of each guest, by arrival."""
        addresses = {a for one in guests for a in (f"mail:{one.address.lower()}", *_others_of(connection, one))}
        for message in meetings.last_of(connection, sorted(addresses), MOST_LAST):
            day = say_short_date(message.at.astimezone(self._zone))
            sign = "✉️" if message.channel == "email" else "💬"
            who = names.of(message.sender)
            name = Span(text=who) if who else others(message.sender_name, NAME)
            yield (Span(text=f"{sign} {day} "), name, Span(text=": "), others(message.subject or message.text))

    def tapped(self, connection: sa.Connection, item: Inbound, stored: Mapping[str, Any], now: datetime) -> None:
        """Stop messages about this meeting, or its series."""
        series = stored.get("verb") == "series"
        muted = [*(cursors.fact(connection, MUTED) or ()), str(stored["series" if series else "subject"])]
        cursors.put_fact(connection, MUTED, muted[-500:], now)
        note_tap(connection, item, every=True, now=now)
        text = say("All right, I prepare nothing for this series any more.")
        if not series:
            text = say("All right, I prepare nothing for this meeting any more.")
        key = f"turn:{item.inbound_id}"
        outbox.add(connection, item.chat, OwnerMessage(text=plain(text)), now=now, dedup_key=key)


def chain_lines(head: str, lines: Sequence[Rich]) -> list[Span]:
    """Return a heading and its lines; nothing without lines."""
    if not lines:
        return []
    spans = [Span(text=f"\n\n{head}", style=Style.BOLD)]
    for line in lines:
        spans += [Span(text="\n• "), *line]
    return spans


def _sources(found: Sequence[RetrievedContext]) -> Iterator[Rich]:
    """Yield the results, each source once by its title."""
    seen: dict[str, RetrievedContext] = {}
    for one in found:
        seen.setdefault(one.source_id, one)
    for one in list(seen.values())[:MOST_SOURCES]:
        yield (others(one.title or one.source_id),)


def _series(item: AgendaItem) -> str:
    return f"{item.channel}/{item.account}/series/{item.entry.series}" if item.entry.series else ""


def _others_of(connection: sa.Connection, guest: AgendaGuest) -> Sequence[str]:
    return same_person(connection, f"mail:{guest.address.lower()}")


def _all_known(guests: Sequence[AgendaGuest], names: Names) -> bool:
    return all(names.of(f"mail:{one.address}") for one in guests)


def _people(guests: Sequence[AgendaGuest], names: Names) -> str:
    known = [names.of(f"mail:{one.address}") or "" for one in guests[:MOST_GUESTS]]
    left = len(guests) - MOST_GUESTS
    if left > 0:
        known.append(say_many(left, "1 more", "{count} more"))
    return say_list(known)


def _listed(guests: Sequence[AgendaGuest], names: Names) -> list[Span]:
    """List the guests; strangers chose their own names, so their addresses follow."""
    spans: list[Span] = [Span(text="\n👥 ")]
    for number, one in enumerate(guests[:MOST_GUESTS]):
        name = names.of(f"mail:{one.address}")
        spans += [Span(text=", ")] if number else []
        spans += [Span(text=name)] if name else [others(one.name, NAME), Span(text=" "), others(one.address, NAME)]
    left = len(guests) - MOST_GUESTS
    if left > 0:
        spans.append(Span(text=f", {say_many(left, '1 more', '{count} more')}"))
    return spans
