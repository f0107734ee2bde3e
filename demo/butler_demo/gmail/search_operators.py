"""The operators of Gmail's search (`from:`, `has:`, `older_than:`, ...), each a predicate on a mail.

An operator's value that this stand-in does not know is refused instead of answered with wrong mails.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime

from dateutil.relativedelta import relativedelta

from butler_demo.gmail.mailbox import Mailbox
from butler_demo.gmail.records import Message
from butler_demo.gmail.search_words import FIELD_BREAK, Predicate, phrase
from butler_demo.google.errors import not_in_stand_in

_PLACES = {"inbox": "INBOX", "sent": "SENT", "trash": "TRASH", "spam": "SPAM", "drafts": "DRAFT", "draft": "DRAFT"} | {
    "chats": "CHAT"
}
_STATES = {"unread": "UNREAD", "starred": "STARRED", "important": "IMPORTANT", "sent": "SENT", "draft": "DRAFT"}
_CATEGORIES = {"primary": "CATEGORY_PERSONAL"} | {
    name: f"CATEGORY_{name.upper()}" for name in ("social", "promotions", "updates", "forums")
}
_LINKS = {
    "drive": re.compile(r"//(drive|docs)\.google\.com/"),
    "document": re.compile(r"//docs\.google\.com/document/"),
    "spreadsheet": re.compile(r"//docs\.google\.com/spreadsheets/"),
    "presentation": re.compile(r"//docs\.google\.com/presentation/"),
    "youtube": re.compile(r"//(www\.youtube\.com|youtu\.be)/"),
}
_NOT_ARCHIVED = frozenset({"INBOX", "SENT", "DRAFT", "TRASH", "SPAM", "CHAT"})
_AGE = re.compile(r"(\d+)([hdmy])")
_SIZE = re.compile(r"(\d+)([km]?)b?")
_SIZE_UNITS = {"": 1, "k": 1024, "m": 1024 * 1024}
_YEAR_FIRST = re.compile(r"(\d{4})[/-](\d{1,2})[/-](\d{1,2})")
_YEAR_LAST = re.compile(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})")


class Operators:
    """The operators over one mailbox; `reached` collects trash and spam where a query asks for them."""

    def __init__(self, mailbox: Mailbox, now: datetime) -> None:
        """`now` is what newer_than and older_than count from."""
        self.reached: set[str] = set()
        self._mailbox = mailbox
        self._now = now
        self._table: dict[str, Callable[[str], Predicate]] = {
            "from": lambda value: self._people(value, "From"),
            "to": lambda value: self._people(value, "To", "Cc", "Bcc"),
            "cc": lambda value: self._people(value, "Cc"),
            "bcc": lambda value: self._people(value, "Bcc"),
            "deliveredto": self._delivered_to,
            "list": lambda value: phrase(value, _list_text),
            "is": self._state,
            "in": self._location,
            "label": self._label,
            "category": self._category,
            "has": self._has,
            "filename": lambda value: phrase(value, lambda message: FIELD_BREAK.join(message.content.attachments)),
            "rfc822msgid": _by_message_id,
            "larger": lambda value: _larger(_bytes(value)),
            "size": lambda value: _larger(_bytes(value)),
            "smaller": lambda value: _smaller(_bytes(value)),
            "after": lambda value: _received_since(self._moment(value)),
            "newer": lambda value: _received_since(self._moment(value)),
            "before": lambda value: _received_before(self._moment(value)),
            "older": lambda value: _received_before(self._moment(value)),
            "newer_than": lambda value: _received_since(self._ago(value)),
            "older_than": lambda value: _received_before(self._ago(value)),
        }

    def __contains__(self, name: str) -> bool:
        """Whether there is such an operator."""
        return name == "subject" or name in self._table

    def predicate(self, name: str, value: str, *, exact: bool) -> Predicate:
        """Return what an operator with this value matches. Raises GoogleError 501."""
        if name == "subject":
            return phrase(value, lambda message: message.content.subject, exact=exact)
        return self._table[name](value)

    def _people(self, value: str, *headers: str) -> Predicate:
        if value.lower() != "me":
            return phrase(value, lambda message: header_text(message, headers))
        mine = [phrase(address, lambda message: header_text(message, headers)) for address in self._mailbox.addresses]
        return lambda message: any(matches(message) for matches in mine)

    def _delivered_to(self, value: str) -> Predicate:
        """By the header of the way in; a mail without one came to the account's own address unless it went out."""

        def read(message: Message) -> str:
            stamped = header_text(message, ("Delivered-To", "X-Original-To"))
            went_out = not {"SENT", "DRAFT"}.isdisjoint(message.label_ids)
            return stamped.replace(FIELD_BREAK, "").strip() or ("" if went_out else self._mailbox.address)

        return phrase(value, read)

    def _state(self, value: str) -> Predicate:
        wanted = value.lower()
        if wanted == "read":
            return lambda message: not message.unread
        if wanted not in _STATES:
            raise not_in_stand_in(f"the search term is:{value}")
        return _labelled(_STATES[wanted])

    def _location(self, value: str) -> Predicate:
        place = value.lower()
        if place in ("anywhere", "all"):
            self.reached |= {"TRASH", "SPAM"}
            return lambda _: True
        if place == "archive":
            return lambda message: _NOT_ARCHIVED.isdisjoint(message.label_ids)
        if place == "snoozed":
            raise not_in_stand_in("the search term in:snoozed")
        if place not in _PLACES:
            return self._label(value)
        self.reached.add(_PLACES[place])
        return _labelled(_PLACES[place])

    def _label(self, value: str) -> Predicate:
        label = self._mailbox.labels.by_search_name(_PLACES.get(value.lower(), value))
        if label is None:
            return lambda _: False
        self.reached.add(label.id)
        return _labelled(label.id)

    def _category(self, value: str) -> Predicate:
        if value.lower() not in _CATEGORIES:
            raise not_in_stand_in(f"the search term category:{value}")
        return _labelled(_CATEGORIES[value.lower()])

    def _has(self, value: str) -> Predicate:
        wanted = value.lower()
        if wanted == "attachment":
            return lambda message: bool(message.content.attachments)
        if wanted in ("userlabels", "nouserlabels"):
            own = {label.id for label in self._mailbox.labels.all() if not label.system}
            return lambda message: own.isdisjoint(message.label_ids) == (wanted == "nouserlabels")
        if wanted in _LINKS:
            return lambda message: bool(_LINKS[wanted].search(message.content.text))
        raise not_in_stand_in(f"the search term has:{value}")

    def _moment(self, value: str) -> datetime:
        """The seconds since 1970, or midnight of a date in the mailbox's zone."""
        if value.isdigit() and len(value) > len("2026"):
            return datetime.fromtimestamp(int(value), UTC)
        try:
            if found := _YEAR_FIRST.fullmatch(value):
                year, month, day = map(int, found.groups())
            elif found := _YEAR_LAST.fullmatch(value):
                month, day, year = map(int, found.groups())
            else:
                raise not_in_stand_in(f"the date {value!r} in a search")
            return datetime(year, month, day, tzinfo=self._mailbox.zone)
        except ValueError as error:
            raise not_in_stand_in(f"the date {value!r} in a search") from error

    def _ago(self, value: str) -> datetime:
        found = _AGE.fullmatch(value.lower())
        if not found:
            raise not_in_stand_in(f"the age {value!r} in a search")
        number = int(found[1])
        match found[2]:
            case "h":
                return self._now - relativedelta(hours=number)
            case "d":
                return self._now - relativedelta(days=number)
            case "m":
                return self._now - relativedelta(months=number)
            case _:
                return self._now - relativedelta(years=number)


def header_text(message: Message, names: tuple[str, ...]) -> str:
    """Return the values of these headers."""
    return FIELD_BREAK.join(message.content.header(name) for name in names)


def _list_text(message: Message) -> str:
    return header_text(message, ("List-ID", "List-Post", "Mailing-List"))


def _labelled(label_id: str) -> Predicate:
    return lambda message: label_id in message.label_ids


def _by_message_id(value: str) -> Predicate:
    wanted = f"<{value.strip('<>')}>"
    return lambda message: message.content.message_id == wanted


def _bytes(value: str) -> int:
    found = _SIZE.fullmatch(value.lower())
    if not found:
        raise not_in_stand_in(f"the size {value!r} in a search")
    return int(found[1]) * _SIZE_UNITS[found[2]]


def _larger(size: int) -> Predicate:
    return lambda message: len(message.raw) > size


def _smaller(size: int) -> Predicate:
    return lambda message: len(message.raw) < size


def _received_since(moment: datetime) -> Predicate:
    return lambda message: message.received >= moment


def _received_before(moment: datetime) -> Predicate:
    return lambda message: message.received < moment
