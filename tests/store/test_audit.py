"""The audit log: whoever changes, removes, reorders or cuts off a row is found out."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from butler.store.chain import Entry, Head, check
from butler.store.queries import audit
from butler.store.store import Store
from butler.store.tables import audit as table

NOW = datetime(2026, 7, 30, 12, 0, 0, 123_457, tzinfo=UTC)


@pytest.fixture
async def head(store: Store) -> Head:
    """Nine rows; the head of the chain, as it is noted outside the store."""

    def append(connection: sa.Connection) -> None:
        for n in range(9):
            data = {"n": n, "text": "naïve 😀 \udcff \x00 ☃", "z": None, "a": [1, 2]}
            audit.append(connection, "approved", f"a{n % 3}", "telegram:42", data, NOW + timedelta(seconds=n))

    await store.write(append)
    return Head(*await store.read(audit.head))


async def verify(store: Store, *heads: Head) -> str | None:
    return await store.read(lambda connection: audit.verify(connection, heads))


async def tamper(store: Store, *statements: sa.Executable) -> None:
    def run(connection: sa.Connection) -> None:
        for statement in statements:
            connection.execute(statement)

    await store.write(run)


async def test_an_untouched_log_is_whole(store: Store, head: Head):
    assert await verify(store, head) is None
    rows = await store.read(lambda connection: audit.rows(connection, subject="a1"))
    assert [row.data["n"] for row in rows] == [7, 4, 1]
    assert rows[0].data["text"] == "naïve 😀 \udcff \x00 ☃"
    assert rows[0].at == NOW + timedelta(seconds=7)


async def test_an_empty_log_is_whole(store: Store):
    assert await verify(store) is None
    assert await store.read(audit.head) == (0, audit.GENESIS)


@pytest.mark.parametrize(
    "values",
    [
        {"data": '{"n":99}'},
        {"actor": "telegram:666"},
        {"kind": "denied"},
        {"subject": "other"},
        {"at": NOW},
        {"hash": "f" * 64},
        {"previous_hash": "f" * 64},
    ],
    ids=lambda values: next(iter(values)),
)
async def test_a_changed_row_is_found(store: Store, head: Head, values: dict[str, object]):
    await tamper(store, table.update().where(table.c.seq == 5).values(**values))
    assert await verify(store) == "Entry 5 of the audit log was changed."


async def test_a_changed_row_with_a_fitting_hash_is_found_at_the_next_one(store: Store, head: Head):
    def forge(connection: sa.Connection) -> None:
        row = connection.execute(sa.select(table).where(table.c.seq == 5)).mappings().one()
        digest = audit.chain_hash(row["previous_hash"], 5, row["at"], row["kind"], row["subject"], "me", row["data"])
        connection.execute(table.update().where(table.c.seq == 5).values(actor="me", hash=digest))

    await store.write(forge)
    assert await verify(store) == "Entry 6 of the audit log was changed."


async def test_a_removed_row_is_found(store: Store, head: Head):
    await tamper(store, table.delete().where(table.c.seq == 4))
    assert await verify(store) == "Entry 4 of the audit log is missing."


async def test_reordered_rows_are_found(store: Store, head: Head):
    swap = [(3, 100), (4, 3), (100, 4)]
    await tamper(store, *(table.update().where(table.c.seq == old).values(seq=new) for old, new in swap))
    assert await verify(store) == "Entry 3 of the audit log was changed."


async def test_a_cut_tail_is_found_by_a_head_noted_elsewhere(store: Store, head: Head):
    await tamper(store, table.delete().where(table.c.seq > 6))
    assert await verify(store) is None
    assert await verify(store, head) == "The audit log ends before entry 9, which was noted elsewhere."


async def test_a_log_that_grew_after_its_head_was_noted_is_whole(store: Store, head: Head):
    await store.write(lambda connection: audit.append(connection, "denied", "a9", "telegram:42", {}, NOW))
    assert await verify(store, head) is None


async def test_a_log_written_anew_with_a_fitting_chain_is_found_by_a_noted_head(store: Store, head: Head):
    def rewrite(connection: sa.Connection) -> None:
        connection.execute(table.delete())
        for n in range(12):
            audit.append(connection, "approved", f"a{n}", "telegram:42", {}, NOW)

    await store.write(rewrite)
    assert await verify(store) is None
    assert await verify(store, head) == "Entry 9 of the audit log is not the one that was noted elsewhere."


async def test_an_inserted_row_is_found(store: Store, head: Head):
    def insert(connection: sa.Connection) -> None:
        connection.execute(table.update().where(table.c.seq == 9).values(seq=10))
        row = dict(connection.execute(sa.select(table).where(table.c.seq == 8)).mappings().one())
        connection.execute(table.insert().values(row | {"seq": 9, "previous_hash": row["hash"]}))

    await store.write(insert)
    assert await verify(store) == "Entry 9 of the audit log was changed."


async def test_a_row_before_the_first_is_found(store: Store, head: Head):
    def insert(connection: sa.Connection) -> None:
        row = dict(connection.execute(sa.select(table).where(table.c.seq == 1)).mappings().one())
        connection.execute(table.insert().values(row | {"seq": 0}))

    await store.write(insert)
    assert await verify(store) == "Entry 0 of the audit log stands where entry 1 should."


async def test_of_many_heads_the_first_that_does_not_match_is_named_with_its_time(store: Store, head: Head):
    good = [Head(entry.seq, entry.hash) for entry in await entries(store)]
    assert await verify(store, *good, *good, Head(0, audit.GENESIS)) is None
    bad = [Head(12, "0" * 64, "noon"), head, Head(5, "0" * 64, "ten o'clock"), Head(6, "0" * 64)]
    assert await verify(store, *bad) == "Entry 5 of the audit log is not the one that was noted at ten o'clock."
    assert await verify(store, bad[0]) == "The audit log ends before entry 12, which was noted at noon."


async def entries(store: Store, first: int | None = None) -> list[Entry]:
    return await store.read(lambda connection: list(audit.entries(connection, first)))


async def test_a_part_of_the_log_is_checked_by_itself(store: Store, head: Head):
    part = await entries(store, 4)
    checked = check(part, [head], part=True)
    assert (checked.first, checked.last, checked.broken) == (4, head, None)
    assert check(part[1:] + part[:1], part=True).broken == "Entry 4 of the audit log stands where entry 10 should."
    assert check([part[0], *part[2:]], part=True).broken == "Entry 5 of the audit log is missing."
    assert check([part[0], part[0], *part[1:]], part=True).broken == (
        "Entry 4 of the audit log stands where entry 5 should."
    )
    before = Head(2, "0" * 64)
    assert check(part, [before], part=True).broken == (
        "Entry 2 of the audit log, noted elsewhere, is not in this part of it."
    )
    assert check([], part=True).last == Head(0, audit.GENESIS)


async def test_a_log_is_read_a_few_rows_at_a_time_and_whole(store: Store, head: Head, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(audit, "_ALL", audit._ALL.limit(4))
    assert [entry.seq for entry in await entries(store)] == list(range(1, 10))
    assert [entry.seq for entry in await entries(store, 2)] == list(range(2, 10))
    assert await verify(store, head) is None
