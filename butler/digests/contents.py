"""The contents of a digest, from rows: its sections in order, about a period and one day."""

from collections.abc import Iterator, Sequence
from datetime import datetime, time, timedelta
from itertools import chain
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from approvals.people import Names
from butler.contract.card import Rich
from butler.contract.following import DigestKind
from butler.contract.ports import OwnerFacts
from butler.digests import day, mails
from butler.digests.section import DigestPeriod, Section
from butler.digests.text import digest_text
from butler.store.queries import cursors, digests

AT_FIRST, AT_MOST = timedelta(days=1), timedelta(days=7)
"""The period of the first digest, and the longest period of any."""
EVENING_FROM = time(17)
CALENDARS = "calendar.user."
"""The prefix of the calendars' cursors."""


def kind_at(now: datetime, zone: ZoneInfo) -> DigestKind:
    """Return the kind of a digest requested now: from the evening on, its day is tomorrow."""
    return DigestKind.EVENING if now.astimezone(zone).time() >= EVENING_FROM else DigestKind.MORNING


def stretch_of(connection: sa.Connection, kind: DigestKind, now: datetime, zone: ZoneInfo) -> DigestPeriod:
    """Return what a digest of a kind covers now."""
    since = max(digests.last_sent_at(connection) or now - AT_FIRST, now - AT_MOST)
    tomorrow = kind is DigestKind.EVENING
    return DigestPeriod(since, now, now.astimezone(zone).date() + timedelta(days=int(tomorrow)), zone, tomorrow)


def sections_of(connection: sa.Connection, stretch: DigestPeriod, owner: OwnerFacts) -> Iterator[Section]:
    """Yield a digest's sections, without empty ones."""
    names = Names(connection)
    yield from chain(
        day.of_agenda(connection, stretch),
        day.of_reminders(connection, stretch),
        day.of_cards(connection),
        mails.needs_answer(connection, stretch, owner, names),
        day.of_chats(connection, stretch, names),
        day.of_waits(connection, stretch, names),
        mails.persons(connection, stretch, owner, names),
        mails.butlers(connection, stretch, owner, names),
        day.of_failures(connection, stretch),
    )


def is_brief(connection: sa.Connection) -> bool:
    """Return whether the owner wants them short."""
    return bool(digests.wishes(connection).get("brief"))


def text_of(
    connection: sa.Connection,
    kind: DigestKind,
    stretch: DigestPeriod,
    sections: Sequence[Section],
    *,
    calendar: bool,
    late: datetime | None = None,
) -> Rich:
    """Return the text of these sections; `calendar` is whether there is one, which may not have been read yet."""
    unread = calendar and not cursors.begins(connection, CALENDARS)
    return digest_text(kind, sections, stretch, brief=is_brief(connection), late=late, unread=unread)


def preview(connection: sa.Connection, now: datetime, zone: ZoneInfo, owner: OwnerFacts, *, calendar: bool) -> Rich:
    """Return what a digest would say now."""
    kind = kind_at(now, zone)
    stretch = stretch_of(connection, kind, now, zone)
    return text_of(connection, kind, stretch, list(sections_of(connection, stretch, owner)), calendar=calendar)
