"""What a person would see of an HTML mail, as plain lines, and where its links really lead."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from modules.email.parsing.css import (
    BLACK,
    LINK,
    WHITE,
    Colour,
    Style,
    alike,
    colour_of,
    hides,
    is_clear,
    rules_of,
    style_of,
)
from modules.email.parsing.parsed import Link

_LONGEST_HTML = 1_600_000  # characters
_FLAT_ENOUGH = 1_000
"""So many tags nest no deeper than can be read in time."""
_DEEPEST = 400
_DEEPEST_QUOTE = 20
_MOST_LINKS = 300
_LONGEST_TARGET = 2_000
_LONGEST_SHOWN = 120
_LARGEST_DOT = 2
"""Pixels of a picture that only counts who reads."""
_NEVER_SHOWN = frozenset(
    {"script", "style", "head", "title", "template", "noscript", "svg", "object", "iframe", "select", "textarea"}
    | {"math", "audio", "video", "canvas"}
)
_NOT_TEXT = ["script", "style", "title", "template"]
_NOT_TEXT_TAG = re.compile(rf"<(?:{'|'.join(_NOT_TEXT)})", re.IGNORECASE)
_UNCLOSED = frozenset({"br", "img", "hr", "meta", "link", "input", "p", "li", "td", "th", "tr", "col", "o", "v", "wbr"})
QUOTE = "blockquote"
_BLOCKS = frozenset(
    {"p", "div", "tr", "li", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", QUOTE, "pre", "hr", "dl"}
    | {"section", "article", "header", "footer", "center", "address", "dt", "dd", "caption", "form", "fieldset", "main"}
    | {"aside", "nav", "figure", "figcaption", "summary", "details", "hgroup", "search", "menu", "dir", "legend"}
    | {"listing", "xmp", "plaintext", "optgroup"}
)
_CELLS = frozenset({"td", "th"})
_TAG = re.compile(r"<(/?)([a-zA-Z]+)")
_SPACES = re.compile(r"\s+")
_FOLDED_SPACES = re.compile(r"[ \t\r\n\f]+")
"""Those that a browser folds; the others indent."""
_INDENTED = re.compile(r" *\xa0[ \xa0]*[\xa0\u3000]|\s*\u3000")
_NEVER_SEEN = re.compile("[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2060-\u2064\ufeff]+")
"""What fills preheaders and splits words."""
_EMPTY_LINES = re.compile(r"\n{3,}")
_IN_LINE = frozenset({"", "inline", "contents", "initial", "unset", "revert", "inherit", "none"})
"""Values of `display`, and none at all, with which an element stands in the line of what is around it."""
EDGE = "\x1d"
"""The line that stands where a block begins or ends in what is read above a node. No text has such a line."""
Ends = Callable[[str, dict[str, str | None]], bool]
"""Whether a node of this name and these attributes ends what is read."""


class TooDeepError(ValueError):
    """The tags nest deeper than any program writes them."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What is seen of a mail."""

    text: str
    links: tuple[Link, ...] = ()
    hidden: bool = False
    """Whether there is text that nobody sees."""
    pictures: frozenset[str] = frozenset()
    """The Content-IDs of those that are shown."""


def html_to_text(html: str) -> str:
    """What a person would see of an HTML mail, in lines; what is quoted is marked, hidden nodes are dropped."""
    return seen_of(html).text


def seen_of(html: str) -> Seen:
    """What a person would see of an HTML mail. Raises `TooDeepError` for one that is only built to be hard to read."""
    return _reader_of(html)[0]


def seen_above(html: str, may_quote: Ends) -> tuple[Seen, bool]:
    """What is seen above the first node that ends it, and whether there is one. Raises `TooDeepError`.

    A line `EDGE` tells where a block begins or ends: what stands behind it may be another's than what is before it.
    """
    seen, reader = _reader_of(html, may_quote)
    return seen, reader.ended


