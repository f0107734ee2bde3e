"""What a client makes tappable in a message as Telegram keeps it, found apart from the product's own rules.

The forms follow the published rules of clients: entities that the server adds, and what apps on a phone find in the
text that no entity covers.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

BY_THE_SERVER = frozenset({"url", "email", "bot_command", "mention", "hashtag", "cashtag", "phone_number", "bank_card"})
COVERED = frozenset({"code", "pre", "text_link"})
_BY_A_CLIENT = re.compile(
    r"[a-z][a-z0-9+.-]*://|(?<![a-z])(?:www|t\.me|telegram\.me)[./]|\b[\w-]+(?:\.[\w-]+)*\.(?:[a-z]{2,}|рф|xn--\w+)\b"
    r"|(?<![\w@])@\w{2,}|(?<![\w/])/[a-z0-9_]+|#[^\W\d_]|(?:mailto|tel|sms|tg):\S|\+\d[\d ()-]{6,}\d",
    re.IGNORECASE,
)


def tappable_in(message: Mapping[str, Any]) -> list[str]:
    """What could be tapped in a message, but links that were set on purpose and its buttons."""
    text = str(message.get("text") or message.get("caption") or "")
    entities: list[dict[str, Any]] = message.get("entities") or message.get("caption_entities") or []
    units = text.encode("utf-16-le")
    added = [_of(units, one) for one in entities if one["type"] in BY_THE_SERVER]
    return [*added, *(match[0] for match in _BY_A_CLIENT.finditer(_uncovered(units, entities)))]


def _of(units: bytes, entity: Mapping[str, Any]) -> str:
    start = 2 * entity["offset"]
    return units[start : start + 2 * entity["length"]].decode("utf-16-le")


def _uncovered(units: bytes, entities: Sequence[Mapping[str, Any]]) -> str:
    """The text with a gap wherever it is code or a link that was set."""
    return "".join(_pieces(units, sorted((one for one in entities if one["type"] in COVERED), key=_place)))


def _place(entity: Mapping[str, Any]) -> int:
    return int(entity["offset"])


def _pieces(units: bytes, covered: list[Mapping[str, Any]]) -> Iterator[str]:
    at = 0
    for one in covered:
        yield units[at : max(at, 2 * one["offset"])].decode("utf-16-le", "replace")
        yield " \u2588 "
        at = max(at, 2 * (one["offset"] + one["length"]))
    yield units[at:].decode("utf-16-le", "replace")
