"""Formats an agenda by days, free times, and a single event whole.

Anybody may have written the titles, places and guests, so they are made visible.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, cast

from butler.contract.card import Rich, Span, Style
from butler.contract.found_items import Item
from butler.contract.names import Direction
from butler.contract.rendering import Rendered, StepResult
from butler.contract.shown_text import LINE, LONGEST, MOST, SNIPPET, clipped, more
from butler.contract.speech import phrase, say, say_clock, say_day, say_list, say_many, say_moment, say_short_day

MOST_PEOPLE = 4
RESPONSES = {
    "needsAction": phrase("not answered yet"),
    "declined": phrase("declined"),
    "tentative": phrase("perhaps"),
    "accepted": phrase("accepted"),
}
"""The words for a guest's response to an invitation."""
TOLD = frozenset({"needsAction", "declined", "tentative"})
"""The owner's own responses that an agenda mentions."""


@dataclass(frozen=True, slots=True)
class _Looked:
    """What is said of a look at a calendar: at one whole day, at a span, or at times that the outcome does not tell."""

    on_day: str
    between: str
    then: str


NOTHING = _Looked(
    phrase("There is nothing in your calendar on {day}."),
    phrase("There is nothing in your calendar from {first} to {last}."),
    phrase("There is nothing in your calendar then."),
)
NOTHING_LIKE_IT = _Looked(
    phrase("There is nothing like that in your calendar on {day}."),
    phrase("There is nothing like that in your calendar from {first} to {last}."),
    phrase("There is nothing like that in your calendar."),
)
NO_TIME = _Looked(
    phrase("You have no free time on {day}."),
    phrase("You have no free time from {first} to {last}."),
    phrase("You have no free time then."),
)
LOOKED = _Looked(phrase("I looked at {day}."), phrase("I looked from {first} to {last}."), "")


def rendered(result: StepResult) -> Rendered | None:
    """Return the answer to a read of a calendar; None for a step that acts."""
    if result.spec.direction is not Direction.INPUT:
        return None
    found, data = result.items(), result.data
    match result.action:
        case "find_free_time":
            text = free_times(data)
        case "list_calendars":
            text = calendars(data)
        case "read_event" if len(found) == 1:
            text = event(found[0])
        case _ if found:
            text = agenda(found, result.first, data)
            if result.step.args.get("words") and (span := _span(LOOKED, data)):
                text = (*text, Span(text=f"\n\n{span}"))
        case _:
            text = (Span(text=_span(NOTHING_LIKE_IT if result.step.args.get("words") else NOTHING, data)),)
    return Rendered(text)


def _span(looked: _Looked, data: Mapping[str, Any]) -> str:
    """Return what is said of a look, with the days or times between which was looked."""
    if not data.get("since") or not data.get("before"):
        return say(looked.then) if looked.then else ""
    since, before = (datetime.fromisoformat(str(data[name])) for name in ("since", "before"))
    if since.time() != time.min or before.time() != time.min:
        return say(looked.between, first=say_moment(since), last=say_moment(before))
    last = before.date() - timedelta(days=1)
    if last <= since.date():
        return say(looked.on_day, day=say_day(since))
    return say(looked.between, first=say_day(since), last=say_day(last))


def agenda(found: Sequence[Item], first: int, data: Mapping[str, Any]) -> Rich:
    """Return events under the days on which they begin, numbered from `first` on so the owner can refer to them."""
    lines: list[Span] = []
    day: date | None = None
    several = len({str(item.data.get("calendar")) for item in found}) > 1
    for number, item in enumerate(found[:MOST], first):
        begins = _day_of(str(item.data.get("start")))
        if begins != day and begins is not None:
            day = begins
            gap = "\n\n" if lines else ""
            lines.append(Span(text=f"{gap}{say_day(day)}", style=Style.BOLD))
        alone = len(found) == 1
        lines += [Span(text="\n" if alone else f"\n{number}. "), *_event(item.data, calendar=several)]
    return (*lines, *more(len(found), data))


def _event(data: Mapping[str, Any], *, calendar: bool) -> list[Span]:
    title = clipped(str(data.get("title") or ""), SNIPPET) or say("(no title)")
    place, people = clipped(str(data.get("location") or ""), SNIPPET), _people(data)
    about = [f"📍 {place}"] * bool(place) + [f"👥 {people}"] * bool(people)
    about += [clipped(str(data.get("calendar") or ""), SNIPPET)] * calendar
    answer = str(data.get("response") or "")
    about += [say(RESPONSES[answer])] if answer in TOLD else []
    mark = " 🔁" if data.get("series") else ""
    text = f" · {' · '.join(about)}" if about else ""
    return [Span(text=f"{hours(data)} "), Span(text=title, style=Style.BOLD), Span(text=f"{mark}{text}")]


