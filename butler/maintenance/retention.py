"""Deletes expired data at night: rows in small portions, then unreferenced files.

Rows are checked concurrently with other work, by an index over their time, and deleted in commits of a few
milliseconds, so that no writer waits; if the process is killed, a later run deletes the rest. A work row triggers the
retention, which schedules the next night's row when it is done.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from datetime import time as clock_time
from functools import partial
from typing import Final, Protocol, TypeVar
from zoneinfo import ZoneInfo

import sqlalchemy as sa
import structlog

from butler.contract.agent_ports import MemoryKind
from butler.contract.wall_time import moment
from butler.engine import WorkHandler
from butler.maintenance.backups import Backups
from butler.services import Services
from butler.store.blobs import FileBlobs
from butler.store.instants import EPOCH
from butler.store.queries import blob_references, cursors, memory, work
from butler.store.queries.counts import LAST_RETENTION
from butler.store.queries.retention import OLD, ExpiredRows, Place
from butler.store.tables import work as work_rows
from config.agents import Kept
from config.keeping import RetentionSettings

log = structlog.get_logger(__name__)
T = TypeVar("T")

RUN_RETENTION: Final = "run_retention"
ROWS: Final = "rows"
"""The work kind, and its subject."""
AT: Final = clock_time(3, 30)
FIRST_PORTION: Final = 100
MOST_AT_ONCE: Final = 500
"""Rows that are checked in one portion."""
WRITES_S: Final = 0.005
"""About how many seconds a portion may delay other writers."""
READS_S: Final = 0.05
PAUSE_S: Final = 0.02
TURN_S: Final = 1.0
"""Seconds after which the retention yields to other work, such as the daemon's shutdown."""
PORTION: Final = 100
"""Sources of memory in one portion."""
YOUNG: Final = timedelta(days=2)
"""A younger file may belong to a row that is about to be written."""
_REMEMBERED: Final = {
    Kept.DOCUMENTS: MemoryKind.DOCUMENT,
    Kept.PAGES: MemoryKind.PAGE,
    Kept.MAILS: MemoryKind.MAIL,
    Kept.CHATS: MemoryKind.CHAT,
    Kept.NOTES: MemoryKind.NOTE,
}


class MemoryDropper(Protocol):
    """The part of the memory port that the retention needs."""

    async def drop(self, source_ids: Sequence[str]) -> int:
        """Drop sources from memory."""
        ...


@dataclass(slots=True)
class Purged:
    """Counts of data that was, or would be, deleted: rows by setting, files, and their bytes."""

    rows: dict[str, int] = field(default_factory=dict[str, int])
    files: int = 0
    size: int = 0

    def add(self, setting: str, count: int) -> None:
        """Count rows."""
        if count:
            self.rows[setting] = self.rows.get(setting, 0) + count


@dataclass(slots=True)
class PurgeProgress:
    """The progress of one night's work."""

    now: datetime
    gone: Purged = field(default_factory=Purged)
    kind: int = 0
    """The number of kinds of rows that are done."""
    after: Place | None = None
    """The last checked row of this kind."""
    portion: int = FIRST_PORTION


def timed(work: Callable[[sa.Connection], T]) -> Callable[[sa.Connection], tuple[T, float]]:
    """Return the same database work, with the seconds that it took added to its result."""

    def measured(connection: sa.Connection) -> tuple[T, float]:
        began = time.monotonic()
        result = work(connection)
        return result, time.monotonic() - began

    return measured


