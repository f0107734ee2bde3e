"""The styles of a Word file: which paragraphs are headings or lists, and which text is hidden."""

from dataclasses import dataclass, field, replace
from xml.etree.ElementTree import Element

from butler.agents.parser.package import Package

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TINY = 4
"""Half points."""
_LOWEST = 6
_OFF = frozenset({"0", "false", "off"})


@dataclass(frozen=True, slots=True)
class Style:
    """The properties of a paragraph."""

    level: int = 0
    """The level of a heading, 0 for any other paragraph."""
    listed: int = 0
    """The nesting in lists, 0 for a paragraph outside of lists."""
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Styles:
    """Styles by id."""

    by_id: dict[str, Style] = field(default_factory=dict[str, Style])

    def of(self, paragraph: Element) -> Style:
        """Return the style of a paragraph, including its direct formatting."""
        properties = paragraph.find(f"{W}pPr")
        if properties is None:
            return Style()
        return _said(properties, self.by_id.get(_value(properties, "pStyle"), Style()))


def styles_of(package: Package, main: str) -> Styles:
    """Return the styles of a file, with inherited properties."""
    found: dict[str, Style] = {}
    elements: dict[str, Element] = {}
    for part in package.related(main, "styles"):
        tree = package.xml(part)
        for style in tree.iter(f"{W}style") if tree is not None else ():
            elements[style.get(f"{W}styleId", "")] = style

    def resolve(name: str, depth: int = 0) -> Style:
        element = elements.get(name)
        if element is None or depth > len(elements):
            return Style()
        if name not in found:
            base = resolve(_value(element, "basedOn"), depth + 1)
            found[name] = _named(element, base)
        return found[name]

    for name in elements:
        resolve(name)
    return Styles(found)


def _named(element: Element, base: Style) -> Style:
    name = _value(element, "name").lower()
    level = base.level
    if name == "title":
        level = 1
    elif name.startswith("heading ") and name.removeprefix("heading ").isdigit():
        level = min(int(name.removeprefix("heading ")), _LOWEST)
    listed = 1 if name.startswith("list ") and "paragraph" not in name else base.listed
    hidden = base.hidden or is_on(element.find(f"{W}rPr/{W}vanish"))
    properties = element.find(f"{W}pPr")
    style = Style(level, listed, hidden)
    return _said(properties, style) if properties is not None else style


def _said(properties: Element, style: Style) -> Style:
    outline = _value(properties, "outlineLvl")
    if outline.isdigit():
        style = replace(style, level=int(outline) + 1 if int(outline) < _LOWEST else 0)
    numbering = properties.find(f"{W}numPr")
    if numbering is not None:
        depth = _value(numbering, "ilvl")
        style = replace(style, listed=0 if _value(numbering, "numId") == "0" else int(depth or 0) % 10 + 1)
    return style


def is_hidden(run: Element, about: Element | None, styles: Styles, *, on_ground: bool) -> bool:
    """Return whether a run is hidden: marked as such, tiny, or white on an unshaded ground.

    `about` holds its paragraph's own properties.
    """
    properties = run.find(f"{W}rPr")
    own = properties.find(f"{W}vanish") if properties is not None else None
    if own is not None:
        return is_on(own)
    named = [_value(properties, "rStyle")] if properties is not None else []
    if about is not None:
        named.append(_value(about, "pStyle"))
    if any(styles.by_id.get(name, Style()).hidden for name in named):
        return True
    if properties is None:
        return False
    size = _value(properties, "sz")
    if size.isdigit() and int(size) <= _TINY:
        return True
    on_ground = on_ground or _has_ground(properties) or (about is not None and about.find(f"{W}shd") is not None)
    return _value(properties, "color").upper() == "FFFFFF" and not on_ground


def _has_ground(properties: Element) -> bool:
    return any(properties.find(f"{W}{name}") is not None for name in ("shd", "highlight"))


def is_on(element: Element | None) -> bool:
    """Return whether a switch is present and not set to off."""
    return element is not None and element.get(f"{W}val", "1") not in _OFF


def _value(parent: Element, name: str) -> str:
    element = parent.find(f"{W}{name}")
    return element.get(f"{W}val", "") if element is not None else ""
