"""Reads web pages as a person sees them: hidden content is dropped, links show their real target."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from butler.agents.parser.blocks import Block, Document, Kind, UnreadableError
from butler.agents.parser.charset import decoded
from butler.contract.speech import say
from butler.html.nesting import nests_deeper_than
from butler.html.visibility import NEVER_SHOWN, Appearance, PageVisibility

_LONGEST = 8_000_000
"""Characters."""
_DEEPEST = 200
"""Nested tags; deeper ones are read as text of the tag at this depth."""
_TOO_DEEP = 3_000
_STYLES_S = 4.0
"""Seconds of processor time for evaluating style sheets."""
_MOST_LINKS = 500
_LONGEST_TARGET = 2_000
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    {"p", "div", "blockquote", "section", "article", "header", "footer", "main", "nav", "aside", "address", "form"}
    | {"fieldset", "figure", "figcaption", "ul", "ol", "dl", "dt", "dd", "hr", "center", "details", "summary", "body"}
)
_SPACES = re.compile(r"[ \t\r\n\f]+")
_NEVER_SEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f]+"
)
_TARGET = re.compile(r"(?:https?|mailto|tel):", re.IGNORECASE)
_EDGE = "\x1f"
"""Marks the start and end of a link: two adjacent links are separate words, as in a menu."""


def read_html(data: bytes, document: Document) -> None:
    """Add the visible content of a page to the document. Raise `UnreadableError`."""
    text = decoded(data, document)
    if len(text) > _LONGEST:
        document.problem(say("It is very long: only its beginning was read."))
    html_blocks(text[:_LONGEST], document)


def html_blocks(html: str, document: Document) -> None:
    """Add the visible content of a decoded page. Raise `UnreadableError`."""
    if nests_deeper_than(_TOO_DEEP, html):
        raise UnreadableError(say("The page is not read: it is built in a way that no program builds one."), "hostile")
    tree = LexborHTMLParser(html)
    title = tree.css_first("title")
    if title is not None and (text := " ".join(title.text().split())):
        document.metadata["title"] = text[:500]
    reader = _Reader(document, PageVisibility(tree, _STYLES_S))
    if tree.body is not None:
        reader.read(tree.body)
    if reader.links:
        document.metadata["links"] = list(reader.links)
    if reader.hidden:
        document.problem(say("Text that nobody can see was left out."))
    if not reader.visibility.is_complete:
        document.problem(say("Its styles take too long to follow, so text that nobody can see may be in it."))
    if tree.css_first("iframe[src]") is not None:
        document.problem(say("Another page is shown within it, which was not read."))


@dataclass(slots=True)
class _Reader:
    document: Document
    visibility: PageVisibility
    links: dict[str, None] = field(default_factory=dict[str, None])
    hidden: bool = False
    _line: list[str] = field(default_factory=list[str])
    _depth: int = 0
    _lists: list[str] = field(default_factory=list[str])
    """The tags of the open lists."""

    def read(self, body: LexborNode) -> None:
        self._walk(body, Appearance())
        self._flush()

    def _walk(self, node: LexborNode, around: Appearance) -> None:
        """Read the content of a node, in order; collect its text until a block ends."""
        if node.is_text_node:
            self._text(node.text_content or "", around)
            return
        tag = node.tag or ""
        if tag in NEVER_SHOWN or not node.is_element_node:
            return
        look = self._inside(node, around)
        if look is None:
            return
        if self._depth > _DEEPEST:
            self._line.append(_visible(_SPACES.sub(" ", self._plain(node, around))))
            return
        self._depth += 1
        self._element(node, tag, look)
        self._depth -= 1

    def _element(self, node: LexborNode, tag: str, look: Appearance) -> None:
        if level := _HEADINGS.get(tag):
            self._block(node, look, Kind.HEADING, level)
        elif tag == "table":
            self._table(node, look)
        elif tag == "pre":
            self._flush()
            self.document.add(Kind.CODE, _visible(self._plain(node, look)))
        elif tag in {"br", "img"}:
            self._line.append("\n" if tag == "br" else f" {node.attributes.get('alt') or ''} ")
        elif tag == "a":
            self._link(node, look)
        elif tag == "li":
            self._item(node, look)
        elif tag in _BLOCKS:
            if tag in {"ul", "ol"}:
                self._lists.append(tag)
            self._block(node, look, Kind.TEXT)
            if tag in {"ul", "ol"}:
                self._lists.pop()
        else:
            self._children(node, look)

    def _inside(self, node: LexborNode, around: Appearance) -> Appearance | None:
        """Return the text style inside a node; None if the node is hidden, which is reported if it holds text."""
        look = self.visibility.appearance_in(node, node.attributes, around)
        if look is None:
            self.hidden = self.hidden or bool(node.text(deep=True).strip())
        return look

    def _children(self, node: LexborNode, look: Appearance) -> None:
        for child in node.iter(include_text=True):
            self._walk(child, look)

    def _text(self, text: str, look: Appearance) -> None:
        if not text.strip():
            self._line.append(" ")
        elif not look.is_visible:
            self.hidden = True
        else:
            self._line.append(_visible(_SPACES.sub(" ", text)))

    def _plain(self, top: LexborNode, around: Appearance) -> str:
        """Return all visible text of a node verbatim, at any depth."""
        parts: list[str] = []
        waiting = [(top, around)]
        while waiting:
            node, look = waiting.pop()
            if node.is_text_node:
                text = node.text_content or ""
                if look.is_visible or not text.strip():
                    parts.append(text)
                else:
                    self.hidden = True
            elif node.tag not in NEVER_SHOWN and node.is_element_node:
                inside = self._inside(node, look)
                if inside is not None:
                    waiting += [(child, inside) for child in reversed(list(node.iter(include_text=True)))]
        return "".join(parts)

    def _block(self, node: LexborNode, look: Appearance, kind: Kind, level: int = 0) -> None:
        self._flush()
        self._children(node, look)
        self._flush(kind, level)

    def _item(self, node: LexborNode, look: Appearance) -> None:
        self._flush()
        mark = "1." if self._lists and self._lists[-1] == "ol" else "-"
        self._line.append(f"{'  ' * (len(self._lists) - 1)}{mark} ")
        self._children(node, look)
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

    def _link(self, node: LexborNode, look: Appearance) -> None:
        before, self._line = self._line, []
        self._children(node, look)
        inner, self._line = "".join(self._line), before
        target = (node.attributes.get("href") or "").strip()[:_LONGEST_TARGET]
        shown = " ".join(inner.split())
        if _TARGET.match(target) and shown:
            if len(self.links) < _MOST_LINKS:
                self.links[target] = None
            inner = shown if shown == target else f"[{shown}]({target})"
        self._line += [_EDGE, inner, _EDGE]

    def _table(self, node: LexborNode, look: Appearance) -> None:
        """Read a data table as a table; read a layout table as its content."""
        rows = list(self._rows(node, look))
        seen = ((row, inside) for row, inside in rows if inside is not None)
        self._flush()
        if node.css_first("table table, td table, td ul, td h1, td h2, td p + p") is not None or len(rows) == 1:
            for row, inside in seen:
                for cell in row:
                    self._walk_cell(cell, inside)
            return
        self.document.add_table([[self._cell(cell, inside) for cell in row] for row, inside in seen])

    def _rows(self, table: LexborNode, look: Appearance) -> Iterator[tuple[list[LexborNode], Appearance | None]]:
        """Yield the cells of each of a table's own rows with the row's text style, None in a hidden row."""
        for part in table.iter():
            is_row = part.tag == "tr"
            if not is_row and part.tag not in {"thead", "tbody", "tfoot"}:
                continue
            inside = look if is_row else self._inside(part, look)
            for row in [part] if is_row else part.iter():
                if row.tag == "tr" and (cells := [cell for cell in row.iter() if cell.tag in {"td", "th"}]):
                    yield cells, None if inside is None else self._inside(row, inside)

    def _walk_cell(self, cell: LexborNode, look: Appearance) -> None:
        self._walk(cell, look)
        self._flush()

    def _cell(self, cell: LexborNode, look: Appearance) -> str:
        before, self._line = self._line, []
        kept, self.document.blocks = self.document.blocks, []
        try:
            self._walk(cell, look)
            self._flush()
            return " ".join(block.text for block in self.document.blocks)
        finally:
            # On any error, such as a time-out, what was read before is kept.
            self.document.blocks, self._line = kept, before


def _tidy(line: str) -> str:
    indent = len(line) - len(line.lstrip(" "))
    bare = " ".join(line.split())
    return f"{' ' * indent}{bare}" if bare.startswith(("- ", "1. ")) else bare


def _visible(text: str) -> str:
    return _NEVER_SEEN.sub("", text)
