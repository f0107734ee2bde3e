"""The librarian: remembers documents, finds passages by meaning and by words, and forgets for good.

The rows of `memory_sources` are the truth (`butler.store.queries.memory`) and are written first: a row is marked while
its source is being written or forgotten, until the index has followed. After a crash at any point, the next start finds
the row and finishes or undoes the change.
"""

import asyncio
import hashlib
import json
import os
import threading
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import datetime
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog

from butler.agents.embedding.e5 import MultilingualE5
from butler.agents.embedding.embedder import Embedder
from butler.agents.memory.filters import PERSON, condition, micros, texts
from butler.agents.memory.found import Found, failure, ranked
from butler.agents.memory.index import Index, IndexRow, Shared
from butler.agents.memory.relevance import Asked
from butler.agents.memory.words import asked, words
from butler.contract.agent_ports import MemoryDocument, MemoryKind, MemorySource
from butler.contract.agents import AgentFailure, MemoryOutput, MemoryQuery, ParsedChunk
from butler.contract.errors import Retryable
from butler.contract.ports import Clock
from butler.contract.speech import phrase, say
from butler.ingestion_documents import note_document
from butler.store.queries import memory as rows
from butler.store.queries import memory_feeds
from butler.store.queries.memory import SourceState
from butler.store.store import Store
from config.agents import Kept, MemorySettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

log = structlog.get_logger(__name__)


class FailureCause(StrEnum):
    """Causes that a failure's code does not distinguish, but its caller must."""

    MEMORY_EMPTY = "memory_empty"
    """Nothing is remembered, so a wider search finds nothing either."""


CANDIDATES: Final = 40
"""The number of chunks, by vector and by words, among which the most relevant are chosen."""
MOST_CHUNKS: Final = 100_000
"""A limit that includes all chunks of one source."""
NOTE: Final = "note:"
"""The id prefix of the owner's notes."""
MOST_NOTES: Final = 50
"""Notes that are imported before an answer; their feed imports the rest."""
NOTHING_YET: Final = phrase("nothing is remembered yet")
NICE: Final = 10
"""The niceness of background reading."""


KEPT_AS: Final = {
    MemoryKind.DOCUMENT: Kept.DOCUMENTS,
    MemoryKind.PAGE: Kept.PAGES,
    MemoryKind.MAIL: Kept.MAILS,
    MemoryKind.CHAT: Kept.CHATS,
    MemoryKind.NOTE: Kept.NOTES,
}


LASTING: Final = phrase(
    "the log says why. Should it last, stop Butler, delete the folder memory in its data folder, and "
    "start it again: mails, chats and notes are taken over anew"
)


class MemoryUnavailableError(Retryable):
    """What is remembered cannot be read or written now."""


