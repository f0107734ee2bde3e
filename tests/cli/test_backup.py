"""`butler backup`, `restore` and `audit`, in words that a person at a terminal understands."""
# ruff: noqa: ASYNC240 - a test may wait for a small file

from importlib.metadata import version
from pathlib import Path

import pytest

from butler.store.instants import EPOCH
from butler.store.open import open_store
from butler.store.queries import audit


@pytest.fixture
def harness() -> None:
    """A configuration, and a database with one entry in its audit log."""
    Path("butler.toml").touch()
    Path("data").mkdir(mode=0o700)
    store = open_store("sqlite:///butler.db", data_dir=Path("data"))
    with store.engine.begin() as connection:
        audit.append(connection, "paired", "telegram:42", "owner", {}, EPOCH)
    store.engine.dispose()


async def test_the_version_is_told(butler):
    result = await butler("--version")
    assert (result.exit_code, result.stdout) == (0, f"butler {version('butler')}\n")


async def test_a_backup_without_a_folder_says_what_is_missing(butler, harness):
    result = await butler("backup")
    assert result.exit_code == 2
    assert "say which folder to write the backup into" in result.stderr


async def test_a_backup_makes_the_last_folder_and_says_so(butler, harness):
    result = await butler("backup", "kept")
    assert result.stdout.startswith("Made the folder kept, and backed up to kept/butler-")
    assert (await butler("backup", "kept")).stdout.startswith("Backed up to kept/butler-")


async def test_a_backup_into_nowhere_is_refused_and_nothing_is_made(butler, harness):
    result = await butler("backup", "media/backups")
    assert result.exit_code == 1
    assert "there is no folder" in result.stderr
    assert not Path("media").exists()


async def test_a_backup_into_a_file_is_refused(butler, harness):
    result = await butler("backup", "butler.toml")
    assert (result.exit_code, result.stderr) == (
        1,
        "butler: butler.toml is a file; name a folder for the backup\n",
    )


async def test_a_backup_that_fails_leaves_no_folder(butler):
    Path("butler.toml").touch()
    result = await butler("backup", "kept")
    assert "there is no database to back up yet" in result.stderr
    assert not Path("kept").exists()


async def test_an_archive_that_is_not_there_is_told_without_a_programs_words(butler, harness):
    result = await butler("restore", "gone.tar.gz")
    assert (result.exit_code, result.stderr) == (
        1,
        "butler: gone.tar.gz cannot be read: there is no such file\n",
    )


async def test_one_entry_is_one_entry(butler, harness):
    assert "whole: 1 entry, head 1:" in (await butler("audit", "verify")).stdout


async def test_the_help_of_audit_says_what_it_covers(butler):
    told = (await butler("audit", "--help")).stdout
    assert "all that asked for your yes" in " ".join(told.split())


async def test_an_older_pairing_code_is_void_and_that_is_said(butler, harness):
    assert "an older code is void now" in (await butler("pair")).stdout


async def test_what_would_go_in_the_night_is_counted(butler, harness):
    assert "files that nothing names: 0, 0 bytes" in (await butler("keep", "--dry-run")).stdout
    assert '"files": 0' in (await butler("keep", "--dry-run", "--json")).stdout
    assert (await butler("keep")).exit_code == 2
    # Brackets would be taken for markup, and be missing here.
    assert "by the settings of retention" in " ".join((await butler("keep", "--help")).stdout.split())


async def test_a_wipe_wants_the_butlers_name_and_says_what_remains_elsewhere(butler, harness):
    Path("butler.toml").write_text('[butler]\nname = "Jeeves"\n')
    refused = await butler("wipe", typed="yes\n")
    assert (refused.exit_code, Path("data").exists()) == (1, True)
    assert "type the butler's name, Jeeves" in refused.stderr
    done = await butler("wipe", typed="Jeeves\n")
    assert (done.exit_code, Path("data").exists()) == (0, False)
    assert "@BotFather" in done.stdout
    assert Path("butler.toml").exists()


async def test_an_export_is_a_folder_with_a_page(butler, harness):
    assert "open mine/index.html" in (await butler("export", "mine")).stdout
    assert Path("mine/data/audit.jsonl").read_text().count("\n") == 1
    assert "is there already" in (await butler("export", "mine")).stderr
