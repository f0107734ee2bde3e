"""Gmail's search language, as far as Butler composes it: words, quotes, `-`, braces for any of, and some operators.

What is not here is refused instead of answered with wrong mails.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TypeAlias

from butler_demo.gmail.mailbox import Mailbox
from butler_demo.gmail.records import Message
from butler_demo.google.errors import GoogleError, not_in_stand_in

_Predicate: TypeAlias = Callable[[Message], bool]
_Reader: TypeAlias = Callable[[Message], str]

_TERM = re.compile(
    r'\s*(?P<minus>-?)(?:(?P<brace>[{}])|(?:(?P<name>[a-z][a-z0-9_]*):)?(?:"(?P<phrase>[^"]*)"|(?P<word>[^\s(){}"]+)))'
)
_FIELD_BREAK = " ǂ "
"""Stands between the fields of a mail, so that a phrase does not go across; nobody writes it."""
_LABELS = {
    "in:inbox": "INBOX",
    "in:sent": "SENT",
    "in:trash": "TRASH",
    "in:spam": "SPAM",
    "in:drafts": "DRAFT",
    "is:unread": "UNREAD",
    "is:starred": "STARRED",
    "is:important": "IMPORTANT",
    "category:primary": "CATEGORY_PERSONAL",
    "category:social": "CATEGORY_SOCIAL",
    "category:promotions": "CATEGORY_PROMOTIONS",
    "category:updates": "CATEGORY_UPDATES",
    "category:forums": "CATEGORY_FORUMS",
}
_DAYS = re.compile(r"\d+d")
_HIDDEN = frozenset({"TRASH", "SPAM"})
_JOINERS = frozenset({"OR", "AND", "AROUND"})


def found_messages(mailbox: Mailbox, text: str, label_ids: tuple[str, ...], now: datetime) -> Sequence[Message]:
    """Return what a query and these labels find, newest first; trash and spam only where it says so.

    The pages of one list ask the same again and again, so the last answer is kept as long as nothing changes.
    Raises GoogleError 501.
    """
    of_now = now if "newer_than:" in text else None
    question = (text, label_ids, of_now, mailbox.history.current, mailbox.labels.version)
    kept = mailbox.last_search
    if kept is None or kept[0] != question:
        query = _Query(text, mailbox, now)
        hidden = _HIDDEN - query.reached - set(label_ids)
        found = [
            message
            for message in mailbox.newest_first()
            if hidden.isdisjoint(message.label_ids)
            and all(label in message.label_ids for label in label_ids)
            and query.matches(message)
        ]
        kept = mailbox.last_search = (question, found)
    return kept[1]


class _Query:
    """A parsed query; `reached` holds trash and spam where it asks for them."""

    def __init__(self, text: str, mailbox: Mailbox, now: datetime) -> None:
        self._now = now
        self.reached: set[str] = set()
        self._mailbox = mailbox
        self._text = text.rstrip()
        self._place = 0
        terms = self._terms("")
        self.matches: _Predicate = lambda message: all(term(message) for term in terms)

    def _terms(self, end: str) -> list[_Predicate]:
        """Parse terms up to the closing brace or the end of the text."""
        terms: list[_Predicate] = []
        while self._place < len(self._text):
            found = _TERM.match(self._text, self._place)
            if found is None or found["word"] in _JOINERS:
                raise self._unknown()
            if found["brace"] == "}":
                if end != "}":
                    raise self._unknown()
                self._place = found.end()
                return terms
            self._place = found.end()
            term = self._any_of() if found["brace"] else self._term(found)
            terms.append(_negated(term) if found["minus"] else term)
        if end:
            raise self._unknown()
        return terms

    def _any_of(self) -> _Predicate:
        terms = self._terms("}")
        return lambda message: any(term(message) for term in terms)

    def _term(self, found: re.Match[str]) -> _Predicate:
        value = found["word"] if found["phrase"] is None else found["phrase"]
        name = found["name"] or ""
        if name in _TEXTS:
            return _phrase(value, _TEXTS[name])
        if label_id := self._label(name, value):
            self.reached.add(label_id)
            return lambda message: label_id in message.label_ids
        return _measured(name, value, self._now)

    def _label(self, name: str, value: str) -> str:
        """The label that an operator means, empty for an operator that means none."""
        if name == "label":
            label = self._mailbox.labels.by_search_name(value)
            return label.id if label else "no such label"
        return _LABELS.get(f"{name}:{value}", "")

    def _unknown(self) -> GoogleError:
        return not_in_stand_in(f"the search term {self._text[self._place :]}")


def _measured(name: str, value: str, now: datetime) -> _Predicate:
    match name:
        case "is" if value == "read":
            return lambda message: not message.unread
        case "has" if value == "attachment":
            return lambda message: bool(message.content.attachments)
        case "after" | "before" if value.isdecimal():
            moment, after = datetime.fromtimestamp(int(value), UTC), name == "after"
            return lambda message: (message.received >= moment) == after
        case "newer_than" if _DAYS.fullmatch(value):
            moment = now - timedelta(int(value[:-1]))
            return lambda message: message.received >= moment
        case "rfc822msgid":
            wanted = f"<{value.strip('<>')}>"
            return lambda message: message.content.message_id == wanted
        case "larger" if value.endswith("k") and value[:-1].isdecimal():
            return lambda message: len(message.raw) > int(value[:-1]) * 1024
        case _:
            raise not_in_stand_in(f"the search term {name}:{value}")


def _negated(term: _Predicate) -> _Predicate:
    return lambda message: not term(message)


def _phrase(text: str, read: _Reader) -> _Predicate:
    """Match mails in which these words stand side by side, whatever their case."""
    wanted = _words(text)
    width = len(wanted)

    def matches(message: Message) -> bool:
        words = _words(read(message))
        return any(words[start : start + width] == wanted for start in range(len(words) - width + 1))

    return matches


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", text.casefold()))


def _everything(message: Message) -> str:
    content = message.content
    people = _header_text(message, ("From", "To", "Cc", "Bcc"))
    return _FIELD_BREAK.join((content.subject, people, content.text, *content.attachments))


def _header_text(message: Message, names: Collection[str]) -> str:
    return _FIELD_BREAK.join(message.content.header(name) for name in names)


_TEXTS: Mapping[str, _Reader] = {
    "": _everything,
    "from": lambda message: message.content.header("From"),
    "subject": lambda message: message.content.subject,
    "list": lambda message: _header_text(message, ("List-ID", "List-Post", "Mailing-List")),
}
