"""Which events a list holds: times, words, deleted ones, single occurrences, order, and what changed since a token."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from butler_demo.calendar.calendar_events import CalendarEvents, StoredEvent, instance_data
from butler_demo.calendar.recurrence import between
from butler_demo.calendar.times import moment_of

HORIZON = timedelta(days=730)
"""How far into the future an endless series is spread out where no end is asked for."""


@dataclass(frozen=True)
class EventFilter:
    """What a list of events is asked for; empty or None means no such condition."""

    single: bool = False
    deleted: bool = False
    after: datetime | None = None
    before: datetime | None = None
    words: str = ""
    updated_since: datetime | None = None


def listed(book: CalendarEvents, wanted: EventFilter, now: datetime) -> list[StoredEvent]:
    """Return the events of a full list, in the order of their making."""
    return [event for event in _spread(book, wanted, now) if _is_shown(event, book, wanted)]


def changed(book: CalendarEvents, wanted: EventFilter, revision: int, now: datetime) -> list[StoredEvent]:
    """Return what changed after a revision, deleted events included, each as the full list would have it."""
    everything = replace(wanted, deleted=True)
    fresh = [event for event in _spread(book, everything, now) if event.revision > revision]
    found = [event for event in fresh if _is_shown(event, book, everything)]
    if not wanted.single:
        return found
    present = {event.id for event in _spread(book, everything, now)}
    return found + [event for event in _vanished(book, wanted, revision, now) if event.id not in present]


def _spread(book: CalendarEvents, wanted: EventFilter, now: datetime) -> Iterator[StoredEvent]:
    """Every event, or, where single ones are wanted, every occurrence within the times asked for."""
    for event in book.events():
        if not wanted.single:
            yield event
        elif not event.recurring:
            if not event.master_id:
                yield event
        else:
            yield from _occurrences(book, event, wanted, now)


def _occurrences(
    book: CalendarEvents, master: StoredEvent, wanted: EventFilter, now: datetime
) -> Iterator[StoredEvent]:
    """Return a series' occurrences within the times asked for, with its exceptions in their places."""
    exceptions = book.exceptions(master.id)
    end = wanted.before or now + HORIZON
    for occurrence in between(master.data, book.zone, wanted.after, end):
        if occurrence.id not in exceptions:
            data = instance_data(master.data, occurrence.id, occurrence.start, occurrence.end)
            yield StoredEvent(data, master.revision)
    yield from exceptions.values()


def _vanished(book: CalendarEvents, wanted: EventFilter, revision: int, now: datetime) -> Iterator[StoredEvent]:
    """The occurrences that a series had before its changes since the revision, as deleted ones."""
    end = wanted.before or now + HORIZON
    for event in book.events():
        for changed_at, data in event.earlier:
            if changed_at > revision and data.get("recurrence"):
                for occurrence in between(data, book.zone, wanted.after, end):
                    gone = instance_data(data, occurrence.id, occurrence.start, occurrence.end)
                    yield StoredEvent(gone | {"status": "cancelled"}, changed_at)


def _is_shown(event: StoredEvent, book: CalendarEvents, wanted: EventFilter) -> bool:
    if event.cancelled and not wanted.deleted and not _stays_listed(event, wanted):
        return False
    if wanted.updated_since and datetime.fromisoformat(event.data["updated"]) < wanted.updated_since:
        return False
    return _in_time(event, book, wanted) and _has_words(event, wanted.words)


def _stays_listed(event: StoredEvent, wanted: EventFilter) -> bool:
    """A deleted event is listed all the same: an occurrence beside its series, and what changed lately if asked for."""
    beside_series = event.master_id is not None and not wanted.single
    return beside_series or wanted.updated_since is not None


def _in_time(event: StoredEvent, book: CalendarEvents, wanted: EventFilter) -> bool:
    if wanted.after is None and wanted.before is None:
        return True
    if event.recurring:
        end = wanted.before or datetime.max.replace(tzinfo=book.zone) - timedelta(days=2)
        return next(between(event.data, book.zone, wanted.after, end), None) is not None
    begins, ends = moment_of(event.data["start"], book.zone), moment_of(event.data["end"], book.zone)
    return (wanted.after is None or ends > wanted.after) and (wanted.before is None or begins < wanted.before)


def _has_words(event: StoredEvent, text: str) -> bool:
    data = event.data
    people = [data.get("organizer", {}), *data.get("attendees", [])]
    told = [data.get(name, "") for name in ("summary", "description", "location")]
    told += [person.get(name, "") for person in people for name in ("displayName", "email")]
    held = set(re.findall(r"\w+", " ".join(told).casefold()))
    return set(re.findall(r"\w+", text.casefold())) <= held
