"""Completes a later request of a message from the one before it: `read carol's mail and forward it to bob`."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, time

from butler.orchestrator.embedded.main_clause import main_clause
from butler.orchestrator.understanding.people.who import is_pronoun
from butler.orchestrator.understanding.requests.request_words import group
from butler.orchestrator.understanding.things.pointing import pointed
from butler.understanding.context import flags_of
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request
from butler.understanding.times.loose import dated
from butler.understanding.times.parse import parse

NAMING = frozenset({"from", "topic", "time_of", "filter", "ref"})
"""Slots that identify a thing."""
LONGEST_PRONOUN = 2
ACTS = (
    "mail.archive", "mail.trash", "mail.mark_", "mail.star", "mail.unstar", "mail.label", "mail.move", "mail.forward",
    "mail.reply", "mail.unsubscribe", "calendar.change", "calendar.delete", "calendar.move", "calendar.remind",
    "calendar.colour", "card.move", "card.comment", "card.due", "card.assign", "card.label", "card.archive",
)  # fmt: skip
"""Intents that act on the things named just before, unless they name others."""
OF_THINGS = ("mail.", "calendar.", "card.", "reminder.")
"""Intents about existing things."""
SENDS = frozenset({"message.send", "mail.send"})
WRITES = SENDS | {"message.reply", "mail.reply"}
TEXTS = ("text", "reported", "asked")
PEOPLE = ("to", "with", "from")
EVENT, CHOOSE = "calendar.create", "choose"
BEFORE_DAY = group("before_day")
OF_REMINDER = frozenset({"time", "every", "duration", "ref"})
"""Slots of a reminder that says when, but not of what."""
OF_EVENT = frozenset({"ref", "place", "duration", "lead", "account", "value"})
"""Slots of an event without a name and a time."""


def with_slots(request: Request, later: Request, slots: tuple[SlotWords, ...]) -> Request:
    """Return the request with the later text appended; a slot that was said again replaces the earlier one."""
    text = f"{request.text}\n{later.text}"
    by = len(request.text) + 1
    new = {one.slot for one in slots}
    moved: list[SlotWords] = []
    for one in slots:
        if later.text[one.start : one.end] == one.text:
            moved.append(replace(one, start=one.start + by, end=one.end + by))
        else:
            # Words that are not part of the later text are appended to it.
            moved.append(SlotWords(one.slot, one.text, len(text) + 1, len(text) + 1 + len(one.text)))
            text = f"{text}\n{one.text}"
    return replace(request, text=text, slots=(*(one for one in request.slots if one.slot not in new), *moved))


def with_day(slots: Sequence[SlotWords], request: Request, now: datetime) -> tuple[SlotWords, ...]:
    """Return the slots; a time of day gets the day of the request before: `tomorrow at six`, `no, in the morning`.

    Args:
        slots: The slots of what was said later.
        request: The request before.
        now: Local and aware.
    """
    before = " ".join(request.words("time"))
    return tuple(_on_the_day(one, before, request, now) if one.slot == "time" and before else one for one in slots)


def _on_the_day(one: SlotWords, before: str, request: Request, now: datetime) -> SlotWords:
    language = request.language or "en"
    old, new = parse(before, language, now), parse(one.text, language, now)
    if old is None or new is None or old.day is None or new.day is not None or new.moment or not new.clock:
        return one
    for words in (f"{before} {one.text}", f"{old.day.isoformat()} {one.text}"):
        said = parse(words, language, now)
        if said is not None and said.day == old.day and said.clock and _same_hour(said.clock, new.clock, new.half_said):
            return replace(one, text=words)
    return one


def _same_hour(one: time, other: time, half_said: bool) -> bool:
    """Return whether both times are equal; with an ambiguous half of the day, on a 12-hour clock."""
    if half_said:
        return one == other
    return (one.hour % 12, one.minute) == (other.hour % 12, other.minute)


def is_short(slot: SlotWords) -> bool:
    """Return whether a slot is short enough for a pronoun."""
    return len(slot.text.split()) <= LONGEST_PRONOUN


def carried(parts: Sequence[Request], now: datetime) -> list[Request]:
    """Return the requests of one message; a later one gets what it leaves out or says by a pronoun from before.

    Args:
        parts: In the order in which they were said.
        now: Local and aware.
    """
    found: list[Request] = []
    for one in parts:
        before = found[-1] if found else None
        if before is None:
            found.append(one)
        elif before.intent == CHOOSE:
            found[-1:] = [with_slots(one, before, before.slots)]
        else:
            later = _on_the_told_day(_with_the_same(_to_the_same(one, before), before), before, now)
            later = _reminded_of(_the_same_words(later, before), before)
            found.append(_what_was_told(later, before, now) or _the_same_thing(later, before))
    return found


def _the_same_thing(one: Request, before: Request) -> Request:
    """Copy the slots that identify a mail, event or card into a later request about the same one."""
    pronoun = [slot for slot in one.slots if slot.slot == "ref" and is_short(slot) and not _is_place(slot, one)]
    own = {slot.slot for slot in one.slots}
    unnamed = one.intent.startswith(ACTS) and not own & NAMING
    if not (pronoun or unnamed) or flags_of(before.intent) != flags_of(one.intent):
        return one
    names = [slot for slot in before.slots if slot.slot in NAMING and slot.slot not in own - {"ref"}]
    if not names and before.intent != "mail.read":
        return one
    kept = tuple(slot for slot in one.slots if slot not in pronoun)
    return with_slots(replace(one, slots=kept), before, tuple(names))


def _is_place(slot: SlotWords, one: Request) -> bool:
    """Return whether words name a place in a list: `the last`, `the other one`."""
    way = pointed(slot.text, one.language or "en")
    return bool(way.numbers or way.last or way.at_end or way.oldest or way.other or way.step or way.rest)


def _to_the_same(one: Request, before: Request) -> Request:
    """Copy the recipient: `text Anna I'm late and ask her for the key`, `cancel lunch with Bob and let him know`."""
    spoken = [slot for slot in one.slots if slot.slot in PEOPLE]
    if one.intent not in WRITES or not all(is_pronoun(slot.text) for slot in spoken):
        return one
    names = [slot for slot in before.slots if slot.slot in PEOPLE and not is_pronoun(slot.text)]
    if len(names) != 1 or not (spoken or before.intent in SENDS):
        return one
    intent = before.intent if before.intent in SENDS else one.intent
    kept = tuple(slot for slot in one.slots if slot not in spoken)
    readings = ((intent, one.confidence), *(each for each in one.readings[1:] if each[0] != intent))
    return with_slots(replace(one, readings=readings, slots=kept), before, (replace(names[0], slot="to"),))


def _with_the_same(one: Request, before: Request) -> Request:
    """Replace pronouns by the person named before: `tell Anna I'm on my way and put dinner with her in for eight`."""
    names = list(dict.fromkeys(slot.text for slot in before.slots if slot.slot in PEOPLE and not is_pronoun(slot.text)))
    if one.intent in WRITES or len(names) != 1:
        return one
    slots = tuple(
        replace(slot, text=names[0]) if slot.slot in PEOPLE and is_pronoun(slot.text) else slot for slot in one.slots
    )
    return replace(one, slots=slots)


def _the_same_words(one: Request, before: Request) -> Request:
    """Copy the text of a note into a message: `note the meter stands at 55120 and send that to Anna`."""
    words = tuple(slot for slot in before.slots if slot.slot in TEXTS)
    kept = tuple(slot for slot in one.slots if slot.slot != "ref")
    says = any(slot.slot in TEXTS for slot in kept)
    if one.intent not in SENDS or says or before.intent != "note.create" or not words or not one.words("to"):
        return one
    return with_slots(replace(one, slots=kept), before, words)


def _reminded_of(one: Request, before: Request) -> Request:
    """Copy a message's text into a reminder: `tell Mum I'll call tonight and remind me at eight`."""
    words = next((slot for slot in before.slots if slot.slot in TEXTS), None)
    said = {slot.slot for slot in one.slots}
    if one.intent != "reminder.create" or before.intent not in WRITES or words is None or not said <= OF_REMINDER:
        return one
    names = ", ".join(slot.text for slot in before.slots if slot.slot == "to")
    clause = main_clause(words.text) if (one.language or before.language) == "de" else None
    text = f"{clause or words.text}{f' ({names})' if names else ''}"
    kept = tuple(slot for slot in one.slots if slot.slot != "ref")
    return with_slots(replace(one, slots=kept), before, (replace(words, slot="text", text=text),))


def _on_the_told_day(one: Request, before: Request, now: datetime) -> Request:
    """Copy a message's day into an event: `tell Bob yes for Thursday and put lunch with him in at half twelve`."""
    words = next((slot.text for slot in before.slots if slot.slot in TEXTS), "")
    if one.intent != EVENT or before.intent not in WRITES or len(one.words("time")) != 1:
        return one
    found = dated(words, one.language or before.language or "en", now)
    if found is None:
        return one
    (clock,) = (slot for slot in one.slots if slot.slot == "time")
    told = SlotWords("time", found[0], 0, len(found[0]))
    (there,) = with_day((clock,), replace(before, slots=(told,)), now)
    if there == clock:
        return one
    text = f"{one.text}\n{there.text}"
    moved = SlotWords("time", there.text, len(one.text) + 1, len(text))
    return replace(one, text=text, slots=(*(slot for slot in one.slots if slot is not clock), moved))


def _what_was_told(one: Request, before: Request, now: datetime) -> Request | None:
    """Take an event's time and title from a message: `tell mum I come on Sunday, and put it into my calendar`."""
    words = next((slot.text for slot in before.slots if slot.slot in TEXTS), "")
    if one.intent != EVENT or before.intent not in WRITES or not words or not {s.slot for s in one.slots} <= OF_EVENT:
        return None
    language = one.language or before.language or "en"
    found = dated(words, language, now)
    if found is None:
        return None
    when, _ = found
    sentence = (main_clause(words) if language == "de" else None) or words
    rest = re.sub(rf"(?:\b{BEFORE_DAY}\s+)?{re.escape(when)}", " ", sentence, count=1, flags=re.IGNORECASE)
    title = " ".join(rest.split()).strip(" .,;!?") or sentence
    names = ", ".join(slot.text for slot in before.slots if slot.slot == "to")
    title = f"{title} ({names})" if names else title
    text = f"{one.text}\n{title}\n{when}"
    at = len(one.text) + 1
    slots = (
        SlotWords("title", title, at, at + len(title)),
        SlotWords("time", when, at + len(title) + 1, len(text)),
    )
    return replace(one, text=text, slots=(*(slot for slot in one.slots if slot.slot != "ref"), *slots))
