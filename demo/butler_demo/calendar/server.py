"""A Calendar API v3 stand-in on a loopback socket: stateful, strict, with faults by order."""

from collections.abc import Callable, Mapping
from datetime import datetime

from butler_demo.calendar.calendar_events import ROLES, CalendarEvents, StoredEvent
from butler_demo.calendar.call_context import CallContext
from butler_demo.calendar.editing import checked, new_id, written
from butler_demo.calendar.guests import Guests, Notice
from butler_demo.calendar.operations import OPERATIONS
from butler_demo.calendar.store import CalendarStore
from butler_demo.calendar.sync_tokens import SyncTokens
from butler_demo.calendar.times import stamp
from butler_demo.calendar.views import event_view
from butler_demo.gmail.oauth import Authority
from butler_demo.google.call import Call, Json
from butler_demo.google.description import load_description
from butler_demo.google.quota import QuotaRules
from butler_demo.google.service import Service
from butler_demo.google.watched import WatchedServer
from butler_demo.serving import utc_now

CALENDAR_SCOPE = "https://www.googleapis.com/auth/calendar"
CALENDAR_SINCE_MAY_2026 = QuotaRules({}, 1, 600, 10_000)
"""Calendar counts requests."""


class CalendarServer(WatchedServer):
    """The stand-in. Its methods are called on the event loop that serves it."""

    def __init__(self, *, now: Callable[[], datetime] = utc_now, authority: Authority | None = None) -> None:
        """Create a server without accounts.

        `now` returns aware times. `authority` is that of another stand-in, for one consent to both.
        """
        self._shelf = CalendarStore(self._announce)
        self._guests = Guests(self._shelf)
        self._tokens = SyncTokens()
        service = Service(
            load_description("calendar", "v3"),
            "calendar-json.googleapis.com",
            OPERATIONS,
            self._shelf.account,
            self._context,
        )
        super().__init__(service, (CALENDAR_SCOPE,), CALENDAR_SINCE_MAY_2026, now, authority)

    def _context(self, call: Call) -> CallContext:
        return CallContext(
            **call.parts(), shelf=self._shelf, guests=self._guests, tokens=self._tokens, channels=self._channels
        )

    # Accounts and calendars

    def add_account(self, address: str, name: str, *, zone: str = "UTC") -> None:
        """Open a first calendar, in the IANA zone, for this address."""
        self._shelf.open(address, name, zone)

    def add_calendar(
        self,
        owner: str,
        summary: str,
        *,
        zone: str = "",
        shared_with: Mapping[str, str] | None = None,
        selected: bool = True,
    ) -> str:
        """Give an account another calendar and return its id; `shared_with` holds roles by address.

        One that is not `selected` is in the list, and not shown.
        """
        book = self._shelf.add(owner, summary, zone)
        book.selected = selected
        self.share(book.id, shared_with or {})
        return book.id

    def share(self, calendar_id: str, roles: Mapping[str, str]) -> None:
        """Share a calendar: reader, writer or owner by address. Raises ValueError for another role."""
        for address, role in roles.items():
            if role not in ROLES:
                raise ValueError(f"Calendar has no role {role}; give one of {', '.join(ROLES)}")
            self._book(calendar_id).roles[self._shelf.account(address)] = role

    def select(self, calendar_id: str, *, selected: bool) -> None:
        """Let the owner have a calendar shown, or no longer."""
        self._book(calendar_id).selected = selected

    # Events

    def add_event(self, calendar_id: str, event: Mapping[str, object], *, organizer: str = "") -> Json:
        """Put an event into a calendar as if it had been made there, or as an invitation of an `organizer` elsewhere.

        `event` has the fields of the API; it is returned as the API shows it. The guests are told as always, unless the
        organizer is elsewhere.
        """
        book = self._book(calendar_id)
        fields = dict(event)
        event_id = new_id(str(fields.get("id") or ""))
        home = organizer.lower() or book.id
        head = {
            "id": event_id,
            "status": "confirmed",
            "created": stamp(self._now()),
            "creator": {"email": organizer.lower() or book.owner},
            "organizer": {"email": home},
            "iCalUID": f"{event_id}@google.com",
            "reminders": {"useDefault": True},
            "eventType": "default",
        }
        stored = book.put(checked(head | written(fields), book.zone_name), self._now())
        if not organizer:
            self._guests.share(book, None, stored, self._now(), tells=True)
        return event_view(stored, book)

    def cancel(self, calendar_id: str, event_id: str) -> None:
        """Delete an event as its owner does elsewhere; nobody is told by mail. Raises KeyError."""
        book = self._book(calendar_id)
        stored = book.stored(event_id)
        if stored is None:
            raise KeyError(f"there is no event {event_id}")
        book.put(stored.data | {"status": "cancelled"}, self._now())

    def events(self, calendar_id: str) -> list[Json]:
        """Return all that is in a calendar as its owner sees it, deleted events and exceptions included."""
        book = self._book(calendar_id)
        return [event_view(event, book) for event in book.events()]

    @property
    def notices(self) -> tuple[Notice, ...]:
        """The mails to guests and organizers that Calendar would have sent, oldest first."""
        return tuple(self._guests.notices)

    def forget_sync_tokens(self, calendar_id: str) -> None:
        """Let every sync token handed out so far for the calendar be too old: 410 fullSyncRequired.

        By themselves tokens expire after 28 days.
        """
        self._book(calendar_id).forget_tokens()

    def _book(self, calendar_id: str) -> CalendarEvents:
        book = self._shelf.book(calendar_id)
        if book is None:
            raise KeyError(f"there is no calendar {calendar_id}; an account's first one has its address as id")
        return book

    def _announce(self, book: CalendarEvents, _: StoredEvent) -> None:
        self._channels.tell(book.id, self._now())
