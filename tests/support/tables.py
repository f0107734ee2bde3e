"""All tables for a test's database; making them anew would take longer than most tests do."""

from functools import cache

import sqlalchemy as sa

from butler.store import revisions
from butler.store.connect import in_memory, make_engine


def create_tables(engine: sa.Engine) -> None:
    """Create all tables; another store of the same database may have done so."""
    with engine.begin() as connection:
        if sa.inspect(connection).has_table("inbox"):
            return
        if not in_memory(engine.url):
            revisions.create_tables(connection)
            return
    raw = engine.raw_connection()
    assert raw.driver_connection
    raw.driver_connection.deserialize(_template())
    raw.close()


@cache
def _template() -> bytes:
    """An SQLite database with all tables, and nothing in them."""
    engine = make_engine(sa.make_url("sqlite://"))
    with engine.begin() as connection:
        revisions.create_tables(connection)
    raw = engine.raw_connection()
    assert raw.driver_connection
    return raw.driver_connection.serialize()