def _reader_of(html: str, ends: Ends | None = None) -> "tuple[Seen, _Reader]":
    html = html[:_LONGEST_HTML]
    if html.count("<") > _FLAT_ENOUGH and _is_too_deep(html):
        raise TooDeepError
    tree = LexborHTMLParser(html)
    reader = _Reader(_styles(tree), ends)
    return reader.read(tree.body), reader


def glance_at(html: str) -> Seen:
    """About what is seen of an HTML mail, several times faster: hidden text is in it, and no lines.

    Raises `TooDeepError`.
    """
    html = html[:_LONGEST_HTML]
    if html.count("<") > _FLAT_ENOUGH and _is_too_deep(html):
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


def _is_too_deep(html: str) -> bool:
    # Before it is parsed: deep nesting takes the parser a time that grows with its square.
    open_tags: Counter[str] = Counter()
    depth = 0
    for closing, name in _TAG.findall(html):
        tag = name.lower()
        if tag in _UNCLOSED:
            continue
        if not closing:
            open_tags[tag] += 1
            depth += 1
        elif open_tags[tag]:
            open_tags[tag] -= 1
            depth -= 1
        if depth > _DEEPEST:
            return True
    return False


def _styles(tree: LexborHTMLParser) -> Mapping[int, Mapping[str, str]]:
    """The styles that the mail's sheets give its nodes, by their place in memory."""
    styles: dict[int, dict[str, str]] = {}
    for sheet in tree.css("style"):
        for rule in rules_of(sheet.text()):
            try:
                nodes = tree.css(rule.selector)
            except SelectolaxError:
                continue
            for node in nodes:
                styles.setdefault(node.mem_id, {}).update(rule.style)
    return styles


@dataclass(slots=True)
class _OpenLink:
    target: str
    pieces: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class _Around:
    """How text looks where it is."""

    colour: Colour = BLACK
    background: Colour | None = WHITE
    """None where it is not known, as behind a picture."""
    literal: bool = False


_Inside = tuple[_Around, _OpenLink | None]


