"""The contents of memory, a row for each source: the truth, of which the index is a reproducible copy.

When something is written or forgotten, its row changes first, and stays marked until the index has followed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import islice
from types import MappingProxyType
from typing import Any

import sqlalchemy as sa

from butler.contract.agent_ports import MemoryDocument, MemoryKind, MemorySource
from butler.contract.provenance import Origin
from butler.contract.records import Record
from butler.store.queries import contacts, forgotten
from butler.store.queries.memory_feeds import FEEDS
from butler.store.queries.storable_text import storable
from butler.store.tables import cursors, memory_sources

MOST_NAMES = 500
_TABLE = memory_sources.c
_AGE = sa.func.coalesce(_TABLE.at, _TABLE.added_at, type_=_TABLE.added_at.type)


class SourceState(StrEnum):
    """How a source's row and the index relate."""

    WRITING = "writing"
    """The index may hold it, an older version of it, or nothing."""
    KEPT = "kept"
    DROPPING = "dropping"
    """Deleted at its origin; the index may still hold it."""
    FORGETTING = "forgetting"
    """To be forgotten; the index may still hold it."""
    FORGOTTEN = "forgotten"
    """Only its id is left, so that no import brings it back."""


class SourceRow(Record):
    """What is known of a source besides its text."""

    source_id: str
    kind: MemoryKind
    title: str
    url: str | None
    account: str
    person: str
    origins: tuple[Origin, ...]
    problems: tuple[str, ...]
    digest: str
    chunks: int
    state: SourceState
    at: datetime | None
    added_at: datetime

    def holds(self, revision: str) -> bool:
        """Return whether this version is stored."""
        return self.state is SourceState.KEPT and self.digest == revision

    def as_source(self) -> MemorySource:
        return MemorySource.model_validate(self.model_dump())


def begin(connection: sa.Connection, document: MemoryDocument, digest: str, now: datetime) -> None:
    """Note that a document is being written, replacing its source's former version."""
    row = {
        "kind": document.kind.value,
        "title": storable(document.title),
        "url": None if document.url is None else storable(document.url),
        "account": document.account,
        "person": document.person.lower(),
        "origins": [origin.model_dump(mode="json") for origin in document.origins],
        "problems": list(document.problems),
        "digest": digest,
        "chunks": len(document.chunks),
        "state": SourceState.WRITING.value,
        "at": document.at,
        "added_at": now,
    }
    same = memory_sources.update().where(_TABLE.source_id == document.source_id)
    if not connection.execute(same.values(**row)).rowcount:
        connection.execute(memory_sources.insert().values(source_id=document.source_id, **row))


def settle(connection: sa.Connection, source_id: str, digest: str) -> bool:
    """Note that the index holds it; return False if it was changed or forgotten meanwhile."""
    written = (
        _TABLE.source_id == source_id,
        _TABLE.digest == digest,
        _TABLE.state == SourceState.WRITING.value,
    )
    return bool(connection.execute(memory_sources.update().where(*written).values(state=SourceState.KEPT)).rowcount)