def hours(data: Mapping[str, Any]) -> str:
    """Return the times of an event, without the day on which it begins."""
    start, end = str(data.get("start") or ""), str(data.get("end") or "")
    begins, ends = _day_of(start), _day_of(end)
    if begins is None or data.get("all_day") or len(start) == len("2026-03-09"):
        last = ends if ends and begins and ends > begins else None
        return say("all day, until {day}:", day=say_short_day(last)) if last else say("all day:")
    if ends is None or ends == begins or datetime.fromisoformat(end).time() == datetime.min.time():
        until = say_clock(datetime.fromisoformat(end)) if ends else ""
    else:
        until = f"{say_short_day(ends)} {say_clock(datetime.fromisoformat(end))}"
    clock = say_clock(datetime.fromisoformat(start))
    return f"{clock}–{until}" if until and until != clock else clock


def _people(data: Mapping[str, Any]) -> str:
    names = [clipped(str(name), SNIPPET) for name in cast("list[Any]", data.get("people") or [])]
    if len(names) <= MOST_PEOPLE:
        return ", ".join(names)
    rest = len(names) - MOST_PEOPLE
    return f"{', '.join(names[:MOST_PEOPLE])} {say_many(rest, 'and 1 more', 'and {count} more')}"


def event(item: Item) -> Rich:
    """Return all of one event."""
    data = item.data
    title = clipped(str(data.get("title") or ""), LINE) or say("(no title)")
    lines = [Span(text=title, style=Style.BOLD), Span(text=f"\n{_when(data)}")]
    place = clipped(str(data.get("location") or ""), LINE)
    lines += [Span(text=f"\n📍 {place}")] * bool(place)
    guests = [_guest(one) for one in cast("list[Mapping[str, Any]]", data.get("guests") or [])]
    lines += [Span(text=f"\n👥 {', '.join(guests)}")] * bool(guests)
    lines += [Span(text=f"\n🔁 {say('It comes again.')}")] * bool(data.get("series"))
    calendar = clipped(str(data.get("calendar") or ""), SNIPPET)
    lines += [Span(text=f"\n🗓 {calendar}")] * bool(calendar)
    lines += _reminders(data)
    if text := str(data.get("description") or "").strip():
        lines += [Span(text="\n"), Span(text=clipped(text, LONGEST), style=Style.QUOTE)]
    return tuple(lines)


def _when(data: Mapping[str, Any]) -> str:
    day = _day_of(str(data.get("start") or ""))
    return f"{say_day(day)}, {hours(data).rstrip(':')}" if day else hours(data).rstrip(":")


def _guest(one: Mapping[str, Any]) -> str:
    name, address = clipped(str(one.get("name") or ""), SNIPPET), clipped(str(one.get("address") or ""), SNIPPET)
    who = f"{name} <{address}>" if name and address else name or address
    answer = str(one.get("response") or "")
    return f"{who} ({say(RESPONSES[answer])})" if answer in RESPONSES else who


def _reminders(data: Mapping[str, Any]) -> list[Span]:
    minutes = [int(one) for one in cast("list[Any]", data.get("reminders") or [])]
    if not minutes:
        return []
    text = say_list([say_many(one, "1 minute before", "{count} minutes before") for one in minutes])
    return [Span(text=f"\n⏰ {text}")]


def free_times(data: Mapping[str, Any]) -> Rich:
    """Return free times, one line per day."""
    rows = cast("list[Mapping[str, Any]]", data.get("free") or [])
    if not rows:
        return (Span(text=_span(NO_TIME, data)),)
    days: dict[date, list[str]] = {}
    for row in rows[: MOST * 2]:
        start, end = datetime.fromisoformat(str(row["start"])), datetime.fromisoformat(str(row["end"]))
        until = say_clock(end) if end.date() == start.date() else say_moment(end)
        days.setdefault(start.date(), []).append(f"{say_clock(start)}–{until}")
    lines = [Span(text=say("You are free:"))]
    for day, times in days.items():
        lines += [Span(text=f"\n{say_short_day(day)}: ", style=Style.BOLD), Span(text=", ".join(times))]
    return tuple(lines)


def calendars(data: Mapping[str, Any]) -> Rich:
    """Return the owner's calendars by name."""
    rows = cast("list[Mapping[str, Any]]", data.get("calendars") or [])
    names = [clipped(str(row.get("name") or ""), SNIPPET) for row in rows]
    lines = [Span(text=say("These are your calendars:"))]
    return (*lines, *(Span(text=f"\n• {name}") for name in names if name))


def _day_of(iso: str) -> date | None:
    try:
        return date.fromisoformat(iso[:10])
    except ValueError:
        return None
