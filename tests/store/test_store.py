"""One writer, shared commits, readers beside it, and what a caller is told when the database does not work."""

import asyncio
import sys
import threading
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy import exc

from butler.contract.errors import ButlerError, Refuse
from butler.store.connect import WRITE_LOCK_KEY
from butler.store.errors import StoreBusyError, StoreFullError, StoreUnavailableError
from butler.store.faults import in_our_words
from butler.store.open import open_store
from butler.store.queries import cursors
from butler.store.store import Store
from tests.store.fixtures import FILE, empty_postgres

NOW = datetime(2026, 7, 30, 12, tzinfo=UTC)


def put(name: str, value: str = "1"):
    return lambda connection: cursors.put(connection, name, value, NOW)


def get(name: str):
    return lambda connection: cursors.get(connection, name)


def refuse(_connection: sa.Connection) -> None:
    raise Refuse("no")


class Recorder:
    """Remembers the labels of each commit."""

    def __init__(self) -> None:
        self.before: list[list[str]] = []
        self.after: list[list[str]] = []

    def before_commit(self, labels: list[str]) -> None:
        self.before.append(labels)

    def after_commit(self, labels: list[str]) -> None:
        self.after.append(labels)


async def hold(store: Store, *writes: Coroutine[Any, Any, object]) -> list[object]:
    """Hand over several writes while the writer is busy, so that they share a commit."""
    busy, gate = threading.Event(), threading.Event()

    def wait(_connection: sa.Connection) -> None:
        busy.set()
        assert gate.wait(10)

    first = asyncio.ensure_future(store.write(wait, "gate"))
    assert await asyncio.to_thread(busy.wait, 10)
    rest = [asyncio.ensure_future(write) for write in writes]
    await asyncio.sleep(0)
    gate.set()
    await first
    return await asyncio.gather(*rest, return_exceptions=True)


async def test_what_was_written_is_read_back(store: Store):
    await store.write(put("offset", "17"))
    assert await store.read(get("offset")) == "17"


async def test_writes_that_wait_together_share_one_commit(url: str, tmp_path: Path):
    probe = Recorder()
    store = open_store(url, data_dir=tmp_path, probe=probe)
    await hold(store, *(store.write(put(f"c{n}"), f"w{n}") for n in range(10)))
    assert probe.after == [["gate"], [f"w{n}" for n in range(10)]]
    assert probe.before == probe.after
    await store.close()


async def test_a_failing_write_undoes_only_its_own_part(store: Store):
    def half_done(connection: sa.Connection) -> None:
        cursors.put(connection, "half", "1", NOW)
        raise Refuse("no")

    outcomes = await hold(store, store.write(put("before")), store.write(half_done), store.write(put("after")))
    assert [type(outcome) for outcome in outcomes] == [type(None), Refuse, type(None)]
    assert [await store.read(get(name)) for name in ("before", "half", "after")] == ["1", None, "1"]


async def test_a_broken_statement_undoes_only_its_own_part(store: Store):
    def broken(connection: sa.Connection) -> None:
        connection.exec_driver_sql("SELECT * FROM no_such_table")

    outcomes = await hold(store, store.write(put("before")), store.write(broken), store.write(put("after")))
    assert isinstance(outcomes[1], exc.DBAPIError)
    assert [await store.read(get(name)) for name in ("before", "after")] == ["1", "1"]


async def test_writes_keep_their_order_around_a_failing_one(store: Store):
    writes = [store.write(put("last", str(n))) for n in range(5)]
    await hold(store, *writes[:3], store.write(refuse), *writes[3:])
    assert await store.read(get("last")) == "4"


async def test_a_commit_that_fails_is_told_to_no_probe_as_done(url: str, tmp_path: Path):
    probe = Recorder()
    store = open_store(url, data_dir=tmp_path, probe=probe)
    with pytest.raises(Refuse):
        await store.write(refuse, "refused")
    assert probe.after == []
    await store.close()


async def test_a_cancelled_caller_does_not_stop_the_write(store: Store):
    gate = threading.Event()
    first = asyncio.ensure_future(store.write(lambda _: gate.wait(10)))
    second = asyncio.ensure_future(store.write(put("kept")))
    await asyncio.sleep(0)
    second.cancel()
    gate.set()
    await first
    await store.write(lambda _: None)  # written after it, whether or not the two were written together
    assert await store.read(get("kept")) == "1"


