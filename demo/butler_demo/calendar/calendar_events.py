"""One calendar: its events, the exceptions of its recurring ones, and who may do what with it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from butler_demo.calendar.recurrence import occurrence_with_id
from butler_demo.calendar.times import known_zone, stamp
from butler_demo.google.call import Json
from butler_demo.google.errors import GoogleError

ROLES = ("reader", "writer", "owner")


def not_here() -> GoogleError:
    """Return Calendar's 404."""
    return GoogleError(404, "notFound", "Not Found")


@dataclass
class StoredEvent:
    """An event, or an exception of a recurring one, in the API's own words, as it is since `revision`."""

    data: Json
    revision: int
    earlier: list[tuple[int, Json]] = field(default_factory=list[tuple[int, Json]])
    """What a recurring event was before each of its changes: its occurrences of then may be gone now."""

    @property
    def id(self) -> str:
        return self.data["id"]

    @property
    def cancelled(self) -> bool:
        """Whether it is deleted."""
        return self.data["status"] == "cancelled"

    @property
    def recurring(self) -> bool:
        """Whether it stands for a series."""
        return bool(self.data.get("recurrence"))

    @property
    def master_id(self) -> str | None:
        """The recurring event of which this is an exception."""
        return self.data.get("recurringEventId")


class CalendarEvents:
    """A calendar and all that is in it."""

    def __init__(
        self,
        number: int,
        calendar_id: str,
        owner: str,
        summary: str,
        zone: str,
        announce: "Callable[[CalendarEvents, StoredEvent], None]",
        *,
        primary: bool,
    ) -> None:
        """`owner` is an account's address, `zone` an IANA name. Raises GoogleError 400 for an unknown zone."""
        known_zone(zone, "calendar")
        self.id = calendar_id
        self.owner = owner
        self.summary = summary
        self.zone_name = zone
        self.primary = primary
        self.selected = True
        """Whether those who see it have it shown."""
        self.roles: dict[str, str] = {owner: "owner"}
        self.revision = 0
        self.oldest_token = 0
        """Sync tokens of revisions before this one have expired."""
        self._number = number
        self._announce = announce
        self._events: dict[str, StoredEvent] = {}

    @property
    def zone(self) -> tzinfo:
        return known_zone(self.zone_name, "calendar")

    @property
    def etag(self) -> str:
        return self.etag_of(self.revision)

    def etag_of(self, revision: int) -> str:
        """Return the entity tag of a state of the calendar or of an event."""
        return f'"{self._number}{revision:014d}"'

    def require(self, address: str, role: str) -> None:
        """Raise GoogleError 404 for whom the calendar is not there, 403 for whom may do less than this."""
        held = self.roles.get(address)
        if held is None:
            raise not_here()
        if ROLES.index(held) < ROLES.index(role):
            raise GoogleError(
                403, "requiredAccessLevel", f"You need to have {role} access to this calendar.", domain="calendar"
            )

    def events(self) -> Iterable[StoredEvent]:
        """Return everything, deleted events and exceptions included, in the order of its making."""
        return self._events.values()

    def stored(self, event_id: str) -> StoredEvent | None:
        """Return what is kept under this id, None for nothing."""
        return self._events.get(event_id)

    def exceptions(self, master_id: str) -> dict[str, StoredEvent]:
        """Return the exceptions of a recurring event by their ids."""
        return {event.id: event for event in self._events.values() if event.master_id == master_id}

    def find(self, event_id: str) -> StoredEvent:
        """Return an event, an exception, or an occurrence as the rule has it. Raises GoogleError 404."""
        if stored := self._events.get(event_id):
            return stored
        master = self._events.get(event_id.rpartition("_")[0])
        if master is None or not master.recurring or master.cancelled:
            raise not_here()
        occurrence = occurrence_with_id(master.data, self.zone, event_id)
        if occurrence is None:
            raise not_here()
        return StoredEvent(instance_data(master.data, occurrence.id, occurrence.start, occurrence.end), master.revision)

    def put(self, data: Json, now: datetime) -> StoredEvent:
        """Keep an event as it is from now on."""
        self.revision += 1
        kept = self._events.get(data["id"])
        earlier = kept.earlier if kept else []
        if kept and kept.recurring:
            earlier = [*earlier, (self.revision, kept.data)]
        self._events[data["id"]] = StoredEvent(data | {"updated": stamp(now)}, self.revision, earlier)
        if data.get("recurrence"):
            self._drop_stale_exceptions(data)
        self._announce(self, self._events[data["id"]])
        return self._events[data["id"]]

    def forget_tokens(self) -> None:
        """Let every sync token handed out so far be too old."""
        self.revision += 1
        self.oldest_token = self.revision

    def _drop_stale_exceptions(self, master: Json) -> None:
        for event_id in self.exceptions(master["id"]):
            if master["status"] == "cancelled" or occurrence_with_id(master, self.zone, event_id) is None:
                del self._events[event_id]


def instance_data(master: Json, event_id: str, start: Json, end: Json) -> Json:
    """Return an occurrence as an event of its own."""
    shared = {name: value for name, value in master.items() if name != "recurrence"}
    return shared | {
        "id": event_id,
        "recurringEventId": master["id"],
        "originalStartTime": start,
        "start": start,
        "end": end,
    }
