# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportMissingParameterType=false
# The reason: pyarrow has no types.
"""The index on LanceDB: chunks with their vectors and words, in its own folder.

Every chunk belongs to a row of `memory_sources`; if they differ, the rows are right. Deleted text stays in LanceDB's
files until `purge` rewrites them.
"""

import asyncio
import ctypes
import os
import shutil
import sys
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from butler.agents.memory.filters import one_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INDEXED_FROM: Final = 10_000
"""Chunks; below this, comparing every vector is as fast and finds all."""
TIDIED_AFTER: Final = 32
"""Changes; each adds a file that every search opens."""
PROBED: Final = 40
"""Partitions of the vector index that a search reads."""
REFINED: Final = 3
"""Multiples of the wanted vectors that are compared exactly."""
CACHE: Final = 64 * 1024 * 1024
REOPENED_AFTER: Final = 8
"""Compactions; the cache keeps a descriptor open for each replaced part of an index."""
ARENAS: Final = 2
"""Arenas of the C library's allocator. Otherwise each of LanceDB's many threads gets one, and few return memory."""
_M_ARENA_MAX: Final = -8
OLD: Final = timedelta(minutes=10)
AT_ONCE: Final = timedelta(milliseconds=1)
MOST_NAMES: Final = 500


@dataclass(frozen=True, slots=True)
class IndexRow:
    """A chunk as it is indexed."""

    number: int
    chunk: str
    """The whole `ParsedChunk` as JSON."""
    words: str
    """Folded and joined by blanks: the input of full text search."""
    vector: "NDArray[np.float32]"
    usual: float
    """How near the vector is to texts in general (`Embedder.usual`)."""


