"""Plans that put something new into the calendar; what has no hour and is no whole day is asked about."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.schedules import Every, RecurrenceRule
from butler.contract.speech import phrase, say, say_clock, say_day
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.agenda_making import guests_of
from butler.orchestrator.embedded.agenda_words import CREATE
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.clock import NOON
from butler.orchestrator.embedded.every import Repeated, rule_of
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.people import MAIL
from butler.orchestrator.embedded.say import capital, one_line
from butler.orchestrator.embedded.when import DAWN
from butler.orchestrator.planning.plan_types import Choice, PlannerOutput
from butler.orchestrator.understanding.calendar_reading import FULL_DAY
from butler.orchestrator.understanding.loose_times import length_within, loose_time, minutes_of
from butler.orchestrator.understanding.reminders import recurring
from butler.orchestrator.understanding.said import CLOCKS, PARTS, Builder, Said, bare
from butler.orchestrator.understanding.upcoming import EARLY, likely
from butler.orchestrator.understanding.who import person
from butler.understanding.times.lexicon import lexicon, tokens_of
from butler.understanding.times.saying import TimeSaid

INVITE = re.compile(r"\b(invit\w*|einlad\w*|lad(e|en)?|convi\w*|conv[ií]d\w*|guests?|gäste?|cc)\b", re.IGNORECASE)
BIRTHDAY = re.compile(r"birthday|\bbday|geburtstag|anniversaire|\banniv\b|cumpleaños|\bcumple\b", re.IGNORECASE)
EVENING = re.compile(
    r"\b(dinner|drinks|party|concert|cinema|movie|theatre|theater|opera|supper|gig|abendessen|party|konzert|kino|"
    r"theater|oper|dîner|diner|souper|concert|cinéma|théâtre|apéro|soirée|cena|cenar|concierto|cine|teatro|fiesta)\b",
    re.IGNORECASE,
)
WHOLE_DAYS = re.compile(
    r"\b(holidays?|vacations?|anniversary|trip|off|leave|conference|\w*urlaub|ferien|feiertag|\w*reise|konferenz|"
    r"hochzeitstag|vacances|congés?|voyage|conférence|férié|vacaciones|viaje|puente|festivo|congreso|aniversario)\b",
    re.IGNORECASE,
)
WITH = {"en": "with", "de": "mit", "fr": "avec", "es": "con"}
AND = {"en": "and", "de": "und", "fr": "et", "es": "y"}
ALL_DAY = {"en": "all day", "de": "ganztägig", "fr": "toute la journée", "es": "todo el día"}
REPEATS = {Every.DAY: "daily", Every.WEEK: "weekly", Every.MONTH: "monthly", Every.YEAR: "yearly"}
WHAT = phrase("What is it, and when? Say it like “add dentist on Friday at 3pm for an hour”.")
ONLY = phrase("I can repeat an event every day, week, month or year, and on one day of the week.")
MEETING = phrase("Meeting with {names}")
MOST_EVENTS, MOST_TIMES = 3, 1_000
A_WEEK, A_DAY = 7, 1_440


@dataclass(frozen=True, slots=True)
class Hours:
    """When an event is: whole days, or from an hour on."""

    start: date | datetime
    end: date | datetime | None = None
    minutes: int = 0

    def args(self) -> dict[str, Any]:
        """As the tool takes it."""
        args: dict[str, Any] = {"start": _written(self.start)}
        if self.end is not None:
            return args | {"end": _written(self.end)}
        return args | ({"minutes": self.minutes} if self.minutes else {})


def _written(at: date | datetime) -> str:
    return at.isoformat(timespec="minutes") if isinstance(at, datetime) else at.isoformat()


def create(said: Said) -> PlannerOutput:
    """A new event, or one for each day of the week on which it comes again."""
    said.need(CREATE)
    title = _title(said)
    more = _more(said)
    told = say("Put “{title}” into your calendar", title=title)
    if not said.has("every"):
        yearly = {"repeat": "yearly"} if BIRTHDAY.search(title) and not _has_clock(said) else {}
        return calls.plan(calls.call(CREATE, told, title=title, **_once(said, title).args(), **more, **yearly))
    steps = [calls.call(CREATE, told, title=title, **when, **more) for when in _again(said, title)]
    return calls.plan(*steps)


def _more(said: Said) -> dict[str, Any]:
    args: dict[str, Any] = {}
    if place := one_line(bare(said.words("place"))):
        args["location"] = place
    if guests := [one.text for one in _invited(said)]:
        people = tuple(person(words, said.scene) for words in guests)
        args["guests"] = guests_of(people, said.scene, lex(said.request.text))
    if lead := said.words("lead"):
        found = length_within(lead, said)
        args["remind_minutes"] = minutes_of(found) if found is not None else said.minutes("lead")
    return args


def _title(said: Said) -> str:
    """What it is called; with whom it is belongs to that, where nobody is to be invited."""
    found = next((words for slot in ("title", "topic", "text", "value") if (words := bare(said.words(slot)))), "")
    guests = {one.start for one in _invited(said)}
    names = [one.text for one in said.request.slots if one.slot == "with" and one.start not in guests]
    if not found:
        everybody = said.request.words("with")
        if not everybody:
            raise Asking(say(WHAT))
        return one_line(say(MEETING, names=", ".join(everybody)))
    if names:
        found = f"{found} {WITH.get(said.language, 'with')} {_listed(names, said.language)}"
    return capital(one_line(found))


def _listed(names: list[str], language: str) -> str:
    """Names as a language lists them."""
    return f" {AND.get(language, 'and')} ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _invited(said: Said) -> list[Any]:
    """Whose words stand with a word of inviting; an address is always of a guest."""
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
    found = loose_time(said)
    if found is None:
        raise Asking(say("When is “{title}”?", title=title))
    words = " ".join(said.request.words("time"))
    found = _evening(likely(found, words), title, words)
    days, minutes = _lasting(said)
    if found.moment is not None:
        return Hours(found.moment, minutes=minutes)
    if found.or_day is not None and found.day is not None and found.clock is None:
        raise Asking(say("Which day do you mean?"), [_on(said, day, time(9)) for day in (found.day, found.or_day)])
    if found.or_day is not None:
        said.settled(found)
    clock = found.clock or (PARTS[found.part].value if found.part in PARTS else None)
    if clock is None or _whole(said):
        return _days(said, title, found, words, days)
    start = _start(found, clock, said)
    if found.until_clock is not None:
        end = datetime.combine(found.until_day or start.date(), found.until_clock)
        return Hours(start, end if end > start else end + timedelta(1))
    return Hours(start, minutes=minutes or (days * A_DAY if days == 1 else 0))


def _whole(said: Said) -> bool:
    """Whether all of the day is said, outside of the title."""
    return any(
        FULL_DAY.search(part)
        for part in (said.request.text, *said.request.words("duration"), *said.request.words("time"))
    )


def _start(found: TimeSaid, clock: time, said: Said) -> datetime:
    wall = said.scene.now().replace(tzinfo=None)
    if found.day is None:
        today = datetime.combine(wall.date(), clock)
        return today if today > wall else today + timedelta(1)
    start = datetime.combine(found.day, clock)
    return start + timedelta(A_WEEK) if found.weekday and start <= wall else start


def _evening(found: TimeSaid, title: str, words: str) -> TimeSaid:
    """`dinner at 8` is in the evening."""
    clock = found.clock
    if clock is None or not EVENING.search(title) or found.part or EARLY.search(words) or not 6 <= clock.hour < 11:  # noqa: PLR2004
        return found
    if re.search(r"\b0\d[:.h]", words):
        return found
    until = found.until_clock
    later = until.replace(hour=until.hour + NOON) if until is not None and until.hour < NOON else until
    return replace(found, clock=clock.replace(hour=clock.hour + NOON), until_clock=later)


def _lasting(said: Said) -> tuple[int, int]:
    """How many whole days it takes, or how many minutes."""
    words = said.words("duration")
    if not words or FULL_DAY.search(words):
        return (0, 0)
    found = length_within(words, said) or said.length("duration")
    if found is None:
        return (0, 0)
    if found.seconds == 0:
        return found.days + 30 * found.months, 0
    return 0, minutes_of(found)


def _days(said: Said, title: str, found: TimeSaid, words: str, days: int) -> Hours:
    """Whole days, where they were said or it is something of whole days."""
    day = found.day or said.scene.now().date()
    several = found.until_day is not None
    by_name = bool(BIRTHDAY.search(title) or WHOLE_DAYS.search(title))
    joined = several and _from_to(words, said.language)
    if not (_whole(said) or by_name or days or joined):
        raise Asking(say("At what time on {day}?", day=say_day(day)), _hours_for(said, day))
    last = found.until_day if joined or (several and by_name) else day + timedelta(days - 1) if days > 1 else None
    return Hours(day, last if last is not None and last > day else None)


def _from_to(words: str, language: str) -> bool:
    """Whether days were said from one to another, unlike `next week`."""
    tokens, known = tokens_of(words), lexicon(language)
    return any(known.longest(tokens, at, kind) for at in range(len(tokens)) for kind in ("to", "between"))


def _hours_for(said: Said, day: date) -> list[Choice]:
    whole = said.again("time", f"{day.isoformat()} {ALL_DAY.get(said.language, 'all day')}")
    return [*(_on(said, day, clock) for clock in CLOCKS), choice(say("All day"), whole)]


def _on(said: Said, day: date, clock: time) -> Choice:
    return choice(say_clock(clock), said.again("time", f"{day.isoformat()} {clock:%H:%M}"))


# Again and again.


def _again(said: Said, title: str) -> Sequence[dict[str, Any]]:
    """When it is for the first time and how often, for each day of the week."""
    repeated = recurring(said).said
    often = repeated.often
    each = often["every"]
    if (
        each not in REPEATS
        or often.get("interval", 1) > 1
        or often.get("nth")
        or len(often.get("on", ())) > MOST_EVENTS
    ):
        raise Asking(say(ONLY))
    words = " ".join((*said.request.words("every"), *said.request.words("time")))
    days = [(day,) for day in often.get("on", ())] or [()]
    return [_first(replace(repeated, often=often | ({"on": on} if on else {})), said, title, words) for on in days]


def _first(repeated: Repeated, said: Said, title: str, words: str) -> dict[str, Any]:
    span = _afternoon(repeated, title, words)
    spanless = replace(repeated, within=None, clocks=(span.clock,) if span.clock else ())
    rule = rule_of(spanless, said.scene.now(), said.scene.request.zone.key)
    if rule is None:
        raise Asking(say("None of those times is to come. When shall it be?"))
    days, minutes = _lasting(said)
    start: date | datetime = rule.start
    parted = bool(repeated.parts) and span.clock is None
    if span.clock is None and not parted:
        by_day = repeated.often["every"] is Every.YEAR or BIRTHDAY.search(title) or WHOLE_DAYS.search(title) or days
        if not (by_day or _whole(said)):
            raise Asking(say("At what time?"), _clocks_for(said))
        start = rule.start.date()
    end = datetime.combine(rule.start.date(), span.until_clock) if span.until_clock else None
    hours = Hours(start, end, minutes).args()
    return hours | {"repeat": REPEATS[repeated.often["every"]]} | _ends(rule)


def _afternoon(repeated: Repeated, title: str, words: str) -> TimeSaid:
    """The hours of it, those of the afternoon where `at five` was said."""
    first = repeated.within[0] if repeated.within else repeated.clocks[0] if repeated.clocks else None
    if len(repeated.clocks) > 1:
        raise Asking(say(ONLY))
    last = repeated.within[1] if repeated.within else None
    sure = repeated.half_said or first is None or not 0 < first.hour < DAWN
    found = TimeSaid(clock=first, until_clock=last, half_said=sure)
    return _evening(likely(found, words), title, words)


def _ends(rule: RecurrenceRule) -> dict[str, str]:
    """The last day of it, counted where it was said how many times."""
    if rule.until is not None:
        return {"until": rule.until.isoformat()}
    if not rule.times:
        return {}
    before = (rule.start - timedelta(minutes=1)).replace(tzinfo=ZoneInfo(rule.zone))
    fires = list(islice(rule.fires(before), MOST_TIMES))
    return {"until": rule.local(fires[-1]).date().isoformat()}


def _clocks_for(said: Said) -> list[Choice]:
    every = ", ".join(said.request.words("every"))
    return [choice(say_clock(clock), said.again("every", f"{every} {clock:%H:%M}")) for clock in CLOCKS]


BUILDERS: dict[str, Builder] = {"calendar.create": create}
"""A function for each intent."""
