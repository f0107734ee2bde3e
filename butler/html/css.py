# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
"""Parses CSS with tinycss2 into declarations whose values are plain records."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

_LONGEST_STYLE = 16_000
"""Characters of a `style` attribute."""
_HUGE = re.compile(r"\d{300,}")
"""More digits than tinycss2 can convert."""
_DEEPEST = 8
"""Levels of nested functions."""
_READ = frozenset(
    {"display", "visibility", "content-visibility", "opacity", "filter", "mso-hide", "float", "position", "transform"}
    | {"left", "top", "right", "bottom", "margin-left", "margin-top", "text-indent", "scale", "clip", "clip-path"}
    | {"height", "width", "max-height", "max-width", "overflow", "overflow-x", "overflow-y", "font", "font-size"}
    | {"color", "-webkit-text-fill-color", "text-shadow", "-webkit-text-stroke", "background-clip"}
    | {"-webkit-background-clip", "background", "background-color", "background-image"}
)
"""Properties that decide whether text is visible, and where; others are dropped."""


@dataclass(frozen=True, slots=True)
class Component:
    """One component of a value."""

    text: str
    """Serialized, in lower case."""
    number: float | None = None
    unit: str = ""
    """The unit of a number, such as `px` or `%`."""
    function: str = ""
    """The name of a function."""
    arguments: tuple["Component", ...] = ()
    """Arguments of a function, commas included."""


Value = tuple[Component, ...]
Style = Mapping[str, Value]
"""Properties, in lower case, and their values."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declaration of a style."""

    name: str
    value: Value
    important: bool = False


def text_of(value: Value) -> str:
    """Serialize a value, in lower case."""
    return " ".join(word.text for word in value)


def declarations_of(style: str) -> tuple[Declaration, ...]:
    """Parse a `style` attribute; properties that do not affect visibility are dropped."""
    return _declarations_of(style[:_LONGEST_STYLE])


@lru_cache(maxsize=2_048)
def _declarations_of(style: str) -> tuple[Declaration, ...]:
    # Most styles recur, in the same mail or the next.
    return tuple(declared(parse_block(style)))


def parse_sheet(sheet: str) -> list[Any]:
    """Parse a style sheet into nodes of tinycss2."""
    return _library().parse_stylesheet(_HUGE.sub(_shortened, sheet), skip_comments=True, skip_whitespace=True)


def parse_block(content: str | Iterable[Any]) -> list[Any]:
    """Parse the contents of a block, or of a `style` attribute, into nodes of tinycss2."""
    text = _HUGE.sub(_shortened, content) if isinstance(content, str) else content
    return _library().parse_blocks_contents(text, skip_comments=True, skip_whitespace=True)


def parse_value(text: str) -> Value:
    """Parse a value; empty for an invalid one."""
    return _value(_library().parse_component_value_list(_HUGE.sub(_shortened, text), skip_comments=True)) or ()


def declared(nodes: Iterable[Any]) -> Iterator[Declaration]:
    """Yield the declarations among nodes, with custom properties, and with shorthands expanded."""
    for node in nodes:
        if node.type != "declaration" or not (node.lower_name in _READ or node.lower_name.startswith("--")):
            continue
        if value := _value(node.value):
            yield from expand_shorthand(Declaration(node.lower_name, value, node.important))


def expand_shorthand(said: Declaration) -> Iterator[Declaration]:
    """Yield a declaration, or the declarations that a shorthand stands for."""
    if any(word.function == "var" for word in said.value):
        yield said
    elif said.name == "font":
        if size := _size_in(said.value):
            yield Declaration("font-size", size, said.important)
    elif said.name == "background":
        pictures = tuple(word for word in said.value if "url" in word.function or "gradient" in word.function)
        yield Declaration("background-image", pictures, said.important)
        yield Declaration("background-color", said.value, said.important)
    else:
        yield said


def _size_in(font: Value) -> Value:
    """Return the size in a `font`: the last number before the line height; a weight precedes it."""
    slash = next((at for at, word in enumerate(font) if word.text == "/"), len(font))
    return tuple(word for word in font[:slash] if word.number is not None)[-1:]


def serialized(nodes: Iterable[Any]) -> str:
    """Serialize nodes; empty for invalid or too deeply nested ones."""
    try:
        return _library().serialize(nodes).strip()
    except (RecursionError, TypeError):
        return ""


@cache
def _library() -> Any:
    import tinycss2  # noqa: PLC0415 - many mails and pages have no style

    return tinycss2


def _value(nodes: Iterable[Any], depth: int = 0) -> Value | None:
    """Return None for an invalid value."""
    words: list[Component] = []
    for node in nodes:
        if node.type in {"whitespace", "comment"}:
            continue
        if node.type == "error" or depth > _DEEPEST or (word := _word(node, depth)) is None:
            return None
        words.append(word)
    return tuple(words)


def _word(node: Any, depth: int) -> Component | None:
    if node.type == "function":
        arguments = _value(node.arguments, depth + 1)
        if arguments is None:
            return None
        return Component(f"{node.lower_name}({text_of(arguments)})", None, "", node.lower_name, arguments)
    if node.type == "url":
        return Component("url()", None, "", "url")
    text = serialized([node])
    if node.type in {"number", "percentage", "dimension"}:
        unit = node.lower_unit if node.type == "dimension" else "%" if node.type == "percentage" else ""
        return Component(text.lower(), node.value, unit)
    return Component(text.lower()) if text else None


def _shortened(digits: re.Match[str]) -> str:
    return digits[0][:300]
