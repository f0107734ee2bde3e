"""Builds new events; asks if an event has neither an hour nor whole days."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any

from butler.contract.agents import PlanStep
from butler.contract.speech import phrase, say, say_clock, say_day
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.agenda_making import guests_of
from butler.orchestrator.embedded.agenda_words import CREATE
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.people import MAIL
from butler.orchestrator.embedded.say import capital, one_line
from butler.orchestrator.planning.plan_types import Choice, Planned, PlannerOutput
from butler.orchestrator.understanding.act_words import says
from butler.orchestrator.understanding.calendar.birthdays import birthdays
from butler.orchestrator.understanding.calendar.calendar_words import plain, whole
from butler.orchestrator.understanding.calendar.hours import (
    BIRTHDAY,
    WHOLE_DAYS,
    Hours,
    in_evening,
    is_whole,
    lasting,
)
from butler.orchestrator.understanding.calendar.repeating import again
from butler.orchestrator.understanding.calendar.slots import by_shown, goes_on, timed
from butler.orchestrator.understanding.people.who import is_pronoun, person
from butler.orchestrator.understanding.said import CLOCKS, PARTS, Builder, Said, bare
from butler.orchestrator.understanding.things.refs import tappable
from butler.orchestrator.understanding.times.asked_before import asked_day
from butler.orchestrator.understanding.times.loose import loose_time, minutes_of
from butler.orchestrator.understanding.times.meant import of_meant_times
from butler.orchestrator.understanding.times.relative import A_DAY, amount_of, relative
from butler.orchestrator.understanding.times.upcoming import likely
from butler.understanding.times import halves
from butler.understanding.times.lexicon import lexicon, tokens_of
from butler.understanding.times.saying import TimeSaid

INVITE = whole("invite")
WHAT = phrase("What is it, and when? Say it like “add dentist on Friday at 3pm for an hour”.")
NAME = phrase("What shall it be called?")
BLOCKED = phrase("Blocked")
MEETING = phrase("Meeting with {names}")
A_WEEK = 7


def create(said: Said) -> PlannerOutput:
    """Create an event, one for each weekday on which it recurs, or one relative to what was shown."""
    if (found := birthdays(said)) is not None:
        return found
    said.need(CREATE)
    title = _title(said)
    if said.has("every"):
        return _repeated(said, sure_of_title(title, said))
    _, minutes = lasting(said)
    begin = by_shown(said, minutes, titled=bool(title))
    if begin is None:
        title = sure_of_title(title, said)
        yearly = {"repeat": "yearly"} if BIRTHDAY.search(title) and not _has_clock(said) else {}
        return calls.plan(_made(title, said, **_once(said, title).args(), **yearly))
    if not title and begin.title is None:
        raise Asking(say(NAME))
    return begin.plan(_made(title or begin.title or "", said, **begin.args()))


def _made(title: str | dict[str, Any], said: Said, **when: Any) -> PlanStep:
    """Return the step that creates the event."""
    if isinstance(title, str):
        told = say("Put “{title}” into your calendar", title=title)
    else:
        told = say("Put the same into your calendar once more")
    return calls.call(CREATE, told, title=title, **when, **_more(said))


def sure_of_title(title: str, said: Said) -> str:
    """Return the title; raise `Asking` if it is missing, and for the time if that is missing, too."""
    if title:
        return title
    raise Asking(say(NAME) if said.has("time", "every") else say(WHAT))


def _repeated(said: Said, title: str) -> Planned:
    return calls.plan(*(_made(title, said, **when) for when in again(said, title)))


def _more(said: Said) -> dict[str, Any]:
    args: dict[str, Any] = {}
    if place := one_line(bare(said.words("place"))):
        args["location"] = place
    if guests := [one.text for one in _invited(said)]:
        people = tuple(person(words, said.scene) for words in guests)
        args["guests"] = guests_of(people, said.scene, lex(said.request.text))
    if lead := said.words("lead"):
        found = amount_of(lead, said)
        args["remind_minutes"] = minutes_of(found) if found is not None else said.minutes("lead")
    return args


def _title(said: Said) -> str:
    """Return the event's title; people who are not invited become part of it."""
    found = next((words for slot in ("title", "topic", "text", "value") if (words := bare(said.words(slot)))), "")
    guests = {one.start for one in _invited(said)}
    names = [one.text for one in said.request.slots if one.slot == "with" and one.start not in guests]
    if not found:
        return _without_name(said)
    if names:
        _sure_of_all(names, said)
        joint = plain("with", said.language)[0]
        found = re.sub(rf"\s+{joint}$", "", found)
        found = f"{found} {joint} {_listed(names, said.language)}"
    return capital(one_line(found))


def _without_name(said: Said) -> str:
    """Return a default title: by the people, by the place, or that the time is blocked."""
    if everybody := said.request.words("with"):
        _sure_of_all(everybody, said)
        return one_line(say(MEETING, names=", ".join(everybody)))
    if (place := bare(said.words("place"))) and said.has("time"):
        return capital(one_line(place))
    return say(BLOCKED) if says("block", said.request.text) and said.has("time") else ""