async def test_closing_finishes_what_was_handed_over(lasting_url: str, tmp_path: Path):
    store = open_store(lasting_url, data_dir=tmp_path)
    writes = [asyncio.ensure_future(store.write(put(f"c{n}"))) for n in range(200)]
    await asyncio.sleep(0)
    await store.close()
    await asyncio.gather(*writes)
    again = open_store(lasting_url, data_dir=tmp_path)
    assert await again.read(get("c199")) == "1"
    await again.close()


async def test_a_closed_store_says_so_instead_of_waiting(store: Store):
    await store.close()
    with pytest.raises(StoreUnavailableError):
        await store.write(put("late"))


async def test_a_reader_sees_one_moment_and_does_not_wait_for_a_writer(lasting_store: Store):
    await lasting_store.write(put("n", "1"))
    first_read, written = threading.Event(), threading.Event()

    def twice(connection: sa.Connection) -> tuple[str | None, str | None]:
        one = cursors.get(connection, "n")
        first_read.set()
        assert written.wait(10)
        return one, cursors.get(connection, "n")

    reading = asyncio.ensure_future(lasting_store.read(twice))
    await asyncio.to_thread(first_read.wait, 10)
    await lasting_store.write(put("n", "2"))
    written.set()
    assert await reading == ("1", "1")
    assert await lasting_store.read(get("n")) == "2"


HOLD_THE_WRITE_LOCK = {
    "sqlite": """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
""",
    "postgresql": """
import psycopg, sys
connection = psycopg.connect(sys.argv[1])
connection.execute("SELECT pg_advisory_xact_lock(%s)", (int(sys.argv[2]),))
""",
}
UNTIL_TOLD = """
print("taken", flush=True)
sys.stdin.read()
connection.close()
"""


@asynccontextmanager
async def another_program_holds_the_write_lock(store: Store) -> AsyncIterator[None]:
    kind = store.url.get_backend_name()
    where = store.url.database if kind == "sqlite" else store.url.set(drivername=kind).render_as_string(False)
    code = HOLD_THE_WRITE_LOCK[kind] + UNTIL_TOLD
    pipe = asyncio.subprocess.PIPE
    other = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(where), str(WRITE_LOCK_KEY), stdin=pipe, stdout=pipe
    )
    assert other.stdout
    assert await other.stdout.readline() == b"taken\n"
    try:
        yield
    finally:
        await other.communicate(b"")


async def test_op_04_a_lock_held_by_another_program_delays_a_write_and_loses_nothing(
    lasting_store: Store, monkeypatch: pytest.MonkeyPatch
):
    tried_again = threading.Event()
    monkeypatch.setattr("butler.store.store.time.sleep", lambda _: tried_again.set())
    async with another_program_holds_the_write_lock(lasting_store):
        write = asyncio.ensure_future(lasting_store.write(put("approved")))
        assert await asyncio.to_thread(tried_again.wait, 20)
        assert not write.done()
    await asyncio.wait_for(write, 60)
    assert await lasting_store.read(get("approved")) == "1"


async def test_a_lock_that_is_never_let_go_is_told_as_busy(lasting_store: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("butler.store.store.BUSY_WAIT_S", 0.0)
    async with another_program_holds_the_write_lock(lasting_store):
        with pytest.raises(StoreBusyError):
            await lasting_store.write(put("late"))
    await lasting_store.write(put("late"))


async def test_op_05_sixty_callers_at_once_on_a_busy_processor_are_all_served(store: Store):
    stop = threading.Event()

    def burn() -> None:
        while not stop.is_set():
            sum(range(1000))

    burner = threading.Thread(target=burn)
    burner.start()

    def count(connection: sa.Connection) -> None:
        cursors.put(connection, "n", str(int(cursors.get(connection, "n") or 0) + 1), NOW)

    async def call() -> None:
        for _ in range(5):
            await store.write(count)
            await store.read(get("n"))

    try:
        await asyncio.gather(*(call() for _ in range(60)))
    finally:
        stop.set()
        burner.join()
    assert await store.read(get("n")) == "300"


async def test_op_08_a_full_disk_leaves_the_old_state_and_recovers(tmp_path: Path):
    store = open_store(FILE, data_dir=tmp_path)
    await store.write(put("kept", "old"))

    def limit_pages(connection: sa.Connection) -> None:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages + 2}")

    await store.write(limit_pages)
    with pytest.raises(StoreFullError, match="The disk is full"):
        await store.write(put("kept", "x" * 100_000))
    assert await store.read(get("kept")) == "old"
    await store.write(put("small", "fits"))
    await store.write(lambda connection: connection.exec_driver_sql("PRAGMA max_page_count=1000000"))
    await store.write(put("kept", "x" * 100_000))
    assert len(await store.read(get("kept")) or "") == 100_000
    await store.close()


