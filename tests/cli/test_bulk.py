"""`butler bulk`: the runs as they stand, and what may be done with them beside a running daemon."""
# ruff: noqa: ASYNC240 - a test may wait for a small file

import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from butler.contract.bulk import PreparedBulkContext
from butler.contract.reasons import Reason, ReasonCode, in_own_words
from butler.store.open import open_store
from butler.store.queries import audit, bulk, work
from butler.store.queries.bulk import NewItem, NewRun, RunState
from butler.store.store import Store

ARCHIVE = asdict(
    PreparedBulkContext("gmail", "archive", {"ids": []}, {"add": [], "remove": ["INBOX"]}, {"account": "main"})
)
SAID = '{"action":"archive","senders":["shop"]}'


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    Path("butler.toml").touch()
    Path("data").mkdir(mode=0o700)
    store = open_store("sqlite:///butler.db", data_dir=Path("data"))
    yield store
    await store.close()


async def begun(store: Store, run_id: str, *, adapter: str = "gmail", done: int = 3, failed: int = 0) -> None:
    """A run over five mails, as it stands after its first batch."""
    now = datetime.now(UTC)

    def write(connection: sa.Connection) -> None:
        bulk.add(connection, NewRun(run_id, adapter, "main", SAID, ARCHIVE), now)
        bulk.add_items(connection, run_id, 0, [NewItem(f"m{at}", f"m{at}") for at in range(5)])
        bulk.listed(connection, run_id, digest="d", total=5, context=ARCHIVE)
        bulk.begin(connection, run_id, call_id=None, chat="telegram:42", now=now)
        items = bulk.in_state(connection, run_id, bulk.ItemState.TODO)[: done + failed]
        bulk.take(connection, run_id, items)
        bulk.settle(connection, run_id, items, dict.fromkeys(range(failed), Reason(ReasonCode.THING_GONE)), {})

    await store.write(write)


async def ended(store: Store, run_id: str, at: datetime | None = None) -> None:
    when = at or datetime.now(UTC)
    await store.write(lambda c: bulk.move(c, run_id, (RunState.RUNNING,), RunState.DONE, when))


async def listed(butler, *words: str) -> Any:
    return json.loads((await butler("bulk", *words, "--json")).stdout)


async def state(store: Store, run_id: str) -> RunState:
    run = await store.read(lambda c: bulk.get(c, run_id))
    assert run is not None
    return run.state


async def test_runs_are_listed_the_newest_last(butler, store: Store):
    assert (await butler("bulk")).stdout == "Nothing was done to many things at once yet.\n"
    assert (await butler("bulk", "--open")).stdout == "Nothing is running.\n"
    await begun(store, "aaaa1111")
    await ended(store, "aaaa1111")
    await begun(store, "aaaa2222", failed=2)
    told = (await butler("bulk")).stdout.splitlines()
    assert told[0].endswith("done      aaaa1111  Archived: 3 of 5 (gmail, main)")
    assert told[1].endswith("running   aaaa2222  Archived: 3 of 5, 2 could not be (gmail, main)")
    assert [row["run"] for row in await listed(butler, "--open")] == ["aaaa2222"]
    (row,) = await listed(butler, "--limit", "1")
    assert row["order"] == {"action": "archive", "senders": ["shop"]}
    assert row["counts"] == {"todo": 0, "inflight": 0, "done": 3, "failed": 2}
    assert row["state"] == "running"


async def test_one_run_is_shown_by_how_its_id_begins(butler, store: Store):
    await begun(store, "aaaa1111", failed=2)
    await begun(store, "aaab2222")
    await store.write(
        lambda c: bulk.move(
            c, "aaab2222", (RunState.RUNNING,), RunState.PAUSED, datetime.now(UTC), (in_own_words("why"),)
        )
    )
    await store.write(lambda c: bulk.arrived(c, "aaab2222", 4))
    assert "\nCame meanwhile: 4\nHeld up: why\n" in (await butler("bulk", "show", "aaab")).stdout
    await ended(store, "aaaa1111")
    assert (await butler("bulk", "undo", "aaaa")).stdout == "3 are being put back.\n"
    told = (await butler("bulk", "show", "aaaa")).stdout
    assert told.startswith("aaaa1111, done\n\nArchived: 3 of 5, 2 could not be (gmail, main)\nAsked for: {")
    assert "\nCould not be\n  m0: it is no longer there\n  m1: it is no longer there\n" in told
    assert "\nPut back by " in told
    assert "bulk.undone" in told
    (undo,) = await store.read(lambda c: bulk.of_run(c, "aaaa1111"))
    told = (await butler("bulk", "show", undo.run_id)).stdout
    assert told.startswith(f"{undo.run_id}, running\n\nPut back into the inbox: 0 of 3 (gmail, main)\n")
    assert "\nPuts back: aaaa1111\n" in told
    shown = await listed(butler, "show", "aaaa1111")
    assert shown["failures"][0] == {"id": "m0", "name": "m0", "why": "it is no longer there"}
    assert len(shown["later"]) == 1
    for beginning, why in (
        ("aaa", "more than one run begins with aaa"),
        ("no", "there is no run 'no'"),
        ("", "no run"),
    ):
        refused = await butler("bulk", "show", beginning)
        assert refused.exit_code == 1
        assert why in refused.stderr


async def test_a_run_is_paused_resumed_and_stopped_and_the_daemon_is_told_to_draw_it(butler, store: Store):
    await begun(store, "aaaa1111")
    for step, said, becomes in (
        ("pause", "Paused; what is being sent just now is still done.", RunState.PAUSED),
        ("resume", "It goes on.", RunState.RUNNING),
        ("stop", "Stopped; what was done stays done, and Undo takes it back.", RunState.STOPPED),
    ):
        assert (await butler("bulk", step, "aaaa")).stdout == f"{said}\n"
        assert await state(store, "aaaa1111") is becomes
    refused = await butler("bulk", "pause", "aaaa")
    assert (refused.exit_code, refused.stderr) == (1, "butler: That had ended before.\n")
    rows = await store.read(lambda c: work.ready(c, datetime.now(UTC)))
    assert sum(row.kind == bulk.REDRAW for row in rows) == 3
    entries = await store.read(lambda c: audit.rows(c, "aaaa1111"))
    assert {entry.kind for entry in entries} == {"bulk.paused", "bulk.resumed", "bulk.stopped"}


async def test_what_cannot_be_is_refused_in_a_sentence(butler, store: Store):
    await begun(store, "aaaa1111")
    assert (await butler("bulk", "undo", "aaaa")).stderr == "butler: It has not ended; stop it first.\n"
    await ended(store, "aaaa1111")
    assert (await butler("bulk", "retry", "aaaa")).stderr == "butler: Nothing of it failed.\n"
    await butler("bulk", "undo", "aaaa")
    assert (await butler("bulk", "undo", "aaaa")).stderr == "butler: That was put back before.\n"
    (undo,) = await store.read(lambda c: bulk.of_run(c, "aaaa1111"))
    told = (await butler("bulk", "undo", undo.run_id)).stderr
    assert told == "butler: This puts something back itself, so it cannot be put back.\n"
    await begun(store, "bbbb1111", failed=1)
    await ended(store, "bbbb1111", datetime.now(UTC) - timedelta(days=8))
    assert "too late" in (await butler("bulk", "undo", "bbbb")).stderr
    assert (await butler("bulk", "retry", "bbbb")).stdout == "It is tried again.\n"
    assert (await butler("bulk", "retry", "bbbb")).stderr == "butler: That was tried again before.\n"
