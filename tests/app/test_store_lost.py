"""A database that is gone, emptied, older, replaced or damaged is never taken for a new one, and never passed over."""

import asyncio
import contextlib
import json
import logging
import sqlite3

import pytest
from typer.testing import CliRunner

from butler.cli.main import app
from tests.app.words import answers, asked, said, shows
from tests.support.nightly import all_but_the_first

SIDES = ("", "-wal", "-shm")
CANNOT = "I cannot store anything now"


async def butler(*arguments):
    """Run a command in this process, in a thread, so that the servers go on."""
    root, handlers = logging.getLogger(), logging.getLogger().handlers[:]
    try:
        return await asyncio.to_thread(CliRunner().invoke, app, arguments)
    finally:
        root.handlers = handlers


async def stopped_with_a_card(harness):
    """A butler that waits for a yes, and is not running."""
    home = await harness()
    home.world.say("/start")
    await asked(home, "tell Anna on Telegram that dinner is on")
    await home.settled()
    await home.stop()
    assert (home.data / "audit-heads.jsonl").exists()
    return home


def taken_away(home):
    for side in SIDES:
        (home.data / f"butler.db{side}").unlink(missing_ok=True)


def emptied(home):
    taken_away(home)
    (home.data / "butler.db").touch(0o600)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("happens", "told"),
    [(taken_away, "butler.db is gone"), pytest.param(emptied, "butler.db is empty", marks=pytest.mark.nightly)],
    ids=["gone", "empty"],
)
async def test_a_database_that_vanished_is_not_begun_anew_but_on_purpose(harness, happens, told):
    home = await stopped_with_a_card(harness)
    happens(home)
    await home.start()
    assert await home.end() == 1
    sentence = home.log().strip().splitlines()[-1]
    heads = home.data / "audit-heads.jsonl"
    assert told in sentence
    assert "restore a backup with `butler restore FILE --force`" in sentence
    assert f"to begin anew on purpose, move {heads} away" in sentence
    assert told in (await butler("pair", "--config", str(home.config))).stderr
    assert told in (await butler("doctor", "--json", "--config", str(home.config))).stdout
    heads.rename(home.data / "heads-of-before")
    await home.start()
    home.world.say("/pending")
    await shows(home, "Nothing is waiting")


@pytest.mark.nightly
async def test_an_older_copy_is_refused_and_a_restored_backup_is_not(harness):
    home = await harness()
    home.world.say("/start")
    await home.until(home.bot_messages, "a greeting")
    await asked(home, "tell Anna on Telegram that dinner is on")
    await home.settled()
    kept = home.folder / "kept"
    assert (await butler("backup", str(kept), "--config", str(home.config))).exit_code == 0
    with contextlib.closing(sqlite3.connect(home.data / "butler.db")) as plain:
        plain.execute("VACUUM INTO ?", (str(home.folder / "older.db"),))
    await asked(home, "tell Anna on Telegram that the train is late")
    await home.settled()
    await home.stop()
    taken_away(home)
    (home.folder / "older.db").rename(home.data / "butler.db")
    await home.start()
    assert await home.end() == 1
    assert "butler.db is another one, or an older copy, although Butler noted entry" in home.log()
    (archive,) = kept.iterdir()
    done = await butler("restore", str(archive), "--force", "--config", str(home.config))
    assert done.exit_code == 0, done.stderr
    await home.start()
    await answers(home)


async def becomes_ill(home, *words):
    """The page says that nothing is stored and why, and so does the chat."""

    async def ill():
        status, text = await home.page("/healthz")
        store = json.loads(text)["store"] if text else {}
        return status == 503 and store["ok"] is False and all(word in store["detail"] for word in words)

    await home.until(ill, f"a page that says {words}")
    await shows(home, CANNOT, *words)
    assert len(said(home, CANNOT)) == 1


async def becomes_well(home):
    """A health that has recovered is looked at again a moment later."""

    async def well():
        return (await home.page("/healthz"))[0] == 200

    await home.until(well, "a page that says that all is well")


@pytest.mark.nightly
@pytest.mark.parametrize("replaced", [False, True], ids=["unlinked", "replaced"])
async def test_a_file_that_is_taken_from_under_the_daemon_is_told(home, replaced):
    await answers(home)
    path = home.data / "butler.db"
    path.rename(home.folder / "taken.db")
    if replaced:
        path.write_bytes((home.folder / "taken.db").read_bytes())
    await becomes_ill(home, "butler.db was removed or replaced while Butler was running; stop it")
    path.unlink(missing_ok=True)
    (home.folder / "taken.db").rename(path)
    await shows(home, "I can store again")
    await answers(home)
    await becomes_well(home)


@pytest.mark.parametrize("table", all_but_the_first(["outbox", "whole"]))
async def test_a_file_that_is_damaged_under_the_daemon_is_told(home, table):
    await answers(home)
    path = home.data / "butler.db"
    with contextlib.closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as other:
        (size,) = other.execute("PRAGMA page_size").fetchone()
        (page,) = other.execute("SELECT rootpage FROM sqlite_master WHERE name = 'outbox'").fetchone()
        # Whoever else writes has everybody read the file anew.
        other.execute("INSERT INTO facts (name, value, updated_at) VALUES ('touched', '1', 0)")
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with path.open("r+b") as file:
            if table == "whole":
                file.truncate(size)
            else:
                file.seek((page - 1) * size)
                file.write(b"\xff" * size)
        other.execute("PRAGMA busy_timeout = 0")
    home.world.say("/pending")
    await becomes_ill(home, "The database is damaged: restore a backup")
