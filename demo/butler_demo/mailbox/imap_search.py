"""SEARCH: turns search keys into one predicate over a mail of the selected folder."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC

from butler_demo.mailbox.imap_syntax import BadSyntaxError, CommandReader
from butler_demo.mailbox.records import StoredMail, decode_words, parse_header

CHARSETS = ("US-ASCII", "UTF-8")


class BadCharsetError(Exception):
    """The client asked for a charset that is not one of `CHARSETS`."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A mail, and what `*` means among the UIDs of its folder."""

    mail: StoredMail
    largest_uid: int


Predicate = Callable[[Candidate], bool]

_FLAG_KEYS = {
    "ANSWERED": "\\Answered",
    "DELETED": "\\Deleted",
    "DRAFT": "\\Draft",
    "FLAGGED": "\\Flagged",
    "SEEN": "\\Seen",
}
_FIELD_KEYS = {"BCC": "Bcc", "CC": "Cc", "FROM": "From", "SUBJECT": "Subject", "TO": "To"}


def parse_search(reader: CommandReader) -> Predicate:
    """The rest of a SEARCH command as a predicate."""
    charset = "US-ASCII"
    if reader.accept(b"CHARSET "):
        charset = reader.astring().decode("ascii", "replace").upper()
        reader.space()
        if charset not in CHARSETS:
            raise BadCharsetError
    keys = _SearchKeys(reader, charset)
    predicate = keys.all()
    reader.end()
    return predicate


class _SearchKeys:
    """Recursive descent over the search keys."""

    def __init__(self, reader: CommandReader, charset: str) -> None:
        self._reader = reader
        self._charset = charset

    def all(self) -> Predicate:
        keys = [self.key()]
        while not self._reader.at_end():
            self._reader.space()
            keys.append(self.key())
        return lambda candidate: all(key(candidate) for key in keys)

    def key(self) -> Predicate:
        reader = self._reader
        name = reader.atom().upper()
        if name == "ALL":
            return lambda _: True
        for read in (self._flag_key, self._text_key, self._date_key, self._other_key):
            predicate = read(name)
            if predicate is not None:
                return predicate
        raise BadSyntaxError(f"Unknown search key {name}")

    def _flag_key(self, name: str) -> Predicate | None:
        if name in _FLAG_KEYS:
            return _has_flag(_FLAG_KEYS[name])
        if name.startswith("UN") and name[2:] in _FLAG_KEYS:
            return _negated(_has_flag(_FLAG_KEYS[name[2:]]))
        if name in {"KEYWORD", "UNKEYWORD"}:
            self._reader.space()
            has = _has_flag(self._reader.atom())
            return has if name == "KEYWORD" else _negated(has)
        return None

    def _text_key(self, name: str) -> Predicate | None:
        if name in _FIELD_KEYS:
            return _field_holds(_FIELD_KEYS[name], self._text())
        if name == "HEADER":
            field = self._text()
            return _field_holds(field, self._text())
        if name in {"BODY", "TEXT"}:
            needle = self._text()
            return lambda c: needle in _readable(c.mail, with_header=name == "TEXT")
        return None

    def _date_key(self, name: str) -> Predicate | None:
        if name not in {"BEFORE", "ON", "SINCE"}:
            return None
        self._reader.space()
        wanted = self._reader.date()

        def holds(candidate: Candidate) -> bool:
            day = candidate.mail.received_at.astimezone(UTC).date()
            return {"BEFORE": day < wanted, "ON": day == wanted, "SINCE": day >= wanted}[name]

        return holds

    def _other_key(self, name: str) -> Predicate | None:
        if name not in {"NOT", "OR", "LARGER", "SMALLER", "UID"}:
            return None
        self._reader.space()
        if name == "NOT":
            return _negated(self.key())
        if name == "OR":
            first = self.key()
            self._reader.space()
            second = self.key()
            return lambda c: first(c) or second(c)
        if name == "UID":
            uids = self._reader.sequence()
            return lambda c: uids.matches(c.mail.uid, c.largest_uid)
        size = self._reader.number()
        return lambda c: len(c.mail.raw) > size if name == "LARGER" else len(c.mail.raw) < size

    def _text(self) -> str:
        self._reader.space()
        try:
            return self._reader.astring().decode(self._charset).casefold()
        except UnicodeDecodeError as error:
            raise BadSyntaxError(f"A search text is not {self._charset}") from error


def _has_flag(flag: str) -> Predicate:
    wanted = flag.lower()
    return lambda c: any(have.lower() == wanted for have in c.mail.flags)


def _negated(predicate: Predicate) -> Predicate:
    return lambda c: not predicate(c)


def _field_holds(field: str, needle: str) -> Predicate:
    def holds(candidate: Candidate) -> bool:
        values = parse_header(candidate.mail.raw).get_all(field, [])
        return any(needle in decode_words(str(value)).casefold() for value in values)

    return holds


def _readable(mail: StoredMail, *, with_header: bool) -> str:
    header, _, body = mail.raw.partition(b"\r\n\r\n")
    text = body.decode("utf-8", "replace")
    if with_header:
        text = decode_words(header.decode("utf-8", "replace")) + text
    return text.casefold()
