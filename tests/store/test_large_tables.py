"""Nothing that the owner waits for reads a large table whole: the database's own plans of the queries are looked at."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from butler.contract.card import MessageRef, OwnerMessage, plain
from butler.contract.names import Identity
from butler.store.instants import Instant
from butler.store.open import open_store
from butler.store.queries import (
    approval_batches,
    approvals,
    audit,
    conversations,
    counts,
    events,
    firings,
    inbox,
    model_use,
    outbox,
    plans,
    reminders,
    trace,
    work,
)
from butler.store.queries.retention import OLD
from butler.store.stored_reasons import StoredReasons

NOW = datetime(2027, 6, 1, 12, tzinfo=UTC)
LARGE = frozenset(
    {
        *("inbox", "outbox", "plans", "plan_steps", "conversations", "choices", "approvals", "attempts", "audit"),
        *("card_buttons", "events", "firings", "automation_firings", "hooks", "run_records", "seen_messages", "waits"),
        *("polled", "bulk_items", "bulk_runs"),
    }
)
"""Tables that grow for as long as there is a daemon."""
Query = Callable[[sa.Connection], Any]

HOT: dict[str, Query] = {
    "status": lambda c: counts.queue(c, NOW),
    "status.today": lambda c: model_use.of_day(c, NOW.date()),
    "status.month": lambda c: model_use.of_month(c, NOW.date()),
    "why.last": lambda c: trace.of_last(c, "telegram:42"),
    "why.message": lambda c: trace.of_message(c, "m1"),
    "why.card": lambda c: trace.of_approval(c, "a1"),
    "why.id": lambda c: trace.of_id(c, "i1"),
    "inbox.get": lambda c: inbox.get(c, "i1"),
    "inbox.by_message": lambda c: inbox.by_message(c, "telegram:42", "7"),
    "inbox.recent": lambda c: inbox.recent(c, channel="telegram", identity=Identity.BOT, chat=None, limit=50),
    "outbox.add": lambda c: outbox.add(c, "telegram:42", OwnerMessage(text=plain("x")), now=NOW, dedup_key="k9"),
    "outbox.sent": lambda c: outbox.sent(c, "m1", MessageRef(chat="telegram:42", message_ids=("8",)), NOW),
    "outbox.by_ref": lambda c: outbox.by_ref(c, "telegram:42", "8"),
    "outbox.held": lambda c: outbox.held(c, "telegram:42"),
    "outbox.keeps": lambda c: outbox.keeps(c, "telegram:42"),
    "outbox.kept_for": lambda c: outbox.kept_for(c, "i1"),
    "work.written": lambda c: work.written(c, 0),
    "work.ready": lambda c: work.ready(c, NOW),
    "work.set_right": lambda c: work.adjust_to_clock(c, timedelta(hours=-1), NOW),
    "approvals.recent": lambda c: approvals.recent_in(c, "telegram:42"),
    "approvals.pending": lambda c: approvals.in_state(c, "pending"),
    "approvals.by_call": lambda c: approvals.by_call(c, "c1"),
    "approvals.by_token": lambda c: approvals.by_token(c, "t1"),
    "approvals.attempts": lambda c: approvals.attempts_of(c, "a1"),
    "approval_batches.members": lambda c: approval_batches.members(c, "f1"),
    "plans.get": lambda c: plans.get(c, "p1"),
    "conversations.load": lambda c: conversations.load(c, "telegram:42"),
    "audit.append": lambda c: audit.append(c, "kind", "s1", "butler", {}, NOW),
    "audit.subject": lambda c: audit.rows(c, "a1", 40),
    "events.get": lambda c: events.get(c, "e1"),
    "firings.last": lambda c: firings.last(c, firings.FiringKind.REMINDER, "r1"),
    "reminders.waiting": lambda c: reminders.waiting(c, 20),
}


@contextmanager
def noted(engine: sa.Engine) -> Iterator[list[tuple[str, Any]]]:
    """Every statement that is executed meanwhile, with its values."""
    seen: list[tuple[str, Any]] = []

    def note(_c: Any, _cursor: Any, statement: str, values: Any, _context: Any, many: bool) -> None:
        seen.append((statement, values[0] if many and values else values))

    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)


def slow_steps(connection: sa.Connection, statement: str, values: Any) -> list[str]:
    """What of a statement's plan reads a large table whole, or sorts it whole for the first few rows."""
    if not statement.lstrip().upper().startswith(("SELECT", "UPDATE", "DELETE", "WITH")):
        return []
    cursor = connection.connection.cursor()
    cursor.execute(f"EXPLAIN QUERY PLAN {statement}", values)
    steps = [str(row[3]) for row in cursor.fetchall()]
    few = "LIMIT" in statement
    # The first rows in the order of the key end the scan.
    in_order = few and "WHERE" not in statement
    scans = [one for one in steps if one.startswith("SCAN ") and one.split()[1] in LARGE and not in_order]
    touches = any(name in LARGE for one in steps for name in one.split()[1:2])
    sorts = [one for one in steps if few and touches and one == "USE TEMP B-TREE FOR ORDER BY"]
    return [f"{step}: {statement}" for step in (*scans, *sorts)]


