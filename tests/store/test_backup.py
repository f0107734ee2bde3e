"""Backups: taken while the daemon writes, checked before they are restored, and good for either database."""

import asyncio
import io
import stat
import tarfile
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
import sqlalchemy as sa

from butler.contract.card import OwnerMessage, plain
from butler.contract.errors import ConfigError, Refuse
from butler.contract.hooks import StoredHook
from butler.store import archive as archive_format
from butler.store.backup import backup, restore
from butler.store.blobs import FileBlobs
from butler.store.errors import AlreadyRunningError
from butler.store.lock import DataLock
from butler.store.open import open_store
from butler.store.progress import STEP, Progress, Stage
from butler.store.queries import audit, contacts, cursors, hooks, outbox, work
from butler.store.store import Store
from butler.store.tables import daemons, metadata
from tests.store.fixtures import FILE, empty_postgres

NOW = datetime(2026, 7, 30, 12, 0, 0, 123_457, tzinfo=UTC)


def fill(connection: sa.Connection) -> None:
    outbox.add(connection, "telegram:42", OwnerMessage(text=plain("naïve 😀 \x00")), now=NOW)
    work.done_all(connection, [work.add(connection, "look", "gone", now=NOW)])
    work.add(connection, "look", "later", now=NOW)
    for n in range(3):
        audit.append(connection, "approved", f"a{n}", "telegram:42", {"n": n}, NOW)
    cursors.put_fact(connection, "owner", {"id": 42, "none": None, "list": [1.5, True]}, NOW)
    contacts.learn(connection, "Anna", ["mail:anna@friends.example"], source="owner", owner_says_so=True, now=NOW)
    hooks.add(connection, StoredHook("h1", "generic", {"a": "b"}, b"\x00\xff raw", NOW), "k", "10.0.0.1", NOW)


async def contents(store: Store) -> dict[str, list[tuple[object, ...]]]:
    def read(connection: sa.Connection) -> dict[str, list[tuple[object, ...]]]:
        return {
            table.name: [tuple(row) for row in connection.execute(sa.select(table).order_by(*table.primary_key))]
            for table in metadata.sorted_tables
            if table is not daemons  # a restore begins an epoch of its own
        }

    return await store.read(read)


async def make_archive(url: str, folder: Path) -> Path:
    """A backup of a little of everything; what was in the database stands in `expected`."""
    store = open_store(url, data_dir=folder / "data")
    await store.write(fill)
    await FileBlobs(folder / "data" / "blobs").put(b"a mail")
    path = await asyncio.to_thread(backup, url, folder / "data", folder / "backups")
    (folder / "expected").write_text(repr(await contents(store)))
    await store.close()
    return path


@pytest.fixture
async def archive(tmp_path: Path) -> Path:
    return await make_archive(FILE, tmp_path)


@pytest.fixture(params=[pytest.param("file"), pytest.param("postgres", marks=pytest.mark.services)])
def other_url(request: pytest.FixtureRequest) -> str:
    """The database to restore into: of the same kind, or of the other one."""
    return FILE if request.param == "file" else empty_postgres(request)


async def test_a_backup_restored_into_either_database_holds_the_same(lasting_url: str, other_url: str, tmp_path: Path):
    archive = await make_archive(lasting_url, tmp_path)
    manifest = restore(archive, other_url, tmp_path / "new")
    assert manifest.tables["audit"].rows == 3
    assert manifest.blobs == 1
    store = open_store(other_url, data_dir=tmp_path / "new")
    assert await store.read(lambda c: cursors.fact(c, cursors.RESTORED)) is not None
    await store.write(lambda c: cursors.put_fact(c, cursors.RESTORED, None, NOW))
    assert repr(await contents(store)) == (tmp_path / "expected").read_text()
    assert await store.read(audit.verify) is None
    (digest,) = FileBlobs(tmp_path / "new" / "blobs").digests()
    assert await FileBlobs(tmp_path / "new" / "blobs").get(digest) == b"a mail"
    highest = max(row.work_id for row in await store.read(lambda c: work.written(c, 0)))
    assert await store.write(lambda c: work.add(c, "look", "next", now=NOW)) > highest
    await store.close()


