"""Plans that change what is in the calendar: moved, renamed, longer, with others, in a colour, cancelled, declined."""

import re
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any

from butler.contract.speech import phrase, say, say_short_day
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.agenda_making import guests_of
from butler.orchestrator.embedded.agenda_words import CHANGE, COLOUR, DECLINE, DELETE, MOVE, REMIND, Found
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.colours import NAMES, SHADES
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.say import capital, one_line
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.understanding.calendar_event import One, acted, every_one, one_of_calendar, reached
from butler.orchestrator.understanding.calendar_making import INVITE
from butler.orchestrator.understanding.loose_times import length_within, loose_time, minutes_of, time_within
from butler.orchestrator.understanding.said import PARTS, Builder, Said, bare
from butler.orchestrator.understanding.upcoming import likely
from butler.orchestrator.understanding.who import people
from butler.understanding.times.lengths import Amount
from butler.understanding.times.lexicon import folded
from butler.understanding.times.saying import TimeSaid

EARLIER = re.compile(
    r"\b(earlier|sooner|forward|advance|früher|frueher|vorher|vorziehen|zieh\w*|nach vorne?|"
    r"vorverleg\w*|vorverschieb\w*|"
    r"plus tôt|plus tot|avance\w*|avant|antes|adelant\w*|más temprano)\b",
    re.IGNORECASE,
)
LATER = re.compile(
    r"\b(later|back|später|spaeter|nach hinten|plus tard|más tarde|después|retrasa\w*|atrasa\w*)\b", re.IGNORECASE
)
LONGER = re.compile(
    r"\b(longer|extend|lengthen|prolong|länger|laenger|verlänger\w*|ausdehn\w*|rallong\w*|prolong\w*|"
    r"plus long|plus longue|"
    r"alarg\w*|extiend\w*|más larg[oa]|prolóng\w*|amplía\w*)\b",
    re.IGNORECASE,
)
SHORTER = re.compile(
    r"\b(shorter|shorten|cut|kürzer|kuerzer|verkürz\w*|kürze?|raccourci\w*|écourt\w*|plus court|plus courte|acort\w*|"
    r"más cort[oa]|recort\w*)\b",
    re.IGNORECASE,
)
UP_TO = re.compile(r"\b(to|auf|à|a|hasta)\s+(?:an?\s+|eine?\s+|une?\s+|una?\s+)?$", re.IGNORECASE)
NOTE = re.compile(
    r"\b(note|notes|description|describe|link|notiz\w*|beschreibung|dazuschreib\w*|dazu|vermerk\w*|ergänz\w*|hinweis|remarque|"
    r"lien|ajoute|rajoute|nota|descripción|apunta|anota|añade|agrega|enlace|put in|add)\b",
    re.IGNORECASE,
)
RENAME = re.compile(
    r"\b(rename|retitle|call|name|title|umbenenn\w*|benenn\w*|nenn\w*|hei(?:ß|ss)\w*|titel|renomm\w*|nom|titre|appel\w*|"
    r"renombr\w*|nombre|título|llam\w*)\b",
    re.IGNORECASE,
)
TAKE_OFF = re.compile(
    r"\b(uninvite|disinvite|remove|drop|take|auslad\w*|lad\w*.* aus|entfern\w*|streich\w*|retire\w*|"
    r"enlève\w*|désinvit\w*|"
    r"quita\w*|saca\w*|elimina\w*)\b",
    re.IGNORECASE,
)
COLOURS = {
    "lavender": "lavendel lavande lavanda", "sage": "salbei sauge salvia hellgrün lightgreen",
    "grape": "violett lila purpur violet mauve prune morado violeta lila púrpura",
    "flamingo": "rosa pink rose rosado", "banana": "gelb jaune amarillo", "tangerine": "orange naranja mandarine",
    "peacock": "türkis hellblau petrol turquoise turquesa celeste cian pfau", "graphite": "grau gris grafito anthrazit",
    "blueberry": "blau dunkelblau bleu azul heidelbeere", "basil": "grün dunkelgrün vert verde basilikum",
    "tomato": "rot knallrot dunkelrot rouge rojo roja tomate",
}  # fmt: skip
TWO_WORDS = {
    "hell blau": "peacock", "bleu clair": "peacock", "bleu ciel": "peacock", "bleu pale": "peacock",
    "azul claro": "peacock", "azul celeste": "peacock", "bleu fonce": "blueberry", "azul oscuro": "blueberry",
    "vert clair": "sage", "verde claro": "sage", "vert pale": "sage", "hellgrun": "sage", "hellgruen": "sage",
}  # fmt: skip
EVE = re.compile(r"\b(vorabend|abend (?:vorher|davor)|tag (?:vorher|davor)|vortag|veille|víspera|"
    r"día (?:antes|anterior)|"
                 r"(?:day|night|evening) before)\b", re.IGNORECASE)  # fmt: skip
