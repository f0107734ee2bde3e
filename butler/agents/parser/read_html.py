"""Reads web pages as a person sees them: what is hidden is dropped, links show where they really lead."""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from butler.agents.parser.blocks import Block, Document, Kind, UnreadableError
from butler.agents.parser.charset import decoded
from butler.agents.parser.css_rules import Cascade, rules_of
from butler.agents.parser.html_style import BLACK, WHITE, Colour, Style, alike, colours_of, hides
from butler.contract.speech import say

_LONGEST = 8_000_000
"""Characters."""
_DEEPEST = 200
"""Tags within one another; what is deeper is read as text of the one at this depth."""
_TOO_DEEP = 3_000
_STYLES_S = 4.0
"""Seconds of processor that finding out what style sheets hide may take."""
_MOST_LINKS = 500
_LONGEST_TARGET = 2_000
_NEVER_SHOWN = frozenset(
    {"script", "style", "head", "title", "template", "noscript", "svg", "object", "iframe", "select", "textarea"}
    | {"math", "audio", "video", "canvas", "embed", "datalist", "dialog"}
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    {"p", "div", "blockquote", "section", "article", "header", "footer", "main", "nav", "aside", "address", "form"}
    | {"fieldset", "figure", "figcaption", "ul", "ol", "dl", "dt", "dd", "hr", "center", "details", "summary", "body"}
)
_VOID = frozenset({"br", "img", "hr", "meta", "link", "input", "col", "wbr", "source", "area", "base", "param"})
_UNCLOSED = _VOID | {"p", "li", "td", "th", "tr", "dt", "dd", "option", "tbody", "thead"}
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_SPACES = re.compile(r"[ \t\r\n\f]+")
_NEVER_SEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f]+"
)
_TARGET = re.compile(r"(?:https?|mailto|tel):", re.IGNORECASE)
_EDGE = "\x1f"
"""Where a link begins and ends: two that touch are words apart, as in a menu."""
_Colours = tuple[Colour, Colour]


def read_html(data: bytes, document: Document) -> None:
    """Add what is seen of a page to the document. Raises `UnreadableError`."""
    text = decoded(data, document)
    if len(text) > _LONGEST:
        document.problem(say("It is very long: only its beginning was read."))
    html_blocks(text[:_LONGEST], document)


def html_blocks(html: str, document: Document) -> None:
    """Add what is seen of a page that is decoded already. Raises `UnreadableError`."""
    if _depth(html) > _TOO_DEEP:
        raise UnreadableError(say("The page is not read: it is built in a way that no program builds one."), "hostile")
    tree = LexborHTMLParser(html)
    title = tree.css_first("title")
    if title is not None and (said := " ".join(title.text().split())):
        document.metadata["title"] = said[:500]
    reader = _Reader(document, _styles(tree, document))
    if tree.body is not None:
        reader.read(tree.body)
    if reader.links:
        document.metadata["links"] = list(reader.links)
    if reader.hidden:
        document.problem(say("Text that nobody can see was left out."))
    if tree.css_first("iframe[src]") is not None:
        document.problem(say("Another page is shown within it, which was not read."))


def _depth(html: str) -> int:
    # Before it is parsed: deep nesting takes the parser a time that grows with its square.
    depth = deepest = 0
    for closing, name in _TAG.findall(html):
        if name.lower() not in _UNCLOSED:
            depth = max(0, depth + (-1 if closing else 1))
            deepest = max(deepest, depth)
    return deepest


def _styles(tree: LexborHTMLParser, document: Document) -> dict[int, Cascade]:
    """What style sheets say about nodes, by their address."""
    found: dict[int, Cascade] = {}
    ends = time.process_time() + _STYLES_S
    for order, rule in enumerate(rules_of([sheet.text() for sheet in tree.css("style")])):
        try:
            nodes = tree.css(rule.selector)
        except (SelectolaxError, ValueError):
            continue
        for node in nodes:
            found.setdefault(node.mem_id, Cascade()).take(rule, order)
        if time.process_time() > ends:
            document.problem(say("Its styles take too long to follow, so text that nobody can see may be in it."))
            break
    return found


