"""A kill between any two steps leaves what the next start mends: nothing is half known, nothing forgotten returns."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from butler.agents.memory.agent import LibraryMemory, MemoryUnavailableError
from butler.contract.agents import MemoryOutput, MemoryQuery
from butler.store.queries import cursors
from butler.store.queries import memory as rows
from butler.store.store import Store
from tests.agents.memory.memory_library import document, library

NOW = datetime(2026, 7, 30, 12, 0, tzinfo=UTC)


class Killed(BaseException):
    """The end of the process: nothing that the product catches."""


def kill(memory: LibraryMemory, monkeypatch: pytest.MonkeyPatch, step: str, *, before: bool) -> None:
    """Let the process end before or after a step: a method of the index, or a named query that is committed."""
    if step.startswith("row_"):
        real_write = memory._store.write

        async def write(work: Any, *rest: Any, **more: Any) -> Any:
            mine = getattr(work, "func", None) is getattr(rows, step.removeprefix("row_"))
            if mine and before:
                raise Killed
            result = await real_write(work, *rest, **more)
            if mine:
                raise Killed
            return result

        monkeypatch.setattr(memory._store, "write", write)
        return
    real: Callable[..., Awaitable[Any]] = getattr(memory._index, step)

    async def stepped(*arguments: Any) -> Any:
        if before:
            raise Killed
        await real(*arguments)
        raise Killed

    monkeypatch.setattr(memory._index, step, stepped)


async def restarted(memory: LibraryMemory, store: Store, folder: Path, patch: pytest.MonkeyPatch) -> LibraryMemory:
    patch.undo()
    await memory._index.close()  # files only: nothing is put in order
    return library(store, folder)


def held_by_a_file(folder: Path, text: bytes) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file() and text in file.read_bytes()]


async def texts(memory: LibraryMemory, question: str) -> list[str]:
    output = await memory.search(MemoryQuery(query_text=question))
    return [one.content for one in output.results] if isinstance(output, MemoryOutput) else []


ADDING = [(step, before) for step in ("row_begin", "replace", "row_settle") for before in (True, False)]


@pytest.mark.parametrize(("step", "before"), ADDING)
async def test_a_kill_while_something_new_is_written_leaves_all_of_it_or_nothing(
    lasting_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, before: bool
):
    memory = library(lasting_store, tmp_path)
    await memory.add(document("note:other", "Quite something else"))
    kill(memory, monkeypatch, step, before=before)
    with pytest.raises(Killed):
        await memory.add(document("note:1", "The boat is blue"))
    again = await restarted(memory, lasting_store, tmp_path, monkeypatch)
    whole = (step, before) in {("replace", False), ("row_settle", True), ("row_settle", False)}
    assert await texts(again, "boat") == ["The boat is blue"] * whole
    assert await again._index.revisions() == {
        one: row.digest
        for one, row in (await lasting_store.read(lambda c: rows.get(c, ["note:1", "note:other"]))).items()
        if row.state is rows.SourceState.KEPT
    }
    await again.add(document("note:1", "The boat is blue"))
    assert await texts(again, "boat") == ["The boat is blue"]
    assert await texts(again, "something else") == ["Quite something else"]
    await again.stop()


@pytest.mark.parametrize(("step", "before"), [*ADDING, ("delete", False)])
async def test_a_kill_while_a_source_is_replaced_never_shows_a_mixture(
    lasting_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, before: bool
):
    memory = library(lasting_store, tmp_path)
    await memory.add(document("note:1", "The boat is blue", "The boat is long"))
    if step == "delete":  # between the index's own two steps
        table = memory._index._table

        async def add(*_: Any) -> None:
            raise Killed

        monkeypatch.setattr(table, "add", add)
    else:
        kill(memory, monkeypatch, step, before=before)
    with pytest.raises(Killed):
        await memory.add(document("note:1", "The boat is red"))
    again = await restarted(memory, lasting_store, tmp_path, monkeypatch)
    left = sorted(await texts(again, "boat"))
    assert left in ([], ["The boat is red"], ["The boat is blue", "The boat is long"])
    await again.add(document("note:1", "The boat is red"))
    assert await texts(again, "boat") == ["The boat is red"]
    await again.stop()


@pytest.mark.parametrize(
    ("step", "before"),
    [(step, before) for step in ("row_leave", "delete", "purge", "row_mark_removed") for before in (True, False)],
)
async def test_what_was_to_be_forgotten_stays_forgotten_after_a_kill(
    lasting_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, before: bool
):
    memory = library(lasting_store, tmp_path)
    await memory.add(document("note:1", "The quarterdeck is blue"))
    await memory.add(document("note:2", "The lighthouse"))
    kill(memory, monkeypatch, step, before=before)
    with pytest.raises(Killed):
        await memory.forget(["note:1"])
    again = await restarted(memory, lasting_store, tmp_path, monkeypatch)
    never_noted = (step, before) == ("row_leave", True)
    assert await texts(again, "quarterdeck") == ["The quarterdeck is blue"] * never_noted
    held = [path for path in (tmp_path / "memory").rglob("*") if path.is_file() and b"quarterdeck" in path.read_bytes()]
    assert bool(held) == never_noted
    assert await texts(again, "lighthouse") == ["The lighthouse"]
    await again.stop()


async def test_a_lost_index_is_noticed_and_what_is_taken_over_is_read_from_its_beginning(
    lasting_store: Store, tmp_path: Path
):
    memory = library(lasting_store, tmp_path)
    await memory.add(document("note:1", "The boat is blue"))
    await memory.stop()
    await lasting_store.write(lambda c: cursors.put(c, "memory:notes", "7", NOW))
    elsewhere = library(lasting_store, tmp_path / "elsewhere")
    await elsewhere.add(document("note:2", "The lighthouse"))
    assert await texts(elsewhere, "boat") == []
    assert await lasting_store.read(lambda c: cursors.get(c, "memory:notes")) is None
    assert [one.source_id for one in await elsewhere.sources()] == ["note:2"]
    await elsewhere.add(document("note:1", "The boat is blue"))
    assert await texts(elsewhere, "boat") == ["The boat is blue"]
    await elsewhere.stop()


async def test_what_the_rows_do_not_know_leaves_the_index(lasting_store: Store, tmp_path: Path):
    memory = library(lasting_store, tmp_path)
    await memory.add(document("note:1", "The boat is blue"))
    await lasting_store.write(lambda c: rows.lost(c, ["note:1"]))
    await memory.stop()
    again = library(lasting_store, tmp_path)
    await again.add(document("note:2", "The lighthouse"))
    assert list(await again._index.revisions()) == ["note:2"]
    await again.stop()


@pytest.mark.parametrize("what", ["title", "account", "person", "url"])
async def test_half_a_pair_anywhere_in_a_document_is_no_reason_not_to_remember_it(
    lasting_store: Store, tmp_path: Path, what: str
):
    """Else a feed would try one mail with such a subject for ever, and everything after it would wait."""
    memory = library(lasting_store, tmp_path)
    await memory.add(document("note:1", "The boat is blue", **{what: "odd \ud800 one"}))
    assert await texts(memory, "boat") == ["The boat is blue"]
    await memory.stop()


@pytest.mark.parametrize("step", ["delete", "purge"])
async def test_what_could_not_be_forgotten_is_gone_with_the_next_change(
    lasting_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
):
    """A full disk, or a time that was up: the daemon runs on, and its text must not stay until the next start."""
    memory = library(lasting_store, tmp_path)
    await memory.add(document("note:1", "The boat is blue-green-violet"))
    with monkeypatch.context() as patch:

        async def full(*_: Any) -> None:
            raise OSError("no space left")

        patch.setattr(memory._index, step, full)
        with pytest.raises(MemoryUnavailableError):
            await memory.forget(["note:1"])
    assert await texts(memory, "boat") == []
    await memory.add(document("note:2", "Something else"))
    row = (await lasting_store.read(lambda c: rows.get(c, ["note:1"])))["note:1"]
    assert (row.state, row.title) == (rows.SourceState.FORGOTTEN, "")
    assert not held_by_a_file(tmp_path / "memory", b"violet")
    assert await texts(memory, "something") == ["Something else"]
    await memory.stop()


async def test_a_change_that_was_cancelled_is_finished_or_undone_before_the_next(
    lasting_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    memory = library(lasting_store, tmp_path)
    kill(memory, monkeypatch, "row_settle", before=True)
    with pytest.raises(Killed):
        await memory.add(document("note:1", "The boat is blue"))
    monkeypatch.undo()
    await memory.add(document("note:2", "Something else"))
    assert await texts(memory, "boat") == ["The boat is blue"]
    await memory.stop()
