"""/bulk in the chat, and the same in words: what runs comes down with its buttons."""

from dataclasses import replace

from butler.bulk.open_runs import OpenRuns
from butler.bulk.progress_message import ProgressMessages
from butler.bulk.registry import BulkAdapters
from butler.contract.inbound import InboundKind
from butler.inbound import InboundHandler
from butler.orchestrator.planning.plan_types import Command
from butler.sink import INBOUND
from butler.store.store import Store
from tests.bulk.bulk_harness import OWNER, BulkHarness
from tests.bulk.stub_provider import StubBulkAdapter, StubProvider
from tests.orchestrator.harness import Harness


async def harness_that_runs(store: Store) -> tuple[Harness, BulkHarness[StubBulkAdapter]]:
    harness, room = Harness(store), BulkHarness.of(store, StubBulkAdapter(StubProvider.of(50)))
    adapters = BulkAdapters()
    adapters.add([room.adapter])
    deps = harness.handlers[INBOUND].__self__._deps  # type: ignore[attr-defined]
    running = OpenRuns(ProgressMessages(adapters, lambda: OWNER))
    harness.handlers[INBOUND] = InboundHandler(replace(deps, running=running)).handle
    await harness.meet()
    return harness, room


async def test_bulk_lists_what_runs_with_its_buttons(store: Store) -> None:
    harness, room = await harness_that_runs(store)
    await harness.say("/bulk", kind=InboundKind.COMMAND, payload={"name": "bulk", "rest": ""})
    assert harness.phone.said[-1] == "Nothing is running."
    run_id = await room.begun()
    await harness.say("what is running?", Command.BULK, inbound_id="c2", dedup_key="c2")
    assert harness.phone.said[-1].startswith("Putting away\n")
    assert await room.labels(run_id) == ["Pause", "Stop"]
