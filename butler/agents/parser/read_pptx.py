"""Reads PowerPoint files slide by slide: all text, also of groups and tables, charts as tables, speaker notes."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from butler.agents.parser.blocks import Box, Document, Kind, damaged
from butler.agents.parser.package import Package, Relation
from butler.agents.parser.pptx_charts import chart_rows
from butler.agents.parser.properties import describe
from butler.contract.speech import phrase, say

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_FORMULA_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_TITLES = frozenset({"title", "ctrTitle"})
_CHROME = frozenset({"dt", "sldNum", "ftr", "sldImg", "hdr"})
"""Placeholders that repeat on every slide."""
_POINT = 12_700
"""One point in the file's own unit."""
_MOST_LINKS = 500
_LEVELS = frozenset("012345678")
_HANDWRITING = phrase("Not read: handwriting, on slide {slides}.")
_CHART_VALUES = phrase("Not read: the values of a chart, on slide {slides}.")
_OBJECT = phrase("Not read: an object of another program, on slide {slides}.")
_MEDIA = phrase("Not read: a picture, a film or a sound, on slide {slides}.")
_UNSEEN = phrase("Text that nobody can see was left out, on slide {slides}.")


def read_pptx(package: Package, document: Document) -> None:
    """Add the content of the file to the document. Raises `UnreadableError`."""
    main = package.main_part
    tree = package.xml(main) if main else None
    if tree is None:
        raise damaged(phrase("the part with its slides is missing"))
    relations = package.relations(main)
    parts = [relations[key].target for one in tree.iter(f"{_P}sldId") if (key := one.get(f"{_R}id", "")) in relations]
    reader = _Reader(package, document)
    # Each part is one slide; only an attacker repeats one very often.
    parts = list(dict.fromkeys(parts))
    for number, part in enumerate(parts, 1):
        reader.slide(part, number)
    document.pages = len(parts)
    reader.tell()
    describe(package, document)


