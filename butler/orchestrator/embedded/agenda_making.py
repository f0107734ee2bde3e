"""New events: `add dentist on Friday at 3pm for an hour`, `put lunch with Anna into my calendar tomorrow at noon`.

The title is what stands before the first thing that is understood as a time, a place or another part. What has no hour
and is no whole day is asked about; nothing is made up.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from typing import Any

from butler.contract.speech import phrase, say, say_day
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.agenda_words import CREATE, need
from butler.orchestrator.embedded.agenda_zones import HoursThere, on_own_clock
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.birthdays import BIRTHDAY
from butler.orchestrator.embedded.clock import NOON
from butler.orchestrator.embedded.day import MONTHS, WEEKDAYS, day_at, part_at
from butler.orchestrator.embedded.draft import ask_which
from butler.orchestrator.embedded.hours import hour_at, hours_at, length_at
from butler.orchestrator.embedded.lexer import Tail, phrases, word_set
from butler.orchestrator.embedded.people import Person, Way, people_at, reference, unknown
from butler.orchestrator.embedded.say import capital, one_line
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.stretch import day_of, stretch_at, sure_of_day
from butler.orchestrator.embedded.zones import SaidZone, zone_at
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput

CALENDAR = "(calendar|agenda|diary|schedule)"
MAKE = phrases("(add|put|enter|create|make|schedule|book|plan|arrange|set up|insert|pencil in|block)")
NEW = phrases(
    "new (event|appointment|meeting|entry) [:]",
    "(calendar|agenda) [entry] :",
    f"[to|into|in] (my|the) {CALENDAR} [,|:]",
)
SURE = phrases("(schedule|pencil in|book|plan|arrange|set up)")
"""Verbs that need no word of a calendar, where a time follows."""
INTO = phrases(f"(in|into|to|on) (my|the|our) {CALENDAR}")
INTO_NAMED = phrases("(in|into|to|on) (my|the|our)")
CALLED = phrases(
    "[a|an|the|new] [new] (event|appointment|entry|meeting) (called|named|titled) [:]", "[a|an|the|new] [new]"
    " (event|entry) [for|:]",
)  # fmt: skip
ARTICLE = phrases("(a|an|the|my|our|some)")
REPEATS = {
    "daily": "daily", "weekly": "weekly", "monthly": "monthly", "yearly": "yearly", "annually": "yearly",
}  # fmt: skip
EVERY = phrases("[repeating|recurring] (every|each)")
UNITS = {"day": "daily", "week": "weekly", "month": "monthly", "year": "yearly"}
OTHERWISE = word_set("weekday other second third two three four six workday working two-week")
UNTIL = phrases("(until|till|up to)")
FOR = phrases("[lasting] for", "lasting")
ALL_DAY = phrases("all day [long]", "the whole day", "(for|as) the whole day", "as an all-day event", "all-day")
AT = phrases("[,] (at|in) [the]", "[,] (location|place|where) [:]", "@")
WITH_GUESTS = phrases(
    "[,|and] (invite|inviting)", "[,] with guests", "[and|,] (and invite) ", "[,] guests [:]",
)  # fmt: skip
REMIND = phrases("[,|and] (remind me|with a reminder|with reminder|reminder)", ", and remind me")
BEFORE = phrases("(before|earlier|in advance) [it]", "beforehand")
JOINT = phrases(",", "and")
NOT_MADE = word_set(
    "reminder reminders note notes message messages mail mails email emails text telegram contact rule rules card "
    "cards board boards list lists draft alarm timer task"
)
POINTING = word_set("it this that them him her me us these those")
EVENING = word_set("dinner drinks party concert cinema movie theatre theater opera supper gig")
WHOLE_DAYS = word_set("holiday holidays vacation birthday anniversary trip off leave conference")
ASK = phrase("What is it, and when? Say it like “add dentist on Friday at 3pm for an hour”.")
LONGEST_TITLE, LONGEST_PLACE = 14, 8
WEEK = 7
A_DAY = 24 * 60
AFTER_TEN = 22


@dataclass(frozen=True, slots=True)
class New:
    """What was understood of an event that is to be made."""

    day: date | None = None
    weekday: bool = False
    clock: time | None = None
    end_clock: time | None = None
    last_day: date | None = None
    vague: bool = False
    """Whether a week or a month was said, within which it may be any day."""
    minutes: int = 0
    days: int = 0
    all_day: bool = False
    place: str = ""
    guests: tuple[Person, ...] = ()
    repeat: str = ""
    until: date | None = None
    calendar: str = ""
    named: bool = False
    """Whether a calendar was spoken of."""
    remind: int | None = None
    zone: SaidZone | None = None
    """On whose clock its hours are; None is the owner's."""


