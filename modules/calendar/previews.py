"""Builds the previews of new and changed events: day, time and zone, who is notified by mail, and clashes."""

from collections.abc import Sequence
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from butler.contract.ports import Clock
from butler.contract.speech import say, say_clock, say_list, say_many
from butler.contract.tools import Preview, Recipient
from butler.contract.wall_time import local_moment
from modules.calendar import event_fields
from modules.calendar.args import (
    ChangeEventArgs,
    Clash,
    CreateEventArgs,
    EventNow,
    FreeTimeArgs,
    ListEventsArgs,
)
from modules.calendar.changing import new_span, read
from modules.calendar.times import in_zone_of, later, length_of, moment_of, own_zone, remark, span_text

LONGEST_TITLE = 100
Facts = tuple[tuple[str, str], ...]


class Previews:
    """Builds previews. Times are shown in the owner's current zone, whichever zone the call was frozen with."""

    def __init__(self, zone: ZoneInfo, clock: Clock) -> None:
        self._zone, self._clock = zone, clock

    def listed(self, args: ListEventsArgs) -> Preview:
        """Return the preview of a listing, for owners who approve reads."""
        facts = ((say("Words"), args.words), (say("Calendar"), args.calendar), *self._stretch(args))
        names = ("words", "calendar", "since", "before")
        return Preview(say("Looks for events in your calendar"), facts=_said(facts), told=names)

    def free(self, args: FreeTimeArgs) -> Preview:
        """Return the preview of a search for free time, for owners who approve reads."""
        return Preview(
            say("Looks for free time in your calendar"), facts=_said(self._stretch(args)), told=("since", "before")
        )

    def _stretch(self, args: ListEventsArgs | FreeTimeArgs) -> Facts:
        return ((say("Since"), self._moment(args.since, args)), (say("Before"), self._moment(args.before, args)))

    def _moment(self, at: date | None, args: ListEventsArgs | FreeTimeArgs) -> str:
        """Return a moment in words; of a day, its midnight."""
        wall = at if at is None or isinstance(at, datetime) else datetime.combine(at, time())
        return local_moment(wall, args.in_zone, self._zone)

    def create(self, args: CreateEventArgs) -> Preview:
        zone, own = self._zone, own_zone(args.in_zone, self._zone)
        start = event_fields.begins(args.start, own)
        end = event_fields.ends(args.start, args.end, args.minutes, own)
        effect = say("Puts an event into your calendar, and Google invites its guests by mail")
        facts = (
            (say("When"), span_text(in_zone_of(start, zone), in_zone_of(end, zone), zone)),
            (say("Worth knowing"), remark(_naive(args.start), own)),
            (say("Repeats"), event_fields.repeat_text(args.repeat, args.until, args.start)),
            (say("By the clocks of"), own.key if args.repeat and own.key != zone.key else ""),
            (say("Where"), args.location),
            (say("Calendar"), args.calendar),
            (say("Reminder"), _reminder(args.remind_minutes)),
            (say("At that time"), _clashing(args.clashes, zone)),
        )
        return Preview(
            effect if args.guests else say("Puts an event into your calendar"),
            args.guests,
            subject=args.title,
            subject_label=say("Title"),
            body=args.description,
            facts=_said(facts),
            passing=self._past(end),
            told=("start", "end", "minutes", "repeat", "until", "remind_minutes", "clashes"),
        )

    def change(self, args: ChangeEventArgs) -> Preview:
        was = args.was
        facts = [(say("Event"), " ".join(was.title.split()) if was else args.event)]
        facts += [(say("Title"), args.title or "")]
        times, ends = self._times(args, was)
        facts += times
        facts += [
            (say("Where"), _text(args.location)),
            (say("It was at"), was.location if was and args.location else ""),
        ]
        facts += [(say("Description"), _text(args.description) if not args.description else "")]
        facts += [(say("Invites"), _people(args.add_guests)), (say("No longer invites"), _people(args.remove_guests))]
        facts += [(say("Guests"), ", ".join(was.guests) if was else "")]
        facts += [(say("Calendar"), was.calendar if was else "")]
        facts += [(say("At that time"), _clashing(args.clashes, self._zone))]
        return Preview(
            self._effect(args),
            _reached(args),
            body=args.description or "",
            facts=_said(facts),
            passing=self._past(ends) if ends is not None else (),
            told=tuple(name for name in ChangeEventArgs.model_fields if name not in {"description", "account"}),
        )

    def _effect(self, args: ChangeEventArgs) -> str:
        whole = args.series or (args.was is not None and bool(args.was.rules))
        if _reached(args):
            if whole:
                return say("Changes a whole series in your calendar, and Google tells its guests by mail")
            return say("Changes an event in your calendar, and Google tells its guests by mail")
        return say("Changes a whole series in your calendar") if whole else say("Changes an event in your calendar")

    def _times(self, args: ChangeEventArgs, was: EventNow | None) -> tuple[list[tuple[str, str]], date | None]:
        """Return the facts about the new and old times, and the new end if the event moves."""
        zone, own = self._zone, own_zone(args.in_zone, self._zone)
        if was is None:
            return [(say("When"), args.start.isoformat() if args.start else "")], None
        named, starts, ends = (read(text, zone) for text in (was.named_start, was.start, was.end))
        before = span_text(named, later(named, length_of(starts, ends)), zone)
        moved = new_span(args, was, own)
        if moved is None:
            return [(say("When"), before)], None
        # Of a series, the new times of the named event.
        start = in_zone_of(event_fields.begins(args.start, own), zone) if args.start is not None else named
        end = later(start, length_of(*moved))
        mind = remark(_naive(args.start or in_zone_of(start, own)), own)
        return [(say("When"), span_text(start, end, zone)), (say("It was"), before), (say("Worth knowing"), mind)], end

    def _past(self, end: date) -> Facts:
        """Return a notice if the event is over: it depends on the clock, so it is not part of what is approved."""
        over = end if isinstance(end, datetime) else moment_of(end, self._zone)
        return ((say("Worth knowing"), say("It is in the past.")),) if over <= self._clock.now() else ()


