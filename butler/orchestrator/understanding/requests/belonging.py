"""Joins parts of a message that belong to the request before them, and parts a request for two lists."""

import re
from collections.abc import Sequence
from dataclasses import replace

from butler.orchestrator.understanding.answer_words import TOLD
from butler.orchestrator.understanding.people.who import is_pronoun
from butler.orchestrator.understanding.requests.carrying import is_short, with_slots
from butler.orchestrator.understanding.requests.going_on import JOINTS
from butler.orchestrator.understanding.requests.left_out_words import masked
from butler.orchestrator.understanding.requests.request_words import group
from butler.orchestrator.understanding.things.named import SEVERAL_EVENTS
from butler.orchestrator.understanding.things.pointing import ALL
from butler.orchestrator.understanding.trigger_words import EVENTS
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request
from butler.understanding.tables import slots_of

SEARCHES = frozenset({"file.search", "mail.search", "note.search"})
DETAILS = frozenset({"card.due", "card.assign", "card.label"})
OF_CARDS = frozenset({"time", "to", "label"})
"""Slots that complete a new card: `new card … due friday, assign it to me`."""
GUESTS = frozenset({"with", "to", "channel"})
LEAD = re.compile(rf"^\W*(?:(?:{JOINTS}|{group('leads')})\W+)*", re.IGNORECASE)
NO_ACTS = ("chat.", "answer.", "approve.", "command.", "undo")
"""Intents that are not done when something happens."""

LISTS = {
    "reminder.list": group("reminders"),
    "note.search": group("notes"),
    "calendar.list": "|".join(SEVERAL_EVENTS),
    "card.list": group("cards"),
    "automation.list": group("automations"),
}
"""The words for what is listed, by the intents that list it."""
AND = rf"\s*(?:,|&|\b{group('and_of_lists')}\b)\s*(?:{group('my')}\s+)?"
EVERY = "|".join(LISTS.values())
TWO = re.compile(rf"\b(?P<one>{EVERY}){AND}(?P<other>{EVERY})\b(?!\s+{group('of_some')})", re.IGNORECASE)
"""Two lists in one request: `show my reminders and my notes`."""


def each_list(parts: Sequence[Request]) -> list[Request]:
    """Return the requests; one that asks for two lists becomes two, if it was read as one of them."""
    one = parts[0] if len(parts) == 1 else None
    two = TWO.search(masked(one.text, one.slots)) if one is not None else None
    if one is None or two is None:
        return list(parts)
    both = [
        intent for words in two.groups() for intent, nouns in LISTS.items() if re.fullmatch(nouns, words, re.IGNORECASE)
    ]
    if one.intent not in both:
        return list(parts)
    return [
        replace(
            one, readings=((intent, one.confidence),), slots=tuple(s for s in one.slots if s.slot in slots_of(intent))
        )
        for intent in both
    ]


def joined(parts: Sequence[Request]) -> list[Request]:
    """Return the requests, with parts that complete the one before them joined to it."""
    found: list[Request] = []
    for one in parts:
        whole = _joined(found[-1], one) if found else None
        if whole is not None:
            found[-1] = whole
        else:
            found.append(one)
    return found


def _joined(first: Request, later: Request) -> Request | None:
    """Return both as one request; None if the later one stands alone."""
    rest = tuple(one for one in later.slots if one.slot != "ref")
    pair = (first.intent, later.intent)
    if first.intent in SEARCHES and first.intent == later.intent and not first.slots:
        return replace(later, start=first.start)
    if pair == ("calendar.create", "mail.invite") and _completes(later, GUESTS):
        return _with_guests(first, later)
    detail = first.intent == "card.create" and later.intent in DETAILS and _completes(later, OF_CARDS)
    if detail or (first.intent.startswith("card.") and _only_names(later)):
        return with_slots(first, later, rest)
    if pair == ("reminder.create", "watch.answer") and not any(map(first.words, ("time", "every", "duration"))):
        return with_slots(first, later, rest) if TOLD.search(later.text) is None else None
    if first.intent == "automation.create" and not first.words("action") and not first.words("every"):
        return _automation(first, later)
    return None


def _only_names(later: Request) -> bool:
    """Return whether a part is only one more person: the end of `archive all cards of Anna` `and Bob`."""
    rest = LEAD.sub("", masked(later.text, later.slots).replace("·", " "))
    named = bool(later.slots) and {one.slot for one in later.slots} <= {"to", "from", "with"}
    return named and not any(map(str.isalnum, rest))


def _completes(later: Request, takes: frozenset[str]) -> bool:
    """Return whether a part only adds to the new thing, and names no other one."""
    names = any(ALL.search(one.text) or not is_short(one) for one in later.slots if one.slot == "ref")
    return {one.slot for one in later.slots} <= takes | {"ref"} and not names


def _with_guests(first: Request, later: Request) -> Request:
    """Return a new event with the guests of both parts."""
    known = {one.casefold() for one in first.words("with")}
    guests = tuple(
        replace(one, slot="with")
        for one in later.slots
        if one.slot in {"with", "to"} and not is_pronoun(one.text) and one.text.casefold() not in known
    )
    kept = tuple(one for one in first.slots if one.slot == "with")
    whole = with_slots(first, later, guests)
    return replace(whole, slots=(*(kept if guests else ()), *whole.slots))


def _automation(first: Request, later: Request) -> Request | None:
    """Return an automation of which one part is the event, and the next what is to be done."""
    event, act = first.text.rstrip(" ?:,;"), LEAD.sub("", later.text).strip()
    happens = any(words.search(event) for words in EVENTS)
    if not happens or event.endswith(".") or not act or later.intent.startswith(NO_ACTS):
        return None
    text = f"{event}, {act}"
    marked = tuple(one for one in first.slots if one.slot == "trigger")
    action = SlotWords("action", act, len(event) + 2, len(text))
    return replace(first, text=text, slots=(*(marked or (SlotWords("trigger", event, 0, len(event)),)), action))
