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
    """The time, and waiting for it. The demo can turn its clock; nobody else can.

    A moment (a reminder's, an expiry) is compared with `now()` and waited for with `sleep_until`. A length of time (a
    pause, an age, a time-out) is measured by `monotonic()` and waited for with `sleep`: `now()` may be set meanwhile.
    """

    def now(self) -> datetime:
        """Return the present moment, aware, in UTC. It may be set, forward and back."""
        ...

    def monotonic(self) -> float:
        """Return the seconds since some moment of the past, unaffected by setting the clock; suspended time counts."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after so many seconds by `monotonic()`; immediately for none."""
        ...

    async def sleep_until(self, when: datetime) -> None:
        """Return once `now() >= when`, also where the clock is set meanwhile."""
        ...


class InboundSink(Protocol):
    """Stores inbound items. Returns once they are on disk, so that the source may acknowledge."""

    async def put(self, inbound: Inbound, *, cursor: tuple[str, str] | None = None) -> bool:
        """Store one item, and with it a cursor's new value. False when its de-duplication key is known."""
        ...

    async def put_many(self, items: Sequence[Inbound], *, cursor: tuple[str, str] | None = None) -> int:
        """Store several in one transaction; return the number that were new."""
        ...

    async def hold(self, items: Sequence[Inbound]) -> None:
        """Hold back the messages of these parts: they have come, and are stored once their files are here."""
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
        """Return the bytes; raises `KeyError` when there is no such blob."""
        ...

    async def put_pieces(self, pieces: Iterable[bytes]) -> str:
        """Store as `put` does, in pieces: whole or not at all. The pieces are taken in a thread."""
        ...

    def open(self, sha256: str) -> BinaryIO:
        """Open a blob to be read in pieces, in a thread; raises `KeyError`. The reader compares the digest."""
        ...


class Vault(Protocol):
    """Credentials by the name of their variable: from the environment or the secrets file, else sealed on disk."""

    def get(self, name: str) -> str:
        """Return the credential, or an empty text. Raises `SealedError` where it is sealed and cannot be opened."""
        ...

    def put(self, name: str, value: str) -> None:
        """Seal a credential on disk, durably; delete an empty one. Raises `SealedError` when that is impossible."""
        ...


class SecondChannel(Protocol):
    """The second channel to the owner for when their usual one is down: plain text, delivered at least once."""

    async def send(self, to: str, subject: str, text: str, key: str) -> str:
        """Mail one of the owner's own addresses; return the Message-ID, which is made from `key`.

        Raises `Retryable` when it cannot be sent now, `Refuse` when never.
        """
        ...

    async def answer(self, item: Inbound, text: str, key: str) -> str:
        """Answer a mail of the owner's in its thread, quoting it; return the Message-ID, which is made from `key`.

        Raises `Retryable` when it cannot be sent now, `Refuse` when never: also where the mail must not be answered.
        """
        ...


class AnswerRepository(Protocol):
    """Counts automatic answers, so that two machines cannot keep each other busy."""

    async def note(self, key: str, correspondent: str, thread: str) -> str:
        """Record an answer before it leaves; return why it must not, or nothing. A known `key` is the same again."""
        ...

    async def progress(self, key: str) -> Progress:
        """Return an answer's durable progress notes; those of an answer that was never recorded are refused."""
        ...


class OwnerFacts(Protocol):
    """The owner's accounts and addresses. Pairing may change them while the daemon runs."""

    @property
    def telegram_user_id(self) -> int | None: ...

    @property
    def emails(self) -> frozenset[str]:
        """Lower case."""
        ...


class Records(Protocol):
    """Read access to what came in, for the tools that read the inbox."""

    async def inbound(
        self, *, channel: str, identity: str, chat: str | None = None, limit: int = 50
    ) -> Sequence[Inbound]:
        """Return inbound items, the newest first."""
        ...

    async def inbound_by_id(self, inbound_id: str) -> Inbound | None: ...

    async def raws(self, *, channel: str, identity: str, account: str) -> frozenset[str]:
        """Return the digests of all raw messages that came in there."""
        ...

    async def handled(self, *, channel: str, identity: str, account: str, limit: int) -> Sequence[Inbound]:
        """Return items that were handled and are not filed yet, the oldest first.

        Ignored and quarantined items are not included.
        """
        ...

    async def note_filed(self, inbound_ids: Sequence[str]) -> None:
        """Record that these were filed where they came from."""
        ...


