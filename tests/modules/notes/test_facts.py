"""The facts that the notes' tools declare are in what they yield."""

from typing import Any

from butler.contract.integration import IntegrationResult
from butler.contract.tools import ToolCall
from butler.registry import Registry
from butler.repositories import StoreNotes
from butler.store.store import Store
from modules.notes.module import NotesModule, NotesSettings
from tests.approvals.harness import create_tables
from tests.schedule.schedule_harness import SetClock, utc
from tests.support.context import make_context
from tests.support.declared_facts import assert_facts, tools_with_facts


async def test_declared_facts_are_in_what_each_tool_yields() -> None:
    store, clock, registry = create_tables(Store("sqlite://")), SetClock(utc("2027-06-01T08:00")), Registry()
    registry.add_module(NotesModule(NotesSettings(), make_context(notes=StoreNotes(store, clock))))

    async def run(tool: str, **args: Any) -> IntegrationResult:
        made = registry.spec(tool).args.model_validate(args)
        return await registry.invoke(ToolCall(tool=tool, args=made, call_id="c1", trace_id="t1"))

    calls = {"bot_notes_remember": {"text": "the boiler is serviced each May"}, "bot_notes_search": {"words": "boiler"}}
    made = await run("bot_notes_remember", text="the boiler is serviced each May")
    calls["bot_notes_change"] = {"note_id": (made.data or {})["note"]["note_id"], "text": "the boiler is new"}
    for tool, args in calls.items():
        assert_facts(registry.spec(tool), await run(tool, **args))
    assert tools_with_facts(registry.specs()) == set(calls)
    await store.close()
