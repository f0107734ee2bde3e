"""Selects the times that a request means: not rejected ones, nor those in a reason after it.

`nine instead, eight's too early`; `not Monday but Tuesday`; `call them at 5, they close at 6`.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.understanding.act_words import says
from butler.orchestrator.understanding.other_clocks import other_clock
from butler.orchestrator.understanding.said import Builder, Said
from butler.understanding.marked import SlotWords
from butler.understanding.patterns import any_of
from butler.understanding.stored_words import stored
from butler.understanding.times.loose import marked_time, never_comes
from butler.understanding.times.parse import parse

WORD = re.compile(r"\S+")
A_SMALL_WORD = 4
"""The most letters of a word that may be dropped from a time."""
LONGEST = 10
"""The most words that are searched for a time."""
CHANGING = frozenset({"reminder.change", "calendar.move"})
MAKING = frozenset({"reminder.create", "calendar.create", "card.create"})
RELATIVE = (
    "eve", "day_before", "day_after", "week_before", "week_after", "same_clock", "same_day", "same_weekday",
    "following", "preceding", "later", "earlier", "there", "gap",
)  # fmt: skip
"""Kinds of words for times relative to something shown."""
NAMES = ("text", "title", "topic", "reported", "value")
A_NAME = 4
"""The least letters of a word that was marked as a time, but names something."""


def of_meant_times(builder: Builder) -> Builder:
    """Wrap a builder so that it only gets the times that are meant."""

    def build(said: Said) -> PlannerOutput:
        return builder(meant_times(said))

    return build


def meant_times(said: Said) -> Said:
    """Return the request with the times that are meant; unchanged if all times can be read together."""
    said = _with_new_time(_of_something_new(said))
    marked = [one for one in said.request.slots if one.slot == "time"]
    never = any(never_comes(one.text, said.language) for one in marked)
    if not marked or never or other_clock(said.request, "time") is not None:
        return said
    kept = [one for one in marked if not _refused(one, said)] or marked
    if not _reads(kept, said) and not _by_shown(kept):
        kept = _first(kept, said) or _stretch(kept, said) or kept
    if kept == marked:
        return said
    others = [one for one in said.request.slots if one.slot != "time"]
    if said.request.intent in MAKING and not said.has(*NAMES):
        others += [replace(one, slot="text") for one in marked if one not in kept and _names(one, said)]
    slots = (*others, *kept)
    return said.with_slots(sorted(slots, key=lambda one: one.start))


def _with_new_time(said: Said) -> Said:
    """Return the request with the time that replaces a refused one marked as the new one: `at 8:30 instead of 9`."""
    old = [one for one in said.request.slots if one.slot == "time_of"]
    refused = [one for one in old if _refused(one, said)]
    if said.request.intent not in CHANGING or said.has("time") or not refused or len(refused) == len(old):
        return said
    new = [one for one in old if one not in refused]
    return said.with_slots(replace(one, slot="time") if one in new else one for one in said.request.slots)


def _of_something_new(said: Said) -> Said:
    """Return the request to create something with its `time_of` as its time, since it has no old time."""
    if said.request.intent not in MAKING or not said.has("time_of"):
        return said
    slots = tuple(replace(one, slot="time") if one.slot == "time_of" else one for one in said.request.slots)
    return said.with_slots(slots)


@cache
def _words(kind: str) -> str:
    return any_of(stored("butler.orchestrator.understanding.times", "meant", kind))


def _refused(one: SlotWords, said: Said) -> bool:
    """Return whether the words around a time reject it."""
    before, behind = said.request.text[: one.start], said.request.text[one.end :]
    small = rf"(?:\s+(?:{_words('small')}))*"
    refused = re.search(rf"(?<![\w'’])(?:{_words('before')}){small}\s+$", before, re.IGNORECASE)
    return bool(refused or re.match(rf"\s*,?\s*(?:{_words('behind')})(?!\w)", behind, re.IGNORECASE))


def _names(one: SlotWords, said: Said) -> bool:
    """Return whether words that were marked as a time are none, and name something."""
    return len(one.text) >= A_NAME and not _reads([one], said)


def _by_shown(marked: Sequence[SlotWords]) -> bool:
    """Return whether a time is relative to something else: `the day before at 7`."""
    text = " ".join(one.text for one in marked)
    return any(says(kind, text) for kind in RELATIVE)


def _reads(marked: Sequence[SlotWords], said: Said) -> bool:
    places = [(one.start, one.end) for one in marked]
    return marked_time(said.request.text, places, said.language, said.scene.now()) is not None


def _first(marked: Sequence[SlotWords], said: Said) -> list[SlotWords]:
    """Return the longest prefix of the times that can be read together, else of those that can be read alone."""
    told = [one for one in marked if parse(one.text, said.language, said.scene.now()) is not None]
    for count in range(len(marked), 0, -1):
        for some in (marked, told):
            if len(some) >= count and _reads(some[:count], said):
                return list(some[:count])
    return []


def _stretch(marked: Sequence[SlotWords], said: Said) -> list[SlotWords]:
    """Return the time without small words at either end: `on Thursday evening [after]`."""
    text, now = said.request.text, said.scene.now()
    words = [(one.start + at.start(), one.start + at.end()) for one in marked for at in WORD.finditer(one.text)][
        :LONGEST
    ]
    for size in range(len(words), 0, -1):
        for at in range(len(words) - size + 1):
            part = words[at : at + size]
            if any(end - begin > A_SMALL_WORD for begin, end in (*words[:at], *words[at + size :])):
                continue
            if parse(" ".join(text[begin:end] for begin, end in part), said.language, now) is not None:
                begin, end = part[0][0], part[-1][1]
                return [SlotWords("time", text[begin:end], begin, end)]
    return []