class LibraryMemory:
    """Implements `butler.contract.agent_ports.Memory`. Opens, loads and reads nothing before its first use.

    `folder` is the index's own (`data_dir/memory`). If the index has lost its contents, the feeds' cursors are reset,
    so that everything is imported again.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        folder: Path,
        settings: MemorySettings,
        embedder: Embedder | None = None,
    ) -> None:
        self._store, self._clock, self._settings = store, clock, settings
        self._embedder = embedder or MultilingualE5()
        self._index = Index(folder, self._embedder.name, self._embedder.dimensions)
        self._ready = False
        self._torn = False
        """Whether a change was interrupted: its row says which, and the next change finishes or undoes it."""
        self._writing = asyncio.Lock()
        self._searching = asyncio.Lock()
        self._reading: ThreadPoolExecutor | None = None

    async def search(self, query: MemoryQuery) -> MemoryOutput | AgentFailure:
        """Implement `Memory.search`. A query without `min_relevance_score` uses that of the settings.

        Raises `FilterError` for an unknown filter.
        """
        filters = dict(query.filters or {})
        condition(filters)
        if not self._settings.enabled:
            return failure(say("nothing is remembered: [memory] enabled is false in the settings"))
        if PERSON in filters:
            filters[PERSON] = await self._store.read(partial(rows.addresses, people=texts(filters[PERSON])))
        try:
            await self._take_over_notes()
            return await self._search(query, condition(filters))
        except MemoryUnavailableError as error:
            return failure(str(error))

    async def add(self, document: MemoryDocument, *, by_itself: bool = False) -> int:
        """Implement `Memory.add`; an unchanged document costs one look at its row, a forgotten one is added again.

        With `by_itself` (an automatic import), a forgotten document stays forgotten: nobody asked for it.
        """
        return await self._add(document, by_itself=by_itself, at_once=False)

    async def _add(self, document: MemoryDocument, *, by_itself: bool, at_once: bool) -> int:
        if not self._settings.enabled or KEPT_AS[document.kind] not in self._settings.keep:
            return 0
        document = _storable(document)
        digest = _digest(document)
        await self._open(to_change=True)
        known = (await self._rows([document.source_id])).get(document.source_id)
        if known and known.digest == digest and known.state is SourceState.KEPT:
            return known.chunks
        before = known is not None and known.state is SourceState.FORGOTTEN
        if before and by_itself:
            return 0
        texts = [_read_as(document, chunk) for chunk in document.chunks]
        indexed = [
            IndexRow(at, chunk.model_dump_json(), " ".join(words(text)), vector, usual)
            for at, (chunk, text, (vector, usual)) in enumerate(
                zip(document.chunks, texts, await self._read(texts, at_once=at_once), strict=True)
            )
        ]
        async with self._changing():
            now = (await self._rows([document.source_id])).get(document.source_id)
            if now and now.state is SourceState.FORGOTTEN and not before:
                return 0  # forgotten while it was being read
            await self._store.write(partial(rows.begin, document=document, digest=digest, now=self._clock.now()))
            await self._index.replace(_shared(document, digest), indexed)
            await self._store.write(partial(rows.settle, source_id=document.source_id, digest=digest))
            await self._index.tidy()
            await self._reopen_if_due()
        return len(indexed)

    async def forget(self, source_ids: Sequence[str]) -> int:
        """Implement `Memory.forget`. When this returns, no file of the index holds the text any more.

        The ids stay, so that automatic imports do not bring it back.
        """
        return await self._leave(source_ids, SourceState.FORGETTING)

    async def drop(self, source_ids: Sequence[str]) -> int:
        """Forget a source that its origin deleted; if it reappears, it is remembered again."""
        return await self._leave(source_ids, SourceState.DROPPING)

    async def sources(
        self,
        *,
        kind: MemoryKind | None = None,
        words: str = "",
        person: str = "",
        since: datetime | None = None,
        limit: int = 20,
    ) -> Sequence[MemorySource]:
        with suppress(MemoryUnavailableError):  # logged; the rows can still be read
            await self._take_over_notes()
        wanted = rows.Wanted(kind, words, person, since)
        return await self._store.read(partial(rows.search, wanted=wanted, limit=limit))

    async def counts(
        self, *, kind: MemoryKind | None = None, words: str = "", person: str = ""
    ) -> Mapping[MemoryKind, int]:
        with suppress(MemoryUnavailableError):
            await self._take_over_notes()
        return await self._store.read(partial(rows.counts, wanted=rows.Wanted(kind, words, person)))

    async def source(self, source_id: str) -> MemorySource | None:
        known = (await self._rows([source_id])).get(source_id)
        return known.as_source() if known and known.state is SourceState.KEPT else None

    async def read(self, source_id: str, limit: int = 200) -> Sequence[ParsedChunk]:
        if await self.source(source_id) is None:
            return ()
        await self._open()
        async with self._searching, _in_our_words():
            found = await self._index.chunks(source_id, limit)
        return [ParsedChunk.model_validate_json(chunk) for chunk in found]

    async def stop(self) -> None:
        """Release files and threads; running reads are abandoned."""
        async with self._writing, self._searching:
            if self._reading is not None:
                self._reading.shutdown(wait=False, cancel_futures=True)
                self._reading = None
            await self._index.close()
            self._ready = False

    async def found(self, question: str, where: str = "") -> list[Found]:
        """Return every candidate for a question with its relevance, the best first."""
        await self._open()
        wanted = asked(question)
        vector = asyncio.ensure_future(self._asking(question))
        async with self._searching, _in_our_words():
            hits = await self._index.search(vector, " ".join(wanted), where, CANDIDATES)
            if len(hits) >= CANDIDATES and not any(hit.source_id.startswith(NOTE) for hit in hits):
                # A note of the owner's is always among the candidates, however much others have written.
                notes = " AND ".join(filter(None, (where, condition({"kind": MemoryKind.NOTE.value}))))
                hits += await self._index.search(vector, " ".join(wanted), notes, CANDIDATES)
        known = await self._rows({hit.source_id for hit in hits})
        usual = float(self._embedder.usual(vector.result()[None], query=True)[0])
        # Sources that are being written or forgotten are left out.
        there = [(hit, row) for hit in hits if (row := known.get(hit.source_id)) and row.holds(hit.revision)]
        return ranked(Asked(wanted, usual), there)

    async def _take_over_notes(self) -> None:
        """Remember the notes that their feed has not reached yet, so that the owner's latest words are found."""
        if not self._settings.enabled or Kept.NOTES not in self._settings.keep:
            return
        to_come = partial(memory_feeds.notes_to_come, now=self._clock.now(), limit=MOST_NOTES)
        for note in await self._store.look(to_come):
            await self._add(note_document(note), by_itself=True, at_once=True)

    async def _search(self, query: MemoryQuery, where: str) -> MemoryOutput | AgentFailure:
        own = "min_relevance_score" in query.model_fields_set
        least = query.min_relevance_score if own else self._settings.min_relevance
        if not self._ready and not await self._store.read(rows.count):
            return failure(say(NOTHING_YET), cause=FailureCause.MEMORY_EMPTY)
        found = await self.found(query.query_text, where)
        fitting = [one for one in found if one.relevance >= least]
        if fitting:
            results = [one.context() for one in _the_first(fitting, query.top_k)]
            return MemoryOutput(results=results, total_found=len(fitting))
        if not found and not await self._store.read(rows.count):
            return failure(say(NOTHING_YET), cause=FailureCause.MEMORY_EMPTY)
        if not found:
            return failure(say("nothing that is remembered is of that kind, from there or of that time"))
        return failure(say("nothing that is remembered fits this well enough"), best=round(found[0].relevance, 3))

    async def _leave(self, source_ids: Sequence[str], state: SourceState) -> int:
        there = await self._rows(source_ids)
        known = [one for one, row in there.items() if row.state is not SourceState.FORGOTTEN]
        if known:
            await self._open(to_change=True)
            async with self._changing():
                texts = {one: await self._texts(there[one]) for one in known if state is SourceState.FORGETTING}
                await self._store.write(partial(rows.leave, source_ids=known, state=state, texts=texts))
                await self._take_away(known)
        return len(known)

    async def _texts(self, source: rows.SourceRow) -> list[str]:
        """Return a source's title and texts, as far as the index holds them."""
        found = await self._index.chunks(source.source_id, MOST_CHUNKS)
        return [source.title, *(ParsedChunk.model_validate_json(chunk).content for chunk in found)]

    async def _take_away(self, source_ids: Sequence[str]) -> None:
        await self._index.delete(source_ids)
        async with self._searching:
            await self._index.purge()
        await self._reopen_if_due()
        await self._store.write(partial(rows.mark_removed, source_ids=source_ids))

    async def _reopen_if_due(self) -> None:
        if self._index.wants_reopening:
            async with self._searching:
                await self._index.reopen()

    async def _open(self, *, to_change: bool = False) -> None:
        """Open the index, and repair it after a crash.

        An interrupted change is repaired before the next change; searches need not wait, as they follow the rows.
        """
        if self._ready and not (to_change and self._torn):
            return
        async with self._writing, _in_our_words():
            if not self._ready:
                await self._index.open()
                await self._mend()
            elif self._torn:
                await self._mend()
            self._ready, self._torn = True, False

    @asynccontextmanager
    async def _changing(self) -> AsyncGenerator[None]:
        """Exclude other writers; repair an interrupted change before the next one."""
        async with self._writing, _in_our_words():
            try:
                yield
            except BaseException:
                self._torn = True
                raise

    async def _mend(self) -> None:
        held = dict(await self._index.revisions())
        leaving, missing, written = list[str](), list[str](), list[tuple[str, str]]()
        kept_and_lost = False
        for source_id, digest, state, chunks in await self._store.read(rows.standing):
            whole = (held.pop(source_id, "") == digest) if chunks else state is SourceState.KEPT
            if state in {SourceState.FORGETTING, SourceState.DROPPING}:
                leaving.append(source_id)
            elif whole and state is SourceState.WRITING:
                written.append((source_id, digest))
            elif not whole:
                missing.append(source_id)
                kept_and_lost |= state is SourceState.KEPT
        if strays := [*held, *missing]:
            log.info("memory_mended", strays=len(held), missing=len(missing))
            await self._index.delete(strays)
            async with self._searching:
                await self._index.purge()
            await self._store.write(partial(rows.lost, source_ids=missing, begin_anew=kept_and_lost))
        for source_id, digest in written:
            await self._store.write(partial(rows.settle, source_id=source_id, digest=digest))
        if leaving:
            await self._take_away(leaving)

    async def _rows(self, source_ids: Sequence[str] | set[str]) -> Mapping[str, rows.SourceRow]:
        return await self._store.look(partial(rows.get, source_ids=source_ids))

    async def _asking(self, question: str) -> "NDArray[np.float32]":
        """Return the vector of a question."""
        with _model_at_hand():
            return (await asyncio.to_thread(partial(self._embedder.embed, [question], query=True)))[0]

    async def _read(self, texts: Sequence[str], *, at_once: bool) -> "Sequence[tuple[NDArray[np.float32], float]]":
        """Return the vectors of passages and how usual they are, computed at low priority or `at_once`."""
        embed = partial(self._embedder.embed, texts, query=False)
        with _model_at_hand():
            if at_once:
                vectors = await asyncio.to_thread(embed)
            else:
                vectors = await asyncio.get_running_loop().run_in_executor(self._behind_all_else(), embed)
        return list(zip(vectors, self._embedder.usual(vectors, query=False).tolist(), strict=True))

    def _behind_all_else(self) -> ThreadPoolExecutor:
        if self._reading is None:
            self._reading = ThreadPoolExecutor(1, "memory-read", initializer=_stand_back)
        return self._reading