class Note(Record):
    """Something the owner had noted down."""

    note_id: str
    text: str
    created_at: AwareDatetime
    origins: tuple[Origin, ...] = ()
    """Who stands behind its text; the owner, where nobody else is named."""


class NoteRepository(Protocol):
    """Notes as rows. Writing with a known `call_id` changes nothing and returns the existing note."""

    async def add(self, call_id: str, text: str, origins: frozenset[Origin] = frozenset()) -> Note:
        """Save a text, with its provenance."""
        ...

    async def search(self, words: str, limit: int) -> Sequence[Note]:
        """Return notes that contain all words, the newest first; all notes where no words are given."""
        ...


class Reminder(Record):
    """Something to be said, once or again and again: its rule, and the next time that it is due.

    `zone`, `local_time` and `due_at` are of the next time, or of the last one once it is over.
    """

    reminder_id: str
    text: str
    rule: RecurrenceRule
    zone: str
    local_time: datetime
    """Without offset."""
    due_at: AwareDatetime
    state: str
    """`waiting`, `said` (its last time is over), `done` or `removed`."""
    times_past: int = 0
    """How many of its times are over."""
    snoozed: bool = False
    """True where `due_at` was put off by the person, and is not a time of its rule."""
    rule_at: AwareDatetime | None = None
    """The next time of its rule; None where it has none any more."""
    again_at: AwareDatetime | None = None
    """What the person put it off to, beside the times of its rule."""
    until_event: tuple[EventFilter, ...] = ()
    """What is waited for, too: whichever of these, or of its times, comes first."""
    origins: tuple[Origin, ...] = ()
    """Who stands behind its text; the owner, where nobody else is named."""


class DeliveredReminder(Record):
    """A time of a reminder that was said. Said is not delivered: that is what the provider accepted."""

    reminder: Reminder
    due_at: AwareDatetime
    fired_at: AwareDatetime
    delivered_at: AwareDatetime | None = None


class ReminderRepository(Protocol):
    """Reminders as rows. Writing with a known `call_id` changes nothing and returns the existing reminder.

    Everything is one transaction, and changes nothing more when it is repeated.
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
        """Save a reminder, with its text's provenance; raises `Refuse` when all of its times are over.

        With `until_event` it ends once that happens, and says so; its first time is then the latest at which it is
        sent.
        """
        ...

    async def waiting(self, limit: int) -> Sequence[Reminder]:
        """Return the reminders that are still due, the next first."""
        ...

    async def delivered(self, limit: int) -> Sequence[DeliveredReminder]:
        """Return the reminders that were sent, the latest first, and whether each was delivered."""
        ...

    async def get(self, reminder_id: str) -> Reminder | None: ...

    async def snooze(self, reminder_id: str, until: datetime) -> Reminder:
        """Send it, or its last time, again at a moment, in addition to the other times of its rule.

        The first time of a reminder that was never sent is postponed. Raises `Refuse` where there is none such.
        """
        ...

    async def skip(self, reminder_id: str, due_at: datetime) -> Reminder:
        """Skip the time that it is due at next, where that is still this one; raises `Refuse` as `snooze`."""
        ...

    async def change(
        self,
        reminder_id: str,
        *,
        text: str = "",
        rule: RecurrenceRule | None = None,
        origins: frozenset[Origin] = frozenset(),
    ) -> Reminder:
        """Change its words, of these `origins`, or its times; one that is over becomes active again.

        Raises `Refuse` where it is gone, is over and gets no other time, or all of its times are over.
        """
        ...

    async def settle(self, reminder_id: str, *, removed: bool = False) -> Reminder:
        """End it as done, before or after it was due; a snooze is forgotten.

        A recurring one goes on, unless it is `removed`: then it is never sent again. Raises `Refuse` where there is
        none such.
        """
        ...

    async def travel(self, zone: str, *, until: datetime | None = None, moments: bool = False) -> Sequence[Reminder]:
        """Move the owner to another zone from now on, or `until` a moment; return the reminders that moved.

        Reminders that keep to the clock do so there; with `moments` all stay at the moments that they had. Raises
        `Refuse` where there is no such zone.
        """
        ...

    def zone(self) -> str:
        """Return the zone that the owner lives in now."""
        ...

    def home(self) -> str:
        """Return the owner's home zone: the one of the settings."""
        ...