@dataclass(slots=True)
class _Reader:
    package: Package
    document: Document
    _page: int = 0
    _relations: dict[str, Relation] = field(default_factory=dict[str, Relation])
    _links: dict[str, None] = field(default_factory=dict[str, None])
    _unread: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """Messages on what was not read, with the slides."""
    _left_out: dict[str, list[int]] = field(default_factory=dict[str, list[int]])

    def slide(self, part: str, number: int) -> None:
        """Add a slide, then its notes and comments."""
        tree = self.package.xml(part)
        if tree is None:
            self.document.problem(say("Slide {number} is missing in the file.", number=number))
            return
        self._page, self._relations = number, self.package.relations(part)
        if tree.get("show") == "0":
            self.document.problem(
                say("Slide {number} is left out when the presentation is shown; it was read.", number=number)
            )
        shapes = tree.find(f"{_P}cSld/{_P}spTree")
        if shapes is not None:
            self._title(shapes)
            self._shapes(shapes)
        for notes in self.package.related(part, "notesSlide"):
            self._notes(notes)
        for kind in ("comments", "comment"):
            for comments in self.package.related(part, kind):
                self._comments(comments)

    def tell(self) -> None:
        """Report what was not read, by kind."""
        if self._links:
            self.document.metadata["links"] = list(self._links)
        for sentence, slides in (*self._unread.items(), *self._left_out.items()):
            self.document.problem(say(sentence, slides=_listed(slides)))

    def _title(self, shapes: Element) -> None:
        """Add the title first, wherever it is in the file."""
        for shape in shapes.iter(f"{_P}sp"):
            if _placeholder(shape) in _TITLES:
                text = " ".join(self._text(shape).split())
                self.document.add(Kind.HEADING, text, page=self._page, level=1, box=_place(shape))

    def _shapes(self, parent: Element) -> None:
        for shape in parent:
            if shape.tag == f"{_MC}AlternateContent":
                choice = shape.find(f"{_MC}Choice")
                self._shapes(shape if choice is None else choice)
            elif _is_hidden(shape):
                if any((text.text or "").strip() for text in shape.iter(f"{_A}t")):
                    self._left_out.setdefault(_UNSEEN, []).append(self._page)
            elif shape.tag in {f"{_P}grpSp", f"{_MC}Fallback"}:
                self._shapes(shape)
            else:
                self._shape(shape)

    def _shape(self, shape: Element) -> None:
        if shape.tag == f"{_P}graphicFrame":
            self._frame(shape)
        elif shape.tag == f"{_P}pic":
            self._picture(shape)
        elif shape.tag == f"{_P}contentPart":
            self._unread.setdefault(_HANDWRITING, []).append(self._page)
        elif shape.tag in {f"{_P}sp", f"{_P}cxnSp"} and _placeholder(shape) not in _TITLES | _CHROME:
            self.document.add(Kind.TEXT, self._text(shape), page=self._page, box=_place(shape))

    def _frame(self, frame: Element) -> None:
        """Read a table, a chart, a diagram, or an object of another program."""
        box = _place(frame)
        table, chart, diagram = (next(frame.iter(tag), None) for tag in (f"{_A}tbl", _CHART, _DIAGRAM))
        if table is not None:
            rows = [[self._text(cell) for cell in row.iter(f"{_A}tc")] for row in table.iter(f"{_A}tr")]
            self.document.add_table(rows, page=self._page, box=box)
        elif chart is not None:
            title, rows = chart_rows(self._target_xml(chart.get(f"{_R}id", "")))
            self.document.add(Kind.TEXT, f"Chart: {title}" if title else "", page=self._page, box=box)
            self.document.add_table(rows, page=self._page, box=box)
            if not rows:
                self._unread.setdefault(_CHART_VALUES, []).append(self._page)
        elif diagram is not None:
            tree = self._target_xml(diagram.get(f"{_R}dm", ""))
            points = (point for point in tree.iter() if point.tag.endswith("}pt")) if tree is not None else ()
            texts = [text for point in points if (text := self._text(point))]
            self.document.add(Kind.TEXT, "\n".join(texts), page=self._page, box=box)
        else:
            self._unread.setdefault(_OBJECT, []).append(self._page)

    def _target_xml(self, relation_id: str) -> Element | None:
        relation = self._relations.get(relation_id)
        return self.package.xml(relation.target) if relation is not None and not relation.external else None

    def _picture(self, shape: Element) -> None:
        about = shape.find(f"{_P}nvPicPr/{_P}cNvPr")
        text = " ".join((about.get("descr") or "").split()) if about is not None else ""
        self.document.add(Kind.IMAGE, f"Picture: {text}" if text else "", page=self._page, box=_place(shape))
        self._unread.setdefault(_MEDIA, []).append(self._page)

    def _notes(self, part: str) -> None:
        tree = self.package.xml(part)
        for shape in tree.iter(f"{_P}sp") if tree is not None else ():
            if _placeholder(shape) not in _CHROME:
                text = self._text(shape)
                self.document.add(Kind.NOTES, f"Speaker notes: {text}" if text else "", page=self._page)

    def _comments(self, part: str) -> None:
        tree = self.package.xml(part)
        for comment in tree.iter() if tree is not None else ():
            if comment.tag.rpartition("}")[2] in {"cm", "reply"}:
                old = "".join(text.text or "" for text in comment if text.tag == f"{_P}text")
                new = " ".join(self._text(body) for body in comment if body.tag.endswith("}txBody"))
                text = old or new
                self.document.add(Kind.TEXT, f"Comment: {text}" if text.strip() else "", page=self._page)

    def _text(self, parent: Element) -> str:
        """Return the paragraphs of a shape or cell as lines; list items are indented as displayed."""
        lines: list[str] = []
        for paragraph in parent.iter(f"{_A}p"):
            properties = paragraph.find(f"{_A}pPr")
            level = properties.get("lvl", "0") if properties is not None else "0"
            text = "".join(self._pieces(paragraph)).strip()
            if text:
                lines.append(f"{'  ' * int(level) if level in _LEVELS else ''}{text}")
        return "\n".join(lines)

    def _pieces(self, paragraph: Element) -> Iterator[str]:
        for run in paragraph:
            if run.tag == f"{_A}br":
                yield "\n"
            elif run.tag in {f"{_A}r", f"{_A}fld"}:
                yield self._run(run)
            else:
                yield from (text.text or "" for text in run.iter(_FORMULA_TEXT))

    def _run(self, run: Element) -> str:
        text = run.findtext(f"{_A}t") or ""
        properties = run.find(f"{_A}rPr")
        size = properties.get("sz", "") if properties is not None else ""
        if size.isdigit() and int(size) <= 200:  # noqa: PLR2004 - two points, in hundredths
            if text.strip():
                self._left_out.setdefault(_UNSEEN, []).append(self._page)
            return ""
        link = properties.find(f"{_A}hlinkClick") if properties is not None else None
        relation = self._relations.get(link.get(f"{_R}id", "")) if link is not None else None
        if relation is None or not relation.external or not text.strip():
            return text
        if len(self._links) < _MOST_LINKS:
            self._links[relation.target] = None
        return text if text.strip() == relation.target else f"[{text.strip()}]({relation.target})"


def _placeholder(shape: Element) -> str:
    """Return the role of a shape on its slide; empty for a freely drawn one."""
    found = shape.find(f"{_P}nvSpPr/{_P}nvPr/{_P}ph")
    return found.get("type", "body") if found is not None else ""


def _is_hidden(shape: Element) -> bool:
    about = next((one for one in shape.findall(f"*/{_P}cNvPr")), None)
    return about is not None and about.get("hidden") in {"1", "true"}


def _place(shape: Element) -> Box | None:
    """Return a shape's place in points; None if the slide's layout decides."""
    place = next((one for tag in (f"{_A}xfrm", f"{_P}xfrm") for one in shape.iter(tag)), None)
    corner, size = (place.find(f"{_A}off"), place.find(f"{_A}ext")) if place is not None else (None, None)
    if corner is None or size is None:
        return None
    try:
        x, y = int(corner.get("x", "")) / _POINT, int(corner.get("y", "")) / _POINT
        return x, y, x + int(size.get("cx", "")) / _POINT, y + int(size.get("cy", "")) / _POINT
    except ValueError:
        return None


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, dict.fromkeys(numbers)))
