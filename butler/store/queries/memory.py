"""What memory holds, a row a source: the truth, beside which the index is only a copy that can be made again.

A row goes before the index when something is written or forgotten, and says so until the index has followed.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict

from butler.contract.agent_ports import MemoryDocument, MemoryKind, MemorySource
from butler.contract.provenance import Origin
from butler.store.queries.texts import storable
from butler.store.tables import cursors, memory_sources

MOST_NAMES = 500
FEEDS = "memory:"
"""How the names of the cursors of what is taken over begin."""
_TABLE = memory_sources.c


class SourceState(StrEnum):
    """How far a source's row and the index agree."""

    WRITING = "writing"
    """The index may hold it, an older form of it, or nothing."""
    KEPT = "kept"
    DROPPING = "dropping"
    """It is gone where it came from; the index may still hold it."""
    FORGETTING = "forgetting"
    """The owner wants it forgotten; the index may still hold it."""
    FORGOTTEN = "forgotten"
    """Nothing is left of it but its id, so that it does not come back by itself."""


class SourceRow(BaseModel):
    """What is known of a source besides its text."""

    model_config = ConfigDict(frozen=True)

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
        """Whether this form of it is what is kept."""
        return self.state is SourceState.KEPT and self.digest == revision

    def as_source(self) -> MemorySource:
        return MemorySource.model_validate(self.model_dump())


def begin(connection: sa.Connection, document: MemoryDocument, digest: str, now: datetime) -> None:
    """Note that a document is being written, in place of what was known of its source."""
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
    """Note that the index holds it; False where it was changed or forgotten meanwhile."""
    written = (
        _TABLE.source_id == source_id,
        _TABLE.digest == digest,
        _TABLE.state == SourceState.WRITING.value,
    )
    return bool(connection.execute(memory_sources.update().where(*written).values(state=SourceState.KEPT)).rowcount)


def leave(connection: sa.Connection, source_ids: Sequence[str], state: SourceState) -> int:
    """Note that sources are to go; the number of those that were known."""
    found = 0
    for part in _parts(source_ids):
        known = (_TABLE.source_id.in_(part), _TABLE.state != SourceState.FORGOTTEN.value)
        found += connection.execute(memory_sources.update().where(*known).values(state=state.value)).rowcount
    return found


def gone(connection: sa.Connection, source_ids: Sequence[str]) -> None:
    """The index holds them no more: of what the owner had forgotten only the id stays, of the rest nothing."""
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
    """The index does not hold them, whatever their rows say: they count as never read.

    With `begin_anew` all feeds are read from their beginning again, which costs little for what is still there.
    """
    for part in _parts(source_ids):
        connection.execute(memory_sources.delete().where(_TABLE.source_id.in_(part)))
    if begin_anew:
        connection.execute(cursors.delete().where(cursors.c.name.startswith(FEEDS, autoescape=True)))


def get(connection: sa.Connection, source_ids: Iterable[str]) -> Mapping[str, SourceRow]:
    """Rows by their id."""
    found: dict[str, SourceRow] = {}
    for part in _parts(sorted(set(source_ids))):
        rows = connection.execute(sa.select(memory_sources).where(_TABLE.source_id.in_(part))).mappings()
        found |= {row["source_id"]: SourceRow.model_validate(row) for row in rows}
    return found


def count(connection: sa.Connection) -> int:
    """How many sources are kept."""
    query = sa.select(sa.func.count()).select_from(memory_sources).where(_TABLE.state == SourceState.KEPT.value)
    return connection.execute(query).scalar_one()


def standing(connection: sa.Connection) -> list[tuple[str, str, SourceState, int]]:
    """Id, digest, state and number of chunks of every source that is not forgotten."""
    query = sa.select(_TABLE.source_id, _TABLE.digest, _TABLE.state, _TABLE.chunks)
    rows = connection.execute(query.where(_TABLE.state != SourceState.FORGOTTEN.value))
    return [(row[0], row[1], SourceState(row[2]), row[3]) for row in rows]


def search(
    connection: sa.Connection, *, kind: MemoryKind | None, words: str, since: datetime | None, limit: int
) -> list[MemorySource]:
    """Kept sources whose title has all words, the newest first."""
    when = sa.func.coalesce(_TABLE["at"], _TABLE.added_at)
    query = sa.select(memory_sources).where(_TABLE.state == SourceState.KEPT.value)
    if kind is not None:
        query = query.where(_TABLE.kind == kind.value)
    if since is not None:
        query = query.where(sa.or_(_TABLE["at"] >= since, sa.and_(_TABLE["at"].is_(None), _TABLE.added_at >= since)))
    wanted, found = words.casefold().split(), list[MemorySource]()
    for row in connection.execute(query.order_by(when.desc(), _TABLE.source_id)).mappings():
        # Case folding of every script is Python's, not the databases'.
        if all(word in row["title"].casefold() for word in wanted):
            found.append(SourceRow.model_validate(row).as_source())
            if len(found) == limit:
                break
    return found


def _parts(values: Iterable[str]) -> Iterable[list[str]]:
    every = list(values)
    return (every[at : at + MOST_NAMES] for at in range(0, len(every), MOST_NAMES))
