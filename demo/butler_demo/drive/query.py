"""Drive's search language: comparisons joined by `and`, `or` and `not` (`name contains 'x' and trashed = false`)."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

from butler_demo.drive.cabinet import Cabinet
from butler_demo.drive.records import StoredFile
from butler_demo.google.errors import GoogleError, invalid_value, not_in_stand_in

Predicate: TypeAlias = Callable[[StoredFile], bool]

_TOKEN = re.compile(
    r"""\s*(?:(?P<text>'(?:[^'\\]|\\.)*')|(?P<sign><=|>=|!=|[=<>(){}])|(?P<word>[A-Za-z][\w.]*))""", re.DOTALL
)
_TIMES: dict[str, Callable[[StoredFile], datetime]] = {
    "modifiedTime": lambda file: file.modified,
    "createdTime": lambda file: file.created,
}
_ORDERS: dict[str, Callable[[datetime, datetime], bool]] = {
    "=": lambda held, asked: held == asked,
    "!=": lambda held, asked: held != asked,
    "<": lambda held, asked: held < asked,
    "<=": lambda held, asked: held <= asked,
    ">": lambda held, asked: held > asked,
    ">=": lambda held, asked: held >= asked,
}
_PEOPLE = {"owners": ("owner",), "writers": ("writer", "owner"), "readers": ("reader", "commenter", "writer", "owner")}
_NOT_HERE = ("viewedByMeTime", "visibility", "shortcutDetails.targetId", "memberCount", "labels")


def parse_query(text: str, cabinet: Cabinet, address: str) -> Predicate:
    """Parse a query of the account. Raises GoogleError 400 for one that is malformed, 501 for what is not here."""
    if not text.strip():
        return lambda _: True
    return _Parser(text, cabinet, address).whole()


class _Parser:
    def __init__(self, text: str, cabinet: Cabinet, address: str) -> None:
        self._tokens = _tokens(text)
        self._place = 0
        self._cabinet = cabinet
        self._address = address

    def whole(self) -> Predicate:
        matches = self._any_of()
        if self._peek():
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
        if self._take_if("not"):
            inner = self._term()
            return lambda file: not inner(file)
        if self._take_if("("):
            inner = self._any_of()
            self._expect(")")
            return inner
        if self._peek().startswith("'"):
            value = _string(self._take())
            self._expect("in")
            return self._within(value, self._take())
        return self._comparison(self._take())

    def _within(self, value: str, group: str) -> Predicate:
        if group == "parents":
            folder = self._cabinet.root_of(self._address) if value == "root" else value
            return lambda file: folder in file.parents
        if group not in _PEOPLE:
            raise _invalid()
        wanted = self._address if value == "me" else value.lower()
        roles = _PEOPLE[group]
        return lambda file: any(p.email == wanted and p.role in roles for p in file.permissions.values())

    def _comparison(self, field: str) -> Predicate:
        if field in _NOT_HERE:
            raise not_in_stand_in(f"the query term {field}")
        if field in ("trashed", "starred", "sharedWithMe"):
            return self._flag(field)
        if field in ("properties", "appProperties"):
            return self._property(field)
        sign, value = self._take(), _string(self._take())
        if field in _TIMES and sign in _ORDERS:
            asked = _moment(value)
            return lambda file: _ORDERS[sign](_TIMES[field](file).replace(microsecond=0), asked)
        if (field, sign) not in _TEXTS:
            raise _invalid()
        compare = _TEXTS[field, sign]
        return lambda file: compare(file, value)

    def _flag(self, field: str) -> Predicate:
        wanted = True
        if self._peek() in ("=", "!="):
            sign, value = self._take(), self._take()
            if value not in ("true", "false"):
                raise _invalid()
            wanted = (value == "true") == (sign == "=")
        elif field != "sharedWithMe":
            raise _invalid()
        cabinet, address = self._cabinet, self._address
        match field:
            case "trashed":
                return lambda file: cabinet.is_trashed(file) == wanted
            case "starred":
                return lambda file: (address in file.starred_by) == wanted
            case _:
                return lambda file: (address in file.shared_at) == wanted

    def _property(self, field: str) -> Predicate:
        """`properties has { key='department' and value='sales' }`."""
        for word in ("has", "{", "key", "="):
            self._expect(word)
        key = _string(self._take())
        for word in ("and", "value", "="):
            self._expect(word)
        value = _string(self._take())
        self._expect("}")
        return lambda file: _held(file, field).get(key) == value

    def _expect(self, wanted: str) -> None:
        if self._take() != wanted:
            raise _invalid()

    def _take_if(self, wanted: str) -> bool:
        if self._peek() != wanted:
            return False
        self._place += 1
        return True

    def _take(self) -> str:
        token = self._peek()
        self._place += 1
        return token

    def _peek(self) -> str:
        return self._tokens[self._place] if self._place < len(self._tokens) else ""


_TEXTS: dict[tuple[str, str], Callable[[StoredFile, str], bool]] = {
    ("name", "contains"): lambda file, value: _begins_a_word(value, file.name),
    ("name", "="): lambda file, value: file.name == value,
    ("name", "!="): lambda file, value: file.name != value,
    ("mimeType", "contains"): lambda file, value: file.type.startswith(value),
    ("mimeType", "="): lambda file, value: file.type == value,
    ("mimeType", "!="): lambda file, value: file.type != value,
    ("fullText", "contains"): lambda file, value: _has_words(value, file),
}


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    place = 0
    text = text.rstrip()
    while place < len(text):
        found = _TOKEN.match(text, place)
        if not found:
            raise _invalid()
        tokens.append(found.group().strip())
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


def _begins_a_word(value: str, name: str) -> bool:
    """Drive compares a name from the beginning of a word on: `Hello` finds `HelloWorld`, `World` does not."""
    return re.search(r"(?<!\w)" + re.escape(value.casefold()), name.casefold()) is not None


def _has_words(value: str, file: StoredFile) -> bool:
    content = file.content if file.content is not None and file.type.startswith("text/") else b""
    content = file.exports.get("text/plain", content)
    held = " ".join(re.findall(r"\w+", f"{file.name} {file.description} {content.decode(errors='replace')}".casefold()))
    wanted = re.findall(r"\w+", value.casefold())
    if value.startswith('"') and value.endswith('"'):
        return f" {' '.join(wanted)} " in f" {held} "
    return set(wanted) <= set(held.split())


def _held(file: StoredFile, field: str) -> dict[str, str]:
    return file.properties if field == "properties" else file.app_properties
