"""/bulk in the chat, and the same in words: what runs comes down with its buttons."""

from dataclasses import replace

from butler.bulk.progress_message import Telling
from butler.bulk.registry import BulkAdapters
from butler.bulk.running import Running
from butler.contract.inbound import InboundKind
from butler.inbound import InboundHandler
from butler.orchestrator.planning.plan_types import Command
from butler.sink import INBOUND
from butler.store.store import Store
from tests.bulk.room import OWNER, Room
from tests.bulk.shelf import Shelf, ShelfAdapter
from tests.orchestrator.house import House


async def house_where_things_run(store: Store) -> tuple[House, Room[ShelfAdapter]]:
    house, room = House(store), Room.of(store, ShelfAdapter(Shelf.of(50)))
    adapters = BulkAdapters()
    adapters.add([room.adapter])
    deps = house.handlers[INBOUND].__self__._deps  # type: ignore[attr-defined]
    running = Running(Telling(adapters, lambda: OWNER))
    house.handlers[INBOUND] = InboundHandler(replace(deps, running=running)).handle
    await house.meet()
    return house, room


async def test_bulk_lists_what_runs_with_its_buttons(store: Store) -> None:
    house, room = await house_where_things_run(store)
    await house.say("/bulk", kind=InboundKind.COMMAND, payload={"name": "bulk", "rest": ""})
    assert house.phone.said[-1] == "Nothing is running."
    run_id = await room.begun()
    await house.say("what is running?", Command.BULK, inbound_id="c2", dedup_key="c2")
    assert house.phone.said[-1].startswith("Putting away\n")
    assert await room.labels(run_id) == ["Pause", "Stop"]
