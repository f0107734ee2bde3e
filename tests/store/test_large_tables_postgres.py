"""The same queries on PostgreSQL: each has an index there, too, by which it finds its rows."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from butler.store.open import open_store
from butler.store.queries.retention import OLD
from tests.store.test_large_tables import HOT, LARGE, NOW, Query, noted

pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def engine(postgres: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[sa.Engine]:
    folder: Path = tmp_path_factory.mktemp("large")
    store = open_store(postgres.create_database(), data_dir=folder)
    yield store.engine
    store.engine.dispose()


def scanned(engine: sa.Engine, query: Query) -> list[str]:
    """The large tables that a statement can only read whole: with scans forbidden, one that is left has no index."""
    with engine.connect() as connection:
        with noted(engine) as seen:
            query(connection)
        assert seen
        connection.exec_driver_sql("SET enable_seqscan = off")
        found: list[str] = []
        for statement, values in seen:
            if not statement.lstrip().upper().startswith(("SELECT", "UPDATE", "DELETE", "WITH")):
                continue
            in_order = "LIMIT" in statement and "WHERE" not in statement
            for (line,) in connection.exec_driver_sql(f"EXPLAIN (COSTS OFF) {statement}", values):
                table = line.partition("Seq Scan on ")[2].partition(" ")[0]
                if table in LARGE and not in_order:
                    found.append(f"{table}: {statement}")
        connection.rollback()
        return found


@pytest.mark.parametrize("name", HOT)
def test_no_query_that_somebody_waits_for_reads_a_large_table_whole(engine: sa.Engine, name: str) -> None:
    assert scanned(engine, HOT[name]) == []


@pytest.mark.parametrize("at", range(len(OLD)), ids=lambda at: f"{OLD[at].setting}{at}")
def test_what_is_old_is_found_by_an_index(engine: sa.Engine, at: int) -> None:
    assert scanned(engine, lambda c: OLD[at].look(c, NOW, None, 50)) == []


def test_a_query_that_reads_a_large_table_whole_is_seen(engine: sa.Engine) -> None:
    assert scanned(engine, lambda c: c.execute(sa.text("SELECT * FROM outbox WHERE detail = 'x'")))
