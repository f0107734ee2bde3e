"""Texts as Telegram counts them: UTF-16 units, entities beside the text, and a limited length per message.

Cutting loses nothing: the parts join to the original, no part cuts a character as a reader sees it (a grapheme
cluster), and an entity that spans a cut continues in the next part.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import regex

from butler.contract.records import ClosedRecord

MESSAGE_LIMIT = 4096
CAPTION_LIMIT = 1024
ENTITY_LIMIT = 100
"""Telegram silently ignores further entities of a message."""

_LAST_ASTRAL_START = 0xFFFF
_CLUSTER = regex.compile(r"\X")


class Entity(ClosedRecord):
    """A span of a text in one style; offset and length in UTF-16 units."""

    type: str
    offset: int
    length: int
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A text with its entities, small enough for one message."""

    text: str
    entities: tuple[Entity, ...] = ()


def utf16_len(text: str) -> int:
    """Return the length in UTF-16 units."""
    return len(text) + sum(1 for char in text if ord(char) > _LAST_ASTRAL_START)


def utf16_slice(text: str, offset: int, length: int) -> str:
    """Return the part of a received text that an entity covers."""
    units = text.encode("utf-16-le", "surrogatepass")
    return units[2 * offset : 2 * (offset + length)].decode("utf-16-le", "replace")


def join(parts: Iterable[Part]) -> Part:
    """Join parts into one text."""
    text = ""
    entities: list[Entity] = []
    offset = 0
    for part in parts:
        entities.extend(entity.model_copy(update={"offset": entity.offset + offset}) for entity in part.entities)
        text += part.text
        offset += utf16_len(part.text)
    return Part(text, tuple(entities))


def split(whole: Part, limit: int = MESSAGE_LIMIT, first: int | None = None) -> list[Part]:
    """Cut into parts of at most `limit` UTF-16 units; `first` is the limit of the first part.

    Joined, the parts are the original. Cuts fall after a blank line, a line or a word where one is near.
    """
    text = whole.text
    units = list(accumulate((2 if ord(char) > _LAST_ASTRAL_START else 1 for char in text), initial=0))
    parts: list[Part] = []
    start = 0
    while start < len(text):
        room = first if first is not None and not parts else limit
        end = bisect_right(units, units[start] + room) - 1
        end = _within_entity_limit(whole.entities, units, start, end)
        if end < len(text):
            end = _good_cut(text, start, end)
        parts.append(Part(text[start:end], _between(whole.entities, units[start], units[end])))
        start = end
    return parts


def shorten(part: Part, limit: int) -> Part:
    """Return the beginning, with an ellipsis if something was cut off."""
    if utf16_len(part.text) <= limit:
        return part
    head = split(part, limit - 1)[0]
    return Part(head.text + "…", head.entities)


def _within_entity_limit(entities: Sequence[Entity], units: Sequence[int], start: int, end: int) -> int:
    inside = [e for e in entities if e.offset < units[end] and e.offset + e.length > units[start]]
    if len(inside) <= ENTITY_LIMIT:
        return end
    cut = bisect_right(units, inside[ENTITY_LIMIT].offset) - 1
    return cut if cut > start else end


def _good_cut(text: str, start: int, end: int) -> int:
    """Return the best place to cut at or before `end`; `start` is the start of a cluster."""
    half = start + (end - start) // 2
    for separator in ("\n\n", "\n", " "):
        found = text.rfind(separator, half, end)
        if found > half:
            cut = found + len(separator)
            if _last_boundary(text, start, cut) == cut:
                return cut
    return _last_boundary(text, start, end)


def _last_boundary(text: str, start: int, end: int) -> int:
    """Return the last cluster boundary up to `end`, or `end` if a single cluster is longer."""
    boundary = start
    # One character past the end is enough: whether two characters belong together does not depend on what follows.
    for cluster in _CLUSTER.finditer(text, start, min(len(text), end + 1)):
        if cluster.end() > end:
            break
        boundary = cluster.end()
    return boundary if boundary > start else end


def _between(entities: Sequence[Entity], begin: int, end: int) -> tuple[Entity, ...]:
    cut: list[Entity] = []
    for entity in entities:
        offset = max(entity.offset, begin)
        length = min(entity.offset + entity.length, end) - offset
        if length > 0:
            cut.append(entity.model_copy(update={"offset": offset - begin, "length": length}))
    return tuple(cut)