def _sure_of_all(names: Sequence[str], said: Said) -> None:
    """Raise `Asking` for people who are only named by a pronoun."""
    for words in filter(is_pronoun, names):
        person(words, said.scene)


def _listed(names: list[str], language: str) -> str:
    """Return names as a list in a language."""
    return f" {plain('and', language)[0]} ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _invited(said: Said) -> list[Any]:
    """Return the slots of people to invite: those after a word for inviting, and all addresses."""
    everybody = [one for one in said.request.slots if one.slot == "with"]
    titles = [(one.start, one.end) for one in said.request.slots if one.slot in {"title", "topic", "text"}]
    asked = [
        match.start()
        for match in INVITE.finditer(said.request.text)
        if not any(first <= match.start() < last for first, last in titles)
    ]
    behind = [one for one in everybody if asked and one.start > asked[0]] or (everybody if asked else [])
    return [one for one in everybody if one in behind or MAIL.fullmatch(bare(one.text))]


def _has_clock(said: Said) -> bool:
    found = loose_time(said) if said.has("time") else None
    return found is not None and (found.clock is not None or found.moment is not None)


# Once.


def _once(said: Said, title: str) -> Hours:
    found = _time_said(said)
    if found is None:
        raise Asking(say("When is “{title}”?", title=title))
    words = " ".join(said.request.words("time"))
    found = in_evening(_on_asked_day(likely(found, words), said), title, words)
    found = halves.likely(found, said.scene.now()) if found.day is None else found
    days, minutes = lasting(said)
    if found.moment is not None:
        return Hours(found.moment, minutes=minutes)
    if found.or_day is not None and found.day is not None and found.clock is None:
        raise Asking(say("Which day do you mean?"), [_on(said, day, time(9)) for day in (found.day, found.or_day)])
    if found.or_day is not None:
        said.settled(found)
    clock = found.clock or (PARTS[found.part].value if found.part in PARTS else None)
    if clock is None or is_whole(said):
        return _days(said, title, found, words, days)
    start = _start(found, clock, said)
    if found.until_clock is not None:
        end = datetime.combine(found.until_day or start.date(), found.until_clock)
        return Hours(start, end if end > start else end + timedelta(1))
    return Hours(start, minutes=minutes or (days * A_DAY if days == 1 else 0))


def _time_said(said: Said) -> TimeSaid | None:
    """Return the requested time; `that day` is the day mentioned just before."""
    by = relative(said) if said.has("time") else None
    day = asked_day(said) if by is not None and not by.minutes else None
    if by is None or day is None:
        return loose_time(said) if timed(said) else None
    return replace(by.said or TimeSaid(), day=day + timedelta(by.days))


def _on_asked_day(found: TimeSaid, said: Said) -> TimeSaid:
    """Return an hour without a day on the day mentioned just before, if the request continues from it."""
    hour = (found.clock is not None or found.part) and found.day is None and found.moment is None
    day = asked_day(said) if hour and goes_on(said) else None
    return replace(found, day=day) if day is not None else found


def _start(found: TimeSaid, clock: time, said: Said) -> datetime:
    wall = said.scene.now().replace(tzinfo=None)
    if found.day is None:
        today = datetime.combine(wall.date(), clock)
        return today if today > wall else today + timedelta(1)
    start = datetime.combine(found.day, clock)
    return start + timedelta(A_WEEK) if found.weekday and start <= wall else start


def _days(said: Said, title: str, found: TimeSaid, words: str, days: int) -> Hours:
    """Return whole days, if the request says so or the event is of that kind."""
    day = found.day or said.scene.now().date()
    several = found.until_day is not None
    by_name = bool(BIRTHDAY.search(title) or WHOLE_DAYS.search(title))
    joined = several and _from_to(words, said.language)
    if not (is_whole(said) or by_name or days or joined):
        raise Asking(say("At what time on {day}?", day=say_day(day)), _hours_for(said, day))
    last = found.until_day if joined or (several and by_name) else day + timedelta(days - 1) if days > 1 else None
    return Hours(day, last if last is not None and last > day else None)


def _from_to(words: str, language: str) -> bool:
    """Return whether the words name days from one to another, unlike `next week`."""
    tokens, known = tokens_of(words), lexicon(language)
    return any(known.longest(tokens, at, kind) for at in range(len(tokens)) for kind in ("to", "between"))


def _hours_for(said: Said, day: date) -> list[Choice]:
    whole = said.again("time", f"{day.isoformat()} {plain('all_day', said.language)[0]}")
    return [*(_on(said, day, clock) for clock in CLOCKS), choice(say("All day"), whole)]


def _on(said: Said, day: date, clock: time) -> Choice:
    return choice(say_clock(clock), said.again("time", f"{day.isoformat()} {clock:%H:%M}"))


BUILDERS: dict[str, Builder] = {"calendar.create": of_meant_times(tappable(create))}
"""The builders by intent."""
