"""Parses style sheets into the rules that apply in a browser window of common size, and computes the cascade.

The HTML parser matches the selectors.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from butler.html.css import (
    Declaration,
    Style,
    Value,
    declared,
    expand_shorthand,
    parse_block,
    parse_sheet,
    parse_value,
    serialized,
    text_of,
)

_LONGEST_SHEET = 400_000
"""Characters."""
_MOST_RULES = 400
_MOST_STEPS, _LONGEST_SELECTOR, _DEEPEST = 8, 300, 4
_WINDOW: Mapping[str, float] = {"width": 1280, "height": 800}
"""Pixels."""
_STEP = re.compile(r"[>+~]|(?<=[^\s>+~,(])\s+(?=[^\s>+~,)])")
_HARD = re.compile(r":has\(", re.IGNORECASE)
_ALWAYS = frozenset({"layer", "supports", "scope", "starting-style"})
"""At-rules whose contents always apply; of all others, only those of `@media` may."""
_CONDITION = re.compile(r"(?:(min|max)-)?(width|height):([\d.]+)(px|em|rem)")
_COUNTED = (
    re.compile(r"#[\w-]"),
    re.compile(r"\.[\w-]|\[|(?<!:):(?!(?:is|not|has|where|before|after)\b)[\w-]"),
    re.compile(r"(?:(?<=^)|(?<=[\s>+~,(]))[a-zA-Z]"),
)
"""Ids, classes and their like, and tags of a selector."""
_WHERE = re.compile(r":where\([^()]*\)", re.IGNORECASE)
_LONGEST_LIST = 4_000
_LONGEST_FILLED = 1_000
"""Characters of a value after its variables are substituted."""
_VAR = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*(?:\([^()]*\)[^()]*)*))?\)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rule:
    """A selector and its declarations."""

    selector: str
    declared: tuple[Declaration, ...]
    specificity: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Stylesheets:
    """The rules of a page that affect visibility, and its custom properties."""

    rules: tuple[Rule, ...]
    values: Mapping[str, Value]


def parse_stylesheets(sheets: Iterable[str]) -> Stylesheets:
    """Parse all style sheets of a page, in order."""
    rules: list[Rule] = []
    values: dict[str, Value] = {}
    for sheet in sheets:
        for selector, declarations in _blocks(parse_sheet(sheet[:_LONGEST_SHEET]), "", 0):
            values.update(_custom(declarations))
            telling = tuple(one for one in declarations if not one.name.startswith("--"))
            for one in _split(selector) if telling else ():
                if len(rules) < _MOST_RULES and _is_followed(one):
                    rules.append(Rule(one, telling, _specificity(one)))
    return Stylesheets(tuple(rules), values)


def cascade(rules: Iterable[tuple[int, Rule]], own: Iterable[Declaration], values: Mapping[str, Value]) -> Style:
    """Compute the style of a node from its matching rules, each with its order, and its own declarations.

    Importance ranks highest, then the node's own declarations, specificity, and order.
    """
    own = tuple(own)
    values = {**values, **_custom(own)}
    ranked = [
        ((declaration.important, 0, *rule.specificity, order), declaration)
        for order, rule in rules
        for declaration in rule.declared
    ] + [((declaration.important, 1, 0, 0, 0, order), declaration) for order, declaration in enumerate(own)]
    ranked.sort(key=lambda one: one[0])
    return {one.name: one.value for _, declaration in ranked for one in _substituted(declaration, values)}


def _custom(said: Iterable[Declaration]) -> dict[str, Value]:
    return {one.name: one.value for one in said if one.name.startswith("--")}


def _blocks(nodes: Iterable[Any], outer: str, depth: int) -> Iterator[tuple[str, tuple[Declaration, ...]]]:
    """Yield selector and declarations of each block that applies, nested ones included."""
    if outer and (declarations := tuple(declared(nodes := list(nodes)))):
        yield outer, declarations
    for node in nodes if depth < _DEEPEST else ():
        if node.type == "qualified-rule":
            if inner := _within(serialized(node.prelude), outer):
                yield from _blocks(parse_block(node.content), inner, depth + 1)
        elif node.type == "at-rule" and node.content is not None and _applies(node):
            yield from _blocks(parse_block(node.content), outer, depth + 1)


def _within(selector: str, outer: str) -> str:
    """Combine the selector of a nested rule with the outer one; empty for one that is too long."""
    if len(selector) + max(1, selector.count("&")) * len(outer) > _LONGEST_LIST and outer:
        return ""
    if "&" in selector:
        return selector.replace("&", f":is({outer})")
    return f":is({outer}) :is({selector})" if outer and selector else selector


def _applies(rule: Any) -> bool:
    """Return whether the contents of an at-rule apply on a screen."""
    if rule.lower_at_keyword != "media":
        return rule.lower_at_keyword in _ALWAYS
    return any(_is_met(one) for one in _split(serialized(rule.prelude).lower()))


def _is_met(query: str) -> bool:
    """Return whether a media query matches a screen with a window of common size."""
    for word in re.sub(r"\s*([:)(])\s*", r"\1", query).replace("(", " (").split():
        condition = _CONDITION.fullmatch(word.strip("()"))
        if condition is None:
            if word not in {"and", "only", "all", "screen"}:
                return False
            continue
        limit, side, number, unit = condition.groups()
        size = float(number) * (1 if unit == "px" else 16)
        if (limit == "min" and _WINDOW[side] < size) or (limit == "max" and _WINDOW[side] > size):
            return False
    return True


def _split(selectors: str) -> Iterator[str]:
    """Split at commas outside of brackets."""
    depth = start = 0
    for at, char in enumerate(selectors):
        depth += (char in "([") - (char in ")]")
        if char == "," and not depth:
            yield selectors[start:at].strip()
            start = at + 1
    yield selectors[start:].strip()


def _is_followed(selector: str) -> bool:
    return (
        bool(selector)
        and len(selector) <= _LONGEST_SELECTOR
        and len(_STEP.findall(selector)) < _MOST_STEPS
        and len(_HARD.findall(selector)) <= 1
    )


def _specificity(selector: str) -> tuple[int, int, int]:
    """Estimate the specificity: `:is()` and the like count in full, `:where()` not at all."""
    plain = _WHERE.sub("", selector)
    ids, classes, tags = (len(one.findall(plain)) for one in _COUNTED)
    return ids, classes, tags


def _substituted(said: Declaration, values: Mapping[str, Value]) -> Iterable[Declaration]:
    """Substitute the variables in a declaration."""
    if not any("var(" in word.text for word in said.value):
        return (said,)
    text = text_of(said.value)
    for _ in range(_DEEPEST):
        text = _VAR.sub(lambda one: text_of(values[one[1]]) if one[1] in values else one[2] or "", text)
        if "var(" not in text or len(text) > _LONGEST_FILLED:
            break
    return expand_shorthand(Declaration(said.name, parse_value(text[:_LONGEST_FILLED]), said.important))