class _Reader:
    """Reads one mail, from the top down."""

    def __init__(self, styles: Mapping[int, Mapping[str, str]], ends: Ends | None = None) -> None:
        """`ends` tells the node above which is read."""
        self._styles, self._ends, self.ended = styles, ends, False
        self._lines: list[str] = []
        self._pieces: list[str] = []
        self._links: list[Link] = []
        self._pictures: set[str] = set()
        self._quoted = 0
        self._hidden = False
        self._literal = False
        """Whether the blanks of this line are as they are to be shown."""
        self._known: dict[str, tuple[Style, bool]] = {"": ({}, False)}
        """Styles that were read: most are said many times."""

    def read(self, root: LexborNode | None) -> Seen:
        stack: list[tuple[LexborNode, _Around, _OpenLink | None, bool]] = []
        if root is not None:
            stack.append((root, _Around(), None, False))
        while stack:
            node, around, link, ended = stack.pop()
            if ended:
                self._end(node, link)
            elif node.is_text_node:
                self._text(node.text_content or "", around, link)
            elif self._ends is not None and self._ends(node.tag or "", node.attributes):
                self.ended = True
                break
            elif (inside := self._begin(node, around, link)) is not None:
                around, inner_link = inside
                if node.tag in _BLOCKS or inner_link is not link or self._is_apart(node):
                    stack.append((node, around, inner_link, True))
                stack.extend((child, around, inner_link, False) for child in _children(node))
        self._end_line()
        text = _EMPTY_LINES.sub("\n\n", "\n".join(self._lines))
        text = text.strip() if self._ends is None else text.strip("\n")
        return Seen(text, tuple(self._links), self._hidden, frozenset(self._pictures))

    def _begin(self, node: LexborNode, around: _Around, link: _OpenLink | None) -> _Inside | None:
        """How it looks inside a node, and the link that it is inside of; None where nothing is to be seen."""
        tag = node.tag or ""
        if tag == "br":
            self._end_line()
            return None
        if tag in _NEVER_SHOWN or tag.startswith("-"):
            return None
        attributes = node.attributes
        style, hidden = self._style(node, attributes)
        if hidden or "hidden" in attributes:
            self._hidden = self._hidden or bool(node.text(strip=True))
            return None
        if tag == "img":
            self._picture(attributes, link)
            return None
        if tag in _BLOCKS or tag in _CELLS:
            self._begin_block(tag)
        elif self._is_apart(node):
            self._edge()
        target = _cleaned(attributes.get("href") or "") if tag == "a" and link is None else ""
        if attributes or style or tag == "pre":
            around = _looks(around, tag, attributes, style)
        return around, _OpenLink(target) if target else link

    def _style(self, node: LexborNode, attributes: Mapping[str, str | None]) -> tuple[Style, bool]:
        """A node's style, and whether it hides the node."""
        written = attributes.get("style") or ""
        if written not in self._known:
            style = style_of(written)
            self._known[written] = style, hides(style)
        if by_sheet := self._styles.get(node.mem_id) if self._styles else None:
            style = {**by_sheet, **self._known[written][0]}
            return style, hides(style)
        return self._known[written]

    def _is_apart(self, node: LexborNode) -> bool:
        """Whether a node that is no block by its name is one where what is above another is read."""
        if self._ends is None:
            return False
        if node.tag in _CELLS:
            return True
        style = self._style(node, node.attributes)[0]
        return bool(style) and (
            style.get("display", "") not in _IN_LINE
            or style.get("position", "") in {"absolute", "fixed"}
            or style.get("float", "none") != "none"
        )

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

    def _text(self, text: str, around: _Around, link: _OpenLink | None) -> None:
        if not text.strip():
            self._pieces.append((" " if self._ends is None else _FOLDED_SPACES.sub(" ", text)) if text else "")
            return
        if around.background is not None and alike(around.colour, around.background):
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
        if link is not None:
            link.pieces.append(text)

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
    """Whether a link leads elsewhere than what it shows, as far as that names a place at all."""
    return _bare(shown) != _bare(target)


def _bare(place: str) -> str:
    bare = place.strip().lower().removeprefix("mailto:").removeprefix("http://").removeprefix("https://")
    return bare.removeprefix("www.").rstrip("/")


def _cleaned(target: str) -> str:
    """A link's target as a browser reads it; empty for one within the mail, and for none."""
    plain = "".join(char for char in target if char > " " and char != "\x7f")[:_LONGEST_TARGET]
    if not plain or plain.startswith("#"):
        return ""
    try:
        scheme = urlsplit(plain).scheme
    except ValueError:
        return plain
    return scheme.lower() + plain[len(scheme) :] if scheme else plain


def _looks(around: _Around, tag: str, attributes: Mapping[str, str | None], style: Mapping[str, str]) -> _Around:
    colour, background, literal = around.colour, around.background, around.literal or tag == "pre"
    if tag == "a":
        colour = LINK
    painted = style.get("background-color") or style.get("background") or attributes.get("bgcolor") or ""
    if "url(" in painted or style.get("background-image", "none") != "none" or attributes.get("background"):
        background = None
    elif painted and not is_clear(painted):
        background = next((known for word in _words(painted) if (known := colour_of(word)) is not None), None)
    named = style.get("color") or attributes.get("color") or attributes.get("text") or ""
    if named and is_clear(named):
        colour = background = background or WHITE
    elif named:
        colour = colour_of(named) or colour
    if (colour, background, literal) == (around.colour, around.background, around.literal):
        return around
    return _Around(colour, background, literal)


def _words(value: str) -> list[str]:
    return [value] if "(" in value else value.split()


def _children(node: LexborNode) -> Iterator[LexborNode]:
    """From the last to the first."""
    child = node.last_child
    while child is not None:
        yield child
        child = child.prev
