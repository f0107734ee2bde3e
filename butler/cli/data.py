"""The database as commands use it, beside a running daemon: to look, or to change something in one transaction."""

import json
import shutil
import sys
import textwrap
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import exc

from butler.contract.errors import Refuse
from butler.store.connect import make_engine, reader_of, resolve_url, writer_of
from butler.store.faults import in_our_words
from butler.store.open import refuse_unknown, stored_revision
from butler.store.tables import REVISION
from config.load import Loaded, load

NARROWEST = 20
"""Columns that the text of a list gets at least."""


def counted(number: int, one: str, many: str) -> str:
    """`1 entry`, `2 entries`."""
    return f"{number} {one if number == 1 else many}"


def hanging(lead: str, text: str) -> str:
    """A line of a list. On a terminal that is too narrow for it, its text goes on below itself, not below `lead`."""
    if not sys.stdout.isatty():
        return f"{lead}{text}"
    width = max(shutil.get_terminal_size().columns, len(lead) + NARROWEST)
    lines = textwrap.wrap(text, width - len(lead), break_on_hyphens=False)
    return lead + f"\n{' ' * len(lead)}".join(lines)


def json_text(value: Any) -> str:
    """JSON for a person's eyes and a program's, on any terminal: half of a surrogate pair stays an escape."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode(errors="backslashreplace").decode()


@contextmanager
def reading(path: Path) -> Generator[sa.Connection]:
    """A connection that only reads; raises `Refuse` when there is no database of this version yet."""
    with _connected(load(path), writes=False) as connection:
        yield connection


@contextmanager
def changing(path: Path) -> Generator[sa.Connection]:
    """A transaction that is durable once the block has ended, and undone where it raises; raises as `reading` does."""
    with _connected(load(path), writes=True) as connection:
        yield connection


@contextmanager
def _connected(loaded: Loaded, *, writes: bool) -> Generator[sa.Connection]:
    url = resolve_url(loaded.settings.store.url, loaded.data_dir)
    if url.get_backend_name() == "sqlite" and not Path(str(url.database)).exists():
        raise Refuse(f"there is no database at {url.database} yet; `butler run` makes one")
    engine = make_engine(url)
    try:
        with writer_of(engine).begin() if writes else reader_of(engine).connect() as connection:
            _check_revision(connection)
            yield connection
    except exc.SQLAlchemyError as error:
        raise in_our_words(error) from None
    finally:
        engine.dispose()


def _check_revision(connection: sa.Connection) -> None:
    stored = stored_revision(connection)
    if stored is None:
        raise Refuse("the database is empty; `butler run` makes its tables")
    refuse_unknown(stored)
    if stored != REVISION:
        raise Refuse(f"the database is at revision {stored}, this Butler needs {REVISION}: run butler db upgrade")