def next_portion(size: int, read_s: float, write_s: float) -> int:
    """Return the size of the next portion, from the times of the last one, so that no other work waits for long."""
    load = max(read_s / READS_S, write_s / WRITES_S)
    if load > 1:
        return max(1, size // 2)
    return min(MOST_AT_ONCE, size * 2) if load < 0.5 else size  # noqa: PLR2004 - well below


class Retention:
    """Handles `run_retention`."""

    def __init__(
        self,
        services: Services,
        blobs: FileBlobs,
        forgets: MemoryDropper,
        backups: Backups | None = None,
        *,
        turn_s: float = TURN_S,
    ) -> None:
        self._store, self._clock, self._zone = services.store, services.clock, services.zone
        self._settings, self._blobs, self._memory, self._backups = services.settings.retention, blobs, forgets, backups
        self._turn_s = turn_s
        self._night: PurgeProgress | None = None
        """This night's progress; after a restart, the night begins again."""

    def handlers(self) -> Mapping[str, WorkHandler]:
        """Return the work handlers."""
        return {RUN_RETENTION: self.tonight}

    async def begin(self) -> None:
        """Schedule the retention at the start, immediately if a night was missed."""
        await self._store.write(partial(_wait, now=self._clock.now(), zone=self._zone), "keep.begin")

    async def clock_went_back(self) -> None:
        """Schedule the retention for the coming night."""
        now = self._clock.now()
        await self._store.write(partial(_sooner, now=now, zone=self._zone), "keep.clock")

    async def tonight(self, _subject: str) -> None:
        """Make the backup, delete expired data in turns of limited length, and schedule the next night at the end."""
        if self._backups is not None and self._night is None:
            await self._backups.make()
        night, self._night = self._night or PurgeProgress(self._clock.now()), None
        if not await self._purge(night):
            # The daemon's shutdown may be waiting; rows deleted so far stay deleted.
            self._night = night
            await self._store.write(partial(_continue_later, now=self._clock.now()), "keep.on")
            return
        for setting, count in night.gone.rows.items():
            log.info("retention", setting=setting, rows=count)
        await self._forget(night.now, night.gone)
        night.gone.files, night.gone.size = await self._files()
        log.info("retention", files=night.gone.files, bytes=night.gone.size)
        await self._store.write(partial(self._done, gone=night.gone), "keep.done")

    async def _purge(self, night: PurgeProgress) -> bool:
        """Delete rows for one turn; return whether all are done."""
        ends = self._clock.monotonic() + self._turn_s
        limits = cutoffs(self._settings, night.now)
        kinds = [old for setting in limits for old in OLD if old.setting == setting]
        for old in kinds[night.kind :]:
            while await self._portion(old, limits[old.setting], night):
                if self._clock.monotonic() >= ends:
                    return False
                await asyncio.sleep(PAUSE_S)
            night.kind, night.after = night.kind + 1, None
        return True

    async def _portion(self, old: ExpiredRows, before: datetime, night: PurgeProgress) -> bool:
        """Check some rows concurrently, and delete the old ones; return whether there may be more."""
        size = night.portion
        looked, read_s = await self._store.read(timed(partial(old.look, before=before, after=night.after, limit=size)))
        write_s = 0.0
        if looked.found:
            work = timed(partial(old.purge, before=before, looked=looked))
            # Not flushed: repeating the deletion after a crash of the machine does no harm.
            count, write_s = await self._store.write(work, f"keep.{old.setting}", flushed=False)
            night.gone.add(old.setting, count)
        night.after = looked.last
        night.portion = next_portion(size, read_s, write_s)
        return looked.rows == size

    async def _forget(self, now: datetime, gone: Purged) -> None:
        for kept, span in self._settings.memory.items():
            if span is None:
                continue
            old = partial(memory.older, kind=_REMEMBERED[kept], before=now - span, limit=PORTION)
            while found := await self._store.read(old):
                await self._memory.drop(found)
                gone.add("memory", len(found))

    async def _files(self) -> tuple[int, int]:
        before = time.time() - YOUNG.total_seconds()
        try:
            with self._blobs.pruning():
                old = await asyncio.to_thread(aged, self._blobs, before)
                kept = await self._store.read(partial(blob_references.named, digests=old)) if old else set[str]()
                sizes = [await asyncio.to_thread(self._blobs.prune, one, before) for one in sorted(old - kept)]
        except BlockingIOError:
            log.info("files_not_looked_at", why="a backup is being made")
            return 0, 0
        return sum(1 for size in sizes if size), sum(sizes)

    def _done(self, connection: sa.Connection, gone: Purged) -> None:
        now = self._clock.now()
        data = {"at": now.isoformat(), "rows": gone.rows, "files": gone.files, "bytes": gone.size}
        cursors.put_fact(connection, LAST_RETENTION, data, now)
        _wait(connection, now, self._zone, beside=1)


def cutoffs(settings: RetentionSettings, now: datetime) -> dict[str, datetime]:
    """Return the time for each setting before which rows are deleted."""
    spans: dict[str, timedelta | None] = {
        name: getattr(settings, name) for name in dict.fromkeys(old.setting for old in OLD)
    }
    return {name: max(now - span, EPOCH) for name, span in spans.items() if span is not None}


def aged(blobs: FileBlobs, before: float) -> set[str]:
    """Return the digests of blobs stored before a time, in seconds since the epoch."""
    return {digest for digest in blobs.digests() if blobs.about(digest)[0] < before}


def would_go(connection: sa.Connection, blobs: FileBlobs, settings: RetentionSettings, now: datetime) -> Purged:
    """Count the data that would be deleted now; of files, only those that no row refers to already."""
    gone = Purged()
    limits = cutoffs(settings, now)
    for old in OLD:
        if old.setting in limits:
            gone.add(old.setting, old.count(connection, limits[old.setting]))
    for kept, span in settings.memory.items():
        if span is not None:
            gone.add("memory", memory.count_older(connection, _REMEMBERED[kept], now - span))
    old_files = aged(blobs, time.time() - YOUNG.total_seconds())
    nameless = old_files - blob_references.named(connection, old_files)
    gone.files, gone.size = len(nameless), sum(blobs.about(one)[1] for one in nameless)
    return gone


def next_night(at: datetime, zone: ZoneInfo) -> datetime:
    """Return the next 3:30 of the zone, in UTC."""
    local = at.astimezone(zone)
    due = moment(datetime.combine(local.date(), AT), zone)
    if due <= at:
        due = moment(datetime.combine(local.date() + timedelta(days=1), AT), zone)
    return due.astimezone(UTC)


def _wait(connection: sa.Connection, now: datetime, zone: ZoneInfo, beside: int = 0) -> None:
    """Schedule the next night, unless a row waits already; with `beside`, the row being handled does not count."""
    waiting = (work_rows.c.kind == RUN_RETENTION, work_rows.c.state == work.READY)
    if beside:
        waiting = (*waiting, work_rows.c.run_at > now)
    if not connection.execute(sa.select(work_rows.c.work_id).where(*waiting).limit(1)).first():
        work.add(connection, RUN_RETENTION, ROWS, now=now, lane=RUN_RETENTION, run_at=next_night(now, zone))


def _continue_later(connection: sa.Connection, now: datetime) -> None:
    """Continue this night's retention after the work that is waiting now."""
    work.add(connection, RUN_RETENTION, ROWS, now=now, lane=RUN_RETENTION)


def _sooner(connection: sa.Connection, now: datetime, zone: ZoneInfo) -> None:
    """Reschedule the retention for the next night, if a clock that was ahead had scheduled it later."""
    night = next_night(now, zone)
    waiting = (work_rows.c.kind == RUN_RETENTION, work_rows.c.state == work.READY, work_rows.c.run_at > night)
    connection.execute(work_rows.update().where(*waiting).values(run_at=night))
