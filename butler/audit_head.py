"""The heads of the audit log, noted outside of the database, so that a truncated log is detected.

A database that is missing, emptied, or older than the last note is detected too, instead of being created anew.

Each line says where the log ended at a time, `{"at", "seq", "hash"}`. A restored backup rightly has a shorter log; its
line, `{"at", "restored"}`, says from where on the heads count.
"""

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
import structlog
from sqlalchemy import exc

from butler.contract.errors import ConfigError, Retryable
from butler.contract.ports import Clock
from butler.store.chain import Head
from butler.store.connect import in_memory, make_engine, resolve_url
from butler.store.faults import in_our_words
from butler.store.queries import audit
from butler.store.revisions import stored_revision
from butler.store.store import Store
from config.load import why_unreadable

log = structlog.get_logger(__name__)

NAME = "audit-heads.jsonl"
EVERY_S = 3600.0


@dataclass(frozen=True, slots=True)
class NotedHeads:
    """The heads since the last restore, and when its backup was made; empty without a restore."""

    heads: tuple[Head, ...]
    restored: str = ""


def read_heads(data_dir: Path) -> NotedHeads | None:
    """Return the notes, None if there is no such file; raise `ConfigError` if it cannot be read."""
    path = data_dir / NAME
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {why_unreadable(error)}") from None
    heads: list[Head] = []
    restored = ""
    for number, line in enumerate(lines, 1):
        try:
            noted: dict[str, Any] = json.loads(line)
            if "restored" in noted:
                heads, restored = [], str(noted["restored"])
            else:
                heads.append(Head(int(noted["seq"]), str(noted["hash"]), str(noted["at"])))
        except (ValueError, KeyError, TypeError):
            # A power cut during a write leaves a partial line.
            log.warning("audit_head_unreadable", file=str(path), line=number)
    return NotedHeads(tuple(heads), restored)


def refuse_lost(url: str, data_dir: Path) -> None:
    """Raise `ConfigError` if the database is not the one whose log was noted, or lacks the last noted entry.

    Creates nothing, and reads one row. Raises `StoreUnavailableError` too.
    """
    noted, resolved = read_heads(data_dir), resolve_url(url, data_dir)
    if noted is None or not noted.heads or in_memory(resolved):
        return
    last = max(noted.heads, key=lambda head: head.seq)
    if (missing := _missing(resolved, last)) is None:
        return
    raise ConfigError(
        f"{missing}, although Butler noted entry {last.seq} of its audit log {last.whence}: "
        "restore a backup with `butler restore FILE --force`, or bring the right database back; "
        f"to begin anew on purpose, move {data_dir / NAME} away"
    )


def _missing(url: sa.URL, last: Head) -> str | None:
    """Return what is wrong with a database that should hold an entry; None if it does."""
    file = Path(str(url.database)) if url.get_backend_name() == "sqlite" else None
    what = "the PostgreSQL database" if file is None else f"the database {file}"
    if file is not None and not file.exists():
        return f"{what} is gone"
    engine = make_engine(url)
    try:
        with engine.connect() as connection:
            if stored_revision(connection) is None:
                return f"{what} is empty"
            found = audit.hash_of(connection, last.seq)
    except exc.DBAPIError as error:
        raise in_our_words(error) from None
    finally:
        engine.dispose()
    return None if found == last.hash else f"{what} is another one, or an older copy"


def note_restored(data_dir: Path, made_at: str, now: datetime) -> None:
    """Note that a backup made at `made_at` was restored; raise `OSError`."""
    _append(data_dir, {"at": now.isoformat(), "restored": made_at})


class HeadKeeper:
    """Notes the head when it has moved. Errors are logged, and stop nothing."""

    def __init__(self, store: Store, clock: Clock, data_dir: Path) -> None:
        self._store, self._clock, self._data_dir = store, clock, data_dir
        self._last: tuple[int, str] | None = None

    async def note(self) -> None:
        """Note where the log ends now."""
        try:
            head = await self._store.read(audit.head)
            if head == self._last or head[0] == 0 or in_memory(self._store.url):
                return
            line = {"at": self._clock.now().isoformat(), "seq": head[0], "hash": head[1]}
            log.info("audit_head", **line)
            await asyncio.to_thread(_append, self._data_dir, line)
        except (OSError, Retryable) as error:
            log.warning("audit_head_not_noted", file=NAME, why=str(error))
            return
        self._last = head

    async def keep(self) -> None:
        """Note the head every hour, until cancelled."""
        while True:
            await asyncio.sleep(EVERY_S)
            await self.note()


def _append(data_dir: Path, line: Mapping[str, object]) -> None:
    """Append a whole line durably; a partial line before it is ended first."""
    number = os.open(data_dir / NAME, os.O_CREAT | os.O_RDWR | os.O_APPEND, 0o600)
    with os.fdopen(number, "r+b", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        broken = size > 0 and os.pread(number, 1, size - 1) != b"\n"
        file.write(b"\n" * broken + json.dumps(line).encode() + b"\n")
        os.fsync(number)
