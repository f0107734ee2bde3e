"""Memory's tools, over the real library."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from butler.agents.memory.agent import LibraryMemory
from butler.contract.agent_ports import MemoryKind
from butler.contract.errors import AgentErrorCode, IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.names import ApprovalDefault
from butler.contract.provenance import Origin, Trust
from butler.contract.tools import ToolCall, ToolSpec
from butler.store.open import open_store
from modules.memory.args import MOST_FORGOTTEN
from modules.memory.module import MemoryModule, MemoryToolSettings
from tests.agents.memory.memory_library import document, library
from tests.support.context import make_context
from tests.support.declared_facts import assert_facts, tools_with_facts

ANNA = Origin(trust=Trust.UNTRUSTED, source="mail:1", shown_as="a mail by anna@friends.example")


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[LibraryMemory]:
    store = open_store("sqlite:///butler.db", data_dir=tmp_path)
    memory = library(store, tmp_path)
    await memory.add(
        document("mail:1", "The rent is 840 euros", kind=MemoryKind.MAIL, title="Your flat", origins=(ANNA,))
    )
    await memory.add(document("note:1", "The boat is blue", "The boat is long", title="Boat"))
    yield memory
    await memory.stop()
    await store.close()


@pytest.fixture
def module(memory: LibraryMemory) -> MemoryModule:
    return MemoryModule(MemoryToolSettings(), make_context(memory=memory))


def spec(module: MemoryModule, tool: str) -> ToolSpec:
    return next(one for one in (*module.bot_inputs(), *module.bot_outputs()) if one.tool_name == tool)  # type: ignore[return-value]


async def run(module: MemoryModule, tool: str, **args: Any) -> IntegrationResult:
    found = spec(module, tool)
    return await found.handler(ToolCall(tool, found.args.model_validate(args), "call-1", "trace"))


async def completed(module: MemoryModule, **args: Any) -> IntegrationResult:
    found = spec(module, "bot_memory_forget")
    assert found.complete
    return await found.complete(ToolCall(found.tool_name, found.args.model_validate(args), "call-1", "trace"))


async def test_a_question_finds_passages_with_the_origins_of_their_source(module: MemoryModule):
    result = await run(module, "bot_memory_search", question="how much is the rent?")
    assert result.ok
    (first,) = result.data["results"]
    assert (first["source_id"], first["content"], first["title"]) == ("mail:1", "The rent is 840 euros", "Your flat")
    assert first["origins"] == [ANNA.model_dump(mode="json")]
    assert (result.data["total_found"], result.data["question"]) == (1, "how much is the rent?")


async def test_a_question_without_an_answer_has_its_code(module: MemoryModule):
    for args in ({"question": "zeppelin"}, {"question": "rent", "kind": "note"}, {"question": "rent", "person": "x"}):
        result = await run(module, "bot_memory_search", **args)
        assert result.error
        assert result.error.provider_code == AgentErrorCode.MEMORY_NO_RESULTS.value
        assert result.error.code is IntegrationErrorCode.NOT_FOUND


async def test_a_wider_search_finds_what_fits_less_well(module: MemoryModule):
    assert not (await run(module, "bot_memory_search", question="zeppelin boat harbour lake")).ok
    wider = await run(module, "bot_memory_search", question="zeppelin boat harbour lake", broad=True)
    assert wider.ok
    assert "note:1" in {one["source_id"] for one in wider.data["results"]}


@pytest.mark.parametrize("wrong", [{"kind": "poem"}, {"after": "2026-05-01"}, {"after": "soon"}, {"colour": "blue"}])
def test_filters_that_there_are_not_are_refused(module: MemoryModule, wrong: dict[str, str]):
    with pytest.raises(ValueError, match="validation error"):
        spec(module, "bot_memory_search").args.model_validate({"question": "x"} | wrong)


async def test_memory_is_listed_and_a_source_is_read(module: MemoryModule):
    listed = await run(module, "bot_memory_list")
    assert [one["source_id"] for one in listed.data["sources"]] == ["note:1", "mail:1"]
    assert listed.data["counts"] == {"mail": 1, "note": 1}
    listed = await run(module, "bot_memory_list", words="flat", kind="mail")
    assert [one["title"] for one in listed.data["sources"]] == ["Your flat"]
    assert listed.data["counts"] == {"mail": 1}
    assert (await run(module, "bot_memory_list", words="zeppelin")).error
    read = await run(module, "bot_memory_read", source="note:1")
    assert read.data["document"]["text"] == "The boat is blue\n\nThe boat is long"
    assert read.data["document"]["origins"][0]["trust"] == "owner"
    assert (await run(module, "bot_memory_read", source="note:9")).error


async def test_forgetting_asks_and_shows_what_goes_and_forgets_exactly_that(
    module: MemoryModule, memory: LibraryMemory
):
    forget = spec(module, "bot_memory_forget")
    assert forget.approval_default is ApprovalDefault.ALWAYS
    assert not forget.to_owner
    going = (await completed(module, words="flat")).data["going"]
    assert going == [{"source_id": "mail:1", "title": "Your flat"}]
    args = forget.args.model_validate({"words": "flat", "going": going})
    assert forget.preview
    shown = forget.preview(args)
    assert "1 thing" in shown.effect
    assert shown.body == "- Your flat"
    await memory.add(document("mail:2", "Something that came after the yes", title="Another flat"))
    result = await run(module, "bot_memory_forget", words="flat", going=going)
    assert result.data == {"forgotten": 1, "asked": 1}
    assert sorted(one.source_id for one in await memory.sources()) == ["mail:2", "note:1"]


async def test_one_source_is_forgotten_by_its_handle(module: MemoryModule, memory: LibraryMemory):
    going = (await completed(module, source="note:1")).data["going"]
    assert going == [{"source_id": "note:1", "title": "Boat"}]
    await run(module, "bot_memory_forget", source="note:1", going=going)
    assert await memory.source("note:1") is None


async def test_everything_from_somebody_is_forgotten_and_of_it_only_what_is_called_so(
    module: MemoryModule, memory: LibraryMemory
):
    anna = {"person": "mail:anna@friends.example", "kind": MemoryKind.MAIL}
    await memory.add(document("mail:2", "The key lies under the pot", title="The key", **anna))
    await memory.add(document("mail:3", "The key is yours", title="Thanks", **anna))
    going = (await completed(module, person="mail:anna@friends.example")).data["going"]
    assert sorted(one["source_id"] for one in going) == ["mail:2", "mail:3"]
    going = (await completed(module, person="mail:Anna@friends.example", words="key")).data["going"]
    assert [one["source_id"] for one in going] == ["mail:2"]
    await run(module, "bot_memory_forget", person="mail:anna@friends.example", going=going)
    listed = await run(module, "bot_memory_list", person="mail:anna@friends.example")
    assert ([one["source_id"] for one in listed.data["sources"]], listed.data["counts"]) == (["mail:3"], {"mail": 1})
    assert (await completed(module, person="mail:bob@friends.example")).error
    assert (await completed(module, person="mail:anna@friends.example", source="mail:3")).error


async def test_what_cannot_be_forgotten_asks_nobody(module: MemoryModule, memory: LibraryMemory):
    assert (await completed(module, source="note:9")).error
    assert (await completed(module, words="zeppelin")).error
    assert (await completed(module)).error
    assert (await completed(module, source="note:1", words="boat")).error
    assert (await run(module, "bot_memory_forget", words="boat")).error
    for number in range(MOST_FORGOTTEN + 1):
        await memory.add(document(f"note:many{number}", title="Many"))
    result = await completed(module, words="many")
    assert result.error
    assert "more than 50" in result.error.message


async def test_memory_that_cannot_be_reached_is_said(module: MemoryModule, memory: LibraryMemory):
    await memory.stop()
    for path in (memory._index._folder).rglob("*"):
        if path.is_file():
            path.write_bytes(b"damaged")
    result = await run(module, "bot_memory_read", source="note:1")
    assert result.error
    assert result.error.code is IntegrationErrorCode.UNAVAILABLE
    found = await run(module, "bot_memory_search", question="boat")
    assert found.error
    assert found.error.provider_code == AgentErrorCode.MEMORY_NO_RESULTS.value


async def test_declared_facts_are_in_what_each_tool_yields(module: MemoryModule):
    going = (await completed(module, source="note:1")).data["going"]
    calls: dict[str, dict[str, Any]] = {
        "bot_memory_search": {"question": "how much is the rent?"},
        "bot_memory_list": {},
        "bot_memory_read": {"source": "mail:1"},
        "bot_memory_forget": {"source": "note:1", "going": going},
    }
    for tool, args in calls.items():
        assert_facts(spec(module, tool), await run(module, tool, **args))
    assert tools_with_facts((*module.bot_inputs(), *module.bot_outputs())) == set(calls)
