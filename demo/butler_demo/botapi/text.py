"""Texts and their entities as Telegram keeps them: UTF-16 offsets, trimmed, checked, links and commands found."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .errors import bad_request, not_built
from .records import Json

TEXT_LIMIT = 4096
CAPTION_LIMIT = 1024

_DETECTED = re.compile(
    r"(?P<url>https?://[^\s<>\"]*[^\s<>\".,;:!?)\]'])"
    r"|(?P<email>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
    r"|(?<![\w/])(?P<bot_command>/\w{1,64}(?:@\w{3,32})?)(?![\w/])"
    r"|(?<!\w)(?P<mention>@[A-Za-z]\w{2,31})\b"
    r"|(?<!\w)(?P<hashtag>\#\w*[^\W\d_]\w*)",
    re.ASCII,
)
_HINTS = re.compile(r"[/@#]")
_OPAQUE = frozenset({"code", "pre", "text_link", "text_mention", "custom_emoji", "date_time"})


@dataclass(frozen=True, slots=True)
class RichText:
    """A text after parsing: what a message holds under `text` or `caption`."""

    text: str
    entities: tuple[Json, ...] = ()


def utf16_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def parse_text(text: str, entities: Sequence[Json] | None, parse_mode: str | None = None) -> RichText:
    """The text as Telegram would store it; raises ApiError where Telegram refuses it."""
    if not text.isascii() and not _is_unicode(text):
        raise bad_request("strings must be encoded in UTF-8")
    if parse_mode:
        raise not_built(f'parse_mode "{parse_mode}"')
    given = _checked(text, entities) if entities else []
    text, given = _trimmed(text, given)
    return RichText(text, tuple(_in_order(given + _detected(text, given))))


def limited(rich: RichText, limit: int, refusal: str) -> RichText:
    """The same text; raises ApiError with the refusal if it is longer than `limit` UTF-16 units."""
    if len(rich.text) > limit or utf16_length(rich.text) > limit:
        raise bad_request(refusal)
    return rich


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _checked(text: str, entities: Sequence[Json]) -> list[Json]:
    units = text.encode("utf-16-le")
    kept: list[Json] = []
    for entity in entities:
        offset, length = entity["offset"], entity["length"]
        if offset < 0 or length < 0:
            raise bad_request("entity has negative offset or length")
        end = offset + length
        if end * 2 > len(units):
            raise bad_request(
                f"entity beginning at UTF-16 offset {offset} ends after the end of the text at UTF-16 offset {end}"
            )
        if _splits_a_character(units, offset):
            raise bad_request(f"entity begins in a middle of a UTF-16 symbol at UTF-16 offset {offset}")
        if _splits_a_character(units, end):
            raise bad_request(f"entity beginning at UTF-16 offset {offset} ends in a middle of a UTF-16 symbol")
        if entity["type"] == "text_link" and not entity.get("url"):
            raise bad_request('can\'t parse MessageEntity: field "url" must be specified')
        if length:
            kept.append(dict(entity))
    return kept


def _splits_a_character(units: bytes, offset: int) -> bool:
    """True if the unit at the offset is the second half of a surrogate pair."""
    high_byte = units[offset * 2 + 1 : offset * 2 + 2]
    return bool(high_byte) and 0xDC <= high_byte[0] <= 0xDF


def _trimmed(text: str, entities: list[Json]) -> tuple[str, list[Json]]:
    """Without white space at the end, nor at the start as far as no entity covers it."""
    text = text.rstrip()
    first = min((entity["offset"] for entity in entities), default=len(text))
    lead = 0
    while lead < min(first, len(text)) and text[lead] in " \n":
        lead += 1
    text = text[lead:]
    if not entities:
        return text, entities
    size = utf16_length(text)
    moved = [{**e, "offset": e["offset"] - lead} for e in entities if e["offset"] - lead < size]
    return text, [{**e, "length": min(e["length"], size - e["offset"])} for e in moved]


def _detected(text: str, given: list[Json]) -> list[Json]:
    if not _HINTS.search(text):
        return []
    found: list[Json] = []
    for match in _DETECTED.finditer(text):
        kind = match.lastgroup
        offset = utf16_length(text[: match.start()])
        entity: Json = {"type": kind, "offset": offset, "length": utf16_length(match[0])}
        if not any(_overlap(entity, other) for other in given if other["type"] in _OPAQUE | {kind}):
            found.append(entity)
    return found


def _overlap(one: Json, other: Json) -> bool:
    return one["offset"] < other["offset"] + other["length"] and other["offset"] < one["offset"] + one["length"]


def _in_order(entities: list[Json]) -> list[Json]:
    return sorted(entities, key=lambda entity: (entity["offset"], -entity["length"], entity["type"]))
