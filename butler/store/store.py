"""The store: one writer thread with group commit, concurrent readers, and errors in our own words.

Callers pass a function over a `Connection`, made of named queries; it runs in a transaction, and the call returns once
that is on disk. Functions that wait at the same time share one commit. A function that raises undoes its own part and
nobody else's: the group runs again without it, so a function must only use its connection.

A store that serves a daemon compares the daemon's epoch in every writing transaction (`butler.store.fence`).
"""

import asyncio
import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol, TypeVar

import sqlalchemy as sa
import structlog
from sqlalchemy import exc

from butler.contract.errors import ButlerError
from butler.store.connect import in_memory, make_engine, reader_of, resolve_url, writer_of
from butler.store.errors import FencedError, StoreBusyError, StoreDamagedError, StoreFullError, StoreUnavailableError
from butler.store.faults import in_our_words
from butler.store.fence import Fence, LostNotice, locking_engine
from butler.store.queries import daemons

log = structlog.get_logger(__name__)
T = TypeVar("T")
Work = Callable[[sa.Connection], T]

GROUP = 64
READERS = 2
BUSY_WAIT_S = 60.0
BUSY_PAUSE_S = 0.02
SLOW_S = 1.0


class CommitProbe(Protocol):
    """Called before and after each commit: metrics count with it, crash tests kill with it."""

    def before_commit(self, labels: list[str]) -> None: ...

    def after_commit(self, labels: list[str]) -> None: ...


@dataclass(slots=True)
class _Job:
    work: Work[Any]
    label: str
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    flushed: bool
    result: Any = None
    error: Exception | None = None


