"""Extracts what a person would see of an HTML mail, as plain lines, and the real targets of its links."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from butler.html.css import text_of
from butler.html.nesting import nests_deeper_than
from butler.html.visibility import NEVER_SHOWN, Appearance, PageVisibility
from modules.email.parsing.parsed import Link

_LONGEST_HTML = 1_600_000  # characters
_DEEPEST = 400
_STYLES_S = 2.0
"""CPU seconds for finding out what styles hide."""
_DEEPEST_QUOTE = 20
_MOST_LINKS = 300
_LONGEST_TARGET = 2_000
_LONGEST_SHOWN = 120
_LARGEST_DOT = 2
"""The largest size in pixels of a tracking picture."""
_NOT_TEXT = ["script", "style", "title", "template"]
_NOT_TEXT_TAG = re.compile(rf"<(?:{'|'.join(_NOT_TEXT)})", re.IGNORECASE)
QUOTE = "blockquote"
_BLOCKS = frozenset(
    {"p", "div", "tr", "li", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", QUOTE, "pre", "hr", "dl"}
    | {"section", "article", "header", "footer", "center", "address", "dt", "dd", "caption", "form", "fieldset", "main"}
    | {"aside", "nav", "figure", "figcaption", "summary", "details", "hgroup", "search", "menu", "dir", "legend"}
    | {"listing", "xmp", "plaintext", "optgroup"}
)
_CELLS = frozenset({"td", "th"})
_SPACES = re.compile(r"\s+")
_FOLDED_SPACES = re.compile(r"[ \t\r\n\f]+")
"""Blanks that a browser collapses; the others indent."""
_INDENTED = re.compile(r" *\xa0[ \xa0]*[\xa0\u3000]|\s*\u3000")
_NEVER_SEEN = re.compile("[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2060-\u2064\ufeff]+")
"""Characters that fill preheaders and split words."""
_EMPTY_LINES = re.compile(r"\n{3,}")
_IN_LINE = frozenset({"", "inline", "contents", "initial", "unset", "revert", "inherit", "none"})
"""Values of `display`, including a missing one, that keep an element in the surrounding line."""
EDGE = "\x1d"
"""The line that marks a block's start or end in text read above a node. No text contains such a line."""
Ends = Callable[[str, dict[str, str | None]], bool]
"""Returns whether reading ends at a node with this name and these attributes."""


class TooDeepError(ValueError):
    """The tags nest deeper than any program writes them."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The visible content of a mail."""

    text: str
    links: tuple[Link, ...] = ()
    hidden: bool = False
    """Whether there is hidden text."""
    pictures: frozenset[str] = frozenset()
    """The Content-IDs of the pictures shown."""
    unsure: bool = False
    """Whether its styles took too long to be evaluated completely."""


def html_to_text(html: str) -> str:
    """Return the visible text of an HTML mail, in lines; quotes are marked, hidden nodes are dropped."""
    return seen_of(html).text


def seen_of(html: str) -> Seen:
    """Return the visible content of an HTML mail. Raise `TooDeepError` for one built to be hard to read."""
    return _reader_of(html)[0]


def seen_above(html: str, may_quote: Ends) -> tuple[Seen, bool]:
    """Return what is visible above the first node that ends it, and whether there is one. Raise `TooDeepError`.

    A line `EDGE` marks where a block begins or ends: the text after it may have another author than the text before it.
    """
    seen, reader = _reader_of(html, may_quote)
    return seen, reader.ended


def _reader_of(html: str, ends: Ends | None = None) -> "tuple[Seen, _Reader]":
    html = html[:_LONGEST_HTML]
    if nests_deeper_than(_DEEPEST, html):
        raise TooDeepError
    tree = LexborHTMLParser(html)
    reader = _Reader(PageVisibility(tree, _STYLES_S), ends)
    return reader.read(tree.body), reader


