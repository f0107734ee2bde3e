"""Log queries such as `{unit="backup.service"} |= "rsync" !~ "(?i)done"`: all of LogQL that the stand-in knows."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from butler_demo.loki.errors import LokiError, not_parsed
from butler_demo.prometheus.selector import Matcher, unquoted

_SPACE = re.compile(r"\s*")
_LABEL = re.compile(r"([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*")
_FILTER = re.compile(r"(\|=|!=|\|~|!~)\s*")
_STRING = re.compile(r'("(?:[^"\\\n]|\\.)*"|`[^`]*`)\s*')
_AFTER = re.compile(r"(,|\})\s*")


@dataclass(frozen=True, slots=True)
class LineFilter:
    """One condition on a line: whether a text or a pattern stands in it."""

    operator: str
    value: str

    def holds(self, line: str) -> bool:
        there = self.value in line if self.operator in {"|=", "!="} else bool(re.search(self.value, line))
        return there is self.operator.startswith("|")


@dataclass(frozen=True, slots=True)
class LogQuery:
    """Which streams, and which of their lines."""

    matchers: tuple[Matcher, ...]
    filters: tuple[LineFilter, ...]

    def picks(self, labels: Mapping[str, str]) -> bool:
        return all(matcher.holds(labels.get(matcher.label, "")) for matcher in self.matchers)

    def takes(self, line: str) -> bool:
        return all(condition.holds(line) for condition in self.filters)


def parse(query: str) -> LogQuery:
    """What a query asks for. Raises `LokiError`, also for what only the real one knows."""
    at = _after(_SPACE, query, 0)
    if not query[at:]:
        raise not_parsed(at, "syntax error: unexpected $end")
    if query[at] != "{":
        raise not_parsed(at, "syntax error: this stand-in knows selectors and line filters only")
    matchers, at = _matchers(query, _after(_SPACE, query, at + 1))
    if all(matcher.holds("") or matcher.operator.startswith("!") for matcher in matchers):
        said = "queries require at least one regexp or equality matcher that does not have an empty-compatible value"
        raise LokiError(400, f"parse error : {said}")
    filters: list[LineFilter] = []
    while query[at:]:
        operator = _FILTER.match(query, at)
        value = _STRING.match(query, operator.end()) if operator else None
        if operator is None or value is None:
            raise not_parsed(at, "syntax error: this stand-in knows selectors and line filters only")
        filters.append(LineFilter(operator[1], _checked(operator[1], unquoted(value[1]))))
        at = value.end()
    return LogQuery(tuple(matchers), tuple(filters))


def _matchers(query: str, at: int) -> tuple[list[Matcher], int]:
    found: list[Matcher] = []
    while True:
        label = _LABEL.match(query, at)
        value = _STRING.match(query, label.end()) if label else None
        after = _AFTER.match(query, value.end()) if value else None
        if label is None or value is None or after is None:
            raise not_parsed(at, "syntax error: unexpected " + (repr(query[at : at + 20]) or "$end"))
        found.append(Matcher(label[1], label[2], _checked(label[2], unquoted(value[1]))))
        at = after.end()
        if after[1] == "}":
            return found, at


def _checked(operator: str, value: str) -> str:
    if operator.endswith("~"):
        try:
            re.compile(value)
        except re.error as error:
            raise LokiError(400, f"parse error : error parsing regexp: {error.msg}") from None
    return value


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at
