"""Narrow ports between the packages; each is implemented by one object that `butler.app` builds."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import BinaryIO, Protocol

from pydantic import AwareDatetime

from butler.contract.events import EventFilter
from butler.contract.inbound import Inbound
from butler.contract.integration import Progress
from butler.contract.provenance import Origin
from butler.contract.records import Record
from butler.contract.schedules import RecurrenceRule


class Clock(Protocol):
    """The time, and waiting for it. Only the demo can set its clock.

    A moment (a reminder's, an expiry) is compared with `now()` and waited for with `sleep_until`. A duration (a pause,
    an age, a time-out) is measured by `monotonic()` and waited for with `sleep`: `now()` may be set meanwhile.
    """

    def now(self) -> datetime:
        """Return the present moment, aware, in UTC. The clock may be set, forward and back."""
        ...

    def monotonic(self) -> float:
        """Return the seconds since some past moment, unaffected by setting the clock; suspended time counts."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after this many seconds by `monotonic()`; immediately for none."""
        ...

    async def sleep_until(self, when: datetime) -> None:
        """Return once `now() >= when`, even if the clock is set meanwhile."""
        ...


class InboundSink(Protocol):
    """Stores inbound items. Returns once they are on disk, so that the source may acknowledge."""

    async def put(self, inbound: Inbound, *, cursor: tuple[str, str] | None = None) -> bool:
        """Store one item, and a cursor's new value with it; return False if its de-duplication key is known."""
        ...

    async def put_many(self, items: Sequence[Inbound], *, cursor: tuple[str, str] | None = None) -> int:
        """Store several items in one transaction; return the number of new ones."""
        ...

    async def hold(self, items: Sequence[Inbound]) -> None:
        """Hold back the messages of these parts, which have come and are stored once their files are fetched."""
        ...


class Cursors(Protocol):
    """Named durable positions, such as a poll's offset."""

    async def get(self, name: str) -> str | None: ...

    async def set(self, name: str, value: str) -> None: ...


class BlobStore(Protocol):
    """Files by digest: raw mails, attachments, documents."""

    async def put(self, data: bytes) -> str:
        """Store a blob durably; return the SHA-256 in hex."""
        ...

    async def get(self, sha256: str) -> bytes:
        """Return the bytes; raises `KeyError` if there is no such blob."""
        ...

    async def put_pieces(self, pieces: Iterable[bytes]) -> str:
        """Store a blob in pieces as `put` does, whole or not at all. The pieces are taken in a thread."""
        ...

    def open(self, sha256: str) -> BinaryIO:
        """Open a blob for reading in pieces, in a thread; raises `KeyError`. The reader compares the digest."""
        ...


class Vault(Protocol):
    """Credentials by the name of their variable: from the environment or the secrets file, otherwise sealed on disk."""

    def get(self, name: str) -> str:
        """Return the credential, or an empty text. Raises `SealedError` if it is sealed and cannot be opened."""
        ...

    def put(self, name: str, value: str) -> None:
        """Seal a credential on disk, durably; delete an empty one. Raises `SealedError` if that is impossible."""
        ...


class SecondChannel(Protocol):
    """The second channel to the owner, for when the first one is down: plain text, delivered at least once."""

    async def send(self, to: str, subject: str, text: str, key: str) -> str:
        """Mail one of the owner's own addresses; return the Message-ID, which is made from `key`.

        Raises `Retryable` if it cannot be sent now, `Refuse` if never.
        """
        ...

    async def answer(self, item: Inbound, text: str, key: str) -> str:
        """Answer a mail of the owner's in its thread, quoting it; return the Message-ID, which is made from `key`.

        Raises `Retryable` if it cannot be sent now, `Refuse` if never, or if the mail must not be answered.
        """
        ...


class AnswerRepository(Protocol):
    """Counts automatic answers, so that two machines cannot keep each other busy."""

    async def note(self, key: str, correspondent: str, thread: str) -> str:
        """Record an answer before it leaves; return why it must not leave, or an empty text.

        A known `key` is the same answer again.
        """
        ...

    async def progress(self, key: str) -> Progress:
        """Return an answer's durable progress notes, which refuse an answer that was never recorded."""
        ...


class OwnerFacts(Protocol):
    """The owner's accounts and addresses. Pairing may change them while the daemon runs."""

    @property
    def telegram_user_id(self) -> int | None: ...

    @property
    def emails(self) -> frozenset[str]:
        """The owner's mail addresses, in lower case."""
        ...


class Records(Protocol):
    """Read access to the inbox, for the tools that read it."""

    async def inbound(
        self, *, channel: str, identity: str, chat: str | None = None, limit: int = 50
    ) -> Sequence[Inbound]:
        """Return inbound items, the newest first."""
        ...

    async def inbound_by_id(self, inbound_id: str) -> Inbound | None: ...

    async def raws(self, *, channel: str, identity: str, account: str) -> frozenset[str]:
        """Return the digests of all raw messages that came in for an account."""
        ...

    async def handled(self, *, channel: str, identity: str, account: str, limit: int) -> Sequence[Inbound]:
        """Return handled items that are not filed yet, the oldest first.

        Ignored and quarantined items are not included.
        """
        ...

    async def note_filed(self, inbound_ids: Sequence[str]) -> None:
        """Record that these items were filed at their source."""
        ...