def glance_at(html: str) -> Seen:
    """Return roughly the content of an HTML mail, several times faster: with hidden text, and without lines.

    Raise `TooDeepError`.
    """
    html = html[:_LONGEST_HTML]
    if nests_deeper_than(_DEEPEST, html):
        raise TooDeepError
    tree = LexborHTMLParser(html)
    if _NOT_TEXT_TAG.search(html) is not None:
        tree.strip_tags(_NOT_TEXT)
    links: list[Link] = []
    for node in tree.css("a[href]") if "href" in html else ():
        target, shown = _cleaned(node.attributes.get("href") or ""), " ".join(node.text().split())
        if target and shown and len(links) < _MOST_LINKS:
            links.append(Link(shown[:_LONGEST_TARGET], target))
    return Seen(tree.body.text(separator=" ") if tree.body is not None else "", tuple(links))


@dataclass(slots=True)
class _OpenLink:
    target: str
    pieces: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class _Around:
    """The context of a node."""

    look: Appearance
    literal: bool = False
    link: _OpenLink | None = None


class _Reader:
    """Reads one mail from top to bottom."""

    def __init__(self, visibility: PageVisibility, ends: Ends | None = None) -> None:
        """`ends` recognises the node at which reading ends."""
        self._visibility, self._ends, self.ended = visibility, ends, False
        self._lines: list[str] = []
        self._pieces: list[str] = []
        self._links: list[Link] = []
        self._pictures: set[str] = set()
        self._quoted = 0
        self._hidden = False
        self._literal = False
        """Whether this line's blanks are shown as they are."""

    def read(self, root: LexborNode | None) -> Seen:
        stack: list[tuple[LexborNode, _Around, bool]] = []
        if root is not None:
            stack.append((root, _Around(Appearance()), False))
        while stack:
            node, around, ended = stack.pop()
            if ended:
                self._end(node, around.link)
            elif node.is_text_node:
                self._text(node.text_content or "", around)
            elif self._ends is not None and self._ends(node.tag or "", node.attributes):
                self.ended = True
                break
            elif (inside := self._begin(node, around)) is not None:
                if node.tag in _BLOCKS or inside.link is not around.link or self._is_apart(node):
                    stack.append((node, inside, True))
                stack.extend((child, inside, False) for child in _children(node))
        self._end_line()
        text = _EMPTY_LINES.sub("\n\n", "\n".join(self._lines))
        text = text.strip() if self._ends is None else text.strip("\n")
        unsure = not self._visibility.is_complete
        return Seen(text, tuple(self._links), self._hidden, frozenset(self._pictures), unsure)

    def _begin(self, node: LexborNode, around: _Around) -> _Around | None:
        """Return the context for a node's content; None if nothing of it is visible."""
        tag = node.tag or ""
        if tag == "br":
            self._end_line()
            return None
        if tag in NEVER_SHOWN or tag.startswith("-"):
            return None
        attributes = node.attributes
        look = self._visibility.appearance_in(node, attributes, around.look)
        if look is None:
            self._hidden = self._hidden or bool(node.text(strip=True))
            return None
        if tag == "img":
            self._picture(attributes, around.link)
            return None
        if tag in _BLOCKS or tag in _CELLS:
            self._begin_block(tag)
        elif self._is_apart(node):
            self._edge()
        target = _cleaned(attributes.get("href") or "") if tag == "a" and around.link is None else ""
        literal = around.literal or tag == "pre"
        if look is around.look and literal == around.literal and not target:
            return around
        return _Around(look, literal, _OpenLink(target) if target else around.link)

    def _is_apart(self, node: LexborNode) -> bool:
        """Return whether a node that is no block by its name counts as one when reading above a node."""
        if self._ends is None:
            return False
        if node.tag in _CELLS:
            return True
        style, _ = self._visibility.style(node, node.attributes)
        display, position, floats = (text_of(style.get(name, ())) for name in ("display", "position", "float"))
        return display not in _IN_LINE or position in {"absolute", "fixed"} or floats not in {"", "none"}

    def _edge(self) -> None:
        self._end_line()
        self._lines.append(EDGE)

    def _begin_block(self, tag: str) -> None:
        if self._ends is not None:
            self._edge()
        elif tag in _CELLS:
            self._pieces.append(" ")
        else:
            self._end_line()
        if tag in _CELLS:
            return
        self._quoted += tag == QUOTE
        if tag == "li":
            self._pieces.append("- ")

    def _text(self, text: str, around: _Around) -> None:
        if not text.strip():
            self._pieces.append((" " if self._ends is None else _FOLDED_SPACES.sub(" ", text)) if text else "")
            return
        if not around.look.is_visible:
            self._hidden = True
            return
        text = _NEVER_SEEN.sub("", text)
        if around.literal:
            *whole, text = text.split("\n")
            for line in whole:
                self._literal = True
                self._pieces.append(line)
                self._end_line()
            self._literal = bool(text.strip())
            self._pieces.append(text)
        else:
            self._pieces.append((_SPACES if self._ends is None else _FOLDED_SPACES).sub(" ", text))
        if around.link is not None:
            around.link.pieces.append(text)

    def _picture(self, attributes: Mapping[str, str | None], link: _OpenLink | None) -> None:
        source = (attributes.get("src") or "").strip()
        if source.lower().startswith("cid:"):
            self._pictures.add(source[4:])
        sizes = [(attributes.get(name) or "").removesuffix("px") for name in ("width", "height")]
        name = " ".join(_NEVER_SEEN.sub("", attributes.get("alt") or "").split())
        if name and self._ends is None and not any(size.isdecimal() and int(size) <= _LARGEST_DOT for size in sizes):
            self._pieces.append(f"[{name}]")
            if link is not None:
                link.pieces.append(name)

    def _end(self, node: LexborNode, link: _OpenLink | None) -> None:
        if node.tag == "a" and link is not None:
            self._end_link(link)
            if self._is_apart(node):
                self._edge()
            return
        self._end_line()
        self._quoted -= node.tag == QUOTE
        if self._ends is not None:
            self._lines.append(EDGE)

    def _end_link(self, link: _OpenLink) -> None:
        shown = " ".join("".join(link.pieces).split())
        if shown and len(self._links) < _MOST_LINKS:
            self._links.append(Link(shown[:_LONGEST_TARGET], link.target))
        if shown and differs(shown, link.target):
            target = link.target.removeprefix("mailto:")
            self._pieces.append(f" <{target[:_LONGEST_SHOWN]}{'…' if len(target) > _LONGEST_SHOWN else ''}>")

    def _end_line(self) -> None:
        line = "".join(self._pieces)
        indent = "  " if self._ends is not None and _INDENTED.match(line) else ""
        line = line.rstrip() if self._literal else " ".join(line.split())
        line = f"{indent}{line}" if line else ""
        self._literal = False
        self._lines.append(f"{'> ' * min(self._quoted, _DEEPEST_QUOTE)}{line}" if line else "")
        self._pieces.clear()


def differs(shown: str, target: str) -> bool:
    """Return whether a link's target differs from the place that it shows, if it shows one."""
    return _bare(shown) != _bare(target)


def _bare(place: str) -> str:
    bare = place.strip().lower().removeprefix("mailto:").removeprefix("http://").removeprefix("https://")
    return bare.removeprefix("www.").rstrip("/")


def _cleaned(target: str) -> str:
    """Return a link's target as a browser reads it; empty if it has none, or lies within the mail."""
    plain = "".join(char for char in target if char > " " and char != "\x7f")[:_LONGEST_TARGET]
    if not plain or plain.startswith("#"):
        return ""
    try:
        scheme = urlsplit(plain).scheme
    except ValueError:
        return plain
    return scheme.lower() + plain[len(scheme) :] if scheme else plain


def _children(node: LexborNode) -> Iterator[LexborNode]:
    """Yield the children from last to first."""
    child = node.last_child
    while child is not None:
        yield child
        child = child.prev
