"""Builds changes of one event: time, title, length, guests, colour, cancelling, declining."""

import re
from dataclasses import replace
from typing import Any

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.agenda_making import guests_of
from butler.orchestrator.embedded.agenda_words import CHANGE, DECLINE, DELETE, REMIND, Found
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.say import capital, one_line
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput
from butler.orchestrator.understanding.act_words import says
from butler.orchestrator.understanding.calendar.calendar_words import group, whole
from butler.orchestrator.understanding.calendar.colours import colour
from butler.orchestrator.understanding.calendar.details import read
from butler.orchestrator.understanding.calendar.event import One, acted, joined, ones_of_calendar, reached
from butler.orchestrator.understanding.calendar.making import INVITE
from butler.orchestrator.understanding.calendar.moving import move, start_of, sure_of_day, time_said
from butler.orchestrator.understanding.people.who import people
from butler.orchestrator.understanding.said import Builder, Said, bare
from butler.orchestrator.understanding.things.refs import outside, tappable
from butler.orchestrator.understanding.times.loose import minutes_of
from butler.orchestrator.understanding.times.meant import of_meant_times
from butler.orchestrator.understanding.times.relative import A_DAY, amount_of, relative
from butler.understanding.times.saying import TimeSaid

LONGER, SHORTER = whole("longer"), whole("shorter")
UP_TO = re.compile(rf"\b{group('up_to')}\s+(?:{group('one')}\s+)?$", re.IGNORECASE)
NOTE, RENAME, TAKE_OFF = whole("note"), whole("rename"), whole("take_off")
TO_WHAT = phrase("What shall I change about it: its title, its place, its guests, or how long it takes?")
HOW_LONG = phrase("How long before it shall the alert come? Say it like “30 minutes”.")


def change(said: Said) -> PlannerOutput:
    """Change an event's title, place, time, length, note or guests, all in one change."""
    said.need(CHANGE)
    said = _renamed_to(said)
    if not said.has("value", "title", "place", "duration", "text", "reported", "with"):
        if said.has("time"):
            return move(said)
        raise Asking(say(TO_WHAT))
    invites = said.has("with") and (
        INVITE.search(said.request.text)
        or says("adds", outside(said))
        or not said.has("value", "title", "place", "duration", "text")
    )
    meant = _without(said, *(["with"] if invites else []), *([] if said.has("value") else ["title"]))
    return joined([_changed(one, said, guests=bool(invites)) for one in ones_of_calendar(meant)])


def _renamed_to(said: Said) -> Said:
    """Return the request with a name that is a new title, not a guest: `rename it to Dr Patel`."""
    if said.has("value", "title") or not RENAME.search(outside(said)):
        return said
    slots = tuple(replace(one, slot="value") if one.slot == "to" else one for one in said.request.slots)
    return said.with_slots(slots)


def _changed(one: One, said: Said, *, guests: bool) -> Planned:
    """Return the plan for one event with all its changes."""
    long, by = _long(said), relative(said)
    to = time_said(said, by)
    moves = by.moves() if by is not None else {}
    moved = to is not None or bool(moves)
    there = reached(one, said, times=moved or (long is not None and long[1] != 0))
    args: dict[str, Any] = {}
    told = say("Change the event")
    if moved:
        sure_of_day(to or TimeSaid(), said)
        args |= {"start": there.time("start", **moves)} if moves else start_of(there, to or TimeSaid())
        told = say("Move the event")
    if place := one_line(bare(said.words("place"))):
        args["location"], told = capital(place), say("Change where the event is")
    if long is not None:
        args |= _lasting(there, *long)
        told = say("Change how long the event takes")
    if guests:
        off = TAKE_OFF.search(said.request.text) is not None
        whom = guests_of(people(said, "with"), said.scene, lex(said.request.text))
        args["remove_guests" if off else "add_guests"] = whom
        told = say("Take off the event's guests") if off else say("Invite to the event")
    if values := _values(said):
        args |= values
        told = say("Rename the event") if "title" in values else say("Put a note into the event")
    if not args:
        raise Asking(say(TO_WHAT))
    return there.then(calls.call(CHANGE, told, event=there.event, **args, **one.again()))


