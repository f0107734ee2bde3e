"""PostgreSQL with pgvector, as the package pgserver carries it: one server for a run, with a database for each."""

import atexit
import os
import secrets
import shutil
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from tests.services.postgres import Postgres
from tests.services.support import make_folder, unavailable

_NUMBERS = count(1)


@dataclass(frozen=True, slots=True)
class Database:
    """A database with the extension `vector`, its owner, and a role that may read what is in `public`."""

    owner_url: str
    reader: str
    password: str
    reader_url: str

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """As the owner; the rows, where it gives some."""
        with psycopg.connect(self.owner_url, autocommit=True) as connection:
            cursor = connection.execute(statement.encode(), values)
            return cursor.fetchall() if cursor.description else []


@cache
def server() -> Postgres:
    """The one of this run; it ends with it. Skips where pgserver is not installed."""
    found = find_spec("pgserver")
    if found is None or found.origin is None:
        unavailable("pgserver, which carries PostgreSQL with pgvector, is not installed")
    started = Postgres(_within_reach(Path(found.origin).parent) / "pginstall" / "bin")
    atexit.register(started.stop)
    return started


def _within_reach(package: Path) -> Path:
    """Where others than root get at it: PostgreSQL refuses to run as root, whose own folder may hold it."""
    if os.geteuid() != 0 or all(folder.stat().st_mode & stat.S_IXOTH for folder in package.parents):
        return package
    copied = make_folder("pgserver")
    atexit.register(shutil.rmtree, copied, ignore_errors=True)
    for name in ("pgserver", "pgserver.libs"):
        shutil.copytree(package.parent / name, copied / name, ignore=shutil.ignore_patterns("__pycache__"))
    return copied / "pgserver"


def database() -> Database:
    """A new one."""
    owner_url = server().create_database()
    reader, password = f"reader_{next(_NUMBERS)}", f"P4ss-{secrets.token_hex(8)}"
    with psycopg.connect(owner_url, autocommit=True) as connection:
        role = sql.Identifier(reader)
        connection.execute("CREATE EXTENSION vector")
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(role, password))
        connection.execute(sql.SQL("GRANT USAGE ON SCHEMA public TO {}").format(role))
        for kind in ("TABLES", "SEQUENCES"):
            grant = "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON {} TO {}"
            connection.execute(sql.SQL(grant).format(sql.SQL(kind), role))
    return Database(owner_url, reader, password, url_for(owner_url, reader, password))


def url_for(url: str, user: str, password: str) -> str:
    """The same database, for somebody else."""
    given = conninfo_to_dict(url)
    return f"postgresql://{user}:{password}@{given['host']}:{given['port']}/{given['dbname']}"
