"""A `ModuleContext` in memory, for tests of modules: every fake remembers what it was asked and shows it."""

import asyncio
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any, BinaryIO
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from butler.contract.events import EventFilter
from butler.contract.inbound import Inbound
from butler.contract.integration import IntegrationCall, IntegrationResult
from butler.contract.mirror import MirrorUpdate, Ranking, SeenChat, SeenMessage, SeenQuery
from butler.contract.module import Agents, BuiltInServices, Inbox, ModuleContext, Storage
from butler.contract.ports import DeliveredReminder, Note, Reminder
from butler.contract.provenance import Origin
from butler.contract.schedules import RecurrenceRule
from butler.store.queries import mirror
from tests.support.tables import create_tables
from tests.support.ticking import Ticking

OWNER_ID = 42
GROUPS = {"storage": Storage, "inbox": Inbox, "agents": Agents, "built_in": BuiltInServices}


class MemoryCursors:
    """Cursors in a dict, `values`."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    async def get(self, name: str) -> str | None:
        return self.values.get(name)

    async def set(self, name: str, value: str) -> None:
        self.values[name] = value


class MemorySink:
    """An inbox in a list. `commits` holds each transaction; `fail_with` makes the next one fail."""

    def __init__(self, cursors: MemoryCursors) -> None:
        self.items: list[Inbound] = []
        self.held: list[Inbound] = []
        self.commits: list[tuple[tuple[Inbound, ...], tuple[str, str] | None]] = []
        self.fail_with: Exception | None = None
        self._cursors = cursors
        self._changed = asyncio.Condition()

    async def put(self, inbound: Inbound, *, cursor: tuple[str, str] | None = None) -> bool:
        return bool(await self.put_many([inbound], cursor=cursor))

    async def put_many(self, items: Sequence[Inbound], *, cursor: tuple[str, str] | None = None) -> int:
        if self.fail_with is not None:
            error, self.fail_with = self.fail_with, None
            raise error
        known = {item.dedup_key for item in self.items}
        new: list[Inbound] = []
        for item in items:
            if item.dedup_key not in known:
                known.add(item.dedup_key)
                new.append(item)
        self.items.extend(new)
        if cursor is not None:
            self._cursors.values[cursor[0]] = cursor[1]
        self.commits.append((tuple(items), cursor))
        async with self._changed:
            self._changed.notify_all()
        return len(new)

    async def hold(self, items: Sequence[Inbound]) -> None:
        self.held += items

    async def wait_for(self, count: int, *, within_s: float = 60.0) -> list[Inbound]:
        """All items, once there are `count` of them."""
        async with self._changed, asyncio.timeout(within_s):
            await self._changed.wait_for(lambda: len(self.items) >= count)
        return self.items


class MemoryRecords:
    """What the sink holds, newest first; a test says which items are `settled`."""

    def __init__(self, sink: MemorySink) -> None:
        self._sink = sink
        self.settled: set[str] = set()
        self.filed: set[str] = set()

    async def inbound(
        self, *, channel: str, identity: str, chat: str | None = None, limit: int = 50
    ) -> Sequence[Inbound]:
        found = [
            item
            for item in reversed(self._sink.items)
            if item.channel == channel and item.identity.value == identity and chat in {None, item.chat}
        ]
        return found[:limit]

    async def inbound_by_id(self, inbound_id: str) -> Inbound | None:
        return next((item for item in self._sink.items if item.inbound_id == inbound_id), None)

    async def raws(self, *, channel: str, identity: str, account: str) -> frozenset[str]:
        del channel, identity
        return frozenset(item.payload.get("raw", "") for item in self._sink.items if item.account == account)

    async def handled(self, *, channel: str, identity: str, account: str, limit: int) -> Sequence[Inbound]:
        found = [
            item
            for item in self._sink.items
            if (item.channel, item.identity.value, item.account) == (channel, identity, account)
            and item.inbound_id in self.settled
            and item.inbound_id not in self.filed
        ]
        return found[:limit]

    async def note_filed(self, inbound_ids: Sequence[str]) -> None:
        self.filed.update(inbound_ids)


class MemoryVault:
    """Credentials in a dict, `values`."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = dict(values)

    def get(self, name: str) -> str:
        return self.values.get(name, "").strip()

    def put(self, name: str, value: str) -> None:
        self.values[name] = value


