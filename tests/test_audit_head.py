"""Where the audit log ended is kept beside the database, whatever becomes of that."""

import asyncio
import json
import stat
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from butler import audit_head
from butler.audit_head import NAME, HeadKeeper, NotedHeads, note_restored, read_heads
from butler.contract.errors import ConfigError
from butler.store.chain import Head
from butler.store.errors import StoreBusyError
from butler.store.open import open_store
from butler.store.queries import audit
from butler.store.store import Store
from tests.services.plugin import postgres
from tests.store.fixtures import lasting_store, lasting_url
from tests.support.context import TurnedClock
from tests.support.waiting import until

__all__ = ["lasting_store", "lasting_url", "postgres"]

NOW = datetime(2026, 7, 30, 12, 0, tzinfo=UTC)


async def happen(store: Store) -> Head:
    """Something happens; the head after it."""
    await store.write(lambda c: audit.append(c, "approved", "a", "telegram:42", {}, NOW))
    return Head(*await store.read(audit.head))


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = open_store("sqlite:///butler.db", data_dir=tmp_path)
    yield store
    await store.close()


def heads(folder: Path) -> list[tuple[int, str]]:
    noted = read_heads(folder)
    return [(head.seq, head.hash) for head in noted.heads] if noted else []


async def test_a_head_is_noted_beside_either_database_and_only_when_it_moved(lasting_store: Store, tmp_path: Path):
    clock = TurnedClock()
    keeper = HeadKeeper(lasting_store, clock, tmp_path)
    await keeper.note()
    assert read_heads(tmp_path) is None
    first = await happen(lasting_store)
    await keeper.note()
    await keeper.note()
    second = await happen(lasting_store)
    await keeper.note()
    assert heads(tmp_path) == [(first.seq, first.hash), (second.seq, second.hash)]
    line = json.loads((tmp_path / NAME).read_text().splitlines()[0])
    assert (line.pop("at")[:10], line) == (clock.now().isoformat()[:10], {"seq": 1, "hash": first.hash})
    assert stat.S_IMODE((tmp_path / NAME).stat().st_mode) == 0o600


async def test_a_daemon_that_starts_notes_the_head_even_where_it_stands_already(store: Store, tmp_path: Path):
    await happen(store)
    for _start in range(2):
        await HeadKeeper(store, TurnedClock(), tmp_path).note()
    assert len(heads(tmp_path)) == 2


async def test_while_it_runs_the_head_is_noted_again_and_again(store: Store, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(audit_head, "EVERY_S", 0.01)
    keeping = asyncio.create_task(HeadKeeper(store, TurnedClock(), tmp_path).keep())
    for count in (1, 2):
        await happen(store)
        await until(lambda count=count: len(heads(tmp_path)) == count)
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)


async def test_what_keeps_a_head_from_being_noted_ends_nothing(store: Store, tmp_path: Path, monkeypatch):
    await happen(store)
    keeper = HeadKeeper(store, TurnedClock(), tmp_path / "missing")
    await keeper.note()
    (tmp_path / "missing").mkdir()

    async def busy(_work: object) -> None:
        raise StoreBusyError

    with monkeypatch.context() as patch:
        patch.setattr(store, "read", busy)
        await keeper.note()
    assert heads(tmp_path / "missing") == []
    await keeper.note()
    assert len(heads(tmp_path / "missing")) == 1


async def test_a_database_in_memory_leaves_no_head_behind(tmp_path: Path):
    store = open_store("sqlite://", data_dir=tmp_path)
    await happen(store)
    await HeadKeeper(store, TurnedClock(), tmp_path).note()
    await store.close()
    assert read_heads(tmp_path) is None


async def test_a_line_that_a_power_cut_left_half_written_spoils_no_other(store: Store, tmp_path: Path):
    first = await happen(store)
    await HeadKeeper(store, TurnedClock(), tmp_path).note()
    with (tmp_path / NAME).open("a") as file:
        file.write('{"at": "2026-07-')
    assert heads(tmp_path) == [(first.seq, first.hash)]
    await HeadKeeper(store, TurnedClock(), tmp_path).note()
    assert heads(tmp_path) == [(first.seq, first.hash)] * 2


def test_after_a_restore_heads_count_anew(tmp_path: Path):
    (tmp_path / NAME).write_text('{"at": "yesterday", "seq": 7, "hash": "ab"}\n')
    note_restored(tmp_path, "2026-07-29", NOW)
    assert read_heads(tmp_path) == NotedHeads((), "2026-07-29")
    with (tmp_path / NAME).open("a") as file:
        file.write('{"at": "today", "seq": 5, "hash": "cd"}\n7\n{"at": "today", "seq": null, "hash": "cd"}\n')
    assert read_heads(tmp_path) == NotedHeads((Head(5, "cd", "today"),), "2026-07-29")


def test_a_file_that_cannot_be_read_is_told_in_one_sentence(tmp_path: Path):
    (tmp_path / NAME).mkdir()
    with pytest.raises(ConfigError, match="cannot be read: it is a folder"):
        read_heads(tmp_path)
