"""What the export holds: every table or the reason why not, files under their names, and no secret."""

import json
import stat
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from butler.cli.export import exported
from butler.contract.errors import Refuse
from butler.contract.hooks import StoredHook
from butler.contract.reasons import Reason, ReasonCode, in_own_words
from butler.maintenance.export import COLUMNS_LEFT_OUT, LEFT_OUT, TITLES, export, finish, safe_name
from butler.store.blobs import FileBlobs
from butler.store.open import open_store
from butler.store.queries import bulk, cursors, hooks
from butler.store.queries.bulk import RunState
from butler.store.tables import metadata, notes
from tests.maintenance.test_retention import came

NOW = datetime(2027, 6, 1, 12, tzinfo=UTC)
SECRET_WORDS = ("nonce", "token", "secret", "password", "credential")


def note(text):
    values = {"note_id": "n1", "call_id": "c1", "text": text, "labels": [], "created_at": NOW}
    return lambda c: c.execute(notes.insert().values(**values))


def test_every_table_is_exported_or_left_out_for_a_reason():
    assert set(TITLES) | set(LEFT_OUT) == set(metadata.tables)
    assert not set(TITLES) & set(LEFT_OUT)
    assert all(LEFT_OUT.values())


def test_no_column_that_is_called_a_secret_is_exported():
    secret = {
        (table.name, column.name)
        for table in metadata.sorted_tables
        for column in table.columns
        if table.name not in LEFT_OUT and any(word in column.name for word in SECRET_WORDS)
    }
    # How many tokens a model used is no secret.
    assert secret - {("model_use", "tokens")} == {
        (table, column) for table, each in COLUMNS_LEFT_OUT.items() for column in each if table != "seen_raws"
    }


async def test_the_folder_can_be_read_by_people_and_programs(store, tmp_path):
    blobs = FileBlobs(tmp_path / "blobs")
    digest = blobs.put_now(b"%PDF")
    await store.write(note("my <b>locker</b> is 4711"))
    await store.write(came("m1", NOW, file=digest))
    await store.write(lambda c: hooks.add(c, StoredHook("h1", "generic", {}, b"\x00\xff", NOW), "k", "10.0.0.1", NOW))
    await store.write(lambda c: cursors.put_fact(c, "hook_secret", "s3cret", NOW))
    folder = tmp_path / "mine"
    done = await store.read(lambda c: export(c, blobs, folder))
    assert not (folder / "index.html").exists()
    finish(folder, done, NOW)
    (line,) = (folder / "data" / "notes.jsonl").read_text().splitlines()
    assert json.loads(line) | {"text": "", "labels": 0} == {
        "note_id": "n1",
        "call_id": "c1",
        "text": "",
        "labels": 0,
        "created_at": "2027-06-01T12:00:00+00:00",
    }
    assert (folder / "files" / f"{digest[:12]}-bill.pdf").read_bytes() == b"%PDF"
    assert json.loads((folder / "data" / "hooks.jsonl").read_text())["body"] == {"base64": "AP8="}
    page = (folder / "index.html").read_text()
    assert "my &lt;b&gt;locker&lt;/b&gt; is 4711" in page
    assert (done.rows["notes"], done.files, done.damaged) == (1, 1, [])
    whole = "".join(path.read_text(errors="replace") for path in folder.rglob("*") if path.is_file())
    assert "s3cret" not in whole
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")} == {0o600, 0o700}


async def test_reasons_are_exported_in_words(store, tmp_path):
    run = bulk.NewRun("r1", "gmail", "main", "{}", {})
    await store.write(lambda c: bulk.add(c, run, NOW))
    why = (Reason(ReasonCode.RUN_PAUSED), in_own_words("the server said no"))
    await store.write(lambda c: bulk.move(c, "r1", (RunState.LISTING,), RunState.PAUSED, NOW, why))
    await store.read(lambda c: export(c, FileBlobs(tmp_path / "blobs"), tmp_path / "mine"))
    (line,) = (tmp_path / "mine" / "data" / "bulk_runs.jsonl").read_text().splitlines()
    told = "What acts as you is paused; /resume, and then Resume. the server said no"
    assert (json.loads(line)["detail"], json.loads(line)["remark"]) == (told, "")


async def test_a_folder_that_is_there_is_left_as_it_is(store, tmp_path):
    (tmp_path / "mine").mkdir()
    with pytest.raises(Refuse, match="is there already"):
        await store.read(lambda c: export(c, FileBlobs(tmp_path / "blobs"), tmp_path / "mine"))


async def test_op_08_an_export_whose_remembered_texts_cannot_be_written_has_no_page(tmp_path, monkeypatch):
    (tmp_path / "butler.toml").write_text('[butler]\ndata_dir = "data"\n')
    await open_store("sqlite:///butler.db", data_dir=tmp_path / "data").close()

    async def full(_folder):
        raise OSError(28, "No space left on device")
        yield

    monkeypatch.setattr("butler.cli.export.texts", full)
    with pytest.raises(Refuse, match="No space left"):
        await exported(tmp_path / "butler.toml", tmp_path / "mine")
    assert (tmp_path / "mine" / "data" / "notes.jsonl").exists()
    assert not (tmp_path / "mine" / "index.html").exists()
    monkeypatch.undo()
    assert "Exported" in await exported(tmp_path / "butler.toml", tmp_path / "whole")
    assert (tmp_path / "whole" / "index.html").exists()


async def test_op_08_an_export_that_breaks_off_has_no_page_and_changes_nothing(store, tmp_path, monkeypatch):
    """A disk that is full in the middle: the rows and files stay, and the folder shows that it is not whole."""
    blobs = FileBlobs(tmp_path / "blobs")
    await store.write(note("kept"))
    digest = blobs.put_now(b"kept, too")

    def full(_digest):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(blobs, "get_now", full)
    with pytest.raises(OSError, match="No space left"):
        await store.read(lambda c: export(c, blobs, tmp_path / "mine"))
    assert not (tmp_path / "mine" / "index.html").exists()
    assert await store.read(lambda c: c.execute(sa.select(notes.c.text)).scalars().all()) == ["kept"]
    assert list(blobs.digests()) == [digest]


@pytest.mark.parametrize(
    ("name", "safe"),
    [("../../etc/passwd", "etcpasswd"), ("a\nb.pdf", "ab.pdf"), ("", "file"), ("…", "file"), ("Größe (2).pdf",) * 2],
)
def test_a_name_that_a_sender_chose_is_no_more_than_a_name(name, safe):
    assert safe_name(name) == safe