@dataclass(frozen=True, slots=True)
class Shared:
    """The columns that all chunks of a source share."""

    source_id: str
    revision: str
    kind: str
    account: str
    person: str
    at: int | None


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk found by its vector, by its words, or by both."""

    source_id: str
    revision: str
    chunk: str
    words: str
    nearness: float
    """Cosine."""
    usual: float
    score: float
    """Full text score; 0 if the search by words did not find the chunk."""


class Index:
    """Usable after `open`. Writers must exclude one another."""

    def __init__(self, folder: Path, name: str, dimensions: int) -> None:
        self._folder, self._name, self._dimensions = folder, name, dimensions
        self._database: Any = None
        self._table: Any = None
        self._changes = 0
        self._tidyings = 0

    async def open(self) -> None:
        """Open or create the index; drop tables of another embedder."""
        os.environ.setdefault("LANCEDB_LOG", "error")  # LanceDB writes to standard error, bypassing our log
        _limit_arenas()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._database = await self._connect()
        names = (await self._database.list_tables()).tables
        for other in names:
            if other != self._name:
                await self._database.drop_table(other)
        if self._name in names:
            self._table = await self._database.open_table(self._name)
            self._changes = TIDIED_AFTER
        else:
            await self._make()

    @property
    def wants_reopening(self) -> bool:
        """Return whether there were enough compactions to `reopen` the index."""
        return self._tidyings >= REOPENED_AFTER

    async def reopen(self) -> None:
        """Close and reopen the index, which releases the cache's descriptors; no search may run meanwhile.

        LanceDB's cache is limited in bytes, not in files, and a replaced part of a small index is a few bytes that keep
        a descriptor open. LanceDB has no call that empties the cache, so the cache itself is replaced.
        """
        database = await self._connect()
        table = await database.open_table(self._name)
        await self.close()
        self._database, self._table, self._tidyings = database, table, 0

    async def close(self) -> None:
        for opened in (self._table, self._database):
            if opened is not None:
                opened.close()
        self._database = self._table = None

    async def revisions(self) -> Mapping[str, str]:
        """Return the stored revision of each source."""
        found = await self._table.query().where("number = 0").select(["source_id", "revision"]).to_arrow()
        return dict(zip(found["source_id"].to_pylist(), found["revision"].to_pylist(), strict=True))

    async def replace(self, shared: Shared, rows: Sequence[IndexRow]) -> None:
        """Replace the chunks of a source; without rows, remove it."""
        await self._table.delete(one_of("source_id", [shared.source_id]))
        self._changes += 1
        if rows:
            await self._table.add(self._arrow(shared, rows))
            self._changes += 1

    async def delete(self, source_ids: Sequence[str]) -> None:
        """Hide chunks from searches; their text stays in the files until `purge`."""
        for at in range(0, len(source_ids), MOST_NAMES):
            await self._table.delete(one_of("source_id", list(source_ids[at : at + MOST_NAMES])))
            self._changes += 1

    async def chunks(self, source_id: str, limit: int) -> list[str]:
        """Return the chunks of a source in order, as JSON."""
        where = f"{one_of('source_id', [source_id])} AND number < {limit:d}"
        found = await self._table.query().where(where).select(["number", "chunk"]).to_arrow()
        return [row["chunk"] for row in sorted(found.to_pylist(), key=lambda row: row["number"])]

    async def search(self, vector: "Awaitable[NDArray[np.float32]]", words: str, where: str, limit: int) -> list[Hit]:
        """Return the nearest `limit` by vector, and as many by words, each once.

        The search by words runs while the vector is being computed.
        """

        async def near() -> dict[tuple[str, int], Hit]:
            return await self._near(await computed, where, limit)

        computed = asyncio.ensure_future(vector)
        if not words:
            return list((await near()).values())
        found, worded = await asyncio.gather(near(), self._matching_words(words, where, limit))
        return list((found | self._by_words(worded, computed.result())).values())

    async def tidy(self) -> None:
        """Compact small files and update the indexes, once there were enough changes."""
        if self._changes < TIDIED_AFTER:
            return
        self._changes = 0
        self._tidyings += 1
        if not await self._has_index("vector") and await self._table.count_rows() >= INDEXED_FROM:
            await self._index_vectors()
        await self._table.optimize(cleanup_older_than=OLD, delete_unverified=True)

    async def purge(self) -> None:
        """Rewrite all files, so that none holds deleted text; no search may run meanwhile."""
        self._changes = 0
        self._tidyings += 1
        if not await self._table.count_rows():
            await self._database.drop_table(self._name)
            await asyncio.to_thread(shutil.rmtree, self._folder / f"{self._name}.lance", ignore_errors=True)
            await self._make()
            return
        # Compaction skips a file of which little is deleted; an update copies every row that it touches.
        await self._table.update(updates_sql={"number": "number"})
        await self._index_words()
        if await self._has_index("vector"):
            await self._index_vectors()
        await self._table.optimize(cleanup_older_than=AT_ONCE, delete_unverified=True)

    async def _connect(self) -> Any:
        lancedb = await asyncio.to_thread(import_module, "lancedb")
        session = lancedb.Session(index_cache_size_bytes=CACHE, metadata_cache_size_bytes=CACHE)
        return await lancedb.connect_async(self._folder, session=session)

    async def _make(self) -> None:
        self._table = await self._database.create_table(self._name, schema=self._schema())
        await self._index_words()

    async def _has_index(self, column: str) -> bool:
        return any(column in index.columns for index in await self._table.list_indices())

    async def _index_words(self) -> None:
        indexes = await asyncio.to_thread(import_module, "lancedb.index")
        config = indexes.FTS(with_position=False, stem=False, remove_stop_words=False)
        await self._table.create_index("words", config=config, replace=True)

    async def _index_vectors(self) -> None:
        indexes = await asyncio.to_thread(import_module, "lancedb.index")
        await self._table.create_index("vector", config=indexes.IvfSq(distance_type="cosine"), replace=True)
        await self._table.create_index("source_id", config=indexes.BTree(), replace=True)

    async def _near(self, vector: "NDArray[np.float32]", where: str, limit: int) -> dict[tuple[str, int], Hit]:
        query = self._table.query().nearest_to(vector).distance_type("cosine").nprobes(PROBED).refine_factor(REFINED)
        query = query.select([*_FOUND, "_distance"]).limit(limit)
        found = await (query.where(where) if where else query).to_list()
        return {_key(row): _hit(row, 1 - row["_distance"], 0.0) for row in found}

    async def _matching_words(self, words: str, where: str, limit: int) -> Any:
        query = self._table.query().nearest_to_text(words, columns="words")
        query = query.select([*_FOUND, "vector", "_score"]).limit(limit)
        return await (query.where(where) if where else query).to_arrow()

    def _by_words(self, table: Any, vector: "NDArray[np.float32]") -> dict[tuple[str, int], Hit]:
        vectors = table["vector"].combine_chunks().flatten().to_numpy().reshape(-1, self._dimensions)
        nearness = (vectors @ vector).tolist()
        rows = table.drop_columns(["vector"]).to_pylist()
        return {_key(row): _hit(row, near, row["_score"]) for row, near in zip(rows, nearness, strict=True)}

    def _schema(self) -> Any:
        arrow = import_module("pyarrow")
        texts = ("source_id", "revision", "kind", "account", "person", "chunk", "words")
        return arrow.schema(
            [
                *(arrow.field(name, arrow.string()) for name in texts),
                arrow.field("number", arrow.int32()),
                arrow.field("usual", arrow.float32()),
                arrow.field("at", arrow.int64()),
                arrow.field("vector", arrow.list_(arrow.float32(), self._dimensions)),
            ]
        )

    def _arrow(self, shared: Shared, rows: Sequence[IndexRow]) -> Any:
        arrow = import_module("pyarrow")
        numpy = import_module("numpy")
        names = ("source_id", "revision", "kind", "account", "person", "at")
        columns: dict[str, Any] = {name: [getattr(shared, name)] * len(rows) for name in names}
        columns |= {name: [getattr(row, name) for row in rows] for name in ("chunk", "words", "number", "usual")}
        flat = arrow.array(numpy.concatenate([row.vector for row in rows]))
        columns["vector"] = arrow.FixedSizeListArray.from_arrays(flat, self._dimensions)
        return arrow.table(columns, schema=self._schema())


_FOUND: Final = ("source_id", "number", "revision", "chunk", "words", "usual")


def _limit_arenas() -> None:
    if sys.platform == "linux" and hasattr(library := ctypes.CDLL(None), "mallopt"):
        library.mallopt(_M_ARENA_MAX, ARENAS)


def _key(row: Mapping[str, Any]) -> tuple[str, int]:
    return row["source_id"], row["number"]


def _hit(row: Mapping[str, Any], nearness: float, score: float) -> Hit:
    return Hit(nearness=nearness, score=score, **{name: row[name] for name in _FOUND if name != "number"})
