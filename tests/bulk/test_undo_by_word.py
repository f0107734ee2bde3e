"""A typed "undo" after a bulk run does what the button under it does."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from butler.bulk.open_runs import OpenRuns
from butler.bulk.pacing import Pacer
from butler.bulk.progress_message import ProgressMessages
from butler.bulk.registry import BulkAdapters
from butler.bulk.run_actions import RunActions
from butler.contract.errors import Refuse
from butler.inbound import InboundHandler
from butler.sink import INBOUND
from butler.store.queries import bulk
from butler.store.queries.bulk import RunState
from butler.store.store import Store
from tests.bulk.bulk_harness import OWNER, BulkHarness
from tests.bulk.stub_provider import StubBulkAdapter, StubProvider
from tests.orchestrator.harness import Harness
from tests.support.reading import reading_planner


async def not_now(_: str) -> None:
    """What begins to be put back is done elsewhere."""


async def ended_run(store: Store) -> tuple[Harness, BulkHarness[StubBulkAdapter], str]:
    harness, room = Harness(store, reading_planner()), BulkHarness.of(store, StubBulkAdapter(StubProvider.of(5)))
    adapters = BulkAdapters()
    adapters.add([room.adapter])
    deps = harness.handlers[INBOUND].__self__._deps  # type: ignore[attr-defined]
    running = OpenRuns(ProgressMessages(adapters, lambda: OWNER))
    harness.handlers[INBOUND] = InboundHandler(replace(deps, running=running)).handle
    harness.handlers[bulk.BATCH] = not_now
    await harness.meet()
    run_id = await room.begun()
    while (await room.run(run_id)).state is RunState.RUNNING:
        await room.step()
    harness.clock.time = room.clock.now() + timedelta(minutes=1)
    return harness, room, run_id


async def put_back_by(room: BulkHarness[StubBulkAdapter], run_id: str) -> list[str]:
    later = await room.store.read(lambda c: bulk.of_run(c, run_id))
    return [one.run_id for one in later if one.undo_of == run_id]


@pytest.mark.parametrize(
    "words", ["undo", "undo that", "put them back", "mach das rückgängig", "annule ça", "deshaz eso"]
)
async def test_undo_by_a_word_puts_the_run_back_as_the_button_does(store: Store, words: str) -> None:
    harness, room, run_id = await ended_run(store)
    assert "Undo" in await room.labels(run_id)
    await harness.say(words)
    assert len(await put_back_by(room, run_id)) == 1
    assert harness.phone.said[-1] == "5 are being put back."
    assert "Undo" not in await room.labels(run_id)


async def test_undo_said_twice_puts_back_once(store: Store) -> None:
    harness, room, run_id = await ended_run(store)
    await harness.say("undo")
    await harness.say("undo")
    assert len(await put_back_by(room, run_id)) == 1


async def test_undo_long_after_only_brings_the_button_down(store: Store) -> None:
    harness, room, run_id = await ended_run(store)
    harness.clock.time += timedelta(hours=2)
    await harness.say("undo")
    assert await put_back_by(room, run_id) == []
    assert "Undo" in await room.labels(run_id)
    assert harness.phone.buttons("Undo")


async def test_what_cannot_be_put_back_any_more_is_told(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    harness, room, run_id = await ended_run(store)

    def too_late(*_: object) -> str:
        raise Refuse("it is too late")

    monkeypatch.setattr(RunActions, "take", too_late)
    await harness.say("undo")
    assert harness.phone.said[-1] == "it is too late"
    assert await put_back_by(room, run_id) == []


def test_a_clock_that_is_set_back_begins_a_runs_pace_anew() -> None:
    pacer, at = Pacer(), datetime(2026, 3, 1, 12, tzinfo=UTC)
    pacer.pace("run", 0, 100, at)
    assert pacer.pace("run", 10, 100, at + timedelta(seconds=10)) is not None
    assert pacer.pace("run", 20, 100, at - timedelta(hours=1)) is None
    later = pacer.pace("run", 30, 100, at - timedelta(hours=1) + timedelta(seconds=10))
    assert later is not None
    assert later.left == timedelta(seconds=70)