@dataclass(slots=True)
class _Stop:
    done: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why a transaction was undone; `at` is the job that raised, or None if no job caused it."""

    error: Exception
    at: int | None


class Store:
    """An open database. `open_store()` makes one with up-to-date tables."""

    def __init__(self, url: str | sa.URL, probe: CommitProbe | None = None) -> None:
        self.url = url if isinstance(url, sa.URL) else resolve_url(url, Path())
        self.engine = make_engine(self.url)
        self._writer = writer_of(self.engine)
        self._unflushed_writer = writer_of(self.engine, flushed=False)
        self._reader = reader_of(self.engine)
        self._probe = probe
        self._fence: Fence | None = None
        self._own: sa.Engine | None = None
        self._lost = LostNotice()
        self._damaged: StoreDamagedError | None = None
        self._failing: ButlerError | None = None
        self._closed = False
        self._jobs: queue.SimpleQueue[_Job | _Stop] = queue.SimpleQueue()
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="store-read")
        self._thread = threading.Thread(target=self._serve, name="store-write", daemon=True)
        self._thread.start()

    async def write(self, work: Work[T], label: str = "", *, flushed: bool = True) -> T:
        """Run `work` in a transaction and return once it is durable.

        A commit that is not `flushed` survives the process immediately, and a power loss only after the next flushed
        one: for notes whose loss repeats something harmless, such as a line said to the owner again.

        Raises what `work` raises, or `StoreBusyError`, `StoreFullError`, `StoreUnavailableError`. After the last one,
        PostgreSQL may have committed all the same, if the connection broke at that moment.
        """
        if self._closed:
            raise StoreUnavailableError("it is closed")
        if self._lost.error is not None:
            raise self._lost.error
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._jobs.put(_Job(work, label, loop, future, flushed))
        # Once handed over, the work is done even if the caller is cancelled; a cancelled caller only stops waiting.
        return await asyncio.shield(future)

    async def read(self, work: Work[T]) -> T:
        """Run `work` on a reader, with one snapshot of all that is committed."""
        if in_memory(self.url):  # there is only one connection, the writer's
            return await self.write(work, "read")
        if self._closed:
            raise StoreUnavailableError("it is closed")
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._read, work)

    async def look(self, work: Work[T]) -> T:
        """Read a few rows by their key, on the path of every message.

        SQLite returns them faster than a thread switch takes, so they are read in the event loop.
        """
        if self.url.get_backend_name() != "sqlite" or in_memory(self.url) or self._closed:
            return await self.read(work)
        return self._read(work)

    # Serving a daemon

    async def take_over(self, place: str) -> None:
        """Make this store serve a daemon, fencing off every earlier one; `place` identifies its lock file.

        On PostgreSQL the writer's own connection holds the daemon's lock. Raises `AlreadyRunningError`.
        """
        if self.url.get_backend_name() != "sqlite":
            engine = locking_engine(self.url, lambda: self._fence and self._fence.epoch)
            self._own = engine
            self._writer, self._unflushed_writer = writer_of(engine), writer_of(engine, flushed=False)
        epoch = await self.write(lambda c: daemons.begin(c, place, os.getpid(), datetime.now(UTC)), "epoch")
        self._fence = Fence(self.url, epoch)

    @property
    def epoch(self) -> int:
        """The daemon's epoch, or 0 if the store serves none."""
        return self._fence.epoch.number if self._fence else 0

    def has_ended(self, connection: sa.Connection, epoch: int) -> bool:
        """Return whether all others' work of an epoch has surely ended; always true if no daemon is served."""
        return self._fence is None or self._fence.has_ended(connection, epoch)

    async def confirm(self) -> None:
        """Confirm the epoch right before an external effect: raise `FencedError`, or the errors of `read`."""
        if self._fence is None:
            return
        if self._lost.error is not None:
            raise self._lost.error
        try:
            await self.look(self._fence.compare)
        except FencedError as fenced:
            self._lost.set(fenced)
            raise

    async def hold(self) -> None:
        """Take PostgreSQL's lock again if its connection was lost, and compare the epoch; raise as `write` does."""
        await self.write(lambda _: None, "hold", flushed=False)

    @property
    def fenced(self) -> FencedError | None:
        """The error that told this store's daemon of its successor; None while it is the newest."""
        return self._lost.error

    @property
    def trouble(self) -> ButlerError | None:
        """Why nothing, or not all, can be stored: the last transaction's error, or permanently any damage."""
        return self._damaged or self._failing

    async def until_fenced(self) -> None:
        """Wait until another daemon has taken over; raise `FencedError` then."""
        loop, gone = asyncio.get_running_loop(), asyncio.Event()

        def tell() -> None:
            with suppress(RuntimeError):  # the loop has ended, and nobody waits
                loop.call_soon_threadsafe(gone.set)

        self._lost.tell(tell)
        await gone.wait()
        if self._lost.error is not None:
            raise self._lost.error

    async def close(self) -> None:
        """Finish the submitted work, then close."""
        if self._closed:
            return
        self._closed = True
        stop = _Stop()
        self._jobs.put(stop)
        await asyncio.to_thread(stop.done.wait)
        self._readers.shutdown()
        self.engine.dispose()
        if self._own is not None:
            self._own.dispose()

    def _read(self, work: Work[T]) -> T:
        try:
            if self._fence is not None:
                self._fence.look()
            with self._reader.connect() as connection:
                return work(connection)
        except exc.SQLAlchemyError as error:
            exception = in_our_words(error)
            if isinstance(exception, StoreDamagedError):
                self._damaged = exception
            raise exception from error

    def _serve(self) -> None:
        while True:
            batch: list[_Job] = []
            following: _Job | _Stop = self._jobs.get()
            while isinstance(following, _Job):
                batch.append(following)
                if len(batch) == GROUP or self._jobs.empty():
                    break
                following = self._jobs.get()
            if batch:
                self._commit(batch)
            if isinstance(following, _Stop):
                following.done.set()
                return

    def _commit(self, batch: list[_Job]) -> None:
        """Commit the jobs together or, if one of them fails, apart from it; always in their order."""
        started = time.monotonic()
        parts = deque([batch])
        while parts:
            part = parts.popleft()
            failure = self._transact_when_free(part)
            if failure is not None:
                smaller = _split(part, failure)
                if smaller:
                    parts.extendleft(reversed(smaller))
                    continue
                for job in part:
                    job.error = failure.error
            _settle(part)
        if (took := time.monotonic() - started) > SLOW_S:
            log.warning("store_slow", labels=[job.label for job in batch], seconds=round(took, 2))

    def _transact_when_free(self, jobs: list[_Job]) -> _Failure | None:
        deadline = time.monotonic() + BUSY_WAIT_S
        while True:
            failure = self._transact(jobs)
            self._note(failure)
            if failure is None:
                return None
            if isinstance(failure.error, FencedError):
                self._lost.set(failure.error)
            if not isinstance(failure.error, StoreBusyError) or time.monotonic() > deadline:
                kind = type(failure.error).__name__
                log.warning("store_write_failed", labels=[job.label for job in jobs], at=failure.at, kind=kind)
                return failure
            log.info("store_busy", labels=[job.label for job in jobs])
            time.sleep(BUSY_PAUSE_S)

    def _note(self, failure: _Failure | None) -> None:
        """Remember what prevents storing: damage until a restart, other errors until they are over."""
        error = failure.error if failure is not None else None
        if isinstance(error, StoreDamagedError):
            self._damaged = error
        elif error is None or isinstance(error, StoreFullError | StoreUnavailableError):
            self._failing = error

    def _transact(self, jobs: list[_Job]) -> _Failure | None:
        labels = [job.label for job in jobs]
        at: int | None = None
        try:
            writer = self._writer if any(job.flushed for job in jobs) else self._unflushed_writer
            fence = self._fence
            if fence is not None:
                fence.look()
            with writer.begin() as connection:
                if fence is not None:
                    fence.compare(connection)
                for at, job in enumerate(jobs):  # noqa: B007 - the failure names the job
                    job.result = job.work(connection)
                at = None
                if self._probe:
                    self._probe.before_commit(labels)
        except Exception as error:  # noqa: BLE001 - the boundary of the thread: the waiting caller gets it
            return _Failure(in_our_words(error), at)
        if self._probe:
            self._probe.after_commit(labels)
        return None


def _split(jobs: list[_Job], failure: _Failure) -> list[list[_Job]]:
    """Return smaller transactions to try instead, or none if that would not help."""
    if len(jobs) == 1 or isinstance(failure.error, StoreBusyError | StoreUnavailableError | FencedError):
        return []
    if failure.at is None:
        return [[job] for job in jobs]
    parts = (jobs[: failure.at], [jobs[failure.at]], jobs[failure.at + 1 :])
    return [part for part in parts if part]


def _settle(jobs: list[_Job]) -> None:
    for loop, of_loop in groupby(jobs, key=lambda job: job.loop):
        # On a closed loop nobody waits; what was written stays written.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_answer, list(of_loop))


def _answer(jobs: list[_Job]) -> None:
    for job in jobs:
        if job.future.done():
            continue
        if job.error is not None:
            job.future.set_exception(job.error)
        else:
            job.future.set_result(job.result)