def steps_on(engine: sa.Engine, table: str, query: Query) -> list[str]:
    """By what index each statement reads a table."""
    with engine.connect() as connection:
        with noted(engine) as seen:
            query(connection)
        found: list[str] = []
        for statement, values in seen:
            cursor = connection.connection.cursor()
            cursor.execute(f"EXPLAIN QUERY PLAN {statement}", values)
            found += [str(row[3]) for row in cursor.fetchall() if str(row[3]).split()[:2] == ["SEARCH", table]]
    assert found
    return found


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[sa.Engine]:
    store = open_store("sqlite:///large.db", data_dir=tmp_path)
    yield store.engine
    store.engine.dispose()


def found_slow(engine: sa.Engine, query: Query) -> list[str]:
    with engine.connect() as connection:
        with noted(engine) as seen:
            query(connection)
        assert seen
        return [step for statement, values in seen for step in slow_steps(connection, statement, values)]


@pytest.mark.parametrize("name", HOT)
def test_no_query_that_somebody_waits_for_reads_a_large_table_whole(engine: sa.Engine, name: str) -> None:
    assert found_slow(engine, HOT[name]) == []


def some_row(table: sa.Table, number: int) -> dict[str, Any]:
    """A row of a table that holds anything."""
    values: dict[str, Any] = {}
    for column in table.columns:
        match column.type:
            case Instant():
                values[column.name] = NOW - timedelta(days=1, seconds=number)
            case sa.JSON():
                values[column.name] = {}
            case StoredReasons():
                values[column.name] = ()
            case sa.Boolean():
                values[column.name] = False
            case sa.LargeBinary():
                values[column.name] = b""
            case sa.Integer() | sa.Float():
                values[column.name] = number
            case _:
                values[column.name] = f"x{number}"
    return values


@pytest.mark.parametrize("at", range(len(OLD)), ids=lambda at: f"{OLD[at].setting}{at}")
def test_what_is_old_is_found_by_its_time_and_deleted_by_its_key(engine: sa.Engine, at: int) -> None:
    """By no other index: nearly all rows may be in the state that lets them go."""
    old = OLD[at]
    rows = [some_row(old.table, number) for number in range(1, 101)]
    with engine.begin() as connection:
        connection.execute(old.table.insert(), rows)
    keys = [tuple(row[column.name] for column in old.table.primary_key) for row in rows]
    for after in (None, (rows[-1][old.at.name], *keys[-1])):
        looks = steps_on(engine, old.table.name, lambda c, after=after: old.look(c, NOW, after, 50))
        assert len(looks) == 2
        assert all(f"({old.at.name}" in step for step in looks), looks
    with engine.connect() as connection:
        looked = old.look(connection, NOW, None, 50)
    goes = replace(looked, found=keys[:50])
    key = f"({next(iter(old.table.primary_key)).name}=?"
    for step in steps_on(engine, old.table.name, lambda c: old.purge(c, NOW, goes)):
        assert f"({old.at.name}>? AND {old.at.name}<?)" in step or key in step or "INTEGER PRIMARY KEY" in step, step
    assert found_slow(engine, lambda c: old.look(c, NOW, None, 50)) == []
    assert found_slow(engine, lambda c: old.purge(c, NOW, goes)) == []


def test_a_query_that_reads_a_large_table_whole_is_seen(engine: sa.Engine) -> None:
    assert found_slow(engine, lambda c: c.execute(sa.text("SELECT * FROM outbox WHERE detail = 'x'")))
    sorted_whole = sa.text("SELECT * FROM inbox WHERE chat = 'x' ORDER BY item LIMIT 1")
    assert found_slow(engine, lambda c: c.execute(sorted_whole))
