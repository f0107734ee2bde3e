"""Splits requests that the reader took for one: `cancel the lunch and let Bob know`, of which Bob is no part.

A slot that the intent does not take belongs to another request. If the words around it follow an `and` or a comma and
are surely a request that takes the slot, the request is split there.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from butler.orchestrator.understanding.requests.going_on import JOINTS
from butler.orchestrator.understanding.requests.request_words import group
from butler.orchestrator.understanding.texts.from_source import source_asked
from butler.understanding.context import flags_of
from butler.understanding.marked import SlotWords
from butler.understanding.reader import GOES_ON, Request
from butler.understanding.tables import intents, slots_of

FOREIGN = frozenset({"to", "from", "with", "text", "reported", "asked", "title", "every", "action", "query"})
"""Slots that reveal a second request."""
BOUNDARY = re.compile(rf"[,;.]\s+(?:{JOINTS}\s+)*|\s+(?={group('and_at_boundary')}\s)")
YES = ("answer.", "approve.")
"""Intents of answers to a card, whether yes or no."""
JOINT = re.compile(rf"\s+{group('and_of_short')}\s+(?:{group('then')}\s+)?", re.IGNORECASE)
FEW, SURELY = 5, 0.8
"""The most words of a second request without marks, and its least probability."""
ACTING = ("mail.", "card.", "calendar.", "reminder.", "message.", "automation.", "memory.forget", "undo")
SURE = 0.4
"""The least probability of a part for splitting a request."""
MOST_TRIED = 2
"""The most places before a slot that are tried as the beginning of its request."""
Read = Callable[[str, Sequence[str]], tuple[Request, ...]]


def parted(found: Sequence[Request], read: Read, context: Sequence[str]) -> tuple[Request, ...]:
    """Return the requests of a message; a request that is two is split.

    Args:
        found: The requests as they were read.
        read: Reads words anew.
        context: The flags of what was shown or asked before the message.
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
    """Split off a short request without marks after an `and`: `delete it and unsubscribe`."""
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
    """Return where the slot's request may begin or end, the nearest to the slot first."""
    places = [match.end() for match in BOUNDARY.finditer(one.text)]
    inside = [at for at in places if not any(slot.start < at < slot.end for slot in one.slots)]
    before = [at for at in inside if at <= foreign.start]
    behind = [at for at in inside if at >= foreign.end]
    return [*before[::-1][:MOST_TRIED], *behind[:1]]


def _sure(part: Request, whole: Request, foreign: SlotWords) -> bool:
    """Return whether a part has the original intent, or is surely a request that takes the slot."""
    if part.intent == whole.intent or (whole.intent.startswith(YES) and part.intent.startswith(YES)):
        return True
    takes = slots_of(part.intent)
    kinds = {slot.slot for slot in part.slots}
    alone = part.confidence >= SURE and not part.intent.startswith(GOES_ON)
    return alone and bool(kinds) and kinds <= set(takes) and (foreign.slot in kinds or "to" in kinds)