async def test_a_backup_and_a_restore_tell_how_far_they_are(tmp_path: Path):
    store, rows = open_store(FILE, data_dir=tmp_path), 3 * STEP + 1
    await store.write(lambda c: [work.add(c, "look", str(n), now=NOW) for n in range(rows)])
    await FileBlobs(tmp_path / "blobs").put(b"a mail")
    await store.close()
    told: list[Progress] = []
    path = backup(FILE, tmp_path, tmp_path / "backups", told.append)
    held = [one for one in told if one.stage is Stage.ROWS]
    assert [one.done for one in held] == [0, STEP, 2 * STEP, 3 * STEP, held[-1].total]
    assert held[-1].total == rows
    assert told[-1] == Progress(Stage.FILES, 1, 1)
    back: list[Progress] = []
    restore(path, FILE, tmp_path / "new", tell=back.append)
    assert back[0].stage is Stage.CHECK
    assert [one for one in back if one.stage is not Stage.CHECK][-1] == Progress(Stage.FILES, 1, 1)
    assert {one.done for one in back if one.stage is Stage.ROWS} == {one.done for one in held}


def test_a_table_is_never_held_whole(tmp_path: Path):
    size, rows, made = 1_000, 20_000, Random(1)
    path = tmp_path / "large.tar.gz"
    with archive_format.writing(path) as writer:
        writer.add_table("work", ({"text": made.randbytes(size // 2).hex()} for _ in range(rows)))
        writer.finish("0001", NOW.isoformat())
    tracemalloc.start()
    assert archive_format.verify(path).tables["work"].rows == rows
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < rows * size / 4


def test_a_backup_is_one_private_file_whose_manifest_lists_every_table(archive: Path):
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600
    assert [path.name for path in archive.parent.iterdir()] == [archive.name]
    with tarfile.open(archive) as tar:
        names = tar.getnames()
    assert {name.removeprefix("tables/").removesuffix(".jsonl") for name in names if "/" in name} >= set(
        metadata.tables
    )
    assert names[-1] == "manifest.json"


async def test_a_backup_taken_while_the_daemon_writes_is_of_one_moment(lasting_url: str, tmp_path: Path):
    store = open_store(lasting_url, data_dir=tmp_path)
    stop = False

    async def write_on() -> None:
        number = 0
        while not stop:
            number += 1

            def both(connection: sa.Connection, n: int = number) -> None:
                work.add(connection, "look", str(n), now=NOW)
                audit.append(connection, "wrote", str(n), "test", {}, NOW)

            await store.write(both)

    writing = asyncio.create_task(write_on())
    archives = [await asyncio.to_thread(backup, lasting_url, tmp_path, tmp_path / "backups") for _ in range(3)]
    stop = True
    await writing
    await store.close()
    counts = []
    for number, path in enumerate(archives):
        manifest = restore(path, FILE, tmp_path / f"restored{number}")
        assert manifest.tables["work"].rows == manifest.tables["audit"].rows
        counts.append(manifest.tables["work"].rows)
    assert counts == sorted(counts)


async def test_data_that_is_there_is_kept_under_a_dated_name_and_only_when_asked(
    archive: Path, other_url: str, tmp_path: Path
):
    folder = tmp_path / "other"
    store = open_store(other_url, data_dir=folder)
    await store.write(lambda c: cursors.put(c, "mine", "precious", NOW))
    await store.close()
    with pytest.raises(Refuse, match="holds data already; say --force"):
        restore(archive, other_url, folder)
    restore(archive, other_url, folder, force=True)
    store = open_store(other_url, data_dir=folder)
    assert await store.read(lambda c: cursors.fact(c, cursors.RESTORED)) is not None
    await store.write(lambda c: cursors.put_fact(c, cursors.RESTORED, None, NOW))
    assert repr(await contents(store)) == (tmp_path / "expected").read_text()
    if other_url == FILE:
        (kept,) = folder.glob("butler.db.before_restore_*")
        old = open_store(f"sqlite:///{kept}", data_dir=folder)
        assert await old.read(lambda c: cursors.get(c, "mine")) == "precious"
        await old.close()
    else:
        query = "SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE 'before_restore_%%'"
        schema = await store.read(lambda c: c.exec_driver_sql(query).scalar_one())
        value = await store.read(lambda c: c.exec_driver_sql(f'SELECT value FROM "{schema}".cursors').scalar_one())
        assert value == "precious"
    await store.close()


def test_nothing_is_restored_under_a_running_daemon(archive: Path, tmp_path: Path):
    with DataLock(FILE, tmp_path / "new"), pytest.raises(AlreadyRunningError):
        restore(archive, FILE, tmp_path / "new")


def rewrite(archive: Path, change: dict[str, bytes | None]) -> None:
    """Change or take out members of an archive."""
    with tarfile.open(archive) as tar:
        members = [(info, (tar.extractfile(info) or archive.open("rb")).read()) for info in tar]
    with tarfile.open(archive, "w:gz") as tar:
        for info, data in members:
            changed = change.pop(info.name, data)
            if changed is not None:
                add(tar, info.name, changed)
        for name, data in change.items():
            add(tar, name, data or b"")


def add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    tar.addfile(info, io.BytesIO(data))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"tables/cursors.jsonl": b'{"name":"forged"}\n'}, "not those that its manifest lists"),
        ({"tables/audit.jsonl": None}, "not those that its manifest lists"),
        ({"manifest.json": None}, "its manifest is missing"),
        ({"manifest.json": b"{}"}, "its manifest cannot be read"),
        ({"../../etc/passwd": b"x"}, "which no backup does"),
        ({"blobs/" + "0" * 64: b"x"}, "was changed"),
    ],
)
def test_a_damaged_archive_is_refused_and_changes_nothing(
    archive: Path, tmp_path: Path, change: dict[str, bytes | None], why: str
):
    rewrite(archive, dict(change))
    with pytest.raises(Refuse, match=why):
        restore(archive, FILE, tmp_path / "new")
    assert not (tmp_path / "new" / "butler.db").exists()


