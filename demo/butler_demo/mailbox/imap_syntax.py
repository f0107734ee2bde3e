"""Reads the arguments of an IMAP command as RFC 3501 spells them, and refuses what it does not allow."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone

_ATOM = re.compile(rb'[^\x00-\x20\x7f-\xff(){%*"\\\]]+')
_ASTRING_ATOM = re.compile(rb'[^\x00-\x20\x7f-\xff(){%*"\\]+')
_LIST_ATOM = re.compile(rb'[^\x00-\x20\x7f-\xff(){"\\]+')
_TAG = re.compile(rb'[^\x00-\x20\x7f-\xff(){%*"\\+]+')
_QUOTED = re.compile(rb'"((?:[^"\\\r\n\x00]|\\["\\])*)"')
_LITERAL = re.compile(rb"\{(\d+)\+?\}\r\n")
_NUMBER = re.compile(rb"\d{1,10}")
_SEQUENCE = re.compile(rb"(?:\d{1,10}|\*)(?::(?:\d{1,10}|\*))?(?:,(?:\d{1,10}|\*)(?::(?:\d{1,10}|\*))?)*")
_FLAG = re.compile(rb'\\?[^\x00-\x20\x7f-\xff(){%*"\\\]]+')
_DATE = re.compile(rb'"?(\d{1,2})-([A-Za-z]{3})-(\d{4})"?')
_DATE_TIME = re.compile(rb'"([ \d]\d)-([A-Za-z]{3})-(\d{4}) (\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)"')

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
SYSTEM_FLAGS = ("\\Answered", "\\Deleted", "\\Draft", "\\Flagged", "\\Seen")


class BadSyntaxError(Exception):
    """The command is not IMAP; the message goes into the tagged BAD."""


class RefusedError(Exception):
    """The command is well-formed and not done; the message goes into the tagged NO."""


@dataclass(frozen=True, slots=True)
class SequenceSet:
    """Message numbers or UIDs as a command gives them; None stands for `*`, the largest in the folder."""

    ranges: tuple[tuple[int | None, int | None], ...]

    def matches(self, number: int, largest: int) -> bool:
        """Whether `number` is in the set of a folder whose largest number is `largest`."""
        for first, last in self.ranges:
            low = largest if first is None else first
            high = largest if last is None else last
            if min(low, high) <= number <= max(low, high):
                return True
        return False


class CommandReader:
    """A cursor over one command, literals included; every method takes one piece or raises."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def at_end(self) -> bool:
        return self._at == len(self._data)

    def end(self) -> None:
        if not self.at_end():
            raise BadSyntaxError(f"Unexpected {self._data[self._at : self._at + 20]!r}")

    def accept(self, expected: bytes) -> bool:
        """Take `expected` (in any case) if it comes next."""
        piece = self._data[self._at : self._at + len(expected)]
        if piece.upper() != expected.upper():
            return False
        self._at += len(expected)
        return True

    def expect(self, expected: bytes) -> None:
        if not self.accept(expected):
            raise BadSyntaxError(f"Expected {expected!r}")

    def space(self) -> None:
        self.expect(b" ")

    def peek(self, expected: bytes) -> bool:
        return self._data.startswith(expected, self._at)

    def take(self, pattern: re.Pattern[bytes], what: str) -> re.Match[bytes]:
        match = pattern.match(self._data, self._at)
        if match is None:
            raise BadSyntaxError(f"Expected {what}")
        self._at = match.end()
        return match

    def tag(self) -> str:
        return self.take(_TAG, "a tag")[0].decode()

    def atom(self) -> str:
        return self.take(_ATOM, "an atom")[0].decode()

    def number(self) -> int:
        return int(self.take(_NUMBER, "a number")[0])

    def string(self) -> bytes:
        """A quoted string or a literal."""
        if self.peek(b'"'):
            quoted = self.take(_QUOTED, "a quoted string")[1]
            return re.sub(rb'\\(["\\])', rb"\1", quoted)
        size = int(self.take(_LITERAL, "a string")[1])
        literal = self._data[self._at : self._at + size]
        self._at += size
        return literal

    def astring(self) -> bytes:
        """An atom, a quoted string or a literal."""
        if self.peek(b'"') or self.peek(b"{"):
            return self.string()
        return self.take(_ASTRING_ATOM, "a string")[0]

    def mailbox(self) -> str:
        """A folder's name; INBOX in any case is INBOX."""
        return _folder_name(self.astring())

    def list_pattern(self) -> str:
        """A folder's name that may hold `*` and `%`."""
        if self.peek(b'"') or self.peek(b"{"):
            return _folder_name(self.string())
        return _folder_name(self.take(_LIST_ATOM, "a pattern")[0])

    def sequence(self) -> SequenceSet:
        """A set such as `1:3,7,9:*`."""
        ranges: list[tuple[int | None, int | None]] = []
        for piece in self.take(_SEQUENCE, "a message set")[0].split(b","):
            first, _, last = piece.partition(b":")
            ranges.append((_set_number(first), _set_number(last or first)))
        return SequenceSet(tuple(ranges))

    def flags(self) -> frozenset[str]:
        """A flag list in parentheses."""
        flags: set[str] = set()
        self.expect(b"(")
        while not self.accept(b")"):
            flags.add(self._flag())
            if not self.peek(b")"):
                self.space()
        return frozenset(flags)

    def date(self) -> date:
        day, month, year = self.take(_DATE, "a date").groups()
        try:
            return date(int(year), _month(month), int(day))
        except ValueError as error:
            raise BadSyntaxError("No such date") from error

    def date_time(self) -> datetime:
        day, month, year, hour, minute, second, sign, hours, minutes = self.take(_DATE_TIME, "a date and time").groups()
        offset = timedelta(hours=int(hours), minutes=int(minutes)) * (-1 if sign == b"-" else 1)
        try:
            return datetime(
                int(year),
                _month(month),
                int(day),
                int(hour),
                int(minute),
                int(second),
                tzinfo=timezone(offset),
            ).astimezone(UTC)
        except ValueError as error:
            raise BadSyntaxError("No such date") from error

    def _flag(self) -> str:
        flag = self.take(_FLAG, "a flag")[0].decode()
        if not flag.startswith("\\"):
            return flag
        for known in SYSTEM_FLAGS:
            if known.lower() == flag.lower():
                return known
        raise BadSyntaxError(f"Unknown or read-only flag {flag}")


def quote(value: bytes) -> bytes:
    """A string on the wire: quoted where it may be, else a literal."""
    if len(value) > 1000 or re.search(rb"[\x00\r\n\x80-\xff]", value):
        return b"{%d}\r\n%b" % (len(value), value)
    return b'"' + value.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'


def internal_date(moment: datetime) -> bytes:
    """A moment as INTERNALDATE spells it."""
    month = MONTHS[moment.month - 1].capitalize()
    return f'"{moment.day:2d}-{month}-{moment:%Y %H:%M:%S %z}"'.encode()


def _month(name: bytes) -> int:
    return MONTHS.index(name.decode().lower()) + 1


def _set_number(piece: bytes) -> int | None:
    if piece == b"*":
        return None
    if int(piece) == 0:
        raise BadSyntaxError("0 is no message number")
    return int(piece)


def _folder_name(name: bytes) -> str:
    try:
        text = name.decode("ascii")
    except UnicodeDecodeError as error:
        raise BadSyntaxError("Folder names are modified UTF-7") from error
    return "INBOX" if text.upper() == "INBOX" else text
