"""Decides whether a style hides a node, regardless of its surroundings."""

from collections.abc import Iterable

from butler.html.css import Component, Style, Value, text_of

_FAINT, _TINY, _THIN = 0.05, 2.0, 1.0
_FAR, _FARTHER, _MOVED = -99.0, -999.0, -100.0
_RELATIVE = frozenset({"em", "rem"})
_SMALL = frozenset({"", "px", "pt", "%"})
_LARGE = frozenset({"vw", "vh"})
_GONE = {
    "display": {"none"},
    "visibility": {"hidden", "collapse"},
    "content-visibility": {"hidden"},
    "mso-hide": {"all"},
}
_SIDES = ("left", "top", "right", "bottom")
_SIZES = ("height", "width", "max-height", "max-width")
_SCALES = frozenset({"scale", "scalex", "scaley", "scalez", "scale3d"})
_HALF, _WHOLE = 50, 100


def hides(style: Style) -> bool:
    """Return whether a node with this style is invisible."""
    if not style:
        return False
    return _is_off(style) or _is_cut_away(style) or _is_elsewhere(style) or _is_see_through(style)


def _is_off(style: Style) -> bool:
    return any(name in style and text_of(style[name]) in gone for name, gone in _GONE.items())


def _is_cut_away(style: Style) -> bool:
    """Return whether a node is clipped, scaled or shrunk to nothing."""
    if any(_is_clipped(word) for name in ("clip", "clip-path") for word in style.get(name, ())):
        return True
    if any(word.function in _SCALES and _has_zero(word.arguments[:3]) for word in style.get("transform", ())):
        return True
    if any(word.number is not None and word.number <= 0 for word in style.get("scale", ())[:2]):
        return True
    if _is_at_most(style, "font-size", _TINY) or _is_at_most(style, "max-height", 0):
        return True
    overflow = {word.text for name in ("overflow", "overflow-x", "overflow-y") for word in style.get(name, ())}
    return not overflow.isdisjoint({"hidden", "clip"}) and any(_is_at_most(style, name, _THIN) for name in _SIZES)


def _is_clipped(word: Component) -> bool:
    numbers = _numbers(word.arguments)
    match word.function:
        case "rect":
            return len(numbers) == 4 and all(0 <= number <= 1 for number in numbers)  # noqa: PLR2004 - its sides
        case "inset":
            shares = [argument.number or 0 for argument in word.arguments if argument.unit == "%"]
            return bool(shares) and (max(shares) >= _WHOLE or (word.arguments[0].unit == "%" and shares[0] >= _HALF))
        case "circle" | "ellipse":
            return word.arguments != () and word.arguments[0].number == 0
        case "polygon":
            return bool(numbers) and not any(numbers)
        case _:
            return False


def _is_elsewhere(style: Style) -> bool:
    position = text_of(style.get("position", ()))
    if position in {"absolute", "fixed"} and any(_is_at_most(style, side, _FAR) for side in _SIDES):
        return True
    if _is_at_most(style, "text-indent", _FAR):
        return True
    sides = _SIDES if position == "relative" else ()
    if any(_is_at_most(style, name, _FARTHER) for name in (*sides, "margin-left", "margin-top")):
        return True
    moves = (word for word in style.get("transform", ()) if word.function.startswith("translate"))
    return any(number <= _MOVED for move in moves for number in _numbers(move.arguments))


def _is_see_through(style: Style) -> bool:
    faded = [*style.get("opacity", ())]
    for word in style.get("filter", ()):
        faded += word.arguments if word.function == "opacity" else ()
    return any(word.number is not None and _share(word) <= _FAINT for word in faded)


def _share(word: Component) -> float:
    return (word.number or 0) / (100 if word.unit == "%" else 1)


def _is_at_most(style: Style, name: str, limit: float) -> bool:
    """Return whether a length is at most `limit` pixels or points, or a hundredth of it in `em`."""
    value = style.get(name)
    if not value or (length := _length(value)) is None:
        return False
    number, unit = length
    if unit in _RELATIVE:
        return number <= limit / 100
    if unit in _SMALL or (unit in _LARGE and limit < 0):
        return number <= limit
    return number == 0 and limit >= 0


def _length(value: Value) -> tuple[float, str] | None:
    word = value[0]
    if word.function == "calc" and len(word.arguments) == 1:
        word = word.arguments[0]
    return (word.number, word.unit) if len(value) == 1 and word.number is not None else None


def _numbers(words: Iterable[Component]) -> list[float]:
    return [word.number for word in words if word.number is not None]


def _has_zero(words: Iterable[Component]) -> bool:
    return any(number == 0 for number in _numbers(words))
