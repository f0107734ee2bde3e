"""Drive's search language, as far as Butler speaks it: `name contains 'x' and trashed = false`.

Other terms of the language are answered with an error of the stand-in's own.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

from butler_demo.drive.store import StoredFile
from butler_demo.google.errors import GoogleError, invalid_value, not_in_stand_in

Predicate: TypeAlias = Callable[[StoredFile], bool]

_TOKEN = re.compile(r"""\s*((?P<text>'(?:[^'\\]|\\.)*')|<=|>=|!=|[=<>(){}]|[A-Za-z][\w.]*)""", re.DOTALL)


def parse_query(text: str) -> Predicate:
    """Parse a query. Raises GoogleError 400 for one that is malformed, 501 for what is not here."""
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)

    def whole(self) -> Predicate:
        matches = self._any_of()
        if self._tokens:
            raise _invalid()
        return matches

    def _any_of(self) -> Predicate:
        terms = [self._all_of()]
        while self._take_if("or"):
            terms.append(self._all_of())
        return lambda file: any(term(file) for term in terms)

    def _all_of(self) -> Predicate:
        terms = [self._term()]
        while self._take_if("and"):
            terms.append(self._term())
        return lambda file: all(term(file) for term in terms)

    def _term(self) -> Predicate:
        if self._take_if("("):
            inner = self._any_of()
            if not self._take_if(")"):
                raise _invalid()
            return inner
        first, sign, last = self._take(), self._take(), self._take()
        if (sign, last) == ("in", "parents"):
            folder = _string(first)
            return lambda file: folder in file.parents
        if (first, sign) == ("trashed", "=") and last in ("true", "false"):
            return lambda _: last == "false"  # nothing here is ever in the trash
        match first, sign:
            case "name", "contains":
                begins = re.compile(r"(?<!\w)" + re.escape(_string(last).casefold()))
                return lambda file: begins.search(file.name.casefold()) is not None
            case "fullText", "contains":
                words = set(_words(_string(last)))
                return lambda file: words <= _held(file)
            case "modifiedTime", ">":
                moment = _moment(_string(last))
                return lambda file: file.modified.replace(microsecond=0) > moment
            case _:
                raise not_in_stand_in(f"the query term {first} {sign}")

    def _take_if(self, wanted: str) -> bool:
        if self._tokens and self._tokens[0] == wanted:
            self._take()
            return True
        return False

    def _take(self) -> str:
        return self._tokens.pop(0) if self._tokens else ""


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    place = 0
    text = text.rstrip()
    while place < len(text):
        found = _TOKEN.match(text, place)
        if not found:
            raise _invalid()
        tokens.append(found[1])
        place = found.end()
    return tokens


def _invalid() -> GoogleError:
    return invalid_value("q")


def _string(token: str) -> str:
    if len(token) < len("''") or not token.startswith("'"):
        raise _invalid()
    return re.sub(r"\\(.)", r"\1", token[1:-1])


def _moment(value: str) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
    except ValueError as error:
        raise _invalid() from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _held(file: StoredFile) -> set[str]:
    content = file.content if file.content is not None and file.type.startswith("text/") else b""
    content = file.exports.get("text/plain", content)
    return set(_words(f"{file.name} {content.decode(errors='replace')}"))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
