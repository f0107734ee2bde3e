"""Many things under the contract of a remote adapter: while one of its tools is refused, a run stands still."""

from collections.abc import Sequence

import pytest

from approvals.reason_words import details_in_words
from butler.contract.bulk import BulkOrder
from butler.contract.errors import IntegrationErrorCode
from butler.store.queries import bulk
from butler.store.queries.bulk import ItemState, RunState
from butler.store.store import Store
from tests.bulk.bulk_harness import BulkHarness, called
from tests.bulk.stub_provider import StubBulkAdapter, StubProvider

TOOLS = ("bot_shelf_find_things", "bot_shelf_move_thing")
WHY = "bot_shelf_move_thing: the contract was changed"


class RemoteShelf(StubBulkAdapter):
    """Uses the operations of two remote tools."""

    @property
    def required_tools(self) -> tuple[str, ...]:
        return TOOLS


class Gates:
    """Refuses while there is a reason."""

    def __init__(self) -> None:
        self.why = ""
        self.asked: list[tuple[tuple[str, ...], str]] = []

    async def why_not(self, tools: Sequence[str], trace_id: str) -> str:
        self.asked.append((tuple(tools), trace_id))
        return self.why


@pytest.fixture
def gates() -> Gates:
    return Gates()


@pytest.fixture
def room(store: Store, gates: Gates) -> BulkHarness[RemoteShelf]:
    made = BulkHarness.of(store, RemoteShelf(StubProvider.of(50)))
    made.adapters.ask(gates.why_not)
    return made


async def counts(room: BulkHarness[RemoteShelf], run_id: str) -> dict[ItemState, int]:
    return await room.store.read(lambda c: bulk.counts(c, run_id))


async def test_each_batch_asks_the_gates_of_the_tools_that_it_stands_on(
    room: BulkHarness[RemoteShelf], gates: Gates
) -> None:
    run_id = await room.begun()
    gates.asked.clear()
    await room.worked_off()
    assert len(room.adapter.shelf.batches) == 3
    assert gates.asked == [(TOOLS, run_id)] * 4


async def test_a_run_is_paused_with_the_reason_and_goes_on_where_it_stood(
    room: BulkHarness[RemoteShelf], gates: Gates
) -> None:
    run_id = await room.begun()
    await room.step()
    gates.why = WHY
    await room.worked_off()
    run = await room.run(run_id)
    assert (run.state, details_in_words(run.detail)) == (RunState.PAUSED, WHY)
    assert len(room.adapter.shelf.batches) == 1
    assert (await counts(room, run_id))[ItemState.TODO] == 30
    assert "Resume" in await room.labels(run_id)
    gates.why = ""
    await room.tap(run_id, "Resume")
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.DONE
    assert set(room.adapter.shelf.sent.values()) == {1}


async def test_nothing_is_listed_while_one_of_its_tools_is_refused(
    room: BulkHarness[RemoteShelf], gates: Gates
) -> None:
    gates.why = WHY
    result = await room.launcher.snapshot(BulkOrder("shelf", "", {"action": "away"}), called("asks"))
    assert result.error is not None
    assert (result.error.code, result.error.message) == (IntegrationErrorCode.REJECTED, WHY)


async def test_an_adapter_that_stands_on_nothing_asks_nobody(store: Store, gates: Gates) -> None:
    room = BulkHarness.of(store, StubBulkAdapter(StubProvider.of(5)))
    room.adapters.ask(gates.why_not)
    await room.begun()
    await room.worked_off()
    assert gates.asked == []


async def test_without_gates_everything_may_be_done(store: Store) -> None:
    room = BulkHarness.of(store, RemoteShelf(StubProvider.of(5)))
    run_id = await room.begun()
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.DONE
