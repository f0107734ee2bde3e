"""Meilisearch's filter language as far as the stand-in goes: comparisons, IN, NOT IN; a list of them is all of them."""

import operator
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, cast

Json = dict[str, Any]
_TOKEN = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(!=|<=|>=|[=<>\[\],])|([\w./-]+))""")
_SIGNS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class FilterError(Exception):
    """What is wrong with a filter, in Meilisearch's words."""


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    sign: bool = False


def passes(document: Json, filters: list[str], filterable: Collection[str]) -> bool:
    """Whether all expressions hold of a document; raises `FilterError` even where none would be asked."""
    return all([_holds(document, expression, filterable) for expression in filters])  # noqa: C419 - each is checked


def _holds(document: Json, expression: str, filterable: Collection[str]) -> bool:
    field, sign, values = _read(expression)
    if field not in filterable:
        known = ", ".join(f"`{name}`" for name in sorted(filterable))
        raise FilterError(
            f"Attribute `{field}` is not filterable. Available filterable attributes patterns are: {known}.\n"
            f"1:{len(field) + 1} {expression}"
        )
    held = _values(document, field.split("."))
    if sign in {"!=", "NOT IN"}:
        return not any(_same(one, wanted) for one in held for wanted in values)
    if sign in {"=", "IN"}:
        return any(_same(one, wanted) for one in held for wanted in values)
    return any(_ordered(one, sign, values[0]) for one in held)


def _read(expression: str) -> tuple[str, str, list[str]]:
    tokens = _tokens(expression)
    words = [token.text if token.sign or token.text in {"IN", "NOT"} else "" for token in tokens]
    match words:
        case ["", sign, ""] if sign in _SIGNS:
            return tokens[0].text, sign, [tokens[2].text]
        case ["", "IN", "[", *inner, "]"]:
            return tokens[0].text, "IN", _listed(tokens[3:-1], inner)
        case ["", "NOT", "IN", "[", *inner, "]"]:
            return tokens[0].text, "NOT IN", _listed(tokens[4:-1], inner)
        case _:
            raise FilterError(
                f"Was expecting an operation `=`, `!=`, `>=`, `>`, `<=`, `<`, `IN` or `NOT IN` at `{expression}`."
            )


def _listed(tokens: list[_Token], words: list[str]) -> list[str]:
    if words[1::2] != [","] * (len(words) // 2) or any(words[::2]) or len(words) % 2 == 0:
        raise FilterError("Expected only comma-separated field names inside `IN[..]`.")
    return [token.text for token in tokens[::2]]


def _tokens(expression: str) -> list[_Token]:
    found: list[_Token] = []
    at, end = 0, len(expression.rstrip())
    while at < end:
        match = _TOKEN.match(expression, at)
        if match is None:
            raise FilterError(f"Found unexpected characters at the end of the filter: `{expression[at:]}`.")
        double, single, sign, word = match.groups()
        quoted = double if double is not None else single
        text = re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else sign or word
        found.append(_Token(text, sign is not None))
        at = match.end()
    return found


def _values(held: Any, path: list[str]) -> list[Any]:
    if isinstance(held, list):
        return [found for one in cast("list[Any]", held) for found in _values(one, path)]
    if not path:
        return [held]
    document = cast("Json", held) if isinstance(held, dict) else {}
    return _values(document[path[0]], path[1:]) if path[0] in document else []


def _same(held: Any, wanted: str) -> bool:
    """A number equals what reads as that number; a text does without regard to case."""
    if isinstance(held, bool):
        return str(held).lower() == wanted.lower()
    if isinstance(held, (int, float)):
        number = _number(wanted)
        return number is not None and number == held
    return str(held).lower() == wanted.lower()


def _ordered(held: Any, sign: str, wanted: str) -> bool:
    number = _number(wanted)
    if number is not None and isinstance(held, (int, float)) and not isinstance(held, bool):
        return _SIGNS[sign](held, number)
    return number is None and isinstance(held, str) and _SIGNS[sign](held.lower(), wanted.lower())


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