def _the_first(fitting: Sequence[Found], most: int) -> Sequence[Found]:
    """Return the most relevant, the best first, and always the best note, however much others have written."""
    first = list(fitting[:most])
    notes = (one for one in fitting if one.source.source_id.startswith(NOTE))
    if first and (best := next(notes, first[0])) not in first:
        first[-1] = best
    return first


@asynccontextmanager
async def _in_our_words() -> AsyncGenerator[None]:
    """Turn LanceDB's errors, such as for a full disk or a missing file, into `MemoryUnavailableError`."""
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:
        log.warning("memory_unavailable", kind=type(error).__name__, why=str(error)[:300])
        raise MemoryUnavailableError(say(LASTING)) from error


@contextmanager
def _model_at_hand() -> Generator[None]:
    """Raise `MemoryUnavailableError` if the model cannot be loaded."""
    try:
        yield
    except (ImportError, OSError, RuntimeError) as error:
        log.warning("embedder_unavailable", kind=type(error).__name__, why=str(error)[:300])
        raise MemoryUnavailableError(say("the embedding model cannot be loaded; the log says why")) from error


def _stand_back() -> None:
    with suppress(OSError, AttributeError):  # Linux has a priority for each thread
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


def _storable(document: MemoryDocument) -> MemoryDocument:
    """Remove lone surrogates, so that the texts can be stored."""
    text = json.dumps(document.model_dump(mode="json"), ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return MemoryDocument.model_validate_json(text.encode("utf-8", "replace"))
    return document


def _read_as(document: MemoryDocument, chunk: ParsedChunk) -> str:
    """Return a chunk prefixed with its context, as it is embedded."""
    return "\n".join(filter(None, (document.title, " / ".join(chunk.headings), chunk.content)))


def _digest(document: MemoryDocument) -> str:
    content = document.model_dump(mode="json")
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _shared(document: MemoryDocument, digest: str) -> Shared:
    at = None if document.at is None else micros(document.at)
    person = document.person.lower()
    return Shared(document.source_id, digest, document.kind.value, document.account, person, at)
