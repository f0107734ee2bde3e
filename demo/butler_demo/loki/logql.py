"""Log queries such as `{unit="backup.service"} |= "rsync" !~ "(?i)done"`: all of LogQL that the stand-in knows."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from butler_demo.queries import STRING, Matcher, QueryError, QuerySyntaxError, read_matchers, text_of

_FILTER = re.compile(r"(\|=|!=|\|~|!~)\s*")
_UNKNOWN = "syntax error: this stand-in knows selectors and line filters only"


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
        return all(matcher.holds(labels) for matcher in self.matchers)

    def takes(self, line: str) -> bool:
        return all(condition.holds(line) for condition in self.filters)


def parse(query: str) -> LogQuery:
    """What a query asks for. Raises QueryError, also for what only the real one knows."""
    try:
        parsed = _read(query.strip())
    except QuerySyntaxError as error:
        raise QueryError(400, f"parse error at line 1, col {error.at + 1}: {error}") from error
    if all(matcher.holds({}) or matcher.operator.startswith("!") for matcher in parsed.matchers):
        said = "queries require at least one regexp or equality matcher that does not have an empty-compatible value"
        raise QueryError(400, f"parse error : {said}")
    return parsed


def _read(query: str) -> LogQuery:
    if not query.startswith("{"):
        raise QuerySyntaxError(0, _UNKNOWN if query else "syntax error: unexpected $end")
    matchers, at = read_matchers(query, 0)
    filters: list[LineFilter] = []
    while query[at:]:
        operator = _FILTER.match(query, at)
        value = STRING.match(query, operator.end()) if operator else None
        if operator is None or value is None:
            raise QuerySyntaxError(at, _UNKNOWN)
        text = text_of(value[1], is_pattern=operator[1].endswith("~"))
        filters.append(LineFilter(operator[1], text))
        at = value.end()
    return LogQuery(tuple(matchers), tuple(filters))