@dataclass(frozen=True, slots=True)
class _Reading:
    title: Tail
    new: New = field(default_factory=New)


def make_event(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to put something into the calendar; None where it is none."""
    bare = tail.bare()
    start, sure, named = _begun(bare)
    if start is None or start.done or start.word() in NOT_MADE:
        return None
    reading = _read(start, scene, named=named)
    if reading is None:
        return None
    new, title = reading.new, reading.title
    named = named or new.named
    dated = new.day is not None or bool(new.repeat)
    told = dated and (sure or new.clock is not None or new.all_day or bare.word() == "add")
    if not named and not (told and scene.has(CREATE)):
        return None
    words = {token.word for token in title.tokens[title.at : title.end]}
    if (words & NOT_MADE and not named) or title.word() in POINTING:
        return None
    need(CREATE, scene)
    text = _title(title)
    if not text:
        raise Asking(say(ASK))
    return _plan(text, new, bare, scene)


def _begun(bare: Tail) -> tuple[Tail | None, bool, bool]:
    """What follows the verb, whether it is one of appointments, and whether a calendar is spoken of already."""
    if (start := bare.take(NEW)) is not None and not start.done:
        begun = start.past(MAKE)
        return begun.take(CALLED) or begun, True, True
    start = bare.take(MAKE)
    if start is None:
        yearly = bare.find(phrases("(every|each) year")) or bare.find(phrases("(yearly|annually)"))
        named = {token.word for token in bare.tokens[bare.at : bare.end]} & BIRTHDAY
        return (bare, True, False) if yearly and yearly[1].done and named else (None, False, False)
    begun = start.past(phrases("for me", "me"))
    into = begun.take(INTO)
    called = (into or begun).take(CALLED)
    if called is not None and not called.done:
        return called, True, True
    begun = (into or begun).past(phrases(":", ","))
    return begun, bare.take(SURE) is not None, into is not None


def _read(start: Tail, scene: Scene, *, named: bool) -> _Reading | None:
    """The shortest title after which all the rest is understood; a time may stand before it as well."""
    if (quoted := start.quoted()) is not None:
        title = Tail(start.source, start.tokens, start.at + 1, quoted[1].at - 1)
        new = _parts(quoted[1], New(named=named), scene)
        return _Reading(title, new) if new else None
    begun = _long_first(start, New(named=named))
    for title, rest, before in _cuts(begun[1], scene, begun[0]):
        new = _parts(rest, before, scene)
        if new is not None:
            return _Reading(title, new)
    return None


def _long_first(start: Tail, new: New) -> tuple[New, Tail]:
    """`block 2 hours for deep work`, `book an hour with Anna`: how long it takes stands before its title."""
    long = length_at(start)
    after = long[1].take(phrases("(for|of|with)")) if long else None
    if long is None or after is None or after.done or long[0] >= A_DAY:
        return new, start
    return replace(new, minutes=long[0]), after


def _cuts(start: Tail, scene: Scene, new: New) -> Iterator[tuple[Tail, Tail, New]]:
    first = _part(start.past(phrases("for")), new, scene) if not start.take(ARTICLE) else None
    leading = first
    while leading is not None and (more := _part(leading[1].past(phrases(",")), leading[0], scene)) is not None:
        leading = more
    if leading is not None and _begins_title(leading[1]) and not leading[0].place:
        body = leading[1].past(phrases("(:|,)", "for"))
        for end in range(body.at + 1, min(body.end, body.at + LONGEST_TITLE) + 1):
            yield replace(body, end=end), replace(body, at=end), leading[0]
    for end in range(start.at + 1, min(start.end, start.at + LONGEST_TITLE) + 1):
        yield replace(start, end=end), replace(start, at=end), new


def _begins_title(here: Tail) -> bool:
    return not here.done and (here.word() in {":", ",", "for"} or here.take(ARTICLE) is not None)


def _parts(rest: Tail, new: New, scene: Scene) -> New | None:
    """All that stands here, part for part; None where something is not understood."""
    here = rest
    while not here.done:
        found = _part(here, new, scene)
        if found is None:
            joint = here.take(JOINT)
            found = _part(joint, new, scene) if joint is not None else None
        if found is None or found[1].at <= here.at:
            return None
        new, here = found
    return new


def _part(here: Tail, new: New, scene: Scene) -> tuple[New, Tail] | None:
    return (
        _into(here, new)
        or _until(here, new, scene)
        or _repeat(here, new, scene)
        or _reminder(here, new)
        or _guests(here, new, scene)
        or _length(here, new)
        or _zone(here, new)
        or _time(here, new, scene)
        or _place(here, new, scene)
    )


def _zone(here: Tail, new: New) -> tuple[New, Tail] | None:
    """`15:00 PST`, `3 pm Tokyo time`; `in London` is where it is."""
    found = zone_at(here) if new.clock is not None and new.zone is None else None
    if found is None or found[0].perhaps_place:
        return None
    return replace(new, zone=found[0]), found[1]


def _into(here: Tail, new: New) -> tuple[New, Tail] | None:
    if (after := here.take(INTO)) is not None:
        return replace(new, named=True), after
    start = here.take(INTO_NAMED)
    if start is None or new.calendar:
        return None
    for length in (1, 2, 3):
        if start.word(length) == "calendar":
            name = replace(start, end=start.at + length).text
            return replace(new, named=True, calendar=one_line(name)), start.skip(length + 1)
    return None


def _until(here: Tail, new: New, scene: Scene) -> tuple[New, Tail] | None:
    """The last day of what is repeated."""
    begun = here.take(UNTIL) if new.repeat and new.until is None else None
    found = stretch_at(begun, scene.now()) if begun is not None else None
    if found is None or found[0].before is None:
        return None
    return replace(new, until=day_of(found[0].before) - timedelta(1)), found[1]


def _repeat(here: Tail, new: New, scene: Scene) -> tuple[New, Tail] | None:
    if new.repeat:
        return None
    plain = here.skip() if here.word() in {"repeating", "recurring", ","} else here
    if (unit := REPEATS.get(plain.word())) is not None:
        return replace(new, repeat=unit), plain.skip()
    start = here.take(EVERY) or here.past(phrases(",")).take(EVERY)
    if start is None:
        return None
    if start.word() in OTHERWISE:
        raise Asking(say("I can repeat an event every day, week, month or year, and on one day of the week."))
    return _every(start, new, scene)


def _every(start: Tail, new: New, scene: Scene) -> tuple[New, Tail] | None:
    """`every week`, `every Monday`, `every morning`, `every 5 May`."""
    name, today = start.word().removesuffix("s"), scene.now().date()
    if start.word() in UNITS:
        return replace(new, repeat=UNITS[start.word()]), start.skip()
    if name in WEEKDAYS:
        day = today + timedelta((WEEKDAYS.index(name) - today.weekday()) % WEEK)
        return replace(new, repeat="weekly", day=new.day or day, weekday=new.day is None), start.skip()
    if (part := part_at(start)) is not None and new.clock is None:
        return replace(new, repeat="daily", clock=part[0].value), part[1]
    dated = day_at(start, today) if start.word()[:1].isdigit() and new.day is None else None
    return (replace(new, repeat="yearly", day=dated[0].day), dated[1]) if dated else None


def _reminder(here: Tail, new: New) -> tuple[New, Tail] | None:
    start = here.take(REMIND)
    long = length_at(start) if start is not None and new.remind is None else None
    after = long[1].take(BEFORE) if long else None
    return (replace(new, remind=long[0]), after) if long and after is not None else None


def _guests(here: Tail, new: New, scene: Scene) -> tuple[New, Tail] | None:
    start = here.take(WITH_GUESTS)
    if start is None or new.guests:
        return None
    found = people_at(start, scene)
    if found is None:
        raise unknown(start)
    return replace(new, guests=found[0]), found[1].past(phrases("[to it|too|as well]"))


def _length(here: Tail, new: New) -> tuple[New, Tail] | None:
    if (after := here.past(phrases(",")).take(ALL_DAY)) is not None:
        return replace(new, all_day=True), after
    start = here.take(FOR)
    long = length_at(start) if start is not None and not new.minutes and not new.days else None
    if long is None or start is None:
        return None
    whole = start.word(1).rstrip("s") in {"day", "week"}
    return replace(new, days=long[0] // 1440) if whole else replace(new, minutes=long[0]), long[1]


def _time(here: Tail, new: New, scene: Scene) -> tuple[New, Tail] | None:
    here = here.past(phrases(","))
    return (
        _hours(here, new)
        or _days(here, new, scene)
        or _day(here, new, scene)
        or _clock(here, new)
        or _long(here, new, scene.now())
    )


def _hours(here: Tail, new: New) -> tuple[New, Tail] | None:
    """`from 10 to 11`; with a month behind it, it is of days."""
    hours = hours_at(here) if new.clock is None else None
    if hours is None or hours[1].word() in MONTHS:
        return None
    return replace(new, clock=hours[0][0], end_clock=hours[0][1]), hours[1]


def _days(here: Tail, new: New, scene: Scene) -> tuple[New, Tail] | None:
    """`from 3 to 10 August`."""
    is_span = new.day is None and here.word() in {"from", "between"}
    found = stretch_at(here, scene.now()) if is_span else None
    since, before = (found[0].since, found[0].before) if found else (None, None)
    if found is None or since is None or before is None or isinstance(since, datetime):
        return None
    last = day_of(before) - timedelta(1)
    return replace(new, day=since, last_day=last if last > since else None, all_day=True), found[1]


def _day(here: Tail, new: New, scene: Scene) -> tuple[New, Tail] | None:
    if new.day is not None and not (new.weekday and new.repeat == "weekly"):
        return None
    today = scene.now().date()
    found = day_at(here, today) or day_at(here.past(phrases("(for|on)")), today)
    if found is None:
        return None
    said = sure_of_day(found[0], here, found[1])
    clock = new.clock or (said.part.value if said.part else None)
    return replace(new, day=said.day, weekday=said.weekday, clock=clock), found[1]


def _clock(here: Tail, new: New) -> tuple[New, Tail] | None:
    if new.clock is not None:
        return None
    clock = hour_at(here) if _marked(here) else None
    if clock is not None:
        part = part_at(clock[1])
        later = part is not None and clock[0].hour < NOON <= part[0].value.hour
        return replace(new, clock=clock[0].replace(hour=clock[0].hour + NOON * later)), part[1] if part else clock[1]
    part = part_at(here) if new.day is not None else None
    return (replace(new, clock=part[0].value), part[1]) if part else None


def _long(here: Tail, new: New, now: datetime) -> tuple[New, Tail] | None:
    """`next week`, `this weekend`."""
    found = stretch_at(here, now) if new.day is None and not here.word()[:1].isdigit() else None
    if found is None or isinstance(found[0].since, datetime) or isinstance(found[0].before, datetime):
        return None
    since, before = found[0].since, found[0].before
    if since is None or before is None:
        return None
    return replace(new, day=since, last_day=before - timedelta(1), vague=True), found[1]


def _marked(here: Tail) -> bool:
    """Whether a number is an hour: behind `at`, or with its half of the day or minutes."""
    word = here.word()
    return not word.isdecimal() or here.word(1) in {"am", "pm", "o'clock", "a.m", "p.m"}


def _place(here: Tail, new: New, scene: Scene) -> tuple[New, Tail] | None:
    start = here.take(AT)
    if start is None or start.done or new.place:
        return None
    if (quoted := start.quoted()) is not None:
        return replace(new, place=one_line(quoted[0])), quoted[1]
    end = start
    while not end.done and end.at - start.at < LONGEST_PLACE and end.word() not in {",", ":"}:
        if end.at > start.at and (end.take(JOINT) or _ends_place(end, new, scene)):
            break
        end = end.skip()
    place = one_line(start.until(end).text)
    return (replace(new, place=place), end) if any(map(str.isalpha, place)) else None


def _ends_place(here: Tail, new: New, scene: Scene) -> bool:
    probe = replace(new, place="-")
    return _part(here, probe, scene) is not None


def _title(tail: Tail) -> str:
    here = tail
    while (after := here.take(ARTICLE)) is not None and not after.done:
        here = after
    text = one_line(here.text.strip("\"“”„«»' ,:;-"))
    return capital(text) if any(map(str.isalnum, text)) else ""


def _plan(title: str, new: New, bare: Tail, scene: Scene) -> Planned:
    words = {word.strip(".,") for word in title.casefold().split()}
    birthday = bool(words & BIRTHDAY) and new.clock is None
    new = replace(new, repeat=new.repeat or "yearly") if birthday and new.day else new
    args: dict[str, Any] = {"title": title, **_times(new, words, bare, scene, birthday=birthday)}
    args |= {"location": new.place} if new.place else {}
    args |= {"guests": guests_of(new.guests, scene, bare)} if new.guests else {}
    args |= {"repeat": new.repeat} if new.repeat else {}
    args |= {"until": new.until.isoformat()} if new.until else {}
    args |= {"calendar": new.calendar} if new.calendar else {}
    args |= {} if new.remind is None else {"remind_minutes": new.remind}
    return calls.plan(calls.call(CREATE, say("Put “{title}” into your calendar", title=title), **args))


def _times(new: New, words: set[str], bare: Tail, scene: Scene, *, birthday: bool) -> dict[str, Any]:
    now = scene.now()
    day = new.day
    if (day is None and new.clock is None and not new.repeat) or (new.vague and not words & WHOLE_DAYS):
        raise Asking(say(ASK))
    if new.clock is None:
        whole = new.all_day or birthday or new.days or words & WHOLE_DAYS
        if day is None and new.repeat == "daily":
            day = now.date()
        if not whole or day is None:
            raise _when(day, bare)
        last = new.last_day or (day + timedelta(new.days - 1) if new.days > 1 else None)
        return {"start": day.isoformat()} | ({"end": last.isoformat()} if last else {})
    clock = new.clock
    if new.zone is not None and not new.zone.own:
        hours = HoursThere(new.zone, day, new.weekday, clock, new.end_clock, repeats=bool(new.repeat))
        start, end = on_own_clock(hours, bare, now)
        lasts = {"end": end.isoformat(timespec="minutes")} if end else {"minutes": new.minutes} if new.minutes else {}
        return {"start": start.isoformat(timespec="minutes"), **lasts}
    if words & EVENING and time(6) <= clock < time(11) and not _says_morning(bare):
        clock = clock.replace(hour=clock.hour + NOON)
    day = day or (now.date() if datetime.combine(now.date(), clock) > now.replace(tzinfo=None) else _tomorrow(now))
    start = datetime.combine(day, clock)
    if start <= now.replace(tzinfo=None) and new.weekday:
        start += timedelta(WEEK)
    args: dict[str, Any] = {"start": start.isoformat(timespec="minutes")}
    if new.end_clock is not None:
        return args | {"end": datetime.combine(start.date(), new.end_clock).isoformat(timespec="minutes")}
    return args | ({"minutes": new.minutes} if new.minutes else {})


def _tomorrow(now: datetime) -> date:
    return now.date() + timedelta(1)


def _says_morning(bare: Tail) -> bool:
    text = bare.text.casefold()
    return bool(re.search(r"\d\s*a\.?m\b|morning|\b0\d:", text))


def _when(day: date | None, bare: Tail) -> Asking:
    if day is None:
        return Asking(say(ASK))
    hours = ("9:00", "12:00", "18:00")
    choices = [choice(hour, f"{bare.text} at {hour}") for hour in hours]
    choices.append(choice(say("All day"), f"{bare.text} all day"))
    return Asking(say("At what time on {day}?", day=say_day(day)), choices)


def guests_of(people: tuple[Person, ...], scene: Scene, bare: Tail) -> list[dict[str, str]]:
    """Guests as a plan refers to them. Asks which of two that have a name, and for a mail address that is not known."""
    words = bare.text
    for person in people:
        if len(person.contacts) > 1:
            raise ask_which(
                person, (person,), scene, (Way.MAIL,), lambda name, p=person: words.replace(p.said, name, 1)
            )
        if Way.MAIL not in person.ways():
            told = say(
                "I have no mail address of {names}. Write it, or add it under [[contacts]] in butler.toml.",
                names=person.said,
            )
            raise Asking(told)
    return [reference(person, scene) for person in people]
