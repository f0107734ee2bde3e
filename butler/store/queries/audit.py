"""The audit log: append only, each row chained to the one before by its hash."""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from butler.store.tables import EPOCH, audit

GENESIS = "0" * 64
_HEAD = sa.select(audit.c.seq, audit.c.hash).order_by(audit.c.seq.desc()).limit(1)
_APPEND = audit.insert()


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One thing that happened, by whom."""

    seq: int
    at: datetime
    kind: str
    subject: str
    actor: str
    data: dict[str, Any]
    hash: str


def append(connection: sa.Connection, kind: str, subject: str, actor: str, data: dict[str, Any], now: datetime) -> str:
    """Add a row; the new head of the chain."""
    last, previous = head(connection)
    seq = last + 1
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
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


def chain_hash(previous: str, seq: int, at: datetime, kind: str, subject: str, actor: str, text: str) -> str:
    """SHA-256 over the previous hash and all columns, unambiguously joined."""
    micros = (at - EPOCH) // timedelta(microseconds=1)
    joined = json.dumps([previous, seq, micros, kind, subject, actor, text])
    return hashlib.sha256(joined.encode()).hexdigest()


def rows(connection: sa.Connection, subject: str | None = None, limit: int = 100) -> list[AuditRow]:
    """The newest rows first."""
    query = sa.select(audit).order_by(audit.c.seq.desc()).limit(limit)
    if subject is not None:
        query = query.where(audit.c.subject == subject)
    return [
        AuditRow(r["seq"], r["at"], r["kind"], r["subject"], r["actor"], json.loads(r["data"]), r["hash"])
        for r in connection.execute(query).mappings()
    ]


def head(connection: sa.Connection) -> tuple[int, str]:
    """The last row's number and hash."""
    last = connection.execute(_HEAD).first()
    return (last[0], last[1]) if last else (0, GENESIS)


def verify(connection: sa.Connection, noted: tuple[int, str] | None = None) -> str | None:
    """None when the chain is whole; else one sentence that names the first broken row.

    `noted` is a head that was kept outside the store; with it a cut tail is found too.
    """
    previous, expected, seen = GENESIS, 1, None
    for r in connection.execute(sa.select(audit).order_by(audit.c.seq)).mappings():
        if r["seq"] != expected:
            return f"Row {expected} of the audit log is missing."
        digest = chain_hash(previous, r["seq"], r["at"], r["kind"], r["subject"], r["actor"], r["data"])
        if r["previous_hash"] != previous or r["hash"] != digest:
            return f"Row {r['seq']} of the audit log was changed."
        if noted and noted[0] == r["seq"]:
            seen = digest
        previous, expected = digest, expected + 1
    if noted and noted[0] > 0 and seen != noted[1]:
        return f"The audit log ends before row {noted[0]}, or that row was changed."
    return None
