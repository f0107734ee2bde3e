"""The day of a digest: calendar events and reminders; and what waits or failed."""

from collections.abc import Iterator
from datetime import datetime, time, timedelta

import sqlalchemy as sa

from approvals.people import Names
from approvals.states import State
from butler.contract.card import Rich, Span, Style
from butler.contract.following import WaitState
from butler.contract.quoted_words import others
from butler.contract.speech import say, say_clock, say_many, say_short_moment
from butler.contract.tool_words import action_of, channel_of
from butler.contract.wall_time import moment
from butler.digests.mails import who
from butler.digests.section import DigestPeriod, Section, SectionKind
from butler.follow_up.agenda_items import AgendaItem, around, going_on
from butler.follow_up.answer_waits import line
from butler.follow_up.question_detection import asks
from butler.store.queries import approvals, digests, polled, reminders, waits, work

MOST, A_DAY = 200, timedelta(days=1)
CHATS, CHATS_WITHIN = 40, timedelta(days=3)


def bounds(stretch: DigestPeriod) -> tuple[datetime, datetime]:
    """Return when a digest's day begins and ends."""
    begins = moment(datetime.combine(stretch.day, time.min), stretch.zone)
    return begins, moment(datetime.combine(stretch.day + A_DAY, time.min), stretch.zone)


def of_agenda(connection: sa.Connection, stretch: DigestPeriod) -> Iterator[Section]:
    """Yield that day's events that are not over, without those that the owner has declined."""
    begins, ends = bounds(stretch)
    begins = max(begins, stretch.until)
    found = going_on(polled.find(connection, around(begins, ends, most=MOST)), begins, ends, stretch.zone)
    left = [item for item in found if not item.entry.declined]
    if left:
        yield Section(SectionKind.AGENDA, len(left), tuple(_event(item, stretch) for item in left))


def _event(item: AgendaItem, stretch: DigestPeriod) -> Rich:
    entry = item.entry
    title = others(entry.title) if entry.title.strip() else Span(text=say("(no title)"))
    place = (Span(text=" · 📍 "), others(entry.place, 40)) if entry.place.strip() else ()
    if entry.all_day:
        return (Span(text=say("all day: ")), title, *place)
    starts, ends = entry.starts.astimezone(stretch.zone), entry.ends.astimezone(stretch.zone)
    before = starts.date() < stretch.day
    until = f"–{say_clock(ends)}" if ends.date() == stretch.day and ends > starts else ""
    hours = say("until {clock}", clock=say_clock(ends)) if before else f"{say_clock(starts)}{until}"
    return (Span(text=f"{hours} ", style=Style.BOLD), title, *place)


def of_reminders(connection: sa.Connection, stretch: DigestPeriod) -> Iterator[Section]:
    """Yield that day's reminders."""
    begins, ends = bounds(stretch)
    found = [one for one in reminders.waiting(connection, MOST) if begins <= one.due_at < ends]
    if found:
        lines = [(_clock(one.due_at, stretch), others(one.text)) for one in found]
        yield Section(SectionKind.REMINDERS, len(found), tuple(lines))


def _clock(at: datetime, stretch: DigestPeriod) -> Span:
    return Span(text=f"{say_clock(at.astimezone(stretch.zone))} ", style=Style.BOLD)


def of_cards(connection: sa.Connection) -> Iterator[Section]:
    """Yield what waits for the owner's approval."""
    found = approvals.in_state(connection, State.PENDING)
    if found:
        lines = [(Span(text=f"{channel_of(row.tool)}: {action_of(row.tool)}"),) for row in found]
        yield Section(SectionKind.CARDS, len(found), tuple(lines))


def of_chats(connection: sa.Connection, stretch: DigestPeriod, names: Names) -> Iterator[Section]:
    """Yield private chats of the owner's whose last message is an incoming question or unread."""
    found = digests.newest_of_chats(connection, stretch.until - CHATS_WITHIN, CHATS)
    left = [one for one in found if not one.outgoing and (one.unread or asks(one.text))]
    if left:
        lines = [
            (*who(one.sender, one.sender_name, names), Span(text=": "), others(one.text or say("(no text)")))
            for one in left
        ]
        yield Section(SectionKind.CHATS, len(left), tuple(lines))


def of_waits(connection: sa.Connection, stretch: DigestPeriod, names: Names) -> Iterator[Section]:
    """Yield overdue answers."""
    found = waits.in_state(connection, WaitState.OVERDUE)
    if found:
        since = [say_short_moment(one.until.astimezone(stretch.zone)) for one in found]
        lines = [
            (*line(one, names), Span(text=f" · {say('overdue since {moment}', moment=at)}"))
            for one, at in zip(found, since, strict=True)
        ]
        yield Section(SectionKind.WAITS, len(found), tuple(lines))


def of_failures(connection: sa.Connection, stretch: DigestPeriod) -> Iterator[Section]:
    """Yield what failed since the last digest, has an unknown outcome, or was quarantined."""
    found = digests.ended(connection, (State.FAILED, State.UNKNOWN), stretch.since, MOST)
    aside = work.count(connection, work.FAILED)
    lines: list[Rich] = [
        (
            Span(text=f"{channel_of(row.tool)}: {action_of(row.tool)}"),
            Span(text=f" · {say('outcome unknown') if row.state == State.UNKNOWN else say('failed')}"),
        )
        for row in found
    ]
    if aside:
        text = say_many(aside, "1 part of my work is put aside", "{count} parts of my work are put aside")
        lines.append((Span(text=text),))
    if lines:
        yield Section(SectionKind.FAILED, len(found) + aside, tuple(lines))