def test_an_archive_cut_short_is_refused(archive: Path, tmp_path: Path):
    data = archive.read_bytes()
    for size in (0, 10, len(data) // 2, len(data) * 9 // 10):
        archive.write_bytes(data[:size])
        with pytest.raises(Refuse, match="is not a whole backup"):
            restore(archive, FILE, tmp_path / "new")


def test_an_archive_that_is_damaged_after_it_was_checked_is_refused_and_leaves_nothing(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    whole = archive_format.verify(archive)
    monkeypatch.setattr(archive_format, "verify", lambda *_: whole)
    data = archive.read_bytes()
    for size in (len(data) // 2, len(data) * 9 // 10):
        archive.write_bytes(data[:size])
        with pytest.raises(Refuse, match="is not a whole backup"):
            restore(archive, FILE, tmp_path / "new")
        assert list((tmp_path / "new").glob("*.db*")) == []


def test_a_file_that_is_no_archive_is_refused(tmp_path: Path):
    with pytest.raises(Refuse, match="is not a whole backup"):
        restore(tmp_path / "missing.tar.gz", FILE, tmp_path)


def test_an_archive_of_a_newer_butler_is_refused(archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("butler.store.revisions.REVISION", "0000")
    with pytest.raises(ConfigError, match="newer Butler"):
        restore(archive, FILE, tmp_path / "new")


def test_where_there_is_no_database_there_is_no_backup(tmp_path: Path):
    with pytest.raises(Refuse, match="no database to back up"):
        backup(FILE, tmp_path, tmp_path / "backups")
    assert not (tmp_path / "butler.db").exists()


async def test_op_08_a_backup_that_cannot_be_finished_leaves_no_file(
    lasting_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    await open_store(lasting_url, data_dir=tmp_path).close()

    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("butler.store.archive.os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        backup(lasting_url, tmp_path, tmp_path / "backups")
    assert list((tmp_path / "backups").iterdir()) == []