TO_WHEN = phrase("To when shall I move it? Say it like “to Friday at 10” or “by half an hour”.")
TO_WHAT = phrase("What shall I change about it: its title, its place, its guests, or how long it takes?")
HOW_LONG = phrase("How long before it shall the alert come? Say it like “30 minutes”.")
WHICH_COLOUR = phrase("Which colour shall it have: red, orange, yellow, green, turquoise, blue, purple, pink or grey?")
A_WEEK, A_DAY = 7, 1_440


def move(said: Said) -> PlannerOutput:
    """To another day or hour, which keeps what is not said; or by an amount."""
    said.need(CHANGE)
    shift = _shift(said)
    if shift is not None:
        args = {name: value for name, value in shift.items() if value}
        return acted(said, MOVE, say("Move the event"), **args)
    found = loose_time(said) if said.has("time") else None
    if found is None:
        raise Asking(say(TO_WHEN))
    found = likely(found, " ".join(said.request.words("time")))
    if every_one(said) is not None and found.day is not None:
        return _all_to(said, found.day)
    one = one_of_calendar(said)
    return _to(said, one, _after(found, one, said))


def _shift(said: Said) -> dict[str, int] | None:
    """Days and minutes by which it is moved; None where a time is said."""
    words = said.words("duration")
    amount = length_within(words, said) if words else None
    if words and amount is None and not said.has("time"):
        amount = said.length("duration")
    timed = " ".join(said.request.words("time"))
    if amount is None and timed and (EARLIER.search(timed) or LATER.search(timed) or not time_within(timed, said)):
        amount = length_within(timed, said)
    if amount is not None and not (said.has("time") and said.has("duration")):
        way = -1 if EARLIER.search(said.request.text) and not LATER.search(timed) else 1
        return _by(amount, way)
    return _weeks(said, timed)


