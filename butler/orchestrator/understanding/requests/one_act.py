"""Joins the clauses of one act: `new card in Work: call the bank, due on Friday`.

The reader marks each clause as a request of its own. A clause that names no thing of its own and only adds to the
request before it is joined to that request.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request
from butler.understanding.times.loose import marked_time

MORE = frozenset({"refine", "answer.value", "approve.change"})
"""Intents of clauses with a value, but without the thing that it is for."""
NAMING = frozenset({"topic", "ref", "time_of", "from"})
AUTOMATION = "automation.create"
REMINDER = "reminder.create"
"""A reminder without a text belongs to the event before it: `and remind me an hour before`."""
ENDS = (".", "!", "?", ";")


@dataclass(frozen=True, slots=True)
class GoesOn:
    """The clauses that may add to an act: their intents and slots, and the slot that names the act."""

    intents: frozenset[str]
    slots: frozenset[str]
    name: str = ""
    """The slot that an act has only once; two of them are two acts."""
    renamed: tuple[tuple[str, str], ...] = ()
    """Slots of the later clause and the slots of the act that they become."""


ACTS = {
    "calendar.create": GoesOn(
        frozenset({"calendar.create", "calendar.change", "calendar.move", "calendar.remind", REMINDER, *MORE}),
        frozenset({"title", "time", "place", "duration", "with", "lead", "every", "value", "text"}), "title",
        (("value", "title"), ("text", "title")),
    ),
    "card.create": GoesOn(
        frozenset({"card.create", "card.due", "card.move", "card.list", *MORE}),
        frozenset({"title", "list", "board", "time", "text", "value", "to", "label"}), "title",
        (("value", "title"), ("text", "title")),
    ),
    "reminder.create": GoesOn(
        frozenset({"reminder.create", "reminder.change", "reminder.snooze", "calendar.move", *MORE}),
        frozenset({"text", "time", "every", "duration"}), "text",
    ),
    "calendar.change": GoesOn(
        frozenset({"calendar.change", "card.rename", *MORE}),
        frozenset({"value", "title", "place", "duration", "with", "text"}),
    ),
    "calendar.move": GoesOn(frozenset({"calendar.move", "calendar.change", *MORE}), frozenset({"time", "duration"})),
    "calendar.free": GoesOn(
        frozenset({"calendar.free", "calendar.list", "calendar.move", "calendar.create", *MORE}),
        frozenset({"time", "duration", "with"}),
    ),
    "calendar.list": GoesOn(frozenset({"calendar.list"}), frozenset({"time"})),
    "server.logs": GoesOn(frozenset({"server.logs"}), frozenset({"time"})),
    "card.move": GoesOn(frozenset({"card.move", *MORE}), frozenset({"list", "board"})),
}  # fmt: skip
"""The clauses that may follow, by the intent of the first clause."""


def _may_join(before: Sequence[Request], one: Request) -> bool:
    """Return whether a clause may join the one before: not a recurrence after a single time, which are two acts."""
    return bool(before) and not (before[-1].words("time") and one.words("every"))


def folded(parts: Sequence[Request], now: datetime) -> list[Request]:
    """Return the requests of a message; those that only add to the one before are joined to it.

    Args:
        parts: The requests, in the order in which they were said.
        now: Local and aware.
    """
    found: list[Request] = []
    for one in parts:
        joined = (_joined(found[-1], one, now) or _done_then(found[-1], one)) if _may_join(found, one) else None
        found[-1:] = [joined] if joined is not None else [*found[-1:], one]
    return found


def _joined(first: Request, later: Request, now: datetime) -> Request | None:
    """Return both as one act; None if they are two."""
    way = ACTS.get(first.intent)
    if way is None or later.intent not in way.intents or not later.slots:
        return None
    if later.intent == REMINDER != first.intent and {one.slot for one in later.slots} != {"lead"}:
        return None
    own = {one.slot for one in first.slots}
    said = {(one.slot, one.text.casefold()) for one in first.slots}
    again = [one for one in later.slots if (one.slot, one.text.casefold()) not in said]
    renamed = dict(way.renamed) if way.name not in own else {}
    more = tuple(replace(one, slot=renamed.get(one.slot, one.slot)) for one in again)
    if not _fits(way, own, more, same=later.intent == first.intent):
        return None
    whole, kinds = _one_text(first, later, more), {one.slot for one in more}
    if "time" not in kinds & own:
        return whole
    return whole if later.intent not in MORE and _reads(whole, now) else None


def _fits(way: GoesOn, own: set[str], more: Sequence[SlotWords], *, same: bool) -> bool:
    """Return whether the later clause names nothing of its own and repeats nothing."""
    kinds = {one.slot for one in more}
    if NAMING & kinds or not kinds <= way.slots or (kinds & own) - {"time"}:
        return False
    names = sum(one.slot == way.name for one in more) + (way.name in own)
    return not way.name or names == 1 or (not same and not names)


def _one_text(first: Request, later: Request, more: Sequence[SlotWords]) -> Request:
    by = len(first.text) + 1
    moved = tuple(replace(one, start=one.start + by, end=one.end + by) for one in more)
    return replace(first, text=f"{first.text} {later.text}", slots=(*first.slots, *moved))


def _reads(request: Request, now: datetime) -> bool:
    """Return whether all parts of the request's time can be read together."""
    places = [(one.start, one.end) for one in request.slots if one.slot == "time"]
    return marked_time(request.text, places, request.language or "en", now) is not None


def _done_then(first: Request, later: Request) -> Request | None:
    """Add the rest of the sentence to an automation's action: `whenever Bob writes, star it and tell me`."""
    acts = [one for one in first.slots if one.slot == "action"]
    if first.intent != AUTOMATION or later.intent == AUTOMATION or first.text.rstrip().endswith(ENDS):
        return None
    told = {one.slot for one in first.slots} & {"trigger", "every"}
    if not told or not acts or acts[-1].end < max(one.end for one in first.slots):
        return None
    text = f"{first.text} {later.text}"
    end = len(text.rstrip(" .!?"))
    last = replace(acts[-1], text=text[acts[-1].start : end], end=end)
    return replace(first, text=text, slots=tuple(last if one is acts[-1] else one for one in first.slots))
