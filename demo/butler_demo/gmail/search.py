"""Gmail's search language: words, quotes, AROUND, negation, OR, groups in brackets and braces, and operators.

OR binds tighter than the blank, as in Gmail. What is malformed is read as generously as the search box does: a
bracket or a quotation mark without its partner is passed over.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from butler_demo.gmail.mailbox import Mailbox
from butler_demo.gmail.records import Message
from butler_demo.gmail.search_operators import Operators, header_text
from butler_demo.gmail.search_words import FIELD_BREAK, Predicate, around, phrase

_TOKEN = re.compile(
    r"""\s*(?:(?P<open>[({])|(?P<close>[)}])|(?P<minus>-)(?=[\w"({+])|(?P<plus>\+)(?=[\w"])"""
    r"""|(?P<operator>[A-Za-z_][A-Za-z0-9_]*):(?=["(}{]|[^\s)])|"(?P<phrase>[^"]*)"|(?P<word>[^\s(){}"]+)|(?P<stray>"))"""
)
_QUOTED_AROUND = re.compile(r"(.+?)\s+AROUND\s+(\d+)\s+(.+)")
_AROUND = re.compile(r"\s+AROUND\s+(\d+)\s+(?:\"(?P<phrase>[^\"]*)\"|(?P<word>[^\s(){}\"]+))")


@dataclass(frozen=True)
class Query:
    """A parsed query; trash and spam are searched only where it says so."""

    matches: Predicate
    reaches_trash: bool
    reaches_spam: bool


def parse_query(text: str, mailbox: Mailbox, now: datetime) -> Query:
    """Parse a query; `now` is what newer_than and older_than count from. Raises GoogleError 501."""
    operators = Operators(mailbox, now)
    matches = _Parser(text, operators).whole()
    return Query(matches, "TRASH" in operators.reached, "SPAM" in operators.reached)


Value: TypeAlias = Callable[[str, bool], Predicate]
"""What a word or phrase means at its place; the flag is for one that is meant exactly."""


class _Parser:
    def __init__(self, text: str, operators: Operators) -> None:
        self._text = text
        self._place = 0
        self._operators = operators

    def whole(self) -> Predicate:
        """Parse everything; a closing bracket too many does not end it."""
        pieces = [self._sequence(_anywhere)]
        while self._place < len(self._text.rstrip()):
            pieces.append(self._sequence(_anywhere))
        return lambda message: all(piece(message) for piece in pieces)

    def _sequence(self, value: Value, *, any_of: bool = False) -> Predicate:
        """Parse terms up to the end of the group; all must match, or any of them in braces."""
        terms: list[Predicate] = []
        joined = False
        while (token := self._next()) and not token["close"]:
            if token["stray"]:
                continue
            if token["word"] in ("OR", "AND"):
                joined = token["word"] == "OR" and bool(terms)
                continue
            term = self._term(token, value)
            if joined:
                terms[-1] = _either(terms[-1], term)
            else:
                terms.append(term)
            joined = False
        if any_of:
            return lambda message: any(term(message) for term in terms)
        return lambda message: all(term(message) for term in terms)

    def _term(self, token: re.Match[str], value: Value) -> Predicate:
        if token["minus"]:
            following = self._next()
            if following is None:
                return lambda _: True
            inner = self._term(following, value)
            return lambda message: not inner(message)
        if token["plus"]:
            exact = self._next()
            return value(exact["phrase"] or exact["word"] or "", True) if exact else lambda _: True
        if token["open"]:
            return self._sequence(value, any_of=token["open"] == "{")
        if token["operator"]:
            return self._operator(token["operator"], value)
        return self._word(token, value)

    def _word(self, token: re.Match[str], value: Value) -> Predicate:
        quoted = token["phrase"]
        if quoted is not None and (near := _QUOTED_AROUND.fullmatch(quoted.strip())):
            return around(near[1], int(near[2]), near[3], _everything, ordered=True)
        first = quoted if quoted is not None else token["word"]
        if near := _AROUND.match(self._text, self._place):
            self._place = near.end()
            return around(first, int(near[1]), near["phrase"] or near["word"], _everything, ordered=False)
        return value(first, quoted is not None)

    def _operator(self, operator: str, value: Value) -> Predicate:
        name = operator.lower()
        if name not in self._operators:  # a word with a colon in it, as a time or an address of the web has
            token = self._next()
            rest = (token["phrase"] or token["word"] or "") if token else ""
            return value(f"{operator} {rest}", True)

        def inner(text: str, exact: bool) -> Predicate:
            return self._operators.predicate(name, text, exact=exact)

        token = self._next()
        if token is None or token["close"]:
            return lambda _: True
        if token["operator"]:  # `subject:re: hello`
            return inner(token["operator"], False)
        return self._term(token, inner)

    def _next(self) -> re.Match[str] | None:
        token = _TOKEN.match(self._text, self._place)
        if token:
            self._place = token.end()
        return token


def _anywhere(text: str, exact: bool) -> Predicate:
    return phrase(text, _everything, exact=exact)


def _everything(message: Message) -> str:
    content = message.content
    people = header_text(message, ("From", "To", "Cc", "Bcc"))
    return FIELD_BREAK.join((content.subject, people, content.text, *content.attachments))


def _either(left: Predicate, right: Predicate) -> Predicate:
    return lambda message: left(message) or right(message)