def _by(amount: Amount, way: int) -> dict[str, int]:
    minutes = minutes_of(amount)
    if minutes % A_DAY == 0:
        return {"days": way * minutes // A_DAY}
    return {"minutes": way * minutes}


def _weeks(said: Said, timed: str) -> dict[str, int] | None:
    """`to next week`: the same day and hour a week later."""
    found = loose_time(said) if timed else None
    if found is None or found.day is None or found.until_day is None or found.clock is not None:
        return None
    if (found.until_day - found.day).days != A_WEEK - 1:
        return None
    today = said.scene.now().date()
    return {"days": (found.day - (today - timedelta(today.weekday()))).days}


def _all_to(said: Said, day: date) -> PlannerOutput:
    """All of one day to another."""
    old = loose_time(said, "time_of") if said.has("time_of") else None
    if old is None or old.day is None or old.day == day:
        raise Asking(say(TO_WHEN))
    return acted(said, MOVE, say("Move the event"), days=(day - old.day).days)


def _after(found: TimeSaid, one: One, said: Said) -> TimeSaid:
    """From one Friday to Monday is the Monday after it; which one is asked where it may be either."""
    since = one.when.since
    old = since.date() if isinstance(since, datetime) else since
    day = found.day
    if old is None or day is None or not found.weekday or day > old or not said.has("time_of"):
        return found
    later = day + timedelta(A_WEEK * ((old - day).days // A_WEEK + 1))
    if day == old:
        return replace(found, day=later)
    clock = f" {found.clock:%H:%M}" if found.clock is not None else ""
    choices = [choice(say_short_day(at), said.again("time", f"{at.isoformat()}{clock}")) for at in (later, day)]
    raise Asking(say("Which day do you mean?"), choices)


def _to(said: Said, one: One, to: TimeSaid) -> PlannerOutput:
    if to.or_day is not None and to.day is not None:
        days = (to.day, to.or_day)
        choices = [choice(say_short_day(at), said.again("time", at.isoformat())) for at in days]
        raise Asking(say("Which day do you mean?"), choices)
    day, clock, end = to.day, to.clock or (PARTS[to.part].value if to.part in PARTS else None), to.until_clock
    if to.moment is not None:
        day, clock = to.moment.date(), to.moment.time()
    there = reached(one, said, times=day is None or clock is None)
    args: dict[str, Any] = {"event": there.event} | _start(there, day, clock)
    if end is not None:
        args["end"] = f"{day.isoformat()}T{end:%H:%M}" if day is not None else there.time("start", at=f"{end:%H:%M}")
    elif said.has("duration") and (long := length_within(said.words("duration"), said)) is not None:
        args["minutes"] = minutes_of(long)
    return there.then(calls.call(CHANGE, say("Move the event"), **args, **one.again()))


def _start(there: Found, day: date | None, clock: time | None) -> dict[str, Any]:
    if day is not None and clock is not None:
        return {"start": datetime.combine(day, clock).isoformat(timespec="minutes")}
    if day is not None:
        return {"start": there.time("start", on=day.isoformat())}
    return {"start": there.time("start", at=f"{clock:%H:%M}")} if clock is not None else {}


def change(said: Said) -> PlannerOutput:
    """Another title, place or length of it, a note in it, or guests."""
    said.need(CHANGE)
    invites = said.has("with") and (
        INVITE.search(said.request.text) or not said.has("value", "title", "place", "duration", "text")
    )
    guests = people(said, "with") if invites else ()
    one = one_of_calendar(_without(said, "with") if guests else said)
    long = _long(said)
    there = reached(one, said, times=long is not None and long[1] != 0)
    args: dict[str, Any] = {}
    told = say("Change the event")
    if place := one_line(bare(said.words("place"))):
        args["location"], told = capital(place), say("Change where the event is")
    if long is not None:
        minutes, sign = long
        args |= {"end": there.time("end", minutes=sign * minutes)} if sign else {"minutes": minutes}
        told = say("Change how long the event takes")
    if guests:
        off = TAKE_OFF.search(said.request.text) is not None
        args["remove_guests" if off else "add_guests"] = guests_of(guests, said.scene, lex(said.request.text))
        told = say("Take off the event's guests") if off else say("Invite to the event")
    if (value := _value(said)) is not None:
        args |= value
        told = say("Rename the event") if "title" in value else say("Put a note into the event")
    if not args:
        if said.has("time"):
            return move(said)
        raise Asking(say(TO_WHAT))
    return there.then(calls.call(CHANGE, told, event=there.event, **args, **one.again()))


def _without(said: Said, slot: str) -> Said:
    """The request without what a slot says."""
    slots = tuple(one for one in said.request.slots if one.slot != slot)
    return replace(said, request=replace(said.request, slots=slots))


def _long(said: Said) -> tuple[int, int] | None:
    """Minutes, and whether it is longer (1), shorter (-1) or just as long (0) as that."""
    words = said.words("duration")
    if not words:
        return None
    found = length_within(words, said) or said.length("duration")
    if found is None:
        return None
    first = next(one.start for one in said.request.slots if one.slot == "duration")
    text = said.request.text
    sign = 1 if LONGER.search(text) else -1 if SHORTER.search(text) else 0
    return minutes_of(found), 0 if UP_TO.search(text[:first]) else sign


def _value(said: Said) -> dict[str, str] | None:
    """A new title, or a note where that is what the words around say."""
    note = next((bare(one) for slot in ("text", "reported") for one in said.request.words(slot)), "")
    value = bare(said.words("value")) or bare(said.words("title"))
    if not value:
        return {"description": capital(note)} if note else None
    outside = said.request.text.replace(said.words("value"), " ") if said.has("value") else said.request.text
    noted = NOTE.search(outside) is not None and RENAME.search(outside) is None
    if noted or "://" in value or re.search(r"\S\.\w+/\S", value):
        return {"description": capital(value)}
    return {"title": capital(one_line(value))}


def delete(said: Said) -> PlannerOutput:
    """Out of the calendar."""
    return acted(said, DELETE, say("Delete the event"))


def decline(said: Said) -> PlannerOutput:
    """The person does not come; with what they say about it."""
    words = next((bare(one) for slot in ("text", "reported") for one in said.request.words(slot)), "")
    comment = {"comment": capital(one_line(words))} if words else {}
    return acted(said, DECLINE, say("Decline the event"), **comment)


def remind(said: Said) -> PlannerOutput:
    """An alert of the calendar, so long before an event."""
    words = said.words("lead") or said.words("duration")
    if not words:
        raise Asking(say(HOW_LONG))
    minutes = A_DAY if EVE.search(words) else 0
    if not minutes:
        found = length_within(words, said)
        minutes = minutes_of(found) if found is not None else said.minutes("lead") or 0
    return acted(said, REMIND, say("Set a reminder before the event"), remind_minutes=minutes)


def colour(said: Said) -> PlannerOutput:
    """Another colour in the calendar."""
    name = colour_named(said.words("value"))
    if not name:
        raise Asking(say(WHICH_COLOUR))
    return acted(said, COLOUR, say("Colour the event"), colour=name)


def colour_named(words: str) -> str:
    """The calendar's name for a colour as people say it; empty for none that it has."""
    said = " ".join(folded(words).split())
    for name, found in (*SHADES.items(), *TWO_WORDS.items()):
        if name in said:
            return found
    known = {folded(word): name for name, listed in COLOURS.items() for word in listed.split()} | NAMES
    for token in said.replace("-", " ").split():
        name = known.get(token) or known.get(token.rstrip("s"))
        name = name or next((found for word, found in known.items() if len(word) > 2 and token.endswith(word)), None)  # noqa: PLR2004 - a pair
        if name is not None:
            return name
    return ""


BUILDERS: dict[str, Builder] = {
    "calendar.move": move,
    "calendar.change": change,
    "calendar.delete": delete,
    "calendar.decline": decline,
    "calendar.remind": remind,
    "calendar.colour": colour,
}
"""A function for each intent."""
