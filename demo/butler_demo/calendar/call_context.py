"""What a Calendar operation gets of a checked call, and what several operations do with it."""

from dataclasses import dataclass
from datetime import datetime

from butler_demo.calendar.calendar_events import CalendarEvents, StoredEvent
from butler_demo.calendar.guests import Guests
from butler_demo.calendar.store import CalendarStore
from butler_demo.calendar.sync_tokens import SyncTokens
from butler_demo.google.call import Call
from butler_demo.google.channels import Channels
from butler_demo.google.errors import GoogleError, invalid_value, not_in_stand_in


@dataclass(frozen=True)
class CallContext(Call):
    """One checked call on the calendars that the token's account sees."""

    shelf: CalendarStore
    guests: Guests
    tokens: SyncTokens
    channels: Channels

    def book(self, role: str = "reader", name: str = "calendarId") -> CalendarEvents:
        """Return the calendar that a parameter names. Raises GoogleError 404 and 403."""
        return self.shelf.find(self.text(name), self.address, role)

    def moment(self, name: str) -> datetime | None:
        """Return a time parameter, None where it is not given. Raises GoogleError 400 for one without offset."""
        text = self.text(name)
        if not text:
            return None
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            raise invalid_value(name, "Bad Request")
        return moment

    def tells(self) -> bool:
        """Return whether the guests are to be told."""
        match self.text("sendUpdates"):
            case "all":
                return True
            case "externalOnly":
                raise not_in_stand_in("sendUpdates=externalOnly")
            case _:
                return False

    def check_match(self, event: StoredEvent, book: CalendarEvents) -> None:
        """Raise GoogleError 412 where the client means an earlier state of the event."""
        wanted = self.headers.get("If-Match", "*")
        if wanted not in ("*", book.etag_of(event.revision)):
            location = {"locationType": "header", "location": "If-Match"}
            raise GoogleError(412, "conditionNotMet", "Precondition Failed", location=location)
