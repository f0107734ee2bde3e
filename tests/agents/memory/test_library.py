"""What is remembered is found again with its source and its origins, and what is forgotten is gone."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from butler.agents.memory import index as index_module
from butler.agents.memory.agent import FailureCause, LibraryMemory, MemoryUnavailableError
from butler.agents.memory.filters import FilterError
from butler.contract.agent_ports import MemoryKind
from butler.contract.agents import AgentFailure, MemoryOutput, MemoryQuery
from butler.contract.errors import AgentErrorCode
from butler.contract.provenance import Origin, Trust
from butler.store.queries import contacts
from butler.store.queries import memory as rows
from butler.store.store import Store
from tests.agents.memory.memory_library import WordEmbedder, document, library

MAY = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
MAIL = Origin(trust=Trust.UNTRUSTED, source="mail:1", shown_as="a mail by anna@friends.example")


async def found(memory: LibraryMemory, question: str, **query: object) -> list[str]:
    output = await memory.search(MemoryQuery.model_validate({"query_text": question, **query}))
    return [one.source_id for one in output.results] if isinstance(output, MemoryOutput) else []


async def refused(memory: LibraryMemory, question: str, **query: object) -> AgentFailure:
    output = await memory.search(MemoryQuery.model_validate({"query_text": question, **query}))
    assert isinstance(output, AgentFailure)
    assert output.error_code == AgentErrorCode.MEMORY_NO_RESULTS.value
    return output


async def test_what_is_remembered_is_found_with_its_source_page_time_and_origins(memory: LibraryMemory):
    text = "The plumber's bill is 312 euros"
    await memory.add(
        document(
            "mail:1", "Dear all", text, kind=MemoryKind.MAIL, title="Bill", at=MAY, origins=(MAIL,), person="mail:A@b.c"
        )
    )
    output = await memory.search(MemoryQuery(query_text="plumber's bill"))
    assert isinstance(output, MemoryOutput)
    best = output.results[0]
    assert (best.source_id, best.chunk_id, best.content, best.title) == ("mail:1", "mail:1#1", text, "Bill")
    assert (best.kind, best.page_number, best.at, best.origins) == ("mail", 2, MAY, [MAIL])
    assert best.metadata["person"] == "mail:a@b.c"
    assert 0.5 <= best.relevance_score <= 1


async def test_a_source_without_origins_counts_as_untrusted(memory: LibraryMemory):
    await memory.add(document("web:x", "Swallows fly low", origins=()))
    output = await memory.search(MemoryQuery(query_text="swallows"))
    assert isinstance(output, MemoryOutput)
    assert [origin.trust for origin in output.results[0].origins] == [Trust.UNTRUSTED]


async def test_the_same_again_costs_nothing_and_a_changed_source_takes_the_place_of_its_old_form(
    lasting_store: Store, tmp_path: Path
):
    embedder = WordEmbedder()
    memory = library(lasting_store, tmp_path, embedder)
    assert await memory.add(document("note:1", "The key lies under the pot", "Second")) == 2
    asked = list(embedder.texts)
    assert await memory.add(document("note:1", "The key lies under the pot", "Second")) == 2
    assert embedder.texts == asked
    assert await memory.add(document("note:1", "The key hangs behind the mirror")) == 1
    assert await found(memory, "mirror") == ["note:1"]
    assert await found(memory, "pot") == []
    assert [chunk.content for chunk in await memory.read("note:1")] == ["The key hangs behind the mirror"]
    await memory.stop()


async def test_no_result_has_its_code_and_says_why(memory: LibraryMemory):
    refusal = await refused(memory, "anything")
    assert refusal.message == "nothing is remembered yet"
    assert refusal.details == {"cause": FailureCause.MEMORY_EMPTY}
    await memory.add(document("note:1", "The boat is blue"))
    unfit = await refused(memory, "zeppelin")
    assert unfit.message == "nothing that is remembered fits this well enough"
    assert unfit.details is not None
    assert unfit.details["best"] < 0.5
    kind = await refused(memory, "boat", filters={"kind": "mail"})
    assert kind.message == "nothing that is remembered is of that kind, from there or of that time"


async def test_a_query_without_a_least_relevance_takes_that_of_the_settings(lasting_store: Store, tmp_path: Path):
    strict = library(lasting_store, tmp_path, min_relevance=1.0)
    await strict.add(document("note:1", "The boat is blue"))
    await refused(strict, "boat")
    assert await found(strict, "boat", min_relevance_score=0.1) == ["note:1"]
    await strict.stop()


async def test_memory_that_is_switched_off_says_so(lasting_store: Store, tmp_path: Path):
    off = library(lasting_store, tmp_path, enabled=False)
    assert "[memory] enabled is false" in (await refused(off, "boat")).message


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"kind": "mail"}, ["mail:1"]),
        ({"kind": ["mail", "note"]}, ["mail:1", "note:1"]),
        ({"source_id": "note:1"}, ["note:1"]),
        ({"source_type": "mail"}, ["mail:1"]),
        ({"source_type": ["mail", "note"], "account": "home"}, ["note:1"]),
        ({"person": "mail:anna@FRIENDS.example"}, ["mail:1"]),
        ({"account": "home"}, ["note:1"]),
        ({"after": "2026-05-01T00:00:00+00:00"}, ["note:1"]),
        ({"before": MAY}, ["mail:1"]),
        ({"after": MAY - timedelta(days=400), "before": MAY + timedelta(days=1), "kind": "note"}, ["note:1"]),
        ({"source_id": "o'hara"}, []),
    ],
)
async def test_filters_narrow_the_search(memory: LibraryMemory, filters: dict[str, object], expected: list[str]):
    early = MAY - timedelta(days=30)
    anna = {"person": "mail:anna@friends.example", "account": "work"}
    await memory.add(document("mail:1", "The boat is blue", kind=MemoryKind.MAIL, at=early, **anna))
    await memory.add(document("note:1", "The boat is green", at=MAY, account="home"))
    assert sorted(await found(memory, "boat", filters=filters)) == expected


async def test_every_address_of_a_contact_stands_for_the_contact(memory: LibraryMemory, lasting_store: Store):
    mail, chat, other = "mail:Anna@friends.example", "telegram:77", "mail:anna@work.example"
    for owner_says_so, addresses in ((True, [mail, chat]), (False, ["mail:mallory@evil.example"])):
        learnt = partial(contacts.learn, name="Anna", source="test", owner_says_so=owner_says_so, now=MAY)
        await lasting_store.write(partial(learnt, addresses=addresses))
    for number, person in enumerate((mail, chat, other, "mail:mallory@evil.example")):
        await memory.add(document(f"mail:{number}", f"The boat is blue, {number}", person=person))
    for person in (mail, chat):
        assert sorted(await found(memory, "boat", filters={"person": person})) == ["mail:0", "mail:1"]
        assert sorted(one.source_id for one in await memory.sources(person=person)) == ["mail:0", "mail:1"]
    assert sorted(await found(memory, "boat", filters={"person": [chat, other]})) == ["mail:0", "mail:1", "mail:2"]
    assert await memory.counts(person=chat) == {MemoryKind.NOTE: 2}


async def test_a_filter_loses_nothing_to_the_many_that_it_leaves_out(memory: LibraryMemory):
    await memory.add(document("note:many", *(f"The boat is blue, said line {n}" for n in range(200))))
    await memory.add(document("mail:1", "A boat and many other things were seen there", kind=MemoryKind.MAIL))
    assert await found(memory, "boat", filters={"kind": "mail"}) == ["mail:1"]


async def test_an_unknown_filter_is_refused(memory: LibraryMemory):
    times = ({"after": "yesterday"}, {"after": "2026-05-01"})
    for filters in (
        *times,
        {"colour": "blue"},
        {"source_type": "x' OR"},
        {"kind": "poem"},
        {"after": "yesterday"},
        {"after": "2026-05-01"},
    ):
        with pytest.raises(FilterError):
            await memory.search(MemoryQuery(query_text="boat", filters=filters))


async def test_sources_are_listed_the_newest_first_and_found_by_words_of_their_title(memory: LibraryMemory):
    await memory.add(document("mail:1", "x", kind=MemoryKind.MAIL, title="Rechnung der WERKSTATT", at=MAY))
    await memory.add(document("mail:2", "y", kind=MemoryKind.MAIL, title="Rechnung Zahnarzt", at=MAY + timedelta(1)))
    await memory.add(document("note:1", "z", title="Rechnung"))
    assert [one.source_id for one in await memory.sources(words="rechnung")] == ["note:1", "mail:2", "mail:1"]
    assert [one.source_id for one in await memory.sources(words="werkstatt rechnung")] == ["mail:1"]
    assert [one.source_id for one in await memory.sources(kind=MemoryKind.MAIL, limit=1)] == ["mail:2"]
    assert [one.source_id for one in await memory.sources(kind=MemoryKind.MAIL, since=MAY + timedelta(1))] == ["mail:2"]


def files_with(folder: Path, word: str) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


@pytest.mark.parametrize("others", [0, 200])
async def test_no_file_holds_what_was_forgotten(memory: LibraryMemory, tmp_path: Path, others: int):
    folder = tmp_path / "memory"
    if others:
        await memory.add(document("note:many", *(f"Harmless line {n}" for n in range(others))))
    await memory.add(document("mail:1", "The quarterdeck is xylophonic", title="Mysterium"))
    assert files_with(folder, "quarterdeck")
    assert files_with(folder, "mysterium")
    assert await memory.forget(["mail:1", "mail:unknown"]) == 1
    for word in ("quarterdeck", "xylophonic", "Mysterium", "mysterium"):
        assert files_with(folder, word) == []
    assert await found(memory, "quarterdeck") == []
    assert await memory.read("mail:1") == ()
    assert [one.source_id for one in await memory.sources()] == ["note:many"] * bool(others)
    if others:
        assert len(await memory.read("note:many", limit=500)) == others
        assert await found(memory, "harmless", top_k=1) == ["note:many"]


async def test_of_what_was_forgotten_the_row_keeps_the_id_alone(memory: LibraryMemory, lasting_store: Store):
    await memory.add(document("mail:1", "The quarterdeck", title="Mysterium", person="mail:a@b.c"))
    await memory.forget(["mail:1"])
    row = (await lasting_store.read(lambda c: rows.get(c, ["mail:1"])))["mail:1"]
    assert (row.state, row.title, row.person, row.origins) == (rows.SourceState.FORGOTTEN, "", "", ())
    assert await memory.forget(["mail:1"]) == 0


async def test_what_was_dropped_may_come_again(memory: LibraryMemory, lasting_store: Store):
    await memory.add(document("chat:1", "The boat"))
    assert await memory.drop(["chat:1"]) == 1
    assert not await lasting_store.read(lambda c: rows.get(c, ["chat:1"]))
    await memory.add(document("chat:1", "The boat"))
    assert await found(memory, "boat") == ["chat:1"]


async def test_many_small_changes_are_put_together(memory: LibraryMemory):
    for number in range(index_module.TIDIED_AFTER + 8):
        await memory.add(document(f"note:{number}", f"Line {number} of the boat"))
    stats = await memory._index._table.stats()
    assert stats["fragment_stats"]["num_fragments"] < index_module.TIDIED_AFTER
    assert await found(memory, "line 7") == ["note:7"]


async def test_from_some_size_on_vectors_have_an_index_that_finds_new_things_too(
    memory: LibraryMemory, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(index_module, "INDEXED_FROM", 300)
    monkeypatch.setattr(index_module, "TIDIED_AFTER", 2)
    await memory.add(document("note:many", *(f"Line {n} of the {n % 7} boats" for n in range(320))))
    await memory.add(document("note:1", "A zeppelin over the lake"))
    assert await memory._index._has_index("vector")
    monkeypatch.setattr(index_module, "TIDIED_AFTER", 1000)
    await memory.add(document("note:2", "A balloon over the lake"))
    assert await found(memory, "zeppelin", top_k=1) == ["note:1"]
    assert await found(memory, "balloon", top_k=1) == ["note:2"]
    await memory.forget(["note:1"])
    assert await found(memory, "zeppelin") == []
    assert await found(memory, "balloon", top_k=1) == ["note:2"]


async def test_odd_texts_are_remembered(memory: LibraryMemory):
    assert await memory.add(document("note:1", "half \udcff and \x00 nothing 😀", "")) == 2
    assert await memory.add(document("note:empty")) == 0
    assert await memory.add(document("note:empty")) == 0
    assert await found(memory, "half") == ["note:1"]


async def test_searches_and_writes_at_the_same_time_do_not_disturb_one_another(memory: LibraryMemory):
    await memory.add(document("note:0", "The boat"))
    adding = [memory.add(document(f"note:{n}", f"Line {n}")) for n in range(1, 12)]
    searching = [found(memory, "boat") for _ in range(10)]
    forgetting = memory.forget(["note:5"])
    results = await asyncio.gather(*adding, *searching, forgetting)
    assert all(one == ["note:0"] for one in results if isinstance(one, list))
    assert await found(memory, "line 11", top_k=1) == ["note:11"]


async def test_what_is_forgotten_while_it_is_read_anew_stays_forgotten(memory: LibraryMemory):
    await memory.add(document("note:1", "The boat is blue"))
    reading = asyncio.Event()
    forgotten = asyncio.Event()
    real = memory._read

    async def slow(texts: Sequence[str], *, at_once: bool) -> Sequence[Any]:
        reading.set()
        await forgotten.wait()
        return await real(texts, at_once=at_once)

    memory._read = slow  # type: ignore[method-assign, assignment]
    adding = asyncio.create_task(memory.add(document("note:1", "The boat is red")))
    await reading.wait()
    await memory.forget(["note:1"])
    forgotten.set()
    assert await adding == 0
    assert await memory.source("note:1") is None


async def test_a_model_that_cannot_be_loaded_is_said(lasting_store: Store, tmp_path: Path):
    class Missing(WordEmbedder):
        def embed(self, texts: Sequence[str], *, query: bool) -> Any:
            raise ImportError("no engine")

    memory = library(lasting_store, tmp_path, Missing())
    with pytest.raises(MemoryUnavailableError, match="embedding model"):
        await memory.add(document("note:1", "The boat"))
    await memory.stop()


async def test_kinds_that_are_not_kept_are_not_remembered(lasting_store: Store, tmp_path: Path):
    memory = library(lasting_store, tmp_path, keep=("notes",))
    assert await memory.add(document("web:1", "The boat", kind=MemoryKind.PAGE)) == 0
    assert await memory.add(document("note:1", "The boat")) == 1
    assert await found(memory, "boat") == ["note:1"]
    await memory.stop()