def _naive(at: date) -> date:
    return at.replace(tzinfo=None) if isinstance(at, datetime) else at


def _said(facts: Sequence[tuple[str, str]]) -> Facts:
    return tuple((label, value) for label, value in facts if value)


def _text(value: str | None) -> str:
    return say("taken away") if value == "" else value or ""


def _people(guests: Sequence[Recipient]) -> str:
    return ", ".join(one.address.removeprefix("mail:") for one in guests)


def _reached(args: ChangeEventArgs) -> tuple[Recipient, ...]:
    """Return who is notified by mail: present, removed and added guests."""
    there = [Recipient(address=f"mail:{one}") for one in (args.was.guests if args.was else ())]
    named = {one.address: one for one in (*there, *args.add_guests, *args.remove_guests)}
    return tuple(named.values())


def _reminder(minutes: int | None) -> str:
    if minutes is None:
        return ""
    if minutes == 0:
        return say("when it begins")
    return say_many(minutes, "1 minute before", "{count} minutes before")


def _clashing(clashes: Sequence[Clash], zone: ZoneInfo) -> str:
    """Return the clashes as a list in one sentence."""
    return say_list([_clash(one, zone) for one in clashes]) if clashes else ""


def _clash(clash: Clash, zone: ZoneInfo) -> str:
    start, end = read(clash.start, zone), read(clash.end, zone)
    title = " ".join(clash.title.split())[:LONGEST_TITLE] or say("an event without a title")
    if not isinstance(start, datetime) or not isinstance(end, datetime):
        return title
    return say("{title} ({begins} to {ends})", title=title, begins=say_clock(start), ends=say_clock(end))