def leave(
    connection: sa.Connection,
    source_ids: Sequence[str],
    state: SourceState,
    texts: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> int:
    """Mark sources for removal; return how many of them were known.

    The same commit removes what was derived from `texts`, those of the forgotten sources.
    """
    if texts:
        forgotten.scrub(connection, texts)
    found = 0
    for part in _parts(source_ids):
        known = (_TABLE.source_id.in_(part), _TABLE.state != SourceState.FORGOTTEN.value)
        found += connection.execute(memory_sources.update().where(*known).values(state=state.value)).rowcount
    return found


def mark_removed(connection: sa.Connection, source_ids: Sequence[str]) -> None:
    """Note that the index no longer holds them: keep the id of forgotten ones, delete the others."""
    blank: dict[str, Any] = {
        "title": "",
        "url": None,
        "account": "",
        "person": "",
        "origins": [],
        "problems": [],
        "digest": "",
    }
    for part in _parts(source_ids):
        these = _TABLE.source_id.in_(part)
        forgotten = memory_sources.update().where(these, _TABLE.state == SourceState.FORGETTING.value)
        connection.execute(forgotten.values(**blank, chunks=0, at=None, state=SourceState.FORGOTTEN.value))
        connection.execute(memory_sources.delete().where(these, _TABLE.state != SourceState.FORGOTTEN.value))


def lost(connection: sa.Connection, source_ids: Sequence[str], *, begin_anew: bool = False) -> None:
    """Mark sources as never read, because the index does not hold them.

    With `begin_anew`, all feeds are read again from the beginning, which costs little for what the index still holds.
    """
    for part in _parts(source_ids):
        connection.execute(memory_sources.delete().where(_TABLE.source_id.in_(part)))
    if begin_anew:
        connection.execute(cursors.delete().where(cursors.c.name.startswith(FEEDS, autoescape=True)))


def get(connection: sa.Connection, source_ids: Iterable[str]) -> Mapping[str, SourceRow]:
    """Return rows by their ids."""
    found: dict[str, SourceRow] = {}
    for part in _parts(sorted(set(source_ids))):
        rows = connection.execute(sa.select(memory_sources).where(_TABLE.source_id.in_(part))).mappings()
        found |= {row["source_id"]: SourceRow.model_validate(row) for row in rows}
    return found


def count(connection: sa.Connection) -> int:
    """Count the stored sources."""
    query = sa.select(sa.func.count()).select_from(memory_sources).where(_TABLE.state == SourceState.KEPT.value)
    return connection.execute(query).scalar_one()


def older(connection: sa.Connection, kind: MemoryKind, before: datetime, limit: int) -> list[str]:
    """Return ids of stored sources of a kind from before a moment, the oldest first."""
    query = sa.select(_TABLE.source_id).where(*_older(kind, before)).order_by(_AGE).limit(limit)
    return list(connection.execute(query).scalars())


def count_older(connection: sa.Connection, kind: MemoryKind, before: datetime) -> int:
    """Count the stored sources of a kind from before a moment."""
    query = sa.select(sa.func.count()).select_from(memory_sources).where(*_older(kind, before))
    return int(connection.execute(query).scalar_one())


def _older(kind: MemoryKind, before: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    return _TABLE.kind == kind.value, _TABLE.state == SourceState.KEPT.value, before > _AGE


def standing(connection: sa.Connection) -> list[tuple[str, str, SourceState, int]]:
    """Return id, digest, state and number of chunks of every source that is not forgotten."""
    query = sa.select(_TABLE.source_id, _TABLE.digest, _TABLE.state, _TABLE.chunks)
    rows = connection.execute(query.where(_TABLE.state != SourceState.FORGOTTEN.value))
    return [(row[0], row[1], SourceState(row[2]), row[3]) for row in rows]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A filter of stored sources; empty fields do not filter."""

    kind: MemoryKind | None = None
    words: str = ""
    """Words that must all be in the title."""
    person: str = ""
    """An address; if it belongs to a contact, all of the contact's addresses count."""
    since: datetime | None = None


def search(connection: sa.Connection, wanted: Wanted, limit: int) -> list[MemorySource]:
    """Return the matching sources, the newest first."""
    when = sa.func.coalesce(_TABLE["at"], _TABLE.added_at)
    query = sa.select(memory_sources).where(*_kept(connection, wanted)).order_by(when.desc(), _TABLE.source_id)
    found = (row for row in connection.execute(query).mappings() if _called(row["title"], wanted.words))
    return [SourceRow.model_validate(row).as_source() for row in islice(found, limit)]


def counts(connection: sa.Connection, wanted: Wanted) -> dict[MemoryKind, int]:
    """Count the matching sources of each kind."""
    query = sa.select(_TABLE.kind, _TABLE.title).where(*_kept(connection, wanted))
    found = Counter(kind for kind, title in connection.execute(query) if _called(title, wanted.words))
    return {kind: found[kind] for kind in MemoryKind if kind in found}


def addresses(connection: sa.Connection, people: Iterable[str]) -> list[str]:
    """Return addresses as sources have them, each with the confirmed others of its contact."""
    every: dict[str, None] = {}
    for person in people:
        contact = contacts.confirmed(connection, person)
        known = contacts.addresses_of(connection, contact) if contact else ()
        every |= dict.fromkeys(one.lower() for one in (person, *known))
    return list(every)


def _kept(connection: sa.Connection, wanted: Wanted) -> Iterator[sa.ColumnElement[bool]]:
    yield _TABLE.state == SourceState.KEPT.value
    if wanted.kind is not None:
        yield _TABLE.kind == wanted.kind.value
    if wanted.person:
        yield _TABLE.person.in_(addresses(connection, [wanted.person]))
    if (since := wanted.since) is not None:
        yield sa.or_(_TABLE["at"] >= since, sa.and_(_TABLE["at"].is_(None), _TABLE.added_at >= since))


def _called(title: str, words: str) -> bool:
    """Return whether a title has all of these words, case-folded in Python, as databases do not fold every script."""
    return all(word in title.casefold() for word in words.casefold().split())


def _parts(values: Iterable[str]) -> Iterable[list[str]]:
    every = list(values)
    return (every[at : at + MOST_NAMES] for at in range(0, len(every), MOST_NAMES))