class MemoryMirror:
    """The real queries on a database in memory. `batches` holds what was kept, in order."""

    def __init__(self, cursors: MemoryCursors) -> None:
        self.batches: list[MirrorUpdate] = []
        self.fail_with: Exception | None = None
        self._cursors = cursors
        self._engine = sa.create_engine("sqlite://", poolclass=sa.StaticPool, connect_args={"check_same_thread": False})
        create_tables(self._engine)

    async def keep(self, batch: MirrorUpdate, *, cursor: tuple[str, str] | None = None) -> int:
        if self.fail_with is not None:
            error, self.fail_with = self.fail_with, None
            raise error
        with self._engine.begin() as connection:
            new = mirror.keep(connection, batch, datetime.now(UTC))
        if cursor is not None:
            self._cursors.values[cursor[0]] = cursor[1]
        self.batches.append(batch)
        return new

    async def chats(self, channel: str, account: str = "") -> Sequence[SeenChat]:
        with self._engine.connect() as connection:
            return mirror.chats(connection, channel, account)

    async def chat(self, channel: str, account: str, chat: str) -> SeenChat | None:
        with self._engine.connect() as connection:
            return mirror.chat(connection, channel, account, chat)

    async def messages(self, query: SeenQuery) -> Sequence[SeenMessage]:
        with self._engine.connect() as connection:
            return mirror.messages(connection, query)

    async def count(self, query: SeenQuery) -> int:
        with self._engine.connect() as connection:
            return mirror.count(connection, query)

    async def senders(self, channel: str, account: str, refs: Sequence[str]) -> Sequence[tuple[str, int]]:
        with self._engine.begin() as connection:
            return mirror.senders(connection, channel, account, refs)

    async def ranking(self, channel: str, account: str, label: str, most: int) -> Ranking:
        with self._engine.begin() as connection:
            return mirror.ranking(connection, channel, account, label, most)

    async def raw(self, channel: str, account: str, chat: str, ref: str) -> bytes | None:
        with self._engine.connect() as connection:
            return mirror.raw(connection, channel, account, chat, ref)

    async def forget(self, channel: str, account: str, chat: str) -> int:
        with self._engine.begin() as connection:
            return mirror.forget(connection, channel, account, chat)

    async def prune(self, channel: str, account: str, before: datetime) -> int:
        with self._engine.begin() as connection:
            return mirror.prune(connection, channel, account, before)


class MemoryNotes:
    """A note book in a dict, `notes`, by call id."""

    def __init__(self) -> None:
        self.notes: dict[str, Note] = {}

    async def add(self, call_id: str, text: str, origins: frozenset[Origin] = frozenset()) -> Note:
        note_id = f"note-{len(self.notes) + 1}"
        fresh = Note(note_id=note_id, text=text, created_at=datetime.now(UTC), origins=tuple(origins))
        return self.notes.setdefault(call_id, fresh)

    async def change(self, note_id: str, text: str, origins: frozenset[Origin] = frozenset()) -> Note | None:
        call_id = next((call_id for call_id, note in self.notes.items() if note.note_id == note_id), None)
        if call_id is None:
            return None
        self.notes[call_id] = self.notes[call_id].model_copy(update={"text": text, "origins": tuple(origins)})
        return self.notes[call_id]

    async def search(self, words: str, limit: int) -> Sequence[Note]:
        wanted = words.lower().split()
        found = [note for note in self.notes.values() if all(word in note.text.lower() for word in wanted)]
        return found[::-1][:limit]


class MemoryReminders:
    """A reminder book in a dict, `reminders`, by call id; it takes the past for the future."""

    def __init__(self, zone: ZoneInfo) -> None:
        self.reminders: dict[str, Reminder] = {}
        self._zone = self._home = zone

    async def add(
        self,
        call_id: str,
        text: str,
        rule: RecurrenceRule,
        origins: frozenset[Origin] = frozenset(),
        *,
        until_event: tuple[EventFilter, ...] = (),
    ) -> Reminder:
        fresh = Reminder(
            reminder_id=f"reminder-{len(self.reminders) + 1}",
            text=text,
            rule=rule,
            zone=rule.zone,
            local_time=rule.start,
            due_at=rule.start.replace(tzinfo=ZoneInfo(rule.zone)).astimezone(UTC),
            state="waiting",
            until_event=until_event,
            origins=tuple(origins),
        )
        return self.reminders.setdefault(call_id, fresh)

    async def waiting(self, limit: int) -> Sequence[Reminder]:
        return sorted(self.reminders.values(), key=lambda reminder: reminder.due_at)[:limit]

    async def delivered(self, limit: int) -> Sequence[DeliveredReminder]:
        return ()

    async def get(self, reminder_id: str) -> Reminder | None:
        return next((one for one in self.reminders.values() if one.reminder_id == reminder_id), None)

    async def snooze(self, reminder_id: str, until: datetime) -> Reminder:
        return self._put(reminder_id, due_at=until, snoozed=True, state="waiting")

    async def skip(self, reminder_id: str, due_at: datetime) -> Reminder:
        known = self._put(reminder_id)
        following = known.rule.next_fire(due_at)
        return self._put(reminder_id, due_at=following or due_at, state="waiting" if following else "done")

    async def change(
        self,
        reminder_id: str,
        *,
        text: str = "",
        rule: RecurrenceRule | None = None,
        origins: frozenset[Origin] = frozenset(),
    ) -> Reminder:
        known = self._put(reminder_id)
        whose = tuple(origins) if text else known.origins
        return self._put(reminder_id, text=text or known.text, rule=rule or known.rule, origins=whose)

    async def settle(self, reminder_id: str, *, removed: bool = False) -> Reminder:
        return self._put(reminder_id, state="removed" if removed else "done")

    async def travel(self, zone: str, *, until: datetime | None = None, moments: bool = False) -> Sequence[Reminder]:
        self._zone = ZoneInfo(zone)
        return ()

    def zone(self) -> str:
        return self._zone.key

    def home(self) -> str:
        return self._home.key

    def _put(self, reminder_id: str, **values: object) -> Reminder:
        call_id, known = next(item for item in self.reminders.items() if item[1].reminder_id == reminder_id)
        self.reminders[call_id] = known.model_copy(update=values)
        return self.reminders[call_id]


