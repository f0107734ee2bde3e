# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
"""Parses colours of CSS and HTML, and tells which look alike."""

import re
import zlib
from functools import lru_cache
from typing import Any

from butler.html.css import Value

Colour = tuple[int, int, int]
"""Red, green and blue from 0 to 255; larger values stand for an unknown colour, which equals only itself."""
WHITE: Colour = (255, 255, 255)
BLACK: Colour = (0, 0, 0)
LINK: Colour = (0, 0, 238)
"""The default colour of a link."""
_ALIKE = 12
"""Colours that differ by no more than this in red, green and blue look alike."""
_FAINT = 0.05
_OTHER = 1_000
"""The first value of unknown colours."""
BARE_HEX = re.compile(r"[0-9a-f]{3}(?:[0-9a-f]{3})?")
"""A hexadecimal colour without its hash, as HTML and old pages write it."""
_KEYWORDS = frozenset({"inherit", "initial", "unset", "revert", "revert-layer", "none", "currentcolor", "auto"})


def colour_of(value: Value) -> Colour | None:
    """Return the first colour in a value; None without one, or for a transparent one.

    A value that cannot be computed, such as a system colour, becomes an unknown colour: equal names, equal colours.
    """
    for word in value:
        known = _parsed(word.text)
        if known is not None:
            return None if known[1] <= _FAINT else known[0]
    if len(value) != 1 or value[0].text in _KEYWORDS or value[0].function == "url" or value[0].number is not None:
        return None
    number = _OTHER + 100 * (zlib.crc32(value[0].text.encode()) % 1_000_000)
    return number, number, number


def is_clear(value: Value) -> bool:
    """Return whether a value is a transparent colour."""
    known = _parsed(value[0].text) if len(value) == 1 else None
    return known is not None and known[1] <= _FAINT


def alike(one: Colour, other: Colour) -> bool:
    """Return whether a person cannot distinguish two colours."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) <= _ALIKE


@lru_cache(maxsize=1_024)
def _parsed(text: str) -> tuple[Colour, float] | None:
    """Return a colour and its opacity, from 0 to 1."""
    from tinycss2.color5 import parse_color  # noqa: PLC0415 - many mails and pages name no colour

    try:
        colour: Any = parse_color(f"#{text}" if BARE_HEX.fullmatch(text) else text)
        red, green, blue = (round(min(max(part or 0, 0), 1) * 255) for part in colour.to("srgb").coordinates)
    except (AttributeError, ArithmeticError, LookupError, NotImplementedError, TypeError, ValueError):
        # Not a colour, or one in a space that tinycss2 does not convert; it also raises for some invalid ones.
        return None
    return (red, green, blue), float(colour.alpha)
