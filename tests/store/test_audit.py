"""The audit log: whoever changes, removes, reorders or cuts off a row is found out."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from butler.store.queries import audit
from butler.store.store import Store
from butler.store.tables import audit as table

NOW = datetime(2026, 7, 30, 12, 0, 0, 123_457, tzinfo=UTC)


@pytest.fixture
async def head(store: Store) -> tuple[int, str]:
    """Nine rows; the head of the chain, as it is noted outside the store."""

    def append(connection: sa.Connection) -> None:
        for n in range(9):
            data = {"n": n, "text": "naïve 😀 \udcff \x00 ☃", "z": None, "a": [1, 2]}
            audit.append(connection, "approved", f"a{n % 3}", "telegram:42", data, NOW + timedelta(seconds=n))

    await store.write(append)
    return await store.read(audit.head)


async def verify(store: Store, noted: tuple[int, str] | None = None) -> str | None:
    return await store.read(lambda connection: audit.verify(connection, noted))


async def tamper(store: Store, *statements: sa.Executable) -> None:
    def run(connection: sa.Connection) -> None:
        for statement in statements:
            connection.execute(statement)

    await store.write(run)


async def test_an_untouched_log_is_whole(store: Store, head: tuple[int, str]):
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
async def test_a_changed_row_is_found(store: Store, head: tuple[int, str], values: dict[str, object]):
    await tamper(store, table.update().where(table.c.seq == 5).values(**values))
    assert await verify(store) == "Row 5 of the audit log was changed."


async def test_a_changed_row_with_a_fitting_hash_is_found_at_the_next_one(store: Store, head: tuple[int, str]):
    def forge(connection: sa.Connection) -> None:
        row = connection.execute(sa.select(table).where(table.c.seq == 5)).mappings().one()
        digest = audit.chain_hash(row["previous_hash"], 5, row["at"], row["kind"], row["subject"], "me", row["data"])
        connection.execute(table.update().where(table.c.seq == 5).values(actor="me", hash=digest))

    await store.write(forge)
    assert await verify(store) == "Row 6 of the audit log was changed."


async def test_a_removed_row_is_found(store: Store, head: tuple[int, str]):
    await tamper(store, table.delete().where(table.c.seq == 4))
    assert await verify(store) == "Row 4 of the audit log is missing."


async def test_reordered_rows_are_found(store: Store, head: tuple[int, str]):
    swap = [(3, 100), (4, 3), (100, 4)]
    await tamper(store, *(table.update().where(table.c.seq == old).values(seq=new) for old, new in swap))
    assert await verify(store) == "Row 3 of the audit log was changed."


async def test_a_cut_tail_is_found_by_a_head_noted_elsewhere(store: Store, head: tuple[int, str]):
    await tamper(store, table.delete().where(table.c.seq > 6))
    assert await verify(store) is None
    assert await verify(store, head) == "The audit log ends before row 9, or that row was changed."


async def test_a_log_that_grew_after_its_head_was_noted_is_whole(store: Store, head: tuple[int, str]):
    await store.write(lambda connection: audit.append(connection, "denied", "a9", "telegram:42", {}, NOW))
    assert await verify(store, head) is None


async def test_a_log_written_anew_with_a_fitting_chain_is_found_by_a_noted_head(store: Store, head: tuple[int, str]):
    def rewrite(connection: sa.Connection) -> None:
        connection.execute(table.delete())
        for n in range(12):
            audit.append(connection, "approved", f"a{n}", "telegram:42", {}, NOW)

    await store.write(rewrite)
    assert await verify(store) is None
    assert await verify(store, head) == "The audit log ends before row 9, or that row was changed."
