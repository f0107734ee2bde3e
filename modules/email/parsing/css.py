"""What the style of an HTML mail hides from its reader."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

Style = Mapping[str, str]
"""Properties in lower case."""
Colour = tuple[int, int, int]

_LONGEST_SHEET = 200_000  # characters
_LONGEST_STYLE = 4_000
_MOST_RULES = 150
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_AT_BLOCK = re.compile(r"@[^{};@]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}|@[^{};@]*;")
"""What holds for some screens only, or for none; or for each, in a wrapping that changes nothing."""
_EVERY_SCREEN = re.compile(r"@media\s*(?:(?:only\s+)?(?:screen|all)\s*)?(?:,|\Z)", re.IGNORECASE)
_SIMPLE = re.compile(r"[\w*-]*(?:[.#][\w-]+)*(?:(?:\s*>\s*|\s+)[\w*-]*(?:[.#][\w-]+)*)?", re.ASCII)
_LENGTH = re.compile(r"(-?\d*\.?\d+)\s*(px|pt|em|rem|%|)", re.ASCII)
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})(?:[\s,/]+([\d.]+%?))?\s*\)", re.ASCII)
_CLIPPED = re.compile(r"rect\((?:\s*[01](?:px)?[\s,]*){4}\)|inset\(\s*(?:100|[5-9]\d)%")
_NAMED: dict[str, Colour] = {
    "white": (255, 255, 255),
    "black": (0, 0, 0),
    "snow": (255, 250, 250),
    "ivory": (255, 255, 240),
    "ghostwhite": (248, 248, 255),
    "whitesmoke": (245, 245, 245),
    "red": (255, 0, 0),
    "blue": (0, 0, 255),
    "green": (0, 128, 0),
    "navy": (0, 0, 128),
    "gray": (128, 128, 128),
    "grey": (128, 128, 128),
    "silver": (192, 192, 192),
    "yellow": (255, 255, 0),
}
_FLAT = re.compile(r"scale[xy]?\(\s*0*\.?0*\s*[,)]")
_FAINT, _TINY, _FAR_AWAY = 0.05, 1.0, -99
WHITE: Colour = (255, 255, 255)
BLACK: Colour = (0, 0, 0)
LINK: Colour = (0, 0, 238)
"""Of a link that is given no colour."""
_ALIKE = 12
"""Colours that differ by no more in red, green and blue are one to the eye."""
_TELLING = re.compile(
    r"display|visibility|opacity|font|mso-hide|height|width|indent|position|clip|transform|color|background|overflow",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a style sheet that may hide something."""

    selector: str
    style: Style


def rules_of(sheet: str) -> Iterator[Rule]:
    """The rules that hold on every screen, have a selector of two steps at most, and may hide something."""
    plain = _AT_BLOCK.sub(_unwrapped, _COMMENT.sub("", sheet[:_LONGEST_SHEET]))
    count = 0
    for block in plain.split("}"):
        selectors, _, declarations = block.rpartition("{")
        if not selectors or not _TELLING.search(declarations):
            continue
        style = style_of(declarations)
        for selector in selectors.split(","):
            if _SIMPLE.fullmatch(selector.strip()) and selector.strip():
                count += 1
                if count > _MOST_RULES:
                    return
                yield Rule(selector.strip(), style)


def _unwrapped(block: re.Match[str]) -> str:
    """What holds on every screen, without its wrapping."""
    head, _, rules = block[0].partition("{")
    return rules.removesuffix("}") if _EVERY_SCREEN.match(head) else ""


def style_of(declarations: str) -> dict[str, str]:
    """The properties of a style; what is important wins over what comes later."""
    style: dict[str, str] = {}
    important: dict[str, str] = {}
    for declaration in declarations[:_LONGEST_STYLE].lower().split(";"):
        name, _, value = declaration.partition(":")
        value, mark, _ = value.partition("!")
        (important if mark else style)[name.strip()] = value.strip()
    return style | important


def hides(style: Style) -> bool:
    """Whether nobody sees what has this style, whatever is around it."""
    said = style.get
    if said("display") == "none" or said("visibility") in {"hidden", "collapse"} or said("mso-hide") == "all":
        return True
    if _CLIPPED.search(said("clip", "") + said("clip-path", "")) or _FLAT.search(said("transform", "")):
        return True
    if _is_at_most(said("opacity"), _FAINT) or _is_at_most(said("font-size") or _size_in(said("font", "")), _TINY):
        return True
    if _is_at_most(said("max-height"), 0):
        return True
    if "hidden" in said("overflow", "") and any(_is_at_most(said(name), _TINY) for name in ("height", "width")):
        return True
    sides = ("left", "top", "right", "bottom") if said("position") in {"absolute", "fixed"} else ()
    return any(_is_at_most(said(name), _FAR_AWAY) for name in (*sides, "text-indent"))


def is_clear(value: str) -> bool:
    """Whether a colour is none: whatever is behind it is seen."""
    rgb = _RGB.search(value)
    return value.strip() == "transparent" or (rgb is not None and _is_at_most(rgb[4], _FAINT))


def _is_at_most(value: str | None, limit: float) -> bool:
    length = _LENGTH.fullmatch(value) if value else None
    return length is not None and float(length[1]) <= _in_unit(limit, length[2])


def _in_unit(limit: float, unit: str) -> float:
    return limit / 100 if unit in {"em", "rem"} else limit


def _size_in(font: str) -> str:
    return next((word.partition("/")[0] for word in font.split() if _LENGTH.fullmatch(word.partition("/")[0])), "")


def colour_of(value: str) -> Colour | None:
    """The colour that a value of `color` or the like names; None for one that is not known."""
    value = value.strip().lower()
    if known := _NAMED.get(value):
        return known
    if rgb := _RGB.search(value):
        return (int(rgb[1]), int(rgb[2]), int(rgb[3]))
    digits = value.removeprefix("#")
    if len(digits) in {3, 4}:
        digits = "".join(digit * 2 for digit in digits[:3])
    try:
        number = int(digits[:6], 16) if len(digits) in {6, 8} else -1
    except ValueError:
        number = -1
    return ((number >> 16) & 255, (number >> 8) & 255, number & 255) if number >= 0 else None


def alike(one: Colour, other: Colour) -> bool:
    """Whether the eye cannot tell them apart."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) <= _ALIKE
