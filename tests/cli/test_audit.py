"""`butler audit`: list, export and verify, as a person or a script uses them."""
# ruff: noqa: ASYNC240 - a test may wait for a small file

import asyncio
import json
import sqlite3
import stat
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa
from cryptography.fernet import Fernet, MultiFernet

from butler.audit_head import NAME, HeadKeeper
from butler.audit_progress import checked_up_to, note_checked
from butler.cli.audit.log import entry_line
from butler.store.chain import Head
from butler.store.instants import EPOCH
from butler.store.open import open_store
from butler.store.queries import audit
from butler.store.tables import audit as table
from tests.support.context import TurnedClock

DIGEST = "ab" * 32


def change(*statements: sa.Executable) -> None:
    """Somebody has the database file open."""
    store = open_store("sqlite:///butler.db", data_dir=Path("data"))
    with store.engine.begin() as connection:
        for statement in statements:
            connection.execute(statement)
    store.engine.dispose()


@pytest.fixture
async def harness() -> None:
    """A configuration, five entries in the audit log, and the daemon's note of its head."""
    Path("butler.toml").touch()
    Path("data").mkdir(mode=0o700)
    store = open_store("sqlite:///butler.db", data_dir=Path("data"))

    def fill(connection: sa.Connection) -> None:
        for n in range(5):
            data = {"n": n, "text": "naïve 😀 \udcff \x00\n"}
            audit.append(connection, "approval.done", f"a{n}", "butler", data, EPOCH + timedelta(microseconds=n))

    await store.write(fill)
    await HeadKeeper(store, TurnedClock(), Path("data")).note()
    await store.close()


async def test_the_newest_entries_are_listed_first(butler, harness):
    listed = json.loads((await butler("audit", "--json", "--limit", "2")).stdout)
    assert [row["seq"] for row in listed] == [5, 4]
    assert set(listed[0]) == {"seq", "at", "kind", "subject", "actor", "data", "hash"}
    lines = (await butler("audit")).stdout.splitlines()
    assert len(lines) == 5
    assert lines[0].split() == ["5", f"{EPOCH:%Y-%m-%d}", "00:00:00", "approval.done", "butler", "a4"]


def test_an_entry_is_lined_up_at_the_owner_s_time_and_hides_nothing():
    subject = f"{'0123456789abcdef' * 2}:1\u202e"
    row = audit.AuditRow(7, EPOCH, "pin.set", subject, "butler", {}, "")
    line = entry_line(row, ZoneInfo("Asia/Tokyo"))
    assert line == f"     7  {EPOCH:%Y-%m-%d} 09:00:00  {'pin.set':20}  {'butler':18}  01234567:1[U+202E]"


async def test_a_whole_log_is_told_with_what_it_was_held_against(butler, harness):
    told = await butler("audit", "verify")
    assert told.exit_code == 0
    assert "The audit log is whole: 5 entries, head 5:" in told.stdout
    assert f"It holds 1 head of {NAME}." in told.stdout
    head = told.stdout.split()[8]
    assert (await butler("audit", "verify", "--head", head)).exit_code == 0


async def test_a_cut_tail_is_found_without_being_asked_for(butler, harness):
    change(table.delete().where(table.c.seq > 3))
    told = await butler("audit", "verify")
    assert told.exit_code == 1
    assert "The audit log ends before entry 5, which was noted at " in told.stderr
    assert len(told.stderr.splitlines()) == 1
    seen = json.loads((await butler("doctor", "--json")).stdout)
    assert not next(line for line in seen if line["name"] == "Audit log")["ok"]


async def test_that_no_head_was_noted_is_said(butler, harness):
    Path("data", NAME).unlink()
    told = await butler("audit", "verify")
    assert told.exit_code == 0
    assert f"Butler has noted no head in {NAME} yet" in told.stdout


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        (table.update().where(table.c.seq == 2).values(actor="me"), "Entry 2 of the audit log was changed"),
        (table.delete().where(table.c.seq == 2), "Entry 2 of the audit log is missing"),
    ],
)
async def test_a_touched_row_is_named_with_exit_code_1(butler, harness, statement, says):
    change(statement)
    told = await butler("audit", "verify")
    assert (told.exit_code, says in told.stderr) == (1, True)


@pytest.mark.parametrize(
    "head", ["9", "x:y", "5:", f":{DIGEST}", f"²:{DIGEST}", "5:ab", f"5:{DIGEST}0", f"5:{DIGEST[1:]}g"]
)
async def test_a_head_that_is_none_is_refused(butler, harness, head):
    told = await butler("audit", "verify", "--head", head)
    assert (told.exit_code, told.stderr) == (
        1,
        "butler: a head is written SEQ:HASH, as in the daemon's log; write the whole hash, 64 digits\n",
    )


async def test_another_head_than_that_of_the_log_is_told(butler, harness):
    told = await butler("audit", "verify", "--head", f"4:{DIGEST}")
    assert told.exit_code == 1
    assert "Entry 4 of the audit log is not the one that was noted elsewhere" in told.stderr


