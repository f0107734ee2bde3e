"""How the nodes of a parsed HTML page look to a person, and which of them nobody sees.

This is the one place that decides it, for mails and for pages alike.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from butler.html.colours import BARE_HEX, BLACK, LINK, WHITE, Colour, alike, colour_of, is_clear
from butler.html.css import Style, Value, declarations_of, parse_value, text_of
from butler.html.hiding import hides
from butler.html.sheets import Rule, cascaded, read_sheets

NEVER_SHOWN = frozenset(
    {"script", "style", "head", "title", "template", "noscript", "svg", "object", "iframe", "select", "textarea"}
    | {"math", "audio", "video", "canvas", "embed", "datalist", "dialog"}
)
"""Tags of which no text is shown, or none that can be read."""
Attributes = Mapping[str, str | None]
_PICTURE: Colour = (-1_000, -1_000, -1_000)
"""The ink of letters that are cut out of a picture."""
_TAKEN_OVER = frozenset({"inherit", "unset", "currentcolor", "revert", "revert-layer"})


@dataclass(frozen=True, slots=True)
class Look:
    """How text looks where it is."""

    ink: Colour | None = BLACK
    """None where the letters are clear."""
    ground: Colour | None = WHITE
    """None where it is not known what is behind them, such as a picture."""
    is_filled: bool = False
    """Whether a fill is the ink, whatever colour is named within."""

    @property
    def is_seen(self) -> bool:
        """Whether the letters can be told from what is behind them."""
        return self.ink is not None and (self.ground is None or not alike(self.ink, self.ground))


class Looks:
    """The looks of one page's nodes, by its style sheets and by their own attributes."""

    def __init__(self, tree: LexborHTMLParser, seconds: float) -> None:
        """Follow the style sheets, and later the styles of tags, for so many seconds of processor time at most."""
        self._left = seconds
        self.is_complete = True
        """Whether all styles were followed in that time."""
        self._matched: dict[int, list[tuple[int, Rule]]] = {}
        """Rules that hold for nodes, with their places in order; nodes by their address."""
        self._known: dict[tuple[str, tuple[int, ...]], tuple[Style, bool]] = {("", ()): ({}, False)}
        """Styles that were worked out: most are said many times."""
        self._ends = time.thread_time() + seconds
        self._values: Mapping[str, Value] = {}
        if nodes := tree.css("style"):
            self._follow(tree, nodes)
        self._left = self._ends - time.thread_time()

    def style(self, node: LexborNode, attributes: Attributes) -> tuple[Style, bool]:
        """What styles say about a node, and whether they hide it."""
        written = attributes.get("style") or ""
        rules = self._matched.get(node.mem_id, []) if self._matched else []
        key = written, tuple(order for order, _ in rules)
        if key not in self._known:
            self._known[key] = self._worked_out(written, rules)
        return self._known[key]

    def inside(self, node: LexborNode, attributes: Attributes, around: Look) -> Look | None:
        """How text looks inside a node; None where the node itself is hidden."""
        style, hidden = self.style(node, attributes)
        if hidden or "hidden" in attributes:
            return None
        is_link = node.tag == "a" and "href" in attributes
        return _look(style, attributes, around, is_link=is_link) if style or attributes else around

    def _follow(self, tree: LexborHTMLParser, nodes: list[LexborNode]) -> None:
        sheets = read_sheets(self._in_time(nodes))
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

    def _worked_out(self, written: str, rules: list[tuple[int, Rule]]) -> tuple[Style, bool]:
        if self._left <= 0:
            self.is_complete = False
            return {}, False
        began = time.thread_time()
        style = cascaded(rules, declarations_of(written), self._values)
        self._left -= time.thread_time() - began
        return style, hides(style)


def _look(style: Style, attributes: Attributes, around: Look, *, is_link: bool) -> Look:
    ink, is_filled = _ink(style, attributes, around, is_link=is_link)
    painted = style.get("background-color") or _attribute(attributes, "bgcolor")
    pictured = bool(attributes.get("background")) or any(word.function for word in style.get("background-image", ()))
    ground = ink if text_of(painted) == "currentcolor" else colour_of(painted)
    if ink is None:
        ink = _through(style, _PICTURE if pictured else ground)
        if any("text" in text_of(style.get(name, ())) for name in _CLIPS):
            return replace(around, ink=ink, is_filled=is_filled)
    ground = None if pictured else ground or around.ground
    if (ink, ground, is_filled) == (around.ink, around.ground, around.is_filled):
        return around
    return Look(ink, ground, is_filled)


_CLIPS = ("background-clip", "-webkit-background-clip")


def _ink(style: Style, attributes: Attributes, around: Look, *, is_link: bool) -> tuple[Colour | None, bool]:
    """The colour of the letters, and whether it is a fill."""
    fill = style.get("-webkit-text-fill-color")
    if around.is_filled and not fill:
        return around.ink, True
    named = fill or style.get("color") or _attribute(attributes, "color") or _attribute(attributes, "text")
    own = LINK if is_link else around.ink
    text = text_of(named)
    if not named:
        return own, False
    if is_clear(named):
        return None, bool(fill)
    taken = around.ink if text in _TAKEN_OVER else BLACK if text == "initial" else colour_of(named) or own
    return taken, bool(fill)


def _through(style: Style, painted: Colour | None) -> Colour | None:
    """What is seen of letters that are clear themselves."""
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
    # HTML takes a colour without its hash.
    return parse_value(f"#{text}" if BARE_HEX.fullmatch(text.lower()) else text)
