"""What rows wait for when the clock is set: a length of time stays as long as it was, a moment is a moment."""

import asyncio
from datetime import timedelta

import pytest
import sqlalchemy as sa

from butler.contract.errors import Retryable
from butler.engine import LocalEngine
from butler.store.queries import work
from butler.store.store import Store
from butler.store.tables import work as rows
from tests.engine.clock import HandClock
from tests.engine.test_engine import Handler, add, engine_with, running, until_left
from tests.support.nightly import every_nth
from tests.support.waiting import until

BACK_AND_FORTH = (timedelta(days=-1), timedelta(hours=-1), timedelta(seconds=-1), timedelta(hours=1), timedelta(days=1))


async def wait_for(store: Store, clock: HandClock, subject: str, seconds: float) -> None:
    wait = timedelta(seconds=seconds)
    await store.write(lambda c: work.add(c, "look", subject, now=clock.now(), wait=wait))


async def looked(engine: LocalEngine, clock: HandClock) -> None:
    """Have the engine look once by the clock as it is now."""
    engine.wake()
    await until(lambda: engine.last_tick == clock.now() and engine._set_by is None)
    # Whatever it took by that look has begun.
    await asyncio.sleep(0.05)


@pytest.mark.parametrize("by", every_nth(BACK_AND_FORTH, 3), ids=str)
async def test_a_length_is_waited_for_in_full_and_no_longer(store: Store, clock: HandClock, by: timedelta) -> None:
    handler = Handler()
    engine = engine_with(store, clock, handler)
    async with running(engine):
        await wait_for(store, clock, "undo", 10)
        await clock.advance(seconds=4)
        await looked(engine, clock)
        await clock.set(seconds=by.total_seconds())
        await looked(engine, clock)
        await clock.advance(seconds=5)
        await looked(engine, clock)
        assert handler.ended == []
        await clock.advance(seconds=1)
        engine.wake()
        await until(lambda: handler.ended == ["undo"])
        await until_left(store, 0)


async def test_a_moment_is_waited_for_by_the_clock_as_it_is(store: Store, clock: HandClock) -> None:
    handler = Handler()
    async with running(engine_with(store, clock, handler)) as engine:
        await add(store, clock, "reminder", after_s=7200)
        await clock.set(hours=-1)
        await clock.advance(hours=2)
        await looked(engine, clock)
        assert handler.ended == []
        await clock.set(hours=1)
        engine.wake()
        await until(lambda: handler.ended == ["reminder"])


@pytest.mark.parametrize("running_then", [True, False])
async def test_what_was_due_when_it_was_written_is_due_whatever_the_clock_says(
    store: Store, clock: HandClock, running_then: bool
) -> None:
    """A reply that was put into the outbox just before the clock was set back does not wait until it has caught up."""
    handler = Handler()
    engine = engine_with(store, clock, handler)
    if running_then:
        async with running(engine):
            await looked(engine, clock)
            await add(store, clock, "reply")
            await clock.set(days=-1)
            engine.wake()
            await until(lambda: handler.ended == ["reply"])
        return
    await add(store, clock, "reply")
    await clock.set(days=-1)
    async with running(engine):
        await until(lambda: handler.ended == ["reply"])


async def test_a_length_written_by_a_clock_that_was_ahead_is_waited_for_once_more_after_a_start(
    store: Store, clock: HandClock
) -> None:
    handler = Handler()
    await wait_for(store, clock, "undo", 10)
    await clock.set(days=-1)
    async with running(engine_with(store, clock, handler)) as engine:
        await looked(engine, clock)
        assert handler.ended == []
        await clock.advance(seconds=10)
        engine.wake()
        await until(lambda: handler.ended == ["undo"])


async def test_a_pause_before_the_next_try_is_a_length_and_what_is_not_due_yet_waits_for_its_moment(
    store: Store, clock: HandClock
) -> None:
    later = clock.now() + timedelta(hours=3)
    handler = Handler({"twin": [Retryable(wait=timedelta(minutes=15))], "reminder": [Retryable(until=later)]})
    async with running(engine_with(store, clock, handler)) as engine:
        await add(store, clock, "twin", "reminder", after_s=1)
        await clock.advance(seconds=1)
        await until(lambda: len(handler.begun) == 2)
        waits = sa.select(rows.c.subject, rows.c.waits_s).order_by(rows.c.subject)
        await until(lambda: not engine._serving)
        assert (await store.read(lambda c: list(c.execute(waits)))) == [("reminder", None), ("twin", 900.0)]
        await clock.set(days=-1)
        await looked(engine, clock)
        await clock.advance(minutes=15)
        engine.wake()
        await until(lambda: handler.ended == ["twin"])
        await clock.set(days=1, hours=3)
        engine.wake()
        await until(lambda: handler.ended == ["twin", "reminder"])
        await until_left(store, 0)
