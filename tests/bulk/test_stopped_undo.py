"""What was being put back and was stopped: the rest can still be put back, and only the rest."""

import pytest
import sqlalchemy as sa

from butler.bulk.run_actions import RunAction, RunActions
from butler.contract.errors import Refuse
from butler.contract.reasons import ReasonCode, reason
from butler.store.queries import bulk
from butler.store.queries.bulk import RunRow, RunState
from butler.store.store import Store
from tests.bulk.bulk_harness import BulkHarness
from tests.bulk.stub_provider import StubBulkAdapter, StubProvider

FAULT = reason(ReasonCode.FAULT, kind="OverflowError")


async def later(room: BulkHarness[StubBulkAdapter], run_id: str) -> list[RunRow]:
    return await room.store.read(lambda c: bulk.of_run(c, run_id))


async def stopped_undo(room: BulkHarness[StubBulkAdapter]) -> tuple[str, str]:
    """A run of sixty things, and its undo that was stopped after the first twenty."""
    run_id = await room.begun()
    await room.worked_off()
    await room.tap(run_id, "Undo")
    await room.step()
    (undo,) = await later(room, run_id)
    answer = await room.tap(undo.run_id, "Stop")
    assert answer.text == "Stopped; what is back stays back. Undo goes on with the rest."
    await room.worked_off()
    return run_id, undo.run_id


async def test_the_rest_of_a_stopped_undo_is_put_back_by_the_button_that_began_it(store: Store) -> None:
    room = BulkHarness.of(store, StubBulkAdapter(StubProvider.of(60)))
    run_id, _ = await stopped_undo(room)
    assert sum(room.adapter.shelf.things.values()) == 20
    assert "Undo" in await room.labels(run_id)
    assert await room.text(run_id) == "Put away: 60 of 60\n20 of them were put back."
    assert (await room.tap(run_id, "Undo")).text == "40 are being put back."
    await room.worked_off()
    assert all(room.adapter.shelf.things.values())
    assert max(room.adapter.shelf.sent.values()) == 2, "once away and once back"
    assert "Undo" not in await room.labels(run_id)
    assert await room.text(run_id) == "Put away: 60 of 60\n60 of them were put back."


async def test_what_failed_to_be_put_back_is_tried_again_as_a_part_of_the_undo(store: Store) -> None:
    room = BulkHarness.of(store, StubBulkAdapter(StubProvider.of(60)))
    run_id = await room.begun()
    await room.worked_off()
    room.adapter.shelf.failing = {"t00005"}
    await room.tap(run_id, "Undo")
    await room.worked_off()
    (undo,) = await later(room, run_id)
    room.adapter.shelf.failing = set()
    await room.tap(undo.run_id, "Retry failed")
    await room.worked_off()
    assert all(room.adapter.shelf.things.values())
    (again,) = await later(room, undo.run_id)
    assert again.undo_of == run_id
    assert "Undo" not in await room.labels(again.run_id)
    assert "Undo" not in await room.labels(run_id)


async def test_what_is_not_over_cannot_be_tried_again(store: Store) -> None:
    room = BulkHarness.of(store, StubBulkAdapter(StubProvider.of(60)))
    room.adapter.shelf.failing = {"t00003"}
    run_id = await room.begun()
    await room.step()
    run = await room.run(run_id)

    def retry(connection: sa.Connection) -> str:
        return RunActions(room.adapters).take(connection, RunAction.RETRY, run, "cli", room.clock.now())

    with pytest.raises(Refuse, match="It has not ended; stop it first"):
        await store.write(retry)


async def test_a_run_that_fails_in_a_way_nobody_foresaw_stands_still_and_lets_the_next_one_go_on(store: Store) -> None:
    room = BulkHarness.of(store, StubBulkAdapter(StubProvider.of(30)))
    run_id = await room.begun()
    await room.runs.give_up(run_id, FAULT)
    run = await room.run(run_id)
    assert run.state is RunState.PAUSED
    assert "Something went wrong that I did not foresee (OverflowError)." in await room.text(run_id)
    room.adapter.shelf.things["t90000"] = True
    second = await room.begun("call-2")
    await room.worked_off()
    assert (await room.run(second)).state is RunState.DONE
    await room.tap(run_id, "Resume")
    await room.worked_off()
    assert (await room.run(run_id)).state is RunState.DONE


async def test_giving_up_a_run_that_is_no_more_is_nothing(store: Store) -> None:
    await BulkHarness.of(store, StubBulkAdapter(StubProvider.of(3))).runs.give_up("gone", FAULT)


async def test_a_list_that_lags_behind_is_looked_at_twice(store: Store) -> None:
    """What a provider still lists for a moment was done all the same."""
    room = BulkHarness.of(store, StubBulkAdapter(StubProvider.of(30)))
    run_id = await room.begun()
    room.adapter.shelf.lagging = {"t00004"}
    await room.worked_off()
    assert await room.text(run_id) == "Put away: 30 of 30"
