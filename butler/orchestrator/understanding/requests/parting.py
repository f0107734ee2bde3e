"""Requests that the reader did not see to begin: `cancel the lunch and let Bob know`, of which Bob is no part.

A slot that a request does not take belongs to another one. Where the words around it stand behind an `and` or a comma,
and are a sure request of their own that takes it, they become one.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from butler.orchestrator.understanding.texts.from_source import source_asked
from butler.understanding.context import flags_of
from butler.understanding.marked import SlotWords
from butler.understanding.reader import GOES_ON, Request
from butler.understanding.tables import intents, slots_of

FOREIGN = frozenset({"to", "from", "with", "text", "reported", "asked", "title", "every", "action", "query"})
"""Slots that show a request of their own."""
BOUNDARY = re.compile(r"[,;.]\s+(?:(?:and|then|und|dann|et|puis|pis|y|luego)\s+)*|\s+(?=(?:and|und|et|puis|pis|y)\s)")
YES = ("answer.", "approve.")
"""What is said to a card, in either way."""
JOINT = re.compile(r"\s+(?:and|und|et|puis|y|e)\s+(?:then\s+|dann\s+|puis\s+|luego\s+)?", re.IGNORECASE)
FEW, SURELY = 5, 0.8
"""Words of a second request in which nothing is marked, and its least probability."""
ACTING = ("mail.", "card.", "calendar.", "reminder.", "message.", "automation.", "memory.forget", "undo")
SURE = 0.4
"""The probability of a part from which on one request is two."""
MOST_TRIED = 2
"""Places before a slot at which its request may begin."""
Read = Callable[[str, Sequence[str]], tuple[Request, ...]]


def parted(found: Sequence[Request], read: Read, context: Sequence[str]) -> tuple[Request, ...]:
    """The requests of a message, those taken apart that are two.

    Args:
        found: As they were read.
        read: Reads words anew.
        context: What was there before the message.
    """
    parts: list[Request] = []
    for one in found:
        before = flags_of(parts[-1].intent) if parts else ()
        parts += _two_of(one, read, before or context) or _short_second(one, read, context) or (one,)
    return tuple(parts)


def _two_of(one: Request, read: Read, context: Sequence[str]) -> tuple[Request, ...] | None:
    takes = intents()[one.intent].slots if one.intent in intents() else None
    if takes is None or source_asked(one):
        return None
    foreign = next((slot for slot in one.slots if slot.slot in FOREIGN and slot.slot not in takes), None)
    if foreign is None:
        return None
    for cut in _boundaries(one, foreign):
        first, second = read(one.text[:cut], context), read(one.text[cut:], flags_of(one.intent) or context)
        if len(first) == len(second) == 1 and _sure(first[0], one, foreign) and _sure(second[0], one, foreign):
            return first[0], replace(second[0], start=one.start + cut)
    return None


def _short_second(one: Request, read: Read, context: Sequence[str]) -> tuple[Request, ...] | None:
    """A request of a few words behind an `and`, in which nothing is marked: `delete it and unsubscribe`."""
    joints = list(JOINT.finditer(one.text))
    if not joints or one.intent not in intents() or any(slot.end > joints[-1].start() for slot in one.slots):
        return None
    cut = joints[-1].end()
    if not 0 < len(one.text[cut:].split()) <= FEW:
        return None
    first, second = read(one.text[: joints[-1].start()], context), read(one.text[cut:], flags_of(one.intent) or context)
    if len(first) != 1 or len(second) != 1 or first[0].intent != one.intent:
        return None
    other = second[0]
    acts = other.intent.startswith(ACTING) and other.intent != one.intent and other.confidence >= SURELY
    return (first[0], replace(other, start=one.start + cut)) if acts else None


def _boundaries(one: Request, foreign: SlotWords) -> list[int]:
    """Where the request that the slot belongs to may begin or end, the nearest to the slot first."""
    places = [match.end() for match in BOUNDARY.finditer(one.text)]
    inside = [at for at in places if not any(slot.start < at < slot.end for slot in one.slots)]
    before = [at for at in inside if at <= foreign.start]
    behind = [at for at in inside if at >= foreign.end]
    return [*before[::-1][:MOST_TRIED], *behind[:1]]


def _sure(part: Request, whole: Request, foreign: SlotWords) -> bool:
    """Whether a part is the request that it was, or surely the one that the slot belongs to."""
    if part.intent == whole.intent or (whole.intent.startswith(YES) and part.intent.startswith(YES)):
        return True
    takes = slots_of(part.intent)
    kinds = {slot.slot for slot in part.slots}
    alone = part.confidence >= SURE and not part.intent.startswith(GOES_ON)
    return alone and bool(kinds) and kinds <= set(takes) and (foreign.slot in kinds or "to" in kinds)
