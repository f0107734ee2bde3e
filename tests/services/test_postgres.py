"""The PostgreSQL of the suite."""

import psycopg
import pytest

from tests.services.postgres import Postgres


@pytest.mark.services
def test_each_database_is_empty_and_its_own(postgres: Postgres) -> None:
    first, second = postgres.create_database(), postgres.create_database()
    with psycopg.connect(first) as connection:
        connection.execute("CREATE TABLE notes (text TEXT)")
        connection.execute("INSERT INTO notes VALUES ('Grüße')")
    with psycopg.connect(first) as connection:
        assert connection.execute("SELECT text FROM notes").fetchone() == ("Grüße",)
    with psycopg.connect(second) as connection:
        assert connection.execute("SELECT to_regclass('notes')").fetchone() == (None,)