async def test_an_export_holds_every_row_and_can_be_checked_without_the_database(butler, harness):
    told = await butler("audit", "export", "--out", "log.jsonl")
    assert told.stdout == "Wrote 5 entries to log.jsonl\n"
    assert stat.S_IMODE(Path("log.jsonl").stat().st_mode) == 0o600
    assert (await butler("audit", "export")).stdout == Path("log.jsonl").read_text()
    lines = [json.loads(line) for line in Path("log.jsonl").read_text().splitlines()]
    assert [line["seq"] for line in lines] == [1, 2, 3, 4, 5]
    assert list(lines[0]) == ["seq", "at", "kind", "subject", "actor", "data", "previous_hash", "hash"]
    assert lines[0]["data"] == {"n": 0, "text": "naïve 😀 \udcff \x00\n"}
    Path("butler.toml").unlink()
    checked = await butler("audit", "verify", "--file", "log.jsonl", "--head", f"5:{lines[-1]['hash']}")
    assert checked.stdout == f"log.jsonl is whole: 5 entries from 1 on, head 5:{lines[-1]['hash']}\n"


async def test_an_export_overwrites_a_file_only_when_told_to(butler, harness):
    Path("log.jsonl").write_text("mine")
    told = await butler("audit", "export", "--out", "log.jsonl")
    says = "butler: log.jsonl is there already; name another file, or say --force to overwrite it\n"
    assert (told.exit_code, told.stderr, Path("log.jsonl").read_text()) == (1, says, "mine")
    assert (await butler("audit", "export", "--out", "log.jsonl", "--force")).exit_code == 0
    assert len(Path("log.jsonl").read_text().splitlines()) == 5


async def test_a_part_of_the_log_is_exported_and_checked(butler, harness):
    await butler("audit", "export", "--from", "4", "--out", "log.jsonl")
    told = (await butler("audit", "verify", "--file", "log.jsonl")).stdout
    assert told.startswith("log.jsonl is whole as far as it goes: 2 entries from 4 on, head 5:")
    assert told.endswith("; only a noted head (--head) tells whether its end was cut\n")
    told = await butler("audit", "verify", "--file", "log.jsonl", "--head", f"6:{DIGEST}")
    assert "log.jsonl: The audit log ends before entry 6" in told.stderr


@pytest.mark.parametrize(
    ("touch", "says"),
    [
        (lambda lines: [lines[0].replace("butler", "somebody"), *lines[1:]], "Entry 1 of the audit log was changed"),
        (lambda lines: [lines[0], lines[2], *lines[3:]], "Entry 2 of the audit log is missing"),
        (lambda lines: [lines[0], lines[0], *lines[1:]], "Entry 1 of the audit log stands where entry 2 should"),
        (lambda lines: [lines[1], lines[0], *lines[2:]], "Entry 1 of the audit log stands where entry 3 should"),
        (lambda lines: [*lines, "{}\n"], "line 6 of log.jsonl is no entry of an audit log"),
        (lambda lines: [*lines, "[7]\n"], "line 6 of log.jsonl is no entry of an audit log"),
        (lambda lines: [*lines, "no JSON\n"], "line 6 of log.jsonl is no entry of an audit log"),
        (lambda lines: [], "log.jsonl holds no entry"),
    ],
    ids=["changed", "removed", "inserted", "reordered", "no entry", "no object", "no JSON", "empty"],
)
async def test_a_touched_export_is_found(butler, harness, touch, says):
    await butler("audit", "export", "--out", "log.jsonl")
    lines = Path("log.jsonl").read_text().splitlines(keepends=True)
    Path("log.jsonl").write_text("".join(touch(lines)))
    told = await butler("audit", "verify", "--file", "log.jsonl")
    assert (told.exit_code, says in told.stderr, len(told.stderr.splitlines())) == (1, True, 1), told.stderr


async def test_what_cannot_be_read_or_written_is_told_in_one_sentence(butler, harness):
    told = await butler("audit", "verify", "--file", "gone.jsonl")
    assert (told.exit_code, "gone.jsonl cannot be read: there is no such file" in told.stderr) == (1, True)
    told = await butler("audit", "export", "--out", "gone/log.jsonl")
    assert (told.exit_code, "gone/log.jsonl cannot be written" in told.stderr) == (1, True)
    change(table.update().where(table.c.seq == 2).values(data="{"))
    told = await butler("audit", "export", "--out", "log.jsonl")
    assert (told.exit_code, "entry 2 of the audit log was changed: it holds no JSON" in told.stderr) == (1, True)
    assert not [path.name for path in Path().iterdir() if "log.jsonl" in path.name]


@pytest.mark.parametrize("words", [["--limit", "0"], ["export", "--from", "0"], ["export", "--from", "x"], ["gone"]])
async def test_wrong_usage_exits_with_2(butler, harness, words):
    assert (await butler("audit", *words)).exit_code == 2


async def test_without_a_database_one_sentence_says_so(butler):
    Path("butler.toml").touch()
    for words in (["audit"], ["audit", "verify"], ["audit", "export"]):
        told = await butler(*words)
        assert (told.exit_code, len(told.stderr.splitlines())) == (1, 1)
        assert "`butler run` makes one" in told.stderr


