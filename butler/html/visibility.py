"""Decides how the nodes of a parsed HTML page look and which of them are hidden, for mails and for pages alike."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from butler.html.colours import BARE_HEX, BLACK, LINK, WHITE, Colour, alike, colour_of, is_clear
from butler.html.css import Style, Value, declarations_of, parse_value, text_of
from butler.html.hiding import hides
from butler.html.stylesheets import Rule, cascade, parse_stylesheets

NEVER_SHOWN = frozenset(
    {"script", "style", "head", "title", "template", "noscript", "svg", "object", "iframe", "select", "textarea"}
    | {"math", "audio", "video", "canvas", "embed", "datalist", "dialog"}
)
"""Tags whose text a browser does not show, or not as text."""
Attributes = Mapping[str, str | None]
_PICTURE: Colour = (-1_000, -1_000, -1_000)
"""The colour of text through which a picture shows."""
_INHERITED = frozenset({"inherit", "unset", "currentcolor", "revert", "revert-layer"})


@dataclass(frozen=True, slots=True)
class Appearance:
    """The colours of text and of its background."""

    colour: Colour | None = BLACK
    """None for transparent text."""
    background: Colour | None = WHITE
    """None if it is unknown, as for a picture."""
    is_filled: bool = False
    """Whether the colour is a text fill, which overrides `color` of descendants."""

    @property
    def is_visible(self) -> bool:
        """Return whether the text differs from its background."""
        return self.colour is not None and (self.background is None or not alike(self.colour, self.background))


class PageVisibility:
    """The visibility of one page's nodes, computed from its style sheets and their attributes."""

    def __init__(self, tree: LexborHTMLParser, seconds: float) -> None:
        """Apply the style sheets; they and the styles of tags get at most `seconds` of processor time together."""
        self._left = seconds
        self.is_complete = True
        """Whether all styles were applied within that time."""
        self._matched: dict[int, list[tuple[int, Rule]]] = {}
        """Rules that match each node, with their order; nodes by their address."""
        self._known: dict[tuple[str, tuple[int, ...]], tuple[Style, bool]] = {("", ()): ({}, False)}
        """Computed styles: most occur many times."""
        self._ends = time.thread_time() + seconds
        self._values: Mapping[str, Value] = {}
        if nodes := tree.css("style"):
            self._apply(tree, nodes)
        self._left = self._ends - time.thread_time()

    def style(self, node: LexborNode, attributes: Attributes) -> tuple[Style, bool]:
        """Return the computed style of a node, and whether it hides the node."""
        written = attributes.get("style") or ""
        rules = self._matched.get(node.mem_id, []) if self._matched else []
        key = written, tuple(order for order, _ in rules)
        if key not in self._known:
            self._known[key] = self._compute(written, rules)
        return self._known[key]

    def appearance_in(self, node: LexborNode, attributes: Attributes, around: Appearance) -> Appearance | None:
        """Return the appearance of text in a node, inside of `around`; None for a hidden node."""
        style, hidden = self.style(node, attributes)
        if hidden or "hidden" in attributes:
            return None
        is_link = node.tag == "a" and "href" in attributes
        return _appearance(style, attributes, around, is_link=is_link) if style or attributes else around

    def _apply(self, tree: LexborHTMLParser, nodes: list[LexborNode]) -> None:
        sheets = parse_stylesheets(self._in_time(nodes))
        self._values = sheets.values
        for order, rule in enumerate(sheets.rules):
            try:
                found = tree.css(rule.selector)
            except (SelectolaxError, ValueError):
                continue
            for node in found:
                self._matched.setdefault(node.mem_id, []).append((order, rule))
            if time.thread_time() > self._ends:
                self.is_complete = False
                return

    def _in_time(self, sheets: list[LexborNode]) -> Iterator[str]:
        for sheet in sheets:
            yield sheet.text()
            if time.thread_time() > self._ends:
                self.is_complete = False
                return

    def _compute(self, written: str, rules: list[tuple[int, Rule]]) -> tuple[Style, bool]:
        if self._left <= 0:
            self.is_complete = False
            return {}, False
        began = time.thread_time()
        style = cascade(rules, declarations_of(written), self._values)
        self._left -= time.thread_time() - began
        return style, hides(style)


def _appearance(style: Style, attributes: Attributes, around: Appearance, *, is_link: bool) -> Appearance:
    colour, is_filled = _text_colour(style, attributes, around, is_link=is_link)
    painted = style.get("background-color") or _attribute(attributes, "bgcolor")
    pictured = bool(attributes.get("background")) or any(word.function for word in style.get("background-image", ()))
    background = colour if text_of(painted) == "currentcolor" else colour_of(painted)
    if colour is None:
        colour = _through(style, _PICTURE if pictured else background)
        if any("text" in text_of(style.get(name, ())) for name in _CLIPS):
            return replace(around, colour=colour, is_filled=is_filled)
    background = None if pictured else background or around.background
    if (colour, background, is_filled) == (around.colour, around.background, around.is_filled):
        return around
    return Appearance(colour, background, is_filled)


_CLIPS = ("background-clip", "-webkit-background-clip")


def _text_colour(
    style: Style, attributes: Attributes, around: Appearance, *, is_link: bool
) -> tuple[Colour | None, bool]:
    """Return the colour of the text, and whether it is a fill."""
    fill = style.get("-webkit-text-fill-color")
    if around.is_filled and not fill:
        return around.colour, True
    named = fill or style.get("color") or _attribute(attributes, "color") or _attribute(attributes, "text")
    own = LINK if is_link else around.colour
    text = text_of(named)
    if not named:
        return own, False
    if is_clear(named):
        return None, bool(fill)
    taken = around.colour if text in _INHERITED else BLACK if text == "initial" else colour_of(named) or own
    return taken, bool(fill)


def _through(style: Style, painted: Colour | None) -> Colour | None:
    """Return the colour that shows transparent text: a clipped background, a stroke, or a shadow."""
    if any("text" in text_of(style.get(name, ())) for name in _CLIPS):
        return painted
    stroke = style.get("-webkit-text-stroke", ())
    drawn = style.get("text-shadow", ()) + (stroke if any(word.number for word in stroke) else ())
    return colour_of(drawn) if len(drawn) > 1 else None


def _attribute(attributes: Attributes, name: str) -> Value:
    value = attributes.get(name)
    return _colour_value(value[:_LONGEST_COLOUR].strip()) if value else ()


_LONGEST_COLOUR = 100


@lru_cache(maxsize=512)
def _colour_value(text: str) -> Value:
    # HTML accepts a colour without its hash.
    return parse_value(f"#{text}" if BARE_HEX.fullmatch(text.lower()) else text)
