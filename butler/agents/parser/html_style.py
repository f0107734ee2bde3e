"""What a style hides from its reader, and which colours are one to the eye."""

import colorsys
import re
import zlib
from collections.abc import Mapping

Style = Mapping[str, str]
"""Properties in lower case."""
Colour = tuple[int, int, int]

WHITE: Colour = (255, 255, 255)
BLACK: Colour = (0, 0, 0)
_LENGTH = re.compile(r"(-?\d*\.?\d+)\s*(px|pt|em|rem|%|)", re.ASCII)
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})(?:[\s,/]+([\d.]+)(%?))?\s*\)", re.ASCII)
_HSL = re.compile(r"hsla?\(\s*(-?[\d.]+)(?:deg)?[\s,]+([\d.]+)%[\s,]+([\d.]+)%(?:[\s,/]+([\d.]+)(%?))?\s*\)", re.ASCII)
_CLIPPED = re.compile(
    r"rect\((?:\s*[01](?:px)?[\s,]*){4}\)|inset\(\s*(?:100|[5-9]\d)%|(?:circle|ellipse)\(\s*0*\.?0*(?:px|%)?[\s)]"
    r"|polygon\((?:\s*0(?:px|%)?[\s,]*)+\)"
)
_FLAT = re.compile(r"scale(?:[xyz]|3d)?\(\s*0*\.?0*%?\s*[,)]")
_MOVED = re.compile(r"translate(?:[xy]|3d)?\([^)]*-\s*\d{3,}(?:\.\d*)?(?:px|%|v[wh]|em|rem)", re.ASCII)
_CLEARED = re.compile(r"opacity\(\s*0*\.?0*%?\s*\)")
_NAMED: Mapping[str, Colour] = {
    "white": WHITE,
    "black": BLACK,
    "snow": (255, 250, 250),
    "ivory": (255, 255, 240),
    "whitesmoke": (245, 245, 245),
    "ghostwhite": (248, 248, 255),
    "floralwhite": (255, 250, 240),
    "azure": (240, 255, 255),
    "mintcream": (245, 255, 250),
    "red": (255, 0, 0),
    "lime": (0, 255, 0),
    "blue": (0, 0, 255),
    "yellow": (255, 255, 0),
    "aqua": (0, 255, 255),
    "cyan": (0, 255, 255),
    "fuchsia": (255, 0, 255),
    "magenta": (255, 0, 255),
    "green": (0, 128, 0),
    "navy": (0, 0, 128),
    "maroon": (128, 0, 0),
    "gray": (128, 128, 128),
    "grey": (128, 128, 128),
    "silver": (192, 192, 192),
}
_OTHER = 1_000
"""Where colours begin that are like themselves alone: which ones they are is not known."""
_ALIKE = 12
_FAINT, _TINY, _FAR_AWAY = 0.05, 2.0, -999
_CLEAR = ("transparent", "inherit", "initial", "unset", "currentcolor")


def hides(style: Style) -> bool:
    """Whether nobody sees what has this style, whatever is around it."""
    return _is_off(style) or _is_cut_away(style) or _is_elsewhere(style) or _is_see_through(style)


def _is_off(style: Style) -> bool:
    return (
        style.get("display") == "none"
        or style.get("visibility") in {"hidden", "collapse"}
        or style.get("content-visibility") == "hidden"
    )


def _is_cut_away(style: Style) -> bool:
    """Whether it is made so small that nothing is left."""
    said = style.get
    if _CLIPPED.search(said("clip", "") + said("clip-path", "")) or _FLAT.search(said("transform", "")):
        return True
    if _is_at_most(said("scale"), 0) or _is_at_most(said("font-size") or _size_in(said("font", "")), _TINY):
        return True
    cuts = any(word in said("overflow", "") for word in ("hidden", "clip"))
    return cuts and any(_is_at_most(said(f"{most}{name}"), 1) for most in ("", "max-") for name in _SIZES)


def _is_elsewhere(style: Style) -> bool:
    said = style.get
    sides = ("left", "top", "right", "bottom") if said("position") in {"absolute", "fixed", "relative"} else ()
    away = any(_is_at_most(said(name), _FAR_AWAY) for name in (*sides, "text-indent", "margin-left", "margin-top"))
    return away or _MOVED.search(said("transform", "")) is not None


def _is_see_through(style: Style) -> bool:
    said = style.get
    if _is_at_most(said("opacity"), _FAINT) or _CLEARED.search(said("filter", "")):
        return True
    return _is_clear(said("-webkit-text-fill-color") or said("color", "")) and not any(map(said, _SEEN_ALL_THE_SAME))


_SIZES = ("height", "width")
_SEEN_ALL_THE_SAME = ("text-shadow", "background-clip", "-webkit-background-clip", "-webkit-text-stroke")
"""Of letters that are clear themselves."""


def colours_of(style: Style, inherited: tuple[Colour, Colour]) -> tuple[Colour, Colour]:
    """Of the letters and of what is behind them."""
    ink, ground = inherited
    behind = style.get("background-color") or style.get("background", "")
    if "url(" in behind or "gradient" in behind or style.get("background-image", "none") != "none":
        # A picture: what is on it can be told from it, for all that is known.
        ground = (127, 127, 127)
    return _colour(style.get("color", "")) or ink, _colour(behind) or ground


def alike(one: Colour, other: Colour) -> bool:
    """Whether the eye cannot tell them apart."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) <= _ALIKE


def _colour(value: str) -> Colour | None:
    """None where a value names no colour, one that is clear, or one that is not known."""
    value = value.strip()
    if not value or value.startswith(_CLEAR) or _is_clear(value):
        return None
    if rgb := _RGB.search(value):
        return int(rgb[1]), int(rgb[2]), int(rgb[3])
    if hsl := _HSL.search(value):
        red, green, blue = colorsys.hls_to_rgb(float(hsl[1]) / 360 % 1, float(hsl[3]) / 100, float(hsl[2]) / 100)
        return round(red * 255), round(green * 255), round(blue * 255)
    first = value.split()[0]
    digits = first.removeprefix("#")
    if first == digits:
        return _NAMED.get(first) or _named_alone(value)
    if len(digits) in {3, 4}:
        digits = "".join(digit * 2 for digit in digits)
    try:
        number = int(digits[:6], 16) if len(digits) in {6, 8} else -1
    except ValueError:
        return None
    return ((number >> 16) & 255, (number >> 8) & 255, number & 255) if number >= 0 else None


def _is_clear(value: str) -> bool:
    """Whether it is a colour through which all is seen."""
    if value == "transparent":
        return True
    if (found := _RGB.search(value) or _HSL.search(value)) and found[4]:
        return float(found[4]) / (100 if found[5] else 1) <= _FAINT
    return value.startswith("#") and len(value) in {5, 9} and not value[4 if len(value) == 5 else 7 :].strip("0")  # noqa: PLR2004


def _named_alone(value: str) -> Colour:
    """A colour that is not known: whatever else is called the same is of the same colour."""
    number = _OTHER + 100 * (zlib.crc32(value.encode()) % 1_000_000)
    return number, number, number


def _is_at_most(value: str | None, limit: float) -> bool:
    length = _LENGTH.fullmatch(value) if value else None
    return length is not None and float(length[1]) <= (limit / 100 if length[2] in {"em", "rem"} else limit)


def _size_in(font: str) -> str:
    return next((word.partition("/")[0] for word in font.split() if _LENGTH.fullmatch(word.partition("/")[0])), "")
