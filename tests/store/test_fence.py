"""A daemon that was replaced writes nothing and does nothing more, whatever became of its lock."""

import asyncio
import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from butler.store.errors import AlreadyRunningError, FencedError, StoreLostError, StoreUnavailableError
from butler.store.lock import DAEMON_LOCK_KEY, DataLock
from butler.store.open import open_store
from butler.store.queries import cursors, daemons
from butler.store.store import Store
from tests.store.fixtures import FILE, empty_postgres

NOW = datetime(2026, 11, 29, tzinfo=UTC)
CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s"


async def put(store: Store, value: str) -> None:
    await store.write(lambda c: cursors.put(c, "who", value, NOW), "who")


async def who(store: Store) -> str | None:
    return await store.read(lambda c: cursors.get(c, "who"))


@pytest.fixture
async def two(tmp_path: Path) -> AsyncIterator[tuple[Store, Store]]:
    """Two stores of one file, neither serving a daemon yet."""
    one, other = open_store(FILE, data_dir=tmp_path), open_store(FILE, data_dir=tmp_path)
    yield one, other
    await one.close()
    await other.close()


async def test_whoever_takes_over_fences_off_the_one_before(two: tuple[Store, Store]):
    one, other = two
    await one.take_over("a")
    await put(one, "one")
    await one.confirm()
    waiting = asyncio.create_task(one.until_fenced())
    await other.take_over("b")
    assert other.epoch > one.epoch > 0
    with pytest.raises(FencedError, match="Another Butler has taken over this data, so this one has stopped"):
        await put(one, "one again")
    with pytest.raises(FencedError):
        await asyncio.wait_for(waiting, 60)
    with pytest.raises(FencedError):
        await one.confirm()
    assert one.fenced is not None
    await put(other, "other")
    assert await who(one) == "other"


async def test_who_only_asks_is_told_too(two: tuple[Store, Store]):
    one, other = two
    await one.take_over("a")
    await other.take_over("b")
    with pytest.raises(FencedError):
        await one.confirm()
    with pytest.raises(FencedError):
        await one.until_fenced()


async def test_a_write_that_was_under_way_is_undone_with_its_group(two: tuple[Store, Store]):
    one, other = two
    await one.take_over("a")
    await other.take_over("b")
    ended = await asyncio.gather(*(put(one, str(n)) for n in range(20)), return_exceptions=True)
    assert {type(error) for error in ended} == {FencedError}
    assert await who(other) is None


async def test_programs_that_serve_no_daemon_write_beside_it(two: tuple[Store, Store]):
    one, other = two
    await one.take_over("a")
    await put(other, "a command")
    await other.confirm()
    await put(one, "one")
    assert await who(other) == "one"


async def test_only_who_held_the_same_lock_file_has_surely_ended(two: tuple[Store, Store]):
    one, other = two

    def has_ended(store: Store, epoch: int) -> bool:
        with store.engine.connect() as connection:
            return store.has_ended(connection, epoch)

    assert has_ended(one, 7), "where no daemon is served, there is nobody else"
    await one.take_over("a")
    await other.take_over("b")
    again = Store(one.url)
    await again.take_over("a")
    try:
        assert has_ended(again, one.epoch)
        assert has_ended(again, again.epoch)
        assert not has_ended(again, other.epoch)
        assert not has_ended(again, 0), "begun before there were epochs"
        assert not has_ended(again, again.epoch + 1)
    finally:
        await again.close()


@pytest.mark.parametrize("replaced", [False, True])
async def test_a_file_that_is_gone_from_under_the_daemon_is_noticed(tmp_path: Path, *, replaced: bool):
    store = open_store(FILE, data_dir=tmp_path)
    await store.take_over("a")
    path = tmp_path / "butler.db"
    path.rename(tmp_path / "elsewhere.db")
    if replaced:
        path.write_bytes((tmp_path / "elsewhere.db").read_bytes())
    for doing in (put(store, "one"), who(store), store.hold()):
        with pytest.raises(StoreLostError, match=r"butler\.db was removed or replaced while Butler was running"):
            await doing
    (tmp_path / "elsewhere.db").rename(path)
    await put(store, "back")
    assert await who(store) == "back"
    await store.close()


@pytest.mark.services
async def test_the_writer_holds_the_lock_of_postgresql(request: pytest.FixtureRequest, tmp_path: Path):
    url = empty_postgres(request)
    store = open_store(url, data_dir=tmp_path / "a")
    await store.take_over("a")
    with pytest.raises(AlreadyRunningError, match=f"'butler daemon {os.getpid()}' uses this PostgreSQL database"):
        DataLock(url, tmp_path / "b").acquire()
    second = open_store(url, data_dir=tmp_path / "b")
    with pytest.raises(AlreadyRunningError):
        await second.take_over("b")
    await second.close()
    await put(store, "one")
    await store.close()
    with DataLock(url, tmp_path / "b"):
        pass


@pytest.mark.services
async def test_a_connection_that_is_cut_loses_the_writer_until_it_has_the_lock_again(
    request: pytest.FixtureRequest, tmp_path: Path
):
    url = empty_postgres(request)
    store = open_store(url, data_dir=tmp_path)
    await store.take_over("a")
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as server:

        async def cut() -> None:
            await server.execute(CUT, (f"butler daemon {os.getpid()}",))
            await asyncio.sleep(0.1)

        await cut()
        await put(store, "one")
        await cut()
        await server.execute("SELECT pg_advisory_lock(%s)", (DAEMON_LOCK_KEY,))
        with pytest.raises(StoreUnavailableError, match="holds its lock"):
            await put(store, "two")
        await server.execute("SELECT pg_advisory_unlock(%s)", (DAEMON_LOCK_KEY,))
        await put(store, "three")
        assert await who(store) == "three"
        await cut()
        await server.execute("SELECT pg_advisory_lock(%s)", (DAEMON_LOCK_KEY,))
        standby = sa.create_engine(store.url)
        with standby.begin() as other:
            daemons.begin(other, "b", 1, NOW)
        standby.dispose()
        with pytest.raises(FencedError):
            await put(store, "four")
    with pytest.raises(FencedError):
        await store.hold()
    assert await who(store) == "three"
    await store.close()