def _lasting(there: Found, minutes: int, sign: int) -> dict[str, Any]:
    return {"end": there.time("end", minutes=sign * minutes)} if sign else {"minutes": minutes}


def _without(said: Said, *slots: str) -> Said:
    """Return the request without some slots."""
    kept = tuple(one for one in said.request.slots if one.slot not in slots)
    return said.with_slots(kept)


def _long(said: Said) -> tuple[int, int] | None:
    """Return minutes, and whether the event gets longer by them (1), shorter by them (-1), or exactly as long (0)."""
    words = said.words("duration")
    if not words:
        return None
    found = amount_of(words, said) or said.length("duration")
    if found is None:
        return None
    first = next(one.start for one in said.request.slots if one.slot == "duration")
    text = said.request.text
    way = LONGER.search(text) or SHORTER.search(text)
    sign = 0 if way is None else 1 if LONGER.search(text) else -1
    # `make it longer, 90 minutes` gives the new length, not the difference.
    apart = way is not None and "," in text[way.end() : first]
    return minutes_of(found), 0 if UP_TO.search(text[:first]) or apart else sign


def _values(said: Said) -> dict[str, str]:
    """Return a new title, and a note if the words around it say so."""
    found: dict[str, str] = {}
    if note := bare(said.words("text") or said.words("reported")):
        found["description"] = capital(note)
    slot = "value" if said.has("value") else "title"
    marked = [one for one in said.request.slots if one.slot == slot and bare(one.text)]
    for at, one in enumerate(marked):
        around = said.request.text.replace(one.text, " ")
        if len(marked) > 1:
            around = said.request.text[marked[at - 1].end if at else 0 : one.start]
        noted = NOTE.search(around) is not None and RENAME.search(around) is None
        value = bare(one.text)
        if noted or "://" in value or re.search(r"\S\.\w+/\S", value):
            found["description"] = capital(value)
        else:
            found["title"] = capital(one_line(value))
    return found


def delete(said: Said) -> PlannerOutput:
    """Delete the event."""
    return acted(said, DELETE, say("Delete the event"))


def decline(said: Said) -> PlannerOutput:
    """Decline the event, with the owner's comment."""
    words = next((bare(one) for slot in ("text", "reported") for one in said.request.words(slot)), "")
    comment = {"comment": capital(one_line(words))} if words else {}
    return acted(said, DECLINE, say("Decline the event"), **comment)


def remind(said: Said) -> PlannerOutput:
    """Set the calendar's alert before an event, or take it off."""
    slot = "lead" if said.has("lead") else "duration" if said.has("duration") else "time"
    words = said.words(slot)
    if not words and says("alert_off", said.request.text):
        return acted(_without(said, "time"), REMIND, say("Take off the event's reminders"), off=True)
    if not words:
        raise Asking(say(HOW_LONG))
    by = relative(said, slot)
    minutes = -(by.minutes + A_DAY * by.days) if by is not None else 0
    if minutes <= 0:
        found = amount_of(words, said)
        minutes = minutes_of(found) if found is not None else said.minutes(slot) or 0
    return acted(_without(said, "time"), REMIND, say("Set a reminder before the event"), remind_minutes=minutes)


BUILDERS: dict[str, Builder] = {
    "calendar.read": tappable(read),
    "calendar.move": of_meant_times(tappable(move)),
    "calendar.change": of_meant_times(tappable(change)),
    "calendar.delete": tappable(delete),
    "calendar.decline": tappable(decline),
    "calendar.remind": tappable(remind),
    "calendar.colour": tappable(colour),
}
"""The builders by intent."""
