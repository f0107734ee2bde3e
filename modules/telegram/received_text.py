"""A received text as its reader understands it, with its entities moved accordingly.

What Telegram stores beside a text is put into it: the address of a link follows the link's words, and a mention of the
bot at the beginning is removed, since it only says who is meant. Offsets and lengths are UTF-16 units, as at Telegram.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from modules.telegram.text import utf16_len, utf16_slice

Json = dict[str, Any]

_AFTER_A_MENTION: Final = re.compile(r"[\s,:;–-]*")
_HALF_OF_A_PAIR: Final = re.compile("[\ud800-\udfff]")
_ENTITIES: Final = {"text": "entities", "caption": "caption_entities"}


def whole(value: Any) -> Any:
    """Return the JSON with texts that can be stored: a lone surrogate becomes U+FFFD, which has the same length."""
    match value:
        case str():
            return _HALF_OF_A_PAIR.sub("\ufffd", value)
        case list():
            return [whole(one) for one in cast("list[Any]", value)]
        case dict():
            return {key: whole(one) for key, one in cast("Json", value).items()}
        case _:
            return value


def plain(message: Json, username: str) -> Json:
    """Return the message with its links' addresses in the text, and without a leading mention of the bot.

    In a forwarded or inline bot's message, the mention was meant for somebody else, so it stays.
    """
    own = "forward_origin" not in message and "via_bot" not in message
    for name, beside in _ENTITIES.items():
        text, entities = message.get(name), message.get(beside)
        if text and entities:
            text, entities = _with_addresses(text, entities)
            text, entities = _without_mention(text, entities, username if own else "")
            message = {**message, name: text, beside: entities}
    return message


def _with_addresses(text: str, entities: list[Json]) -> tuple[str, list[Json]]:
    links = [one for one in entities if one["type"] == "text_link" and one.get("url")]
    # From the last on, so that earlier offsets stay valid.
    for link in sorted(links, key=_end, reverse=True):
        at, words = _end(link), utf16_slice(text, link["offset"], link["length"])
        if link["url"].rstrip("/") in words:
            continue
        added = f" ({link['url']})"
        text = f"{utf16_slice(text, 0, at)}{added}{utf16_slice(text, at, utf16_len(text))}"
        entities = [_grown(one, at, utf16_len(added)) for one in entities]
    return text, entities


def _grown(entity: Json, at: int, by: int) -> Json:
    """Return an entity of a text that has grown: later ones move, one that spans the place grows."""
    if entity["offset"] >= at:
        return {**entity, "offset": entity["offset"] + by}
    return {**entity, "length": entity["length"] + by} if _end(entity) >= at else entity


def _without_mention(text: str, entities: list[Json], username: str) -> tuple[str, list[Json]]:
    first = next((one for one in entities if one["type"] == "mention" and one["offset"] == 0), None)
    if first is None or not username or utf16_slice(text, 0, first["length"]).lower() != f"@{username}".lower():
        return text, entities
    rest = utf16_slice(text, first["length"], utf16_len(text))
    found = _AFTER_A_MENTION.match(rest)
    assert found is not None
    if not rest[found.end() :]:
        return text, entities
    cut = first["length"] + utf16_len(found[0])
    return rest[found.end() :], [_cut(one, cut) for one in entities if _end(one) > cut]


def _cut(entity: Json, cut: int) -> Json:
    begin = max(entity["offset"], cut)
    return {**entity, "offset": begin - cut, "length": _end(entity) - begin}


def _end(entity: Mapping[str, Any]) -> int:
    return entity["offset"] + entity["length"]