async def test_a_restored_backup_has_a_shorter_log_and_is_whole(butler, harness):
    await butler("backup", "kept")
    store = open_store("sqlite:///butler.db", data_dir=Path("data"))
    await store.write(lambda c: audit.append(c, "approval.done", "later", "butler", {}, EPOCH))
    await HeadKeeper(store, TurnedClock(), Path("data")).note()
    await store.close()
    (archive,) = await asyncio.to_thread(lambda: list(Path("kept").iterdir()))
    assert (await butler("restore", archive, "--force")).exit_code == 0
    told = await butler("audit", "verify")
    assert told.exit_code == 0, told.stderr
    assert "It holds 0 heads" in told.stdout
    assert "Those before the restore of the backup of 20" in told.stdout


async def test_a_restore_that_cannot_be_noted_says_what_follows_from_it(butler, harness):
    await butler("backup", "kept")
    (archive,) = await asyncio.to_thread(lambda: list(Path("kept").iterdir()))
    Path("data", NAME).unlink()
    Path("data", NAME).mkdir()
    told = await butler("restore", archive, "--force")
    assert (told.exit_code, "the backup is in place, but audit-heads.jsonl cannot be written" in told.stderr) == (
        1,
        True,
    )


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> MultiFernet:
    """The key that lies outside of the data folder."""
    key = Fernet.generate_key()
    monkeypatch.setenv("BUTLER_KEY", key.decode())
    return MultiFernet([Fernet(key)])


def more(count: int) -> None:
    """The daemon goes on."""
    store = open_store("sqlite:///butler.db", data_dir=Path("data"))
    with store.engine.begin() as connection:
        for n in range(count):
            audit.append(connection, "approval.done", f"b{n}", "butler", {}, EPOCH)
    store.engine.dispose()


async def test_what_was_checked_before_is_not_read_again(butler, harness, key):
    assert "Read from" not in (await butler("audit", "verify")).stdout
    more(2)
    told = await butler("audit", "verify")
    assert (told.exit_code, "7 entries, head 7:" in told.stdout) == (0, True)
    assert "Read from entry 5 on; those up to 5 were found whole at " in told.stdout
    assert stat.S_IMODE(Path("data", "audit-checked").stat().st_mode) == 0o600
    assert "Read from" not in (await butler("audit", "verify", "--all")).stdout
    head = told.stdout.split()[8]
    assert (await butler("audit", "verify", "--head", head)).exit_code == 0


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        (table.update().where(table.c.seq == 6).values(actor="me"), "Entry 6 of the audit log was changed"),
        (table.delete().where(table.c.seq == 6), "Entry 6 of the audit log is missing"),
        (table.update().where(table.c.seq == 5).values(actor="me"), "Entry 5 of the audit log was changed"),
        (table.delete().where(table.c.seq >= 5), "The audit log ends before entry 5, which was noted at "),
        (table.delete().where(table.c.seq == 3), "Of the 4 entries before entry 5 of the audit log, 3 are there"),
    ],
)
async def test_what_is_done_to_the_log_after_a_check_is_found(butler, harness, key, statement, says):
    await butler("audit", "verify")
    more(2)
    change(statement)
    told = await butler("audit", "verify")
    assert (told.exit_code, says in told.stderr) == (1, True), told.stderr


async def test_what_is_done_to_what_was_checked_is_found_by_all(butler, harness, key):
    await butler("audit", "verify")
    change(table.update().where(table.c.seq == 2).values(actor="me"))
    assert (await butler("audit", "verify")).exit_code == 0
    told = await butler("audit", "verify", "--all")
    assert (told.exit_code, "Entry 2 of the audit log was changed" in told.stderr) == (1, True)


async def test_whoever_forges_the_log_cannot_move_what_was_checked(butler, harness, key):
    """They have the data folder, and not the key."""
    change(table.update().where(table.c.seq == 2).values(actor="me"))
    theirs = MultiFernet([Fernet(Fernet.generate_key())])
    now = datetime.now(UTC)
    with closing(sqlite3.connect("data/butler.db")) as plain:
        (last,) = plain.execute("SELECT hash FROM audit WHERE seq = 5").fetchone()
    assert note_checked(Path("data"), theirs, Head(5, last), now, now)
    told = await butler("audit", "verify")
    assert (told.exit_code, "Entry 2 of the audit log was changed" in told.stderr) == (1, True)


def test_after_a_while_and_when_the_clock_was_set_back_all_is_read_again(tmp_path: Path, key):
    now = datetime.now(UTC)
    assert note_checked(tmp_path, key, Head(5, DIGEST), now, now)
    found = checked_up_to(tmp_path, key, now + timedelta(days=29))
    assert found is not None
    assert (found.seq, found.hash, found.all_at) == (5, DIGEST, now)
    assert checked_up_to(tmp_path, key, now + timedelta(days=30)) is None
    assert checked_up_to(tmp_path, key, now - timedelta(hours=1)) is None
    assert checked_up_to(tmp_path, None, now) is None
    assert not note_checked(tmp_path, None, Head(5, DIGEST), now, now)
