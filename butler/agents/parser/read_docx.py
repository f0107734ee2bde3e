"""Reads Word files in their final version: with insertions, without deletions, comments marked as such."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from butler.agents.parser.blocks import Block, Document, Kind, damaged
from butler.agents.parser.docx_styles import Styles, W, is_hidden, styles_of
from butler.agents.parser.package import Package, Relation
from butler.agents.parser.properties import describe
from butler.contract.speech import phrase, say, say_many, say_number

_R_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_ALTERNATIVE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
_CHOICE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Choice"
_FORMULA_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_DESCRIBED = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}docPr"
_PICTURE = "{http://schemas.openxmlformats.org/drawingml/2006/picture}pic"
_DELETED = frozenset({f"{W}del", f"{W}moveFrom"})
_INSERTED = frozenset({f"{W}ins", f"{W}moveTo"})
_CHANGED = _DELETED | _INSERTED
_UNSEEN = _DELETED | {f"{W}pPr", f"{W}rPr", f"{W}sdtPr"}
_ABOUT, _RUN = f"{W}pPr", f"{W}r"
_MARKS = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-", f"{W}softHyphen": ""}
_UNREAD = {
    f"{W}altChunk": phrase("Not read: another file is set into it."),
    f"{W}object": phrase("Not read: an object of another program is set into it."),
}
_MOST_LINKS = 500


def read_docx(package: Package, document: Document) -> None:
    """Add the content of the file to the document. Raises `UnreadableError`."""
    main = package.main_part
    tree = package.xml(main) if main else None
    body = tree.find(f"{W}body") if tree is not None else None
    if body is None:
        raise damaged(phrase("the part with its text is missing"))
    reader = _Reader(package, document, styles_of(package, main))
    for kind, label in (("header", "Page header"), ("footer", "Page footer")):
        reader.margins[label] = [text for part in package.related(main, kind) if (text := reader.text_of_part(part))]
    for text in dict.fromkeys(reader.margins["Page header"]):
        document.add(Kind.TEXT, f"Page header: {text}")
    reader.read(body, main)
    for kind, label in (("footnotes", "Footnote"), ("endnotes", "Endnote")):
        reader.notes(package.related(main, kind), label)
    for text in dict.fromkeys(reader.margins["Page footer"]):
        document.add(Kind.TEXT, f"Page footer: {text}")
    reader.comments(package.related(main, "comments"))
    reader.tell()
    describe(package, document)


@dataclass(slots=True)
class _Reader:
    package: Package
    document: Document
    styles: Styles
    margins: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    _relations: dict[str, Relation] = field(default_factory=dict[str, Relation])
    _links: dict[str, None] = field(default_factory=dict[str, None])
    _changes: int = 0
    _hidden: bool = False
    _pictures: int = 0
    _unread: dict[str, None] = field(default_factory=dict[str, None])
    _is_on_ground: bool = False
    """Whether the surrounding table cell may have a colour, on which white text is visible."""
    _carried: str = ""
    """The text of a paragraph whose end was deleted: it continues in the next one."""

    def read(self, body: Element, part: str) -> None:
        """Add the content of a part, in order."""
        self._relations = self.package.relations(part)
        self._blocks(body)

    def text_of_part(self, part: str) -> str:
        """Return the text of a small part, such as a page header, in one line."""
        tree = self.package.xml(part)
        if tree is None:
            return ""
        self._relations = self.package.relations(part)
        return " ".join(" ".join(self._runs(tree)).split())

    def notes(self, parts: list[str], label: str) -> None:
        """Add footnotes or endnotes, without separators."""
        for part in parts:
            tree = self.package.xml(part)
            for note in tree if tree is not None else ():
                if note.get(f"{W}type") is None:
                    text = " ".join("".join(self._runs(note)).split())
                    if text:
                        self.document.add(Kind.TEXT, f"{label} {note.get(f'{W}id', '')}: {text}")

    def comments(self, parts: list[str]) -> None:
        """Add reviewers' comments."""
        count = 0
        for part in parts:
            tree = self.package.xml(part)
            for comment in tree.iter(f"{W}comment") if tree is not None else ():
                paragraphs = ("".join(self._runs(paragraph)).strip() for paragraph in comment.iter(f"{W}p"))
                text = "\n".join(filter(None, paragraphs))
                if text:
                    count += 1
                    who = comment.get(f"{W}author") or "somebody"
                    self.document.add(Kind.TEXT, f"Comment by {who}: {text}")
        if count:
            self.document.metadata["comments"] = count

    def tell(self) -> None:
        """Report what was left out."""
        if self._links:
            self.document.metadata["links"] = list(self._links)
        if self._changes:
            self.document.metadata["open_changes"] = self._changes
            self.document.problem(
                say_many(
                    self._changes,
                    "It has open changes ({number} tracked change), which were read as if accepted.",
                    "It has open changes ({number} tracked changes), which were read as if accepted.",
                    number=say_number(self._changes),
                )
            )
        if self._hidden:
            self.document.problem(say("Text that nobody can see was left out."))
        if self._pictures:
            number = say_number(self._pictures)
            self.document.problem(
                say_many(self._pictures, "Not read: {number} picture.", "Not read: {number} pictures.", number=number)
            )
        for sentence in self._unread:
            self.document.problem(say(sentence))

    def _blocks(self, parent: Element) -> None:
        for element in parent:
            if element.tag == f"{W}p":
                self._paragraph(element)
            elif element.tag == f"{W}tbl":
                self._table(element)
            elif element.tag in _DELETED:
                self._changes += 1
            elif element.tag in _UNREAD:
                self._unread[_UNREAD[element.tag]] = None
            elif element.tag not in {f"{W}sectPr", f"{W}sdtPr", f"{W}sdtEndPr"}:
                self._blocks(element)

    def _paragraph(self, paragraph: Element) -> None:
        text = self._carried + "".join(self._runs(paragraph))
        self._carried = ""
        if paragraph.find(f"{W}pPr/{W}rPr/{W}del") is not None:
            self._changes += 1
            self._carried = text
            return
        if paragraph.find(f"{W}pPr/{W}rPr/{W}ins") is not None:
            self._changes += 1
        style = self.styles.of(paragraph)
        if style.level:
            self.document.add(Kind.HEADING, " ".join(text.split()), level=style.level)
        elif text.strip() and style.listed:
            depth = int(style.listed) - 1
            self.document.blocks.append(Block(Kind.LIST, f"{'  ' * depth}- {text.strip()}"))
        else:
            self.document.add(Kind.TEXT, text)
        for box in _text_boxes(paragraph):
            self._blocks(box)

    def _runs(self, parent: Element, about: Element | None = None) -> Iterator[str]:
        """Yield the visible text of a paragraph or a part of it; `about` holds the paragraph's own properties."""
        if len(parent) and parent[0].tag == _ABOUT:
            about = parent[0]
        for element in parent:
            tag = element.tag
            self._changes += tag in _CHANGED
            if tag == _RUN:
                if is_hidden(element, about, self.styles, on_ground=self._is_on_ground):
                    self._hidden = self._hidden or any((text.text or "").strip() for text in element.iter(f"{W}t"))
                else:
                    yield from self._run(element)
            elif tag == f"{W}hyperlink":
                yield self._link(element, about)
            elif tag == _ALTERNATIVE:
                choice = element.find(_CHOICE)
                yield from self._runs(element if choice is None else choice, about)
            elif tag == _FORMULA_TEXT:
                yield element.text or ""
            elif tag == f"{W}tbl":
                yield " ".join("".join(self._runs(cell)) for cell in element.iter(f"{W}tc"))
            elif tag not in _UNSEEN:
                yield from self._runs(element, about)

    def _run(self, run: Element) -> Iterator[str]:
        for element in run:
            tag = element.tag
            if tag == f"{W}t":
                yield element.text or ""
            elif tag in _MARKS:
                yield _MARKS[tag]
            elif tag in {f"{W}footnoteReference", f"{W}endnoteReference"}:
                yield f"[{element.get(f'{W}id', '')}]"
            elif tag in _UNREAD:
                self._unread[_UNREAD[tag]] = None
            else:
                yield from self._pictures_in(element)

    def _pictures_in(self, element: Element) -> Iterator[str]:
        """Yield the alternative texts of pictures."""
        if next(element.iter(_PICTURE), None) is not None:
            self._pictures += 1
            text = next((one.get("descr") for one in element.iter(_DESCRIBED) if one.get("descr")), None)
            if text:
                yield f" (picture: {' '.join(text.split())}) "

    def _link(self, element: Element, about: Element | None) -> str:
        shown = "".join(self._runs(element, about))
        relation = self._relations.get(element.get(_R_ID, ""))
        if relation is None or not relation.external or not shown.strip():
            return shown
        if len(self._links) < _MOST_LINKS:
            self._links[relation.target] = None
        return shown if shown.strip() == relation.target else f"[{shown.strip()}]({relation.target})"

    def _table(self, table: Element) -> None:
        rows: list[list[str]] = []
        inner: list[Element] = []
        has_style = table.find(f"{W}tblPr/{W}tblStyle") is not None
        for row in _within(table, f"{W}tr"):
            if row.find(f"{W}trPr/{W}del") is not None:
                self._changes += 1
                continue
            cells: list[str] = []
            for cell in _within(row, f"{W}tc"):
                self._is_on_ground = has_style or cell.find(f"{W}tcPr/{W}shd") is not None
                paragraphs = ["".join(self._runs(one)).strip() for one in _within(cell, f"{W}p")]
                self._is_on_ground = False
                nested = list(_within(cell, f"{W}tbl"))
                inner += nested
                cells.append(" ".join([*filter(None, paragraphs), *["(see the next table)" for _ in nested]]))
                span = cell.find(f"{W}tcPr/{W}gridSpan")
                cells += [""] * (min(int(span.get(f"{W}val", "1")), 50) - 1 if span is not None else 0)
            rows.append(cells)
        if any(cell.replace("(see the next table)", "").strip() for row in rows for cell in row):
            self.document.add_table(rows)
        for nested in inner:
            self._table(nested)


def _within(parent: Element, tag: str) -> Iterator[Element]:
    """Yield children of a kind, also inside content controls and tracked changes, not in another table or row."""
    for element in parent:
        if element.tag == tag:
            yield element
        elif element.tag in {f"{W}sdt", f"{W}sdtContent", f"{W}ins", f"{W}moveTo", f"{W}customXml"}:
            yield from _within(element, tag)


def _text_boxes(paragraph: Element) -> Iterator[Element]:
    """Yield the text boxes anchored in a paragraph; each is stored twice, for old and for new programs."""
    seen: set[str] = set()
    for box in paragraph.iter(f"{W}txbxContent"):
        text = "".join(box.itertext())
        if text.strip() and text not in seen:
            seen.add(text)
            yield box
