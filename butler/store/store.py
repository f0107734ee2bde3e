"""The store: one writer thread with group commit, readers beside it, and errors in our own words.

Logic passes a function over a `Connection` made of named queries; it runs in a transaction, and the call returns once
that is on disk. Several functions that wait at the same time share one commit; a function that raises undoes only its
own part. A function may run again when the database was busy, so it must only talk to its connection.
"""

import asyncio
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

import sqlalchemy as sa
import structlog
from sqlalchemy import event, exc
from sqlalchemy.pool import StaticPool

from butler.contract.errors import ButlerError, StoreBusyError, StoreFullError, StoreUnavailableError

log = structlog.get_logger(__name__)
T = TypeVar("T")
Work = Callable[[sa.Connection], T]

GROUP = 64
BUSY_WAIT_S = 60.0
SLOW_S = 1.0


class CommitProbe(Protocol):
    """Told before and after each commit: metrics count with it, crash tests kill with it."""

    def before_commit(self, labels: list[str]) -> None: ...

    def after_commit(self, labels: list[str]) -> None: ...


@dataclass(slots=True)
class _Job:
    work: Work[Any]
    label: str
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None


@dataclass(slots=True)
class _Stop:
    done: threading.Event = field(default_factory=threading.Event)


class Store:
    """An open database. `open_store()` makes one whose tables are up to date."""

    def __init__(self, url: str, probe: CommitProbe | None = None) -> None:
        self.url = sa.make_url(url)
        self.engine = make_engine(self.url)
        self._probe = probe
        self._jobs: queue.SimpleQueue[_Job | _Stop] = queue.SimpleQueue()
        self._shared = self.url.get_backend_name() == "sqlite" and self.url.database in {None, "", ":memory:"}
        self._readers = ThreadPoolExecutor(2, thread_name_prefix="store-read")
        self._thread = threading.Thread(target=self._serve, name="store-write", daemon=True)
        self._thread.start()

    async def write(self, work: Work[T], label: str = "") -> T:
        """Run `work` in a transaction and return once it is durable.

        Raises what `work` raises, or `StoreBusyError`, `StoreFullError`, `StoreUnavailableError`.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._jobs.put(_Job(work, label, loop, future))
        # Once handed over, the work is done whatever becomes of the caller; a cancelled caller only stops waiting.
        return await asyncio.shield(future)

    async def read(self, work: Work[T]) -> T:
        """Run `work` on a reader; it sees all that is committed."""
        if self._shared:
            return await self.write(work, "read")
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._read, work)

    async def close(self) -> None:
        """Finish what was handed over, then close."""
        stop = _Stop()
        self._jobs.put(stop)
        await asyncio.to_thread(stop.done.wait)
        self._readers.shutdown()
        self.engine.dispose()

    def _read(self, work: Work[T]) -> T:
        try:
            with self.engine.connect() as connection:
                return work(connection)
        except exc.DBAPIError as error:
            raise in_our_words(error) from error

    def _serve(self) -> None:
        while True:
            first = self._jobs.get()
            if isinstance(first, _Stop):
                first.done.set()
                return
            batch, stop = [first], None
            while len(batch) < GROUP and not self._jobs.empty():
                following = self._jobs.get()
                if isinstance(following, _Stop):
                    stop = following
                    break
                batch.append(following)
            self._commit(batch)
            if stop:
                stop.done.set()
                return

    def _commit(self, batch: list[_Job]) -> None:
        labels = [job.label for job in batch]
        started = time.monotonic()
        try:
            self._transact(batch, labels)
        except Exception as error:  # noqa: BLE001 - the boundary of the thread: every waiting caller gets it
            failure = in_our_words(error)
            log.warning("store_commit_failed", labels=labels, kind=type(failure).__name__)
            for job in batch:
                job.error = job.error or failure
        if (took := time.monotonic() - started) > SLOW_S:
            log.warning("store_slow", labels=labels, seconds=round(took, 2))
        for job in batch:
            _resolve(job)

    def _transact(self, batch: list[_Job], labels: list[str]) -> None:
        deadline = time.monotonic() + BUSY_WAIT_S
        while True:
            try:
                with self.engine.connect() as connection, connection.begin() as transaction:
                    for job in batch:
                        self._run(job, connection, alone=len(batch) == 1)
                    if self._probe:
                        self._probe.before_commit(labels)
                    if len(batch) == 1 and batch[0].error is not None:
                        transaction.rollback()
            except exc.DBAPIError as error:
                if not isinstance(in_our_words(error), StoreBusyError) or time.monotonic() > deadline:
                    raise
                log.info("store_busy", labels=labels)
                for job in batch:
                    job.error = job.result = None
                continue
            if self._probe:
                self._probe.after_commit(labels)
            return

    @staticmethod
    def _run(job: _Job, connection: sa.Connection, *, alone: bool) -> None:
        try:
            if alone:
                job.result = job.work(connection)
            else:
                with connection.begin_nested():
                    job.result = job.work(connection)
        except exc.OperationalError:
            raise
        except Exception as error:  # noqa: BLE001 - handed to the caller, who awaits it
            job.error = in_our_words(error)


def _resolve(job: _Job) -> None:
    def settle() -> None:
        if job.future.done():
            return
        if job.error is not None:
            job.future.set_exception(job.error)
        else:
            job.future.set_result(job.result)

    # A loop that is closed has nobody waiting; what was written stays written.
    if not job.loop.is_closed():
        job.loop.call_soon_threadsafe(settle)


def make_engine(url: sa.URL) -> sa.Engine:
    """An engine with the settings that durability needs."""
    if url.get_backend_name() != "sqlite":
        return sa.create_engine(url, pool_pre_ping=True)
    memory = url.database in {None, "", ":memory:"}
    if not memory:
        Path(str(url.database)).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    args: dict[str, Any] = {"connect_args": {"check_same_thread": False, "timeout": 5.0}}
    if memory:
        args["poolclass"] = StaticPool
    engine = sa.create_engine(url, **args)

    def on_connect(dbapi_connection: Any, _record: object) -> None:
        dbapi_connection.isolation_level = None  # we say BEGIN ourselves
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            dbapi_connection.execute(f"PRAGMA {pragma}")

    def on_begin(connection: sa.Connection) -> None:
        # Readers run on threads of their own; only the writer needs the lock from the start.
        writer = memory or threading.current_thread().name == "store-write"
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writer else "BEGIN")

    event.listen(engine, "connect", on_connect)
    event.listen(engine, "begin", on_begin)
    return engine


def in_our_words(error: Exception) -> Exception:
    """A database error as one of ours; anything else unchanged. The driver's text holds rows, so it is not kept."""
    if isinstance(error, ButlerError) or not isinstance(error, exc.DBAPIError):
        return error
    text = str(error.orig).lower()
    if "locked" in text or "deadlock" in text or "could not serialize" in text:
        return StoreBusyError()
    if "disk is full" in text or "no space left" in text or "disk full" in text or "disk i/o error" in text:
        return StoreFullError()
    if isinstance(error, exc.IntegrityError):
        return error
    if isinstance(error, exc.OperationalError):
        return StoreUnavailableError()
    return error
