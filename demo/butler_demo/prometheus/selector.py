"""Selectors such as `up{job="node",instance=~"nuc.*"}`, and numbers: all of PromQL that the stand-in knows."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from butler_demo.queries import Matcher, QueryError, QuerySyntaxError, read_matchers

_NAME = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)?\s*")
_NOTHING = re.compile(r"\{\s*\}")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True, slots=True)
class Selector:
    """All conditions have to hold."""

    matchers: tuple[Matcher, ...]

    def picks(self, labels: Mapping[str, str]) -> bool:
        return all(matcher.holds(labels) for matcher in self.matchers)


def bad_data(parameter: str, why: str) -> QueryError:
    """A parameter that is missing or cannot be used."""
    return QueryError(400, f'invalid parameter "{parameter}": {why}', "bad_data")


def parse(query: str) -> Selector | float:
    """What a query asks for. Raises QueryError, also for what only the real one knows."""
    text = query.strip()
    if _NUMBER.fullmatch(text):
        return float(text)
    try:
        matchers = _read(text)
    except QuerySyntaxError as error:
        why = f"unexpected {query[:100]!r}: this stand-in knows selectors and numbers only ({error})"
        raise bad_data("query", f"1:{error.at + 1}: parse error: {why}") from error
    if all(matcher.holds({}) for matcher in matchers):
        why = "vector selector must contain at least one non-empty matcher" if text else "no expression found in input"
        raise bad_data("query", f"1:1: parse error: {why}")
    return Selector(tuple(matchers))


def _read(text: str) -> list[Matcher]:
    name = _NAME.match(text)
    at = name.end() if name else 0
    matchers = [Matcher("__name__", "=", name[1])] if name and name[1] else []
    if text[at:] and not _NOTHING.fullmatch(text, at):
        if text[at] != "{":
            raise QuerySyntaxError(at, "syntax error")
        more, at = read_matchers(text, at)
        if text[at:]:
            raise QuerySyntaxError(at, "syntax error")
        matchers += more
    return matchers
