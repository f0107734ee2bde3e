"""Selectors such as `up{job="node",instance=~"nuc.*"}`, and numbers: all of PromQL that the stand-in knows."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from butler_demo.prometheus.errors import PrometheusError, bad_data

_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_LABEL = re.compile(r"\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*")
_STRING = re.compile(r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)\s*""")
_NEXT = re.compile(r"(,?)\s*")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_ESCAPED = re.compile(r"""\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(["'\\abfnrtv]))""")
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


@dataclass(frozen=True, slots=True)
class Matcher:
    """One condition on a label; a label that is not there counts as empty."""

    label: str
    operator: str
    value: str

    def holds(self, found: str) -> bool:
        if self.operator in {"=", "!="}:
            return (found == self.value) is (self.operator == "=")
        return bool(re.fullmatch(self.value, found)) is (self.operator == "=~")


@dataclass(frozen=True, slots=True)
class Selector:
    """All conditions have to hold."""

    matchers: tuple[Matcher, ...]

    def picks(self, labels: Mapping[str, str]) -> bool:
        return all(matcher.holds(labels.get(matcher.label, "")) for matcher in self.matchers)


def parse(query: str) -> Selector | float:
    """What a query asks for. Raises `PrometheusError`, also for what only the real one knows."""
    text = query.strip()
    if not text:
        raise not_parsed("unknown position", "no expression found in input")
    if _NUMBER.fullmatch(text):
        return float(text)
    name = _NAME.match(text)
    matchers = [Matcher("__name__", "=", name[0])] if name else []
    rest = text[name.end() :].strip() if name else text
    if rest:
        matchers += _matchers(rest, query)
    if all(matcher.holds("") for matcher in matchers):
        raise not_parsed("1:1", "vector selector must contain at least one non-empty matcher")
    return Selector(tuple(matchers))


def _matchers(text: str, query: str) -> list[Matcher]:
    if not (text.startswith("{") and text.endswith("}")):
        raise _unknown(query)
    inner, found, at = text[1:-1], list[Matcher](), 0
    while inner[at:].strip():
        label = _LABEL.match(inner, at)
        value = _STRING.match(inner, label.end()) if label else None
        following = _NEXT.match(inner, value.end()) if value else None
        if label is None or value is None or following is None:
            raise _unknown(query)
        at = following.end()
        if not following[1] and inner[at:].strip():
            raise _unknown(query)
        found.append(_matcher(label[1], label[2], unquoted(value[1])))
    return found


def _matcher(label: str, operator: str, value: str) -> Matcher:
    if operator.endswith("~"):
        try:
            re.compile(value)
        except re.error as error:
            raise not_parsed("1:1", f"error parsing regexp: {error.msg}") from None
    return Matcher(label, operator, value)


def unquoted(literal: str) -> str:
    """The text that a quoted one stands for; between backquotes nothing is escaped."""
    inner = literal[1:-1]
    if literal[0] == "`":
        return inner
    return _ESCAPED.sub(_meant, inner)


def _meant(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else _ESCAPES.get(match[3], match[3])


def not_parsed(place: str, why: str) -> PrometheusError:
    return bad_data("query", f"{place}: parse error: {why}")


def _unknown(query: str) -> PrometheusError:
    return not_parsed("1:1", f"unexpected {query[:100]!r}: this stand-in knows selectors and numbers only")
