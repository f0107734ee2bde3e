"""What the stand-ins for Prometheus and for Loki have in common: queries over HTTP, and selectors of labels."""

import re
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from aiohttp import web

from butler_demo.serving import HttpServer

Json = dict[str, Any]
_LABEL = re.compile(r"\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*")
STRING = re.compile(r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)\s*""")
_AFTER = re.compile(r"(,|\})\s*")
_ESCAPED = re.compile(r"""\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(["'\\abfnrtv]))""")
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


class QueryError(Exception):
    """A refusal with its HTTP status; `kind` is Prometheus's `errorType`."""

    def __init__(self, status: int, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Matcher:
    """One condition on a label; a label that is not there counts as empty."""

    label: str
    operator: str
    value: str

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Return whether labels meet the condition."""
        found = labels.get(self.label, "")
        if self.operator in {"=", "!="}:
            return (found == self.value) is (self.operator == "=")
        return bool(re.fullmatch(self.value, found)) is (self.operator == "=~")


class QuerySyntaxError(ValueError):
    """A query cannot be read; `at` is the place in it, from 0."""

    def __init__(self, at: int, why: str) -> None:
        super().__init__(why)
        self.at = at


def read_matchers(query: str, at: int) -> tuple[list[Matcher], int]:
    """Return the conditions in braces, of which the first opens at `at`, and the place behind them.

    Raises QuerySyntaxError.
    """
    found: list[Matcher] = []
    at += 1
    while True:
        label = _LABEL.match(query, at)
        value = STRING.match(query, label.end()) if label else None
        following = _AFTER.match(query, value.end()) if value else None
        if label is None or value is None or following is None:
            raise QuerySyntaxError(at, "syntax error: unexpected " + (repr(query[at : at + 20]) or "$end"))
        found.append(Matcher(label[1], label[2], text_of(value[1], is_pattern=label[2].endswith("~"))))
        at = following.end()
        if following[1] == "}":
            return found, at


def text_of(literal: str, *, is_pattern: bool) -> str:
    """Return the text that a quoted one stands for; between backquotes nothing is escaped. Raises QuerySyntaxError."""
    text = literal[1:-1] if literal[0] == "`" else _ESCAPED.sub(_meant, literal[1:-1])
    if is_pattern:
        try:
            re.compile(text)
        except re.error as error:
            raise QuerySyntaxError(0, f"error parsing regexp: {error.msg}") from None
    return text


def _meant(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else _ESCAPES.get(match[3], match[3])


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call of the API by whoever may, with why it was refused."""

    at: datetime
    path: str
    parameters: Mapping[str, str]
    error: str = ""


class QueryServer(HttpServer, ABC):
    """A stand-in that answers queries with JSON."""

    def __init__(self, now: Callable[[], datetime], token: str) -> None:
        """With a `token`, whoever does not bear it gets 401, as from a proxy."""
        super().__init__()
        self._now = now
        self._token = token
        self.calls: deque[CallRecord] = deque(maxlen=1_000)
        """Those that were answered, oldest first."""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer a query."""
        if self._token and request.headers.get("Authorization") != f"Bearer {self._token}":
            return self.refusal(QueryError(401, "Unauthorized"))
        given = await request.post() if request.method == "POST" else request.query
        parameters = {key: str(value) for key, value in given.items()}
        try:
            data = self.answer(request, parameters)
        except QueryError as error:
            self.calls.append(CallRecord(self._now(), request.path, parameters, error.message))
            return self.refusal(error)
        self.calls.append(CallRecord(self._now(), request.path, parameters))
        return web.json_response({"status": "success", "data": data})

    @abstractmethod
    def answer(self, request: web.Request, parameters: Mapping[str, str]) -> Json:
        """Return the data of an answer. Raises QueryError."""

    def refusal(self, error: QueryError) -> web.Response:
        """Return the answer to what is refused: plain text."""
        headers = {"X-Content-Type-Options": "nosniff"}
        return web.Response(status=error.status, text=f"{error.message}\n", headers=headers)