class Note(Record):
    """A note that the owner asked to keep."""

    note_id: str
    text: str
    created_at: AwareDatetime
    origins: tuple[Origin, ...] = ()
    """The origins of its text; the owner, if nobody else is named."""


class NoteRepository(Protocol):
    """Notes as rows. Writing with a known `call_id` changes nothing and returns the existing note."""

    async def add(self, call_id: str, text: str, origins: frozenset[Origin] = frozenset()) -> Note:
        """Save a text, with its provenance."""
        ...

    async def change(self, note_id: str, text: str, origins: frozenset[Origin] = frozenset()) -> Note | None:
        """Replace the text of a note, and its provenance; return None if there is no such note."""
        ...

    async def search(self, words: str, limit: int) -> Sequence[Note]:
        """Return notes that contain all words, the newest first; all notes if no words are given."""
        ...


class Reminder(Record):
    """A reminder, once or recurring: its rule, and its next due time.

    `zone`, `local_time` and `due_at` describe the next time, or the last one once the reminder is over.
    """

    reminder_id: str
    text: str
    rule: RecurrenceRule
    zone: str
    local_time: datetime
    """The wall time, without an offset."""
    due_at: AwareDatetime
    state: str
    """`waiting`, `fired` (its last time is over), `done` or `removed`."""
    times_past: int = 0
    """The number of its past times."""
    snoozed: bool = False
    """Whether `due_at` is a snooze by the owner, and not a time of its rule."""
    rule_at: AwareDatetime | None = None
    """The next time of its rule; None if there is none left."""
    again_at: AwareDatetime | None = None
    """The time of a snooze, besides the times of its rule."""
    until_event: tuple[EventFilter, ...] = ()
    """Events to wait for too: the reminder fires at the first of these or of its times."""
    origins: tuple[Origin, ...] = ()
    """The origins of its text; the owner, if nobody else is named."""


class DeliveredReminder(Record):
    """A reminder time that was sent. Sent is not delivered: delivered means that the provider accepted it."""

    reminder: Reminder
    due_at: AwareDatetime
    fired_at: AwareDatetime
    delivered_at: AwareDatetime | None = None


class ReminderRepository(Protocol):
    """Reminders as rows. Writing with a known `call_id` changes nothing and returns the existing reminder.

    Every method is one transaction, and a repeated call changes nothing more.
    """

    async def add(
        self,
        call_id: str,
        text: str,
        rule: RecurrenceRule,
        origins: frozenset[Origin] = frozenset(),
        *,
        until_event: tuple[EventFilter, ...] = (),
    ) -> Reminder:
        """Save a reminder, with its text's provenance; raises `Refuse` if all of its times are past.

        With `until_event` it fires and ends once that happens, at the latest at its first time.
        """
        ...

    async def waiting(self, limit: int) -> Sequence[Reminder]:
        """Return the reminders that are still due, the next first."""
        ...

    async def delivered(self, limit: int) -> Sequence[DeliveredReminder]:
        """Return the sent reminders, the latest first, and whether each was delivered."""
        ...

    async def get(self, reminder_id: str) -> Reminder | None: ...

    async def snooze(self, reminder_id: str, until: datetime) -> Reminder:
        """Send the reminder, or its last time, again at a moment, in addition to the other times of its rule.

        The first time of a reminder that was never sent is postponed. Raises `Refuse` if there is no such reminder.
        """
        ...

    async def skip(self, reminder_id: str, due_at: datetime) -> Reminder:
        """Skip the next due time, if it is still this one; raises `Refuse` as `snooze` does."""
        ...

    async def change(
        self,
        reminder_id: str,
        *,
        text: str = "",
        rule: RecurrenceRule | None = None,
        origins: frozenset[Origin] = frozenset(),
    ) -> Reminder:
        """Change a reminder's words, of these `origins`, or its times; a finished one becomes active again.

        Raises `Refuse` if it was removed, if it is over and gets no other time, or if all of its times are past.
        """
        ...

    async def settle(self, reminder_id: str, *, removed: bool = False) -> Reminder:
        """End a reminder as done, before or after it was due; a snooze is dropped.

        A recurring one goes on, unless it is `removed`: then it is never sent again. Raises `Refuse` if there is no
        such reminder.
        """
        ...

    async def travel(self, zone: str, *, until: datetime | None = None, moments: bool = False) -> Sequence[Reminder]:
        """Move the owner to another zone from now on, or `until` a moment; return the reminders that moved.

        Reminders that follow the clock do so there; with `moments` all keep their moments. Raises `Refuse` if there is
        no such zone.
        """
        ...

    def zone(self) -> str:
        """Return the owner's current zone."""
        ...

    def home(self) -> str:
        """Return the owner's home zone, that of the settings."""
        ...
