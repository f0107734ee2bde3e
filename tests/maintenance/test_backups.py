"""The backup of every night: whole, only so many, and told where it cannot be made."""

import os
import time

import pytest
from structlog.testing import capture_logs

from butler.maintenance import backups as harness
from butler.maintenance.backups import Backups
from butler.store import archive
from butler.store.open import open_store
from config.keeping import BackupSettings
from tests.store.fixtures import FILE


@pytest.fixture
async def told():
    return []


@pytest.fixture
async def nightly(tmp_path, told):
    store = open_store(FILE, data_dir=tmp_path / "data")
    await store.close()

    async def tell(key, text):
        told.append((key, text))

    def built(folder="kept", keep=2):
        settings = BackupSettings(folder=folder, keep=keep)
        return Backups(settings, tmp_path / folder, FILE, tmp_path / "data", tell)

    return built


async def test_each_night_makes_a_whole_one_and_only_so_many_are_kept(nightly, tmp_path, told):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "butler.txt").write_text("mine")
    for _ in range(4):
        await nightly().make()
        for one in (tmp_path / "kept").glob("*.gz"):
            os.utime(one, (time.time() - 86_400,) * 2)
    made = sorted((tmp_path / "kept").glob("*.gz"))
    assert [archive.verify(one).blobs for one in made] == [0, 0]
    assert (tmp_path / "kept" / "butler.txt").exists()
    assert told == []


async def test_a_night_that_is_begun_again_makes_no_other(nightly, tmp_path):
    (tmp_path / "kept").mkdir()
    await nightly().make()
    await nightly().make()
    assert len(list((tmp_path / "kept").iterdir())) == 1


async def test_a_disk_that_is_not_mounted_is_told_and_nothing_is_made(nightly, tmp_path, told):
    await nightly().make()
    ((key, text),) = told
    assert (key, "there is no such folder" in text) == ("backup_failed", True)
    assert not (tmp_path / "kept").exists()


async def test_one_that_is_not_what_was_written_is_taken_away_and_told(nightly, tmp_path, told, monkeypatch):
    (tmp_path / "kept").mkdir()
    make = harness.backup

    def torn(url, data_dir, folder, tell):
        path = make(url, data_dir, folder, tell)
        path.write_bytes(path.read_bytes()[:-40])
        return path

    monkeypatch.setattr(harness, "backup", torn)
    await nightly().make()
    assert "is not a whole backup" in told[0][1]
    assert list((tmp_path / "kept").iterdir()) == []


async def test_without_a_folder_there_is_none(nightly, tmp_path, told):
    await nightly(folder="").make()
    assert told == []


async def test_the_log_tells_how_far_a_long_backup_is(nightly, tmp_path, monkeypatch):
    (tmp_path / "kept").mkdir()
    monkeypatch.setattr(harness, "EVERY_S", 0)
    with capture_logs() as lines:
        await nightly().make()
    steps = [line for line in lines if line["event"] == "backing_up"]
    assert {line["stage"] for line in steps} == {"rows", "files"}
    assert all(line["done"] <= line["total"] for line in steps)
