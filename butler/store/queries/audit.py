"""The audit log: append-only, each row chained to the one before by its hash."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from butler.store.chain import GENESIS, Entry, Head, chain_hash, check
from butler.store.tables import audit

CHUNK = 500
_HEAD = sa.select(audit.c.seq, audit.c.hash).order_by(audit.c.seq.desc()).limit(1)
_APPEND = audit.insert()
_ALL = (
    sa.select(
        audit.c.seq,
        audit.c.at,
        audit.c.kind,
        audit.c.subject,
        audit.c.actor,
        audit.c.data,
        audit.c.previous_hash,
        audit.c.hash,
    )
    .order_by(audit.c.seq)
    .limit(CHUNK)
)


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One event, and who caused it."""

    seq: int
    at: datetime
    kind: str
    subject: str
    actor: str
    data: dict[str, Any]
    hash: str


def append(connection: sa.Connection, kind: str, subject: str, actor: str, data: dict[str, Any], now: datetime) -> str:
    """Append a row; return the new head of the chain."""
    last, previous = head(connection)
    seq = last + 1
    text = data_text(data)
    digest = chain_hash(previous, seq, now, kind, subject, actor, text)
    row = {
        "seq": seq,
        "at": now,
        "kind": kind,
        "subject": subject,
        "actor": actor,
        "data": text,
        "previous_hash": previous,
        "hash": digest,
    }
    connection.execute(_APPEND, row)
    return digest


def data_text(data: Any) -> str:
    """Return the canonical JSON that is stored and hashed."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


def rows(connection: sa.Connection, subject: str | None = None, limit: int = 100) -> list[AuditRow]:
    """Return rows, the newest first."""
    query = sa.select(audit).order_by(audit.c.seq.desc()).limit(limit)
    if subject is not None:
        query = query.where(audit.c.subject == subject)
    return [
        AuditRow(r["seq"], r["at"], r["kind"], r["subject"], r["actor"], json.loads(r["data"]), r["hash"])
        for r in connection.execute(query).mappings()
    ]


def head(connection: sa.Connection) -> tuple[int, str]:
    """Return the last row's number and hash."""
    last = connection.execute(_HEAD).first()
    return (last[0], last[1]) if last else (0, GENESIS)


def hash_of(connection: sa.Connection, seq: int) -> str | None:
    """Return the hash of one entry."""
    return connection.execute(sa.select(audit.c.hash).where(audit.c.seq == seq)).scalar()


def entries(connection: sa.Connection, first: int | None = None) -> Iterator[Entry]:
    """Yield every row, or those from number `first` on, in order, in small portions."""
    query = _ALL if first is None else _ALL.where(audit.c.seq >= first)
    while chunk := connection.execute(query).all():
        for row in chunk:
            yield Entry(*row)
        query = _ALL.where(audit.c.seq > chunk[-1].seq)


def count_before(connection: sa.Connection, seq: int) -> int:
    """Count the entries before number `seq`."""
    return int(connection.execute(sa.select(sa.func.count()).select_from(audit).where(audit.c.seq < seq)).scalar_one())


def verify(connection: sa.Connection, heads: Sequence[Head] = ()) -> str | None:
    """Return None if the chain is intact and holds every noted head, else a sentence on the first broken row."""
    return check(entries(connection), heads).broken
