"""Between calendars: guests get copies of what they are invited to, and their answers come back to the organizer."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from butler_demo.calendar.calendar_events import CalendarEvents, StoredEvent
from butler_demo.calendar.editing import PRIVATE_FIELDS
from butler_demo.calendar.store import CalendarStore
from butler_demo.google.call import Json
from butler_demo.google.errors import GoogleError


class NoticeKind(StrEnum):
    """What a mail to a guest or to the organizer says."""

    INVITATION = "invitation"
    UPDATE = "update"
    CANCELLATION = "cancellation"
    RESPONSE = "response"


@dataclass(frozen=True)
class Notice:
    """One mail that Calendar would send."""

    kind: NoticeKind
    to: str


class Guests:
    """Keeps the copies of an event alike, and writes down who is told of what."""

    def __init__(self, shelf: CalendarStore) -> None:
        self.notices: list[Notice] = []
        self._shelf = shelf

    def is_organizer(self, book: CalendarEvents, data: Json) -> bool:
        """Whether the event is this calendar's own."""
        return data.get("organizer", {}).get("email", book.id) in (book.id, book.owner)

    def share(
        self, book: CalendarEvents, before: Json | None, after: StoredEvent, now: datetime, *, tells: bool
    ) -> None:
        """Bring the guests' copies up to date with the organizer's event, and tell those who are to be told."""
        invited = _guests(before, book)
        guests = {} if after.cancelled else _guests(after.data, book)
        for email in guests:
            kind = NoticeKind.UPDATE if email in invited else NoticeKind.INVITATION
            self._put_copy(email, after.data, now)
            self._tell(kind, email, tells=tells)
        for email in invited.keys() - guests.keys():
            self._put_copy(email, after.data | {"status": "cancelled"}, now)
            self._tell(NoticeKind.CANCELLATION, email, tells=tells)

    def check_guests_change(self, book: CalendarEvents, before: Json, after: Json, shared: frozenset[str]) -> None:
        """Raise GoogleError 403 where a guest changes more than their own answer and what is private to them.

        What they took out of their calendar they may bring back.
        """
        others = [_others(data.get("attendees", []), book.owner) for data in (before, after)]
        own = {"attendees", "sequence"} | ({"status"} if self._is_brought_back(before, after) else set[str]())
        touched = any(before.get(name) != after.get(name) for name in shared - own)
        if (touched or others[0] != others[1]) and not before.get("guestsCanModify"):
            raise GoogleError(
                403,
                "forbiddenForNonOrganizer",
                "Shared properties can only be changed by the organizer of the event.",
                domain="calendar",
            )

    def _is_brought_back(self, before: Json, after: Json) -> bool:
        """Whether a guest undoes that they removed their copy, while the organizer's event still takes place."""
        if before.get("status") != "cancelled" or after.get("status") != "confirmed":
            return False
        home = self._shelf.book(before.get("organizer", {}).get("email", ""))
        original = home.stored(before["id"]) if home else None
        return original is None or not original.cancelled

    def respond(self, book: CalendarEvents, data: Json, now: datetime, *, tells: bool) -> None:
        """Carry a guest's answer from their copy to the organizer's event, and from there to the other guests."""
        mine = next((guest for guest in data.get("attendees", []) if guest["email"] == book.owner), None)
        organizer: str = data.get("organizer", {}).get("email", "")
        if mine is None:
            return
        self._tell(NoticeKind.RESPONSE, organizer, tells=tells)
        home = self._shelf.book(organizer)
        original = home.stored(data["id"]) if home else None
        if home is None or original is None:
            return
        guests = [mine if guest["email"] == book.owner else guest for guest in original.data.get("attendees", [])]
        answered = home.put(original.data | {"attendees": guests}, now)
        for email in _guests(answered.data, home).keys() - {book.owner}:
            self._put_copy(email, answered.data, now)

    def _put_copy(self, email: str, data: Json, now: datetime) -> None:
        book = self._shelf.primary_or_none(email)
        if book is None:
            return
        kept = book.stored(data["id"])
        own = {name: value for name, value in (kept.data if kept else {}).items() if name in PRIVATE_FIELDS}
        shared = {name: value for name, value in data.items() if name not in PRIVATE_FIELDS}
        book.put(shared | own, now)

    def _tell(self, kind: NoticeKind, email: str, *, tells: bool) -> None:
        if tells:
            self.notices.append(Notice(kind, email))


def _guests(data: Json | None, book: CalendarEvents) -> dict[str, Json]:
    """Who is invited besides the organizer."""
    if data is None or data.get("status") == "cancelled":
        return {}
    return {guest["email"]: guest for guest in data.get("attendees", []) if guest["email"] not in (book.owner, book.id)}


def _others(guests: list[Json], own: str) -> list[Json]:
    return [guest for guest in guests if guest["email"] != own]
