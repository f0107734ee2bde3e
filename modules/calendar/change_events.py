"""Selects the calendar changes that are published as `event.changed`, and their content."""

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from butler.contract.agenda import AgendaEntry
from butler.contract.events import MOST_TEXT, Event, EventName
from butler.contract.names import Identity
from butler.contract.polled import Polled, PolledChange, Teller, Told
from butler.contract.provenance import Origin, Trust
from butler.contract.speech import phrase
from modules.calendar import records as r
from modules.calendar.own_changes import OwnChanges

MADE, CHANGED, CANCELLED = "made", "changed", "cancelled"
Within = Callable[[Polled], bool]


def teller(own: OwnChanges, found: Mapping[str, r.Event], now: datetime, within: Within) -> Teller:
    """Return what publishes changes of records for which `within` holds.

    `found` are the events by their records' refs. A series is published once for all its like changes.
    """

    def tell(changes: Sequence[PolledChange]) -> Iterable[Told]:
        items: set[tuple[str, str]] = set()
        for change, known in sorted(_known(changes), key=lambda pair: pair[1].starts):
            kind = _kind(change)
            if not within(change.after) or not kind or (known.series, kind) in items:
                continue
            if known.series:
                items.add((known.series, kind))
            event = found.get(change.after.ref)
            yield _change_event(change.after, known, kind, now, own=event is not None and own.has(event))

    return tell


def _known(changes: Iterable[PolledChange]) -> Iterator[tuple[PolledChange, AgendaEntry]]:
    for change in changes:
        # For a deleted event, the provider sends its id only; the rest is in the previous record.
        record = change.before if change.after.removed and change.before is not None else change.after
        yield change, AgendaEntry.model_validate(record.item)


def _kind(change: PolledChange) -> str:
    """Return the kind of change; empty if nothing visible changed."""
    if change.after.removed:
        return CANCELLED
    if change.before is None or change.before.removed:
        return MADE
    return CHANGED if change.before.item != change.after.item else ""


def _change_event(record: Polled, known: AgendaEntry, kind: str, now: datetime, *, own: bool) -> Told:
    subject = f"{record.channel}/{record.account}/{record.ref}"
    event = Event(
        event_id=uuid.uuid4().hex,
        name=EventName.EVENT_CHANGED,
        channel=record.channel,
        identity=Identity.USER,
        account=record.account,
        at=now,
        facts={
            "account": record.account,
            "event": known.event_id,
            "title": known.title[:MOST_TEXT],
            "change": kind,
            "organizer": known.organizer,
            "own": own,
        },
        origin=Origin(trust=Trust.UNTRUSTED, source=subject, shown_as=phrase("an event of your calendar")),
        subject=subject,
    )
    return event, f"event.changed:{subject}:{kind}:{record.version}"
