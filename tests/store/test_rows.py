"""Rows become their dataclasses by position, and several work rows are written or taken back at once."""

from dataclasses import fields

import pytest
import sqlalchemy as sa

from butler.contract.reasons import ReasonCode, reason
from butler.store import tables
from butler.store.queries import work
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.buttons import ButtonRow
from butler.store.queries.work import NewWork
from butler.store.store import Store
from tests.store.test_queries import HOUR, NOW


@pytest.mark.parametrize(("row", "table"), [(ApprovalRow, tables.approvals), (ButtonRow, tables.buttons)])
def test_fields_stand_in_the_order_of_the_columns(row: type[ApprovalRow | ButtonRow], table: sa.Table):
    assert [field.name for field in fields(row)] == table.c.keys()


async def test_several_work_rows_are_written_in_their_order(store: Store):
    rows = [NewWork("look", "a", lane="out"), NewWork("act", "a", run_at=NOW + HOUR)]
    await store.write(lambda c: work.add_all(c, rows, now=NOW))
    await store.write(lambda c: work.add_all(c, [], now=NOW))
    written = await store.read(lambda c: work.written(c, 0))
    assert [(row.kind, row.lane, row.run_at) for row in written] == [("look", "out", NOW), ("act", "act:a", NOW + HOUR)]


async def test_taking_back_several_kinds_leaves_other_kinds_other_subjects_and_what_was_set_aside(store: Store):
    def fill(connection: sa.Connection) -> None:
        dead_letter = work.add(connection, "act", "a", now=NOW)
        work.fail(connection, dead_letter, reason(ReasonCode.FAULT, kind="ValueError"))
        work.add_all(connection, [NewWork(kind, "a") for kind in ("look", "act", "tell")], now=NOW)
        work.add(connection, "look", "b", now=NOW)

    await store.write(fill)
    await store.write(lambda c: work.cancel_all(c, ("look", "act"), "a"))
    assert [(row.kind, row.subject) for row in await store.read(lambda c: work.written(c, 0))] == [
        ("tell", "a"),
        ("look", "b"),
    ]
    assert await store.read(lambda c: work.count(c, work.FAILED)) == 1