async def test_op_08_in_a_shared_commit_what_fits_is_written(tmp_path: Path):
    store = open_store(FILE, data_dir=tmp_path)

    def limit_pages(connection: sa.Connection) -> None:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages + 2}")

    await store.write(limit_pages)
    writes = (store.write(put("small")), store.write(put("large", "x" * 100_000)), store.write(put("other")))
    outcomes = await hold(store, *writes)
    assert [type(outcome) for outcome in outcomes] == [type(None), StoreFullError, type(None)]
    await store.close()


@pytest.mark.services
@pytest.mark.parametrize(
    ("state", "expected"),
    [("53100", StoreFullError), ("40001", StoreBusyError), ("40P01", StoreBusyError), ("57P03", StoreUnavailableError)],
)
async def test_postgresql_states_become_our_errors(state: str, expected: type[ButlerError], request, tmp_path: Path):
    store = open_store(empty_postgres(request), data_dir=tmp_path)

    def fail(connection: sa.Connection) -> None:
        connection.exec_driver_sql(f"DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{state}'; END $$")

    with pytest.raises(exc.DBAPIError) as caught, store.engine.connect() as connection:
        fail(connection)
    assert isinstance(in_our_words(caught.value), expected)
    await store.close()


@pytest.mark.services
async def test_a_cut_connection_is_told_and_the_next_write_works(request, tmp_path: Path):
    url = empty_postgres(request)
    store = open_store(url, data_dir=tmp_path)

    def cut(connection: sa.Connection) -> None:
        pid = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
        with psycopg.connect(url, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", (pid,))
        cursors.put(connection, "lost", "1", NOW)

    with pytest.raises(StoreUnavailableError):
        await store.write(cut)
    await store.write(put("later"))
    assert [await store.read(get(name)) for name in ("lost", "later")] == [None, "1"]
    await store.close()


async def test_an_error_shows_no_values(store: Store):
    def broken(connection: sa.Connection) -> None:
        connection.execute(sa.text("INSERT INTO no_such_table VALUES (:secret)"), {"secret": "hunter2"})

    with pytest.raises(exc.DBAPIError) as caught:
        await store.write(broken)
    assert "hunter2" not in str(caught.value)


async def test_a_slow_write_is_named(store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr("butler.store.store.SLOW_S", 0.01)
    await store.write(lambda _: time.sleep(0.02), "slow_one")
    await store.write(put("a"))
    assert "slow_one" in capsys.readouterr().out


def forced_to_disk(connection: sa.Connection) -> bool:
    """Whether the transaction that this runs in waits for the disk."""
    if connection.dialect.name == "sqlite":
        return connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
    source = "SELECT source FROM pg_settings WHERE name = 'synchronous_commit'"
    return connection.exec_driver_sql(source).scalar() != "session"  # the server's own setting stands


async def test_a_write_waits_for_the_disk_unless_it_says_that_it_need_not(lasting_store: Store):
    assert await lasting_store.write(forced_to_disk)
    assert not await lasting_store.write(forced_to_disk, flushed=False)
    assert await lasting_store.write(forced_to_disk)


async def test_a_group_waits_for_the_disk_when_one_of_it_must(lasting_store: Store):
    answers = await asyncio.gather(
        lasting_store.write(lambda _: time.sleep(0.1)),  # the others queue up behind it
        lasting_store.write(forced_to_disk, flushed=False),
        lasting_store.write(forced_to_disk),
    )
    assert answers == [None, True, True]


async def test_a_look_sees_what_was_written_and_is_refused_by_a_closed_store(store: Store):
    await store.write(put("a"))
    assert await store.look(get("a")) == "1"
    await store.close()
    with pytest.raises(StoreUnavailableError):
        await store.look(get("a"))


async def test_half_a_surrogate_pair_in_somebody_s_text_is_kept(store: Store):
    value = {"text": "\ud83d", "more": "ü"}
    await store.write(lambda c: cursors.put_fact(c, "x", value, NOW))
    assert await store.read(lambda c: cursors.fact(c, "x")) == value