@dataclass(slots=True)
class _Reader:
    document: Document
    styles: dict[int, Cascade]
    links: dict[str, None] = field(default_factory=dict[str, None])
    hidden: bool = False
    _line: list[str] = field(default_factory=list[str])
    _depth: int = 0
    _lists: list[str] = field(default_factory=list[str])
    """The tags of the lists that are open."""

    def read(self, body: LexborNode) -> None:
        self._walk(body, (BLACK, WHITE))
        self._flush()

    def _walk(self, node: LexborNode, colours: _Colours) -> None:
        """What a node holds, in order; its text gathers until a block ends."""
        if node.is_text_node:
            self._text(node.text_content or "", colours)
            return
        tag = node.tag or ""
        if tag in _NEVER_SHOWN or not node.is_element_node:
            return
        style = self._style(node)
        if "hidden" in node.attributes or hides(style):
            self.hidden = self.hidden or bool(node.text(deep=True).strip())
            return
        colours = colours_of(style, colours)
        if self._depth > _DEEPEST:
            self._text(self._plain(node, colours), colours)
            return
        self._depth += 1
        self._element(node, tag, colours)
        self._depth -= 1

    def _element(self, node: LexborNode, tag: str, colours: _Colours) -> None:
        if level := _HEADINGS.get(tag):
            self._block(node, colours, Kind.HEADING, level)
        elif tag == "table":
            self._table(node, colours)
        elif tag == "pre":
            self._flush()
            self.document.add(Kind.CODE, _visible(self._plain(node, colours)))
        elif tag in {"br", "img"}:
            self._line.append("\n" if tag == "br" else f" {node.attributes.get('alt') or ''} ")
        elif tag == "a":
            self._link(node, colours)
        elif tag == "li":
            self._item(node, colours)
        elif tag in _BLOCKS:
            if tag in {"ul", "ol"}:
                self._lists.append(tag)
            self._block(node, colours, Kind.TEXT)
            if tag in {"ul", "ol"}:
                self._lists.pop()
        else:
            self._children(node, colours)

    def _style(self, node: LexborNode) -> Style:
        extra = {name: value for name in ("color", "bgcolor") if (value := node.attributes.get(name))}
        known = {"color": extra.get("color", "").lower(), "background-color": extra.get("bgcolor", "").lower()}
        cascade = self.styles.get(node.mem_id)
        if own := node.attributes.get("style") or "":
            cascade = cascade or Cascade()
            cascade.own(own)
        return {name: value for name, value in known.items() if value} | (cascade.style() if cascade else {})

    def _children(self, node: LexborNode, colours: _Colours) -> None:
        for child in node.iter(include_text=True):
            self._walk(child, colours)

    def _text(self, text: str, colours: _Colours) -> None:
        if not text.strip():
            self._line.append(" ")
        elif alike(*colours):
            self.hidden = True
        else:
            self._line.append(_visible(_SPACES.sub(" ", text)))

    def _plain(self, top: LexborNode, colours: _Colours) -> str:
        """All that is seen of a node's text as it stands there, however deep it lies."""
        parts: list[str] = []
        waiting = [(top, colours)]
        while waiting:
            node, around = waiting.pop()
            if node.is_text_node:
                parts.append(node.text_content or "")
                continue
            style = self._style(node)
            if node.tag in _NEVER_SHOWN or not node.is_element_node:
                continue
            inside = colours_of(style, around)
            if "hidden" in node.attributes or hides(style) or alike(*inside):
                self.hidden = self.hidden or bool(node.text(deep=True).strip())
                continue
            waiting += [(child, inside) for child in reversed(list(node.iter(include_text=True)))]
        return "".join(parts)

    def _block(self, node: LexborNode, colours: _Colours, kind: Kind, level: int = 0) -> None:
        self._flush()
        self._children(node, colours)
        self._flush(kind, level)

    def _item(self, node: LexborNode, colours: _Colours) -> None:
        self._flush()
        mark = "1." if self._lists and self._lists[-1] == "ol" else "-"
        self._line.append(f"{'  ' * (len(self._lists) - 1)}{mark} ")
        self._children(node, colours)
        self._flush(Kind.LIST)

    def _flush(self, kind: Kind = Kind.TEXT, level: int = 0) -> None:
        lines = "".join(self._line).replace(_EDGE * 2, " ").replace(_EDGE, "").split("\n")
        self._line.clear()
        text = "\n".join(line for line in (_tidy(line) for line in lines) if line.strip())
        if text.strip() in {"", "-", "1."}:
            return
        if kind is not Kind.HEADING and text.lstrip().startswith(("- ", "1. ")) and self._lists:
            kind = Kind.LIST
        self.document.blocks.append(Block(kind, text.rstrip() if kind is Kind.LIST else text.strip(), None, level))

    def _link(self, node: LexborNode, colours: _Colours) -> None:
        before, self._line = self._line, []
        self._children(node, colours)
        inner, self._line = "".join(self._line), before
        target = (node.attributes.get("href") or "").strip()[:_LONGEST_TARGET]
        shown = " ".join(inner.split())
        if _TARGET.match(target) and shown:
            if len(self.links) < _MOST_LINKS:
                self.links[target] = None
            inner = shown if shown == target else f"[{shown}]({target})"
        self._line += [_EDGE, inner, _EDGE]

    def _table(self, node: LexborNode, colours: _Colours) -> None:
        """A table of data as one; one that only places things is read as what it holds."""
        rows = list(_rows(node))
        self._flush()
        if node.css_first("table table, td table, td ul, td h1, td h2, td p + p") is not None or len(rows) == 1:
            for row in rows:
                for cell in row:
                    self._walk_cell(cell, colours)
            return
        texts: list[list[str]] = []
        for row in rows:
            if hides(self._style(row[0].parent)) if row and row[0].parent is not None else False:
                self.hidden = True
                continue
            texts.append([self._cell(cell, colours) for cell in row])
        self.document.add_table(texts)

    def _walk_cell(self, cell: LexborNode, colours: _Colours) -> None:
        self._walk(cell, colours)
        self._flush()

    def _cell(self, cell: LexborNode, colours: _Colours) -> str:
        before, self._line = self._line, []
        kept, self.document.blocks = self.document.blocks, []
        try:
            self._walk(cell, colours)
            self._flush()
            return " ".join(block.text for block in self.document.blocks)
        finally:
            # However it ends, such as when the time is up, what was read before it is there.
            self.document.blocks, self._line = kept, before


def _rows(table: LexborNode) -> Iterator[list[LexborNode]]:
    """The cells of a table's own rows."""
    for part in table.iter():
        for row in [part] if part.tag == "tr" else part.iter() if part.tag in {"thead", "tbody", "tfoot"} else ():
            if row.tag == "tr" and (cells := [cell for cell in row.iter() if cell.tag in {"td", "th"}]):
                yield cells


def _tidy(line: str) -> str:
    indent = len(line) - len(line.lstrip(" "))
    bare = " ".join(line.split())
    return f"{' ' * indent}{bare}" if bare.startswith(("- ", "1. ")) else bare


def _visible(text: str) -> str:
    return _NEVER_SEEN.sub("", text)
