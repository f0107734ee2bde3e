"""Gmail's search language: the operators a mail client uses, words, quotes, negation, OR and groups.

Words match whole words without regard to case. OR binds tighter than the blank, as in Gmail. An operator
or value that this stand-in does not know is refused instead of answered with wrong mails.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import TypeAlias

from butler.demo.gmail.google_errors import not_in_stand_in
from butler.demo.gmail.mailbox import Mailbox
from butler.demo.gmail.records import Message

Predicate: TypeAlias = Callable[[Message], bool]
Field: TypeAlias = Callable[[str], Predicate]

_TOKEN = re.compile(
    r"""\s*(?:(?P<open>[({])|(?P<close>[)}])|(?P<minus>-)(?=[\w"({])"""
    r"""|(?P<operator>[A-Za-z_][A-Za-z0-9_]*):(?=\S)|"(?P<phrase>[^"]*)"|(?P<word>[^\s(){}"]+))"""
)
_VALUE = re.compile(r"""(?P<open>[({])|"(?P<phrase>[^"]*)"|(?P<word>[^\s(){}"]+)""")
_AGE = re.compile(r"(\d+)([dmy])")
_AGE_DAYS = {"d": 1, "m": 30, "y": 365}
_PST = timezone(timedelta(hours=-8))  # the API reads bare dates as midnight PST
_PLACES = {"inbox": "INBOX", "sent": "SENT", "trash": "TRASH", "spam": "SPAM", "drafts": "DRAFT", "draft": "DRAFT"}
_STATES = {"unread": "UNREAD", "starred": "STARRED", "important": "IMPORTANT"}
_MISSING_OPERATORS = frozenset(
    {"after_id", "category", "deliveredto", "filename", "header", "larger", "list", "newer", "older"}
    | {"size", "smaller", "around"}
)


@dataclass(frozen=True)
class Query:
    """A parsed query; trash and spam are searched only where it says so."""

    matches: Predicate
    reaches_trash: bool
    reaches_spam: bool


def parse_query(text: str, mailbox: Mailbox, now: datetime) -> Query:
    """Parse a query; `now` is what newer_than and older_than count from. Raises GoogleError 501."""
    parser = _Parser(text, mailbox, now)
    matches = parser.sequence(_anywhere)
    return Query(matches, "TRASH" in parser.reached, "SPAM" in parser.reached)


class _Parser:
    def __init__(self, text: str, mailbox: Mailbox, now: datetime) -> None:
        self._text = text
        self._place = 0
        self._mailbox = mailbox
        self._now = now
        self.reached: set[str] = set()
        self._fields: dict[str, Field] = {
            "from": self._people("From"),
            "to": self._people("To", "Cc", "Bcc"),
            "cc": self._people("Cc"),
            "bcc": self._people("Bcc"),
            "subject": lambda value: _words(value, lambda message: message.content.subject),
            "is": self._state,
            "in": self._location,
            "label": self._label,
            "has": self._has,
            "rfc822msgid": _by_message_id,
            "after": lambda value: _received_since(_moment(value)),
            "before": lambda value: _received_before(_moment(value)),
            "newer_than": lambda value: _received_since(self._ago(value)),
            "older_than": lambda value: _received_before(self._ago(value)),
        }

    def sequence(self, field: Field, *, any_of: bool = False) -> Predicate:
        """Parse terms up to the end of the group; all must match, or any of them in braces."""
        terms: list[Predicate] = []
        joined = False
        while (token := self._next()) and not token.group("close"):
            if token.group("word") in ("OR", "AND"):
                joined = token.group("word") == "OR" and bool(terms)
                continue
            term = self._term(token, field)
            if joined:
                terms[-1] = _either(terms[-1], term)
            else:
                terms.append(term)
            joined = False
        if any_of:
            return lambda message: any(term(message) for term in terms)
        return lambda message: all(term(message) for term in terms)

    def _term(self, token: re.Match[str], field: Field) -> Predicate:
        if token.group("minus"):
            following = self._next()
            if following is None:
                return lambda _: True
            inner = self._term(following, field)
            return lambda message: not inner(message)
        if token.group("open"):
            return self.sequence(field, any_of=token.group("open") == "{")
        if operator := token.group("operator"):
            return self._operator(operator, field)
        return field(token.group("phrase") or token.group("word") or "")

    def _operator(self, operator: str, field: Field) -> Predicate:
        name = operator.lower()
        if name in _MISSING_OPERATORS:
            raise not_in_stand_in(f"the search operator {name}:")
        value = _VALUE.match(self._text, self._place)
        if value is None:  # only a closing bracket can follow
            return field(operator)
        self._place = value.end()
        if name not in self._fields:
            return field(f"{operator}:{value.group()}")
        if value.group("open"):
            return self.sequence(self._fields[name], any_of=value.group("open") == "{")
        return self._fields[name](value.group("phrase") or value.group("word") or "")

    def _next(self) -> re.Match[str] | None:
        token = _TOKEN.match(self._text, self._place)
        if token:
            self._place = token.end()
        return token

    def _people(self, *headers: str) -> Field:
        def field(value: str) -> Predicate:
            wanted = self._mailbox.address if value.lower() == "me" else value
            return _words(wanted, lambda message: _header_text(message, headers))

        return field

    def _state(self, value: str) -> Predicate:
        if value.lower() == "read":
            return lambda message: not message.unread
        if value.lower() not in _STATES:
            raise not_in_stand_in(f"the search term is:{value}")
        return _labelled(_STATES[value.lower()])

    def _location(self, value: str) -> Predicate:
        if value.lower() == "anywhere":
            self.reached |= {"TRASH", "SPAM"}
            return lambda _: True
        if value.lower() not in _PLACES:
            return self._label(value)
        self.reached.add(_PLACES[value.lower()])
        return _labelled(_PLACES[value.lower()])

    def _label(self, value: str) -> Predicate:
        wanted = _label_key(value)
        for label in self._mailbox.labels.values():
            if _label_key(label.name) == wanted:
                self.reached.add(label.id)
                return _labelled(label.id)
        return lambda _: False

    def _has(self, value: str) -> Predicate:
        if value.lower() != "attachment":
            raise not_in_stand_in(f"the search term has:{value}")
        return lambda message: bool(message.content.attachments)

    def _ago(self, value: str) -> datetime:
        found = _AGE.fullmatch(value.lower())
        if not found:
            raise not_in_stand_in(f"the age {value!r} in a search")
        return self._now - timedelta(days=int(found.group(1)) * _AGE_DAYS[found.group(2)])


def _anywhere(value: str) -> Predicate:
    return _words(value, _everything)


def _everything(message: Message) -> str:
    content = message.content
    people = _header_text(message, ("From", "To", "Cc", "Bcc"))
    return "\n".join((content.subject, people, content.text, *content.attachments))


def _header_text(message: Message, names: tuple[str, ...]) -> str:
    return "\n".join(message.content.header(name) for name in names)


def _words(value: str, read: Callable[[Message], str]) -> Predicate:
    wanted = _tokens(value)
    width = len(wanted)

    def matches(message: Message) -> bool:
        found = _tokens(read(message))
        return any(found[start : start + width] == wanted for start in range(len(found) - width + 1))

    return matches


@lru_cache(maxsize=4096)
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", text.casefold()))


def _either(left: Predicate, right: Predicate) -> Predicate:
    return lambda message: left(message) or right(message)


def _labelled(label_id: str) -> Predicate:
    return lambda message: label_id in message.label_ids


def _label_key(name: str) -> str:
    return re.sub(r"[\s/]", "-", name.lower())


def _by_message_id(value: str) -> Predicate:
    wanted = f"<{value.strip('<>')}>"
    return lambda message: message.content.message_id == wanted


def _received_since(moment: datetime) -> Predicate:
    return lambda message: message.received >= moment


def _received_before(moment: datetime) -> Predicate:
    return lambda message: message.received < moment


def _moment(value: str) -> datetime:
    if value.isdigit():
        return datetime.fromtimestamp(int(value), UTC)
    try:
        year, month, day = (int(group) for group in re.split("[/-]", value))
        return datetime(year, month, day, tzinfo=_PST)
    except ValueError as error:
        raise not_in_stand_in(f"the date {value!r} in a search") from error
