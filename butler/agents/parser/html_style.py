"""What the styles of a page hide from its reader: in its tags and in its style sheets."""

import re
from collections.abc import Iterator, Mapping

Style = Mapping[str, str]
"""Properties in lower case."""
Colour = tuple[int, int, int]

WHITE: Colour = (255, 255, 255)
BLACK: Colour = (0, 0, 0)
_LONGEST_SHEET = 400_000
"""Characters."""
_LONGEST_STYLE = 4_000
_MOST_RULES = 400
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_AT_BLOCK = re.compile(r"@[^{};@]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}|@[^{};@]*;")
"""What holds for some screens, for paper, or for none."""
_ALWAYS = re.compile(r"@media\s+(?:only\s+)?(?:all|screen)\s*\{|@layer[^{};@]*\{", re.IGNORECASE)
"""Around rules that hold on every screen all the same."""
_PLAIN = re.compile(r"[\w*.#-]+(?:(?:\s*[>+~]\s*|\s+)[\w*.#-]+){0,7}", re.ASCII)
"""Selectors of some names, classes and ids; states such as `:hover` do not hold for who only reads."""
_LENGTH = re.compile(r"(-?\d*\.?\d+)\s*(px|pt|em|rem|%|)", re.ASCII)
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})(?:[\s,/]+([\d.]+)(%?))?\s*\)", re.ASCII)
_CLIPPED = re.compile(r"rect\((?:\s*[01](?:px)?[\s,]*){4}\)|inset\(\s*(?:100|[5-9]\d)%")
_FLAT = re.compile(r"scale[xy]?\(\s*0*\.?0*\s*[,)]")
_NAMED: Mapping[str, Colour] = {
    "white": WHITE,
    "black": BLACK,
    "snow": (255, 250, 250),
    "ivory": (255, 255, 240),
    "whitesmoke": (245, 245, 245),
}
_ALIKE = 12
_FAINT, _TINY, _FAR_AWAY = 0.05, 2.0, -999
_CLEAR = ("transparent", "inherit", "initial", "unset", "currentcolor")
_TELLING = re.compile(r"display|visibility|opacity|font|width|height|indent|position|clip|transform|color|background")


def rules_of(sheet: str) -> Iterator[tuple[str, Style]]:
    """Selector and style of the rules that hold on every screen and may hide something."""
    plain = _AT_BLOCK.sub("", _ALWAYS.sub("", _COMMENT.sub("", sheet[:_LONGEST_SHEET])))
    count = 0
    for block in plain.split("}"):
        selectors, _, declarations = block.rpartition("{")
        if not selectors or not _TELLING.search(declarations.lower()):
            continue
        style = style_of(declarations)
        for selector in selectors.split(","):
            if _PLAIN.fullmatch(selector.strip()):
                count += 1
                if count > _MOST_RULES:
                    return
                yield selector.strip(), style


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
    if said("display") == "none" or said("visibility") in {"hidden", "collapse"}:
        return True
    if _CLIPPED.search(said("clip", "") + said("clip-path", "")) or _FLAT.search(said("transform", "")):
        return True
    if _is_at_most(said("opacity"), _FAINT) or _is_at_most(said("font-size") or _size_in(said("font", "")), _TINY):
        return True
    if "hidden" in said("overflow", "") and any(_is_at_most(said(f"{m}{n}"), 1) for m in ("", "max-") for n in _SIZES):
        return True
    sides = ("left", "top", "right", "bottom") if said("position") in {"absolute", "fixed"} else ()
    return any(_is_at_most(said(name), _FAR_AWAY) for name in (*sides, "text-indent"))


_SIZES = ("height", "width")


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
    if not value or value.startswith(_CLEAR):
        return None
    if rgb := _RGB.search(value):
        opaque = float(rgb[4] or 1) / (100 if rgb[5] else 1)
        return (int(rgb[1]), int(rgb[2]), int(rgb[3])) if opaque > _FAINT else None
    first = value.split()[0]
    digits = first.removeprefix("#")
    if first == digits:
        return _NAMED.get(first)
    if len(digits) in {3, 4}:
        digits = "".join(digit * 2 for digit in digits)
    try:
        number = int(digits[:6], 16) if len(digits) in {6, 8} else -1
    except ValueError:
        return None
    return ((number >> 16) & 255, (number >> 8) & 255, number & 255) if number >= 0 else None


def _is_at_most(value: str | None, limit: float) -> bool:
    length = _LENGTH.fullmatch(value) if value else None
    return length is not None and float(length[1]) <= (limit / 100 if length[2] in {"em", "rem"} else limit)


def _size_in(font: str) -> str:
    return next((word.partition("/")[0] for word in font.split() if _LENGTH.fullmatch(word.partition("/")[0])), "")
