"""All calendars of the server, whose they are, and which of them an account sees."""

import itertools
import secrets
from collections.abc import Callable

from butler_demo.calendar.calendar_events import CalendarEvents, StoredEvent, not_here
from butler_demo.google.service import registered


class CalendarStore:
    """The calendars by id; an account's first one has its address as id."""

    def __init__(self, announce: Callable[[CalendarEvents, StoredEvent], None]) -> None:
        self._announce = announce
        self._books: dict[str, CalendarEvents] = {}
        self._names: dict[str, str] = {}
        self._numbers = itertools.count(330)

    def open(self, address: str, name: str, zone: str) -> CalendarEvents:
        """Give a new account its first calendar."""
        address = address.lower()
        self._names[address] = name
        return self._add(address, address, address, zone, primary=True)

    def add(self, owner: str, summary: str, zone: str = "") -> CalendarEvents:
        """Give an account another calendar. Raises UnknownAccountError."""
        primary = self.primary(owner)
        calendar_id = f"c_{secrets.token_hex(16)}@group.calendar.example"
        return self._add(calendar_id, primary.owner, summary, zone or primary.zone_name, primary=False)

    def account(self, address: str) -> str:
        """Return the account's address in lower case. Raises UnknownAccountError."""
        return registered(address, self._names)

    def name_of(self, address: str) -> str:
        """Return the display name of an account, empty for anybody else."""
        return self._names.get(address, "")

    def primary(self, address: str) -> CalendarEvents:
        """Return an account's first calendar. Raises UnknownAccountError."""
        return self._books[self.account(address)]

    def primary_or_none(self, address: str) -> CalendarEvents | None:
        """Return the first calendar of the account with this address, None if there is no such account."""
        return self._books.get(address) if address in self._names else None

    def book(self, calendar_id: str) -> CalendarEvents | None:
        """Return a calendar by its id, whoever asks."""
        return self._books.get(calendar_id.lower())

    def seen_by(self, address: str) -> list[CalendarEvents]:
        """Return the calendars in an account's list."""
        return [book for book in self._books.values() if address in book.roles]

    def find(self, calendar_id: str, address: str, role: str) -> CalendarEvents:
        """Return the calendar that an account means. Raises GoogleError 404 and 403."""
        book = self.primary(address) if calendar_id == "primary" else self.book(calendar_id)
        if book is None:
            raise not_here()
        book.require(address, role)
        return book

    def _add(self, calendar_id: str, owner: str, summary: str, zone: str, *, primary: bool) -> CalendarEvents:
        book = CalendarEvents(next(self._numbers), calendar_id, owner, summary, zone, self._announce, primary=primary)
        self._books[calendar_id] = book
        return book