@dataclass
class MemoryProgress:
    """Notes in memory."""

    stored: dict[str, str] = field(default_factory=dict[str, str])

    async def save(self, **notes: str) -> None:
        self.stored |= notes


class MemoryAnswers:
    """Counts answers by key; `refuse_with` is why none may leave any more."""

    def __init__(self) -> None:
        self.noted: dict[str, tuple[str, str]] = {}
        self.notes: dict[str, MemoryProgress] = {}
        self.refuse_with = ""

    async def note(self, key: str, correspondent: str, thread: str) -> str:
        if key not in self.noted and self.refuse_with:
            return self.refuse_with
        self.noted.setdefault(key, (correspondent, thread))
        return ""

    async def progress(self, key: str) -> MemoryProgress:
        assert key in self.noted
        return self.notes.setdefault(key, MemoryProgress())


class MemoryBlobs:
    """Blobs in a dict, `data`."""

    def __init__(self) -> None:
        self.data: dict[str, bytes] = {}

    async def put(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        self.data[digest] = bytes(data)
        return digest

    async def get(self, sha256: str) -> bytes:
        return self.data[sha256]

    async def put_pieces(self, pieces: Iterable[bytes]) -> str:
        return await self.put(b"".join(pieces))

    def open(self, sha256: str) -> BinaryIO:
        return BytesIO(self.data[sha256])


@dataclass
class FixedOwner:
    """The owner; a test may change it, as pairing does."""

    telegram_user_id: int | None = OWNER_ID
    emails: frozenset[str] = frozenset({"me@home.example"})


class TurnedClock(Ticking):
    """The system's clock plus `offset`, which a test may turn."""

    def __init__(self) -> None:
        self.offset = timedelta(0)

    def now(self) -> datetime:
        return datetime.now(UTC) + self.offset

    async def sleep_until(self, when: datetime) -> None:
        while (rest := (when - self.now()).total_seconds()) > 0:  # noqa: ASYNC110 - whoever turns the clock sets no event
            await asyncio.sleep(min(rest, 0.05))


@dataclass
class RecordingProbe:
    """Every provider call in order, and its result."""

    calls: list[IntegrationCall] = field(default_factory=list[IntegrationCall])
    results: list[IntegrationResult] = field(default_factory=list[IntegrationResult])

    def before_call(self, call: IntegrationCall) -> None:
        self.calls.append(call)

    def after_call(self, call: IntegrationCall, result: IntegrationResult) -> None:
        self.results.append(result)


def make_context(**overrides: Any) -> ModuleContext:
    """A context whose fakes record; each field of `ModuleContext` and of its groups can be given instead by name."""
    cursors = overrides.get("cursors") or MemoryCursors()
    sink = overrides.get("sink") or MemorySink(cursors)
    zone: ZoneInfo = overrides.get("zone") or ZoneInfo("Europe/London")
    values: dict[str, Any] = {
        "butler_name": "Jeeves",
        "zone": zone,
        "owner": FixedOwner(),
        "vault": overrides.get("vault") or MemoryVault(overrides.pop("secrets", {})),
        "sink": sink,
        "cursors": cursors,
        "blobs": MemoryBlobs(),
        "records": MemoryRecords(sink),
        "mirror": overrides.get("mirror") or MemoryMirror(cursors),
        "notes": MemoryNotes(),
        "reminders": MemoryReminders(zone),
        "answers": MemoryAnswers(),
        "clock": TurnedClock(),
        "probe": RecordingProbe(),
    }
    values |= overrides
    for name, group in GROUPS.items():
        parts = {one.name: values.pop(one.name, None) for one in fields(group)}
        values.setdefault(name, group(**parts))
    return ModuleContext(**({"event_store": None, "bulk": None} | values))
