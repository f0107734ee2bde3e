"""Work rows reach their handlers: in order within a lane, side by side between lanes, again after trouble."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from approvals.reason_words import in_words
from butler.contract.errors import Retryable
from butler.contract.reasons import Reason, ReasonCode, reason
from butler.engine import MOST_AT_ONCE, MOST_FAULTS, LocalEngine
from butler.store.errors import StoreFullError
from butler.store.open import open_store
from butler.store.queries import work
from butler.store.store import Store, _Failure
from tests.engine.clock import HandClock
from tests.support.waiting import until


class Handler:
    """Remembers what it was handed; fails as often as `trouble` says for a subject."""

    def __init__(self, trouble: dict[str, Iterable[Exception]] | None = None) -> None:
        self.begun: list[str] = []
        self.ended: list[str] = []
        self._trouble = {subject: iter(errors) for subject, errors in (trouble or {}).items()}

    async def __call__(self, subject: str) -> None:
        self.begun.append(subject)
        await asyncio.sleep(0)
        error = next(self._trouble.get(subject, iter(())), None)
        if error is not None:
            raise error
        self.ended.append(subject)


@asynccontextmanager
async def running(engine: LocalEngine) -> AsyncIterator[LocalEngine]:
    task = asyncio.create_task(engine.run())
    try:
        yield engine
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def engine_with(store: Store, clock: HandClock, handler: Callable[..., object], **options: object) -> LocalEngine:
    engine = LocalEngine(store, clock, **options)  # type: ignore[arg-type]
    engine.register("look", handler)  # type: ignore[arg-type]
    return engine


async def add(store: Store, clock: HandClock, *subjects: str, lane: str = "", after_s: float = 0) -> None:
    now = clock.now()

    def rows(connection: sa.Connection) -> None:
        for subject in subjects:
            work.add(connection, "look", subject, now=now, lane=lane, run_at=now + timedelta(seconds=after_s))

    await store.write(rows)


async def rows_left(store: Store, state: str = "ready") -> int:
    return await store.read(lambda connection: work.count(connection, state))


async def until_left(store: Store, left: int) -> None:
    async with asyncio.timeout(60):
        while await rows_left(store) != left:  # noqa: ASYNC110 - what is waited for sets no event
            await asyncio.sleep(0.01)


async def test_rows_written_before_and_after_the_start_are_handled_and_deleted(store: Store, clock: HandClock):
    handler = Handler()
    await add(store, clock, "before")
    async with running(engine_with(store, clock, handler)) as engine:
        await until(lambda: handler.ended == ["before"])
        await add(store, clock, "after")
        engine.wake()
        await until(lambda: handler.ended == ["before", "after"])
        await until_left(store, 0)


async def test_rows_of_one_lane_run_in_the_order_of_writing_and_never_at_once(store: Store, clock: HandClock):
    handler = Handler()
    subjects = [str(n) for n in range(1200)]  # more than one page
    await add(store, clock, *subjects, lane="chat")
    async with running(engine_with(store, clock, handler)):
        await until(lambda: len(handler.ended) == len(subjects), 20)
    assert handler.begun == handler.ended == subjects


async def test_lanes_run_side_by_side_up_to_a_bound(store: Store, clock: HandClock):
    gate, at_once, most = asyncio.Event(), 0, 0

    async def handler(_subject: str) -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await gate.wait()
        at_once -= 1

    await add(store, clock, *(f"s{n}" for n in range(MOST_AT_ONCE + 10)))
    async with running(engine_with(store, clock, handler)):
        await until(lambda: at_once == MOST_AT_ONCE)
        gate.set()
        await until_left(store, 0)
    assert most == MOST_AT_ONCE


async def test_a_row_of_another_program_is_found_without_a_wake(store: Store, clock: HandClock):
    handler = Handler()
    async with running(engine_with(store, clock, handler)):
        await add(store, clock, "theirs")
        await until(lambda: handler.ended == ["theirs"])


async def test_a_lane_waits_for_a_row_that_is_to_be_retried_and_others_do_not(store: Store, clock: HandClock):
    handler = Handler({"1": [Retryable("later"), Retryable("later")]})
    await add(store, clock, "1", "2", lane="chat")
    await add(store, clock, "other")
    async with running(engine_with(store, clock, handler)):
        await until(lambda: handler.ended == ["other"])
        await until_attempts(store, 1)
        await clock.advance(seconds=0.6)
        await until(lambda: handler.begun.count("1") == 2)
        await until_attempts(store, 2)
        assert handler.ended == ["other"]
        await clock.advance(seconds=1.1)
        await until(lambda: handler.ended == ["other", "1", "2"])


async def test_back_off_doubles(store: Store, clock: HandClock):
    handler = Handler({"1": [Retryable()] * 3})
    await add(store, clock, "1")
    async with running(engine_with(store, clock, handler)):
        for tries, pause in enumerate((0.5, 1.0, 2.0), start=1):
            await until(lambda tries=tries: len(handler.begun) == tries)
            await until_attempts(store, tries)
            await clock.advance(seconds=pause - 0.1)
            await asyncio.sleep(0.05)
            assert len(handler.begun) == tries
            await clock.advance(seconds=0.2)
        await until(lambda: handler.ended == ["1"])


async def test_what_is_not_worth_trying_for_a_while_is_left_alone_for_so_long(store: Store, clock: HandClock):
    handler = Handler({"1": [Retryable(wait=timedelta(minutes=15))]})
    await add(store, clock, "1")
    async with running(engine_with(store, clock, handler)):
        await until_attempts(store, 1)
        await clock.advance(seconds=15 * 60 - 1)
        await asyncio.sleep(0.05)
        assert len(handler.begun) == 1
        await clock.advance(seconds=2)
        await until(lambda: handler.ended == ["1"])


async def until_attempts(store: Store, attempts: int) -> None:
    async with asyncio.timeout(60):
        while (await store.read(lambda c: work.written(c, 0)))[0].attempts != attempts:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)  # the engine goes to sleep after its write


async def test_retryable_trouble_never_sets_a_row_aside(store: Store, clock: HandClock):
    handler = Handler({"1": [Retryable()] * (MOST_FAULTS + 3)})
    await add(store, clock, "1")
    async with running(engine_with(store, clock, handler)):
        await turn_until(clock, lambda: handler.ended == ["1"])


async def turn_until(clock: HandClock, condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(100):  # only ends a hang
        while not condition():
            await clock.advance(seconds=61)
            await asyncio.sleep(0.01)


async def test_a_row_that_keeps_failing_is_set_aside_told_and_lets_its_lane_go_on(store: Store, clock: HandClock):
    handler = Handler({"bad": [ValueError("private words")] * 99})
    told: list[tuple[str, str, Reason]] = []

    async def dead_letter(kind: str, subject: str, error: Reason) -> None:
        told.append((kind, subject, error))

    await add(store, clock, "bad", "good", lane="chat")
    engine = engine_with(store, clock, handler)
    engine.on_dead_letter(dead_letter)
    async with running(engine):
        await turn_until(clock, lambda: handler.ended == ["good"])
        assert told == [("look", "bad", reason(ReasonCode.FAULT, kind="ValueError"))]
        assert handler.begun.count("bad") == MOST_FAULTS
        await until_left(store, 0)
        assert await rows_left(store, "failed") == 1


async def test_a_row_that_nobody_handles_is_set_aside(store: Store, clock: HandClock):
    told: list[str] = []

    async def dead_letter(_kind: str, subject: str, error: Reason) -> None:
        told.append(f"{subject}: {in_words(error)}")

    await add(store, clock, "1")
    engine = LocalEngine(store, clock)
    engine.on_dead_letter(dead_letter)
    async with running(engine):
        await turn_until(clock, lambda: bool(told))
    assert told == ["1: Butler itself is wrong here: nobody handles look"]


async def test_a_handler_that_cancels_itself_does_not_stop_its_lane(store: Store, clock: HandClock):
    handler = Handler({"1": [asyncio.CancelledError()]})  # type: ignore[list-item]
    await add(store, clock, "1", "2", lane="chat")
    async with running(engine_with(store, clock, handler)):
        await turn_until(clock, lambda: handler.ended == ["1", "2"])


async def test_a_delayed_row_runs_when_its_time_has_come_and_its_lane_does_not_wait(store: Store, clock: HandClock):
    handler = Handler()
    await add(store, clock, "tomorrow", lane="chat", after_s=86_400)
    await add(store, clock, "now", lane="chat")
    async with running(engine_with(store, clock, handler)):
        await until(lambda: handler.ended == ["now"])
        await clock.advance(hours=23)
        await asyncio.sleep(0.05)
        assert handler.ended == ["now"]
        await clock.advance(hours=2)
        await until(lambda: handler.ended == ["now", "tomorrow"])
        await until_left(store, 0)


async def test_a_delayed_row_that_is_retried_holds_nobody_up(store: Store, clock: HandClock):
    handler = Handler({"late": [Retryable()]})
    await add(store, clock, "late", lane="chat", after_s=10)
    async with running(engine_with(store, clock, handler)) as engine:
        await until(lambda: engine._next_due is not None)
        await clock.advance(seconds=11)
        await until(lambda: handler.begun == ["late"])
        await add(store, clock, "next", lane="chat")
        engine.wake()
        await until(lambda: handler.ended == ["next"])
        await turn_until(clock, lambda: handler.ended == ["next", "late"])


async def test_an_earlier_delayed_row_is_noticed_while_waiting_for_a_later_one(store: Store, clock: HandClock):
    handler = Handler()
    await add(store, clock, "later", after_s=100)
    async with running(engine_with(store, clock, handler)) as engine:
        await until(lambda: engine._next_due is not None)
        await add(store, clock, "sooner", after_s=50)
        engine.wake()
        await until(lambda: engine._next_due == clock.now() + timedelta(seconds=50))
        await clock.advance(seconds=60)
        await until(lambda: handler.ended == ["sooner"])
        await clock.advance(seconds=60)
        await until(lambda: handler.ended == ["sooner", "later"])


async def test_a_delayed_row_that_was_cancelled_does_not_run(store: Store, clock: HandClock):
    handler = Handler()
    await add(store, clock, "cancelled", after_s=10)
    await add(store, clock, "other", after_s=10)
    async with running(engine_with(store, clock, handler)) as engine:
        await until(lambda: engine._next_due is not None)
        await store.write(lambda c: work.cancel(c, "look", "cancelled"))
        await clock.advance(seconds=11)
        await until(lambda: handler.ended == ["other"])
        await until_left(store, 0)
    assert handler.begun == ["other"]


async def test_many_delayed_rows_come_due_together_in_the_order_of_writing(store: Store, clock: HandClock):
    handler = Handler()
    subjects = [str(n) for n in range(700)]
    await add(store, clock, *subjects, lane="chat", after_s=10)
    async with running(engine_with(store, clock, handler)) as engine:
        await until(lambda: engine._next_due is not None)
        await clock.advance(seconds=11)
        await until(lambda: len(handler.ended) == len(subjects), 20)
        await until_left(store, 0)
    assert handler.ended == subjects


async def test_what_was_running_when_the_process_died_is_handled_after_the_restart_in_order(
    lasting_url: str, tmp_path: Path, clock: HandClock
):
    first = open_store(lasting_url, data_dir=tmp_path)
    await add(first, clock, "1", "2", lane="chat")
    started = asyncio.Event()

    async def hang(_subject: str) -> None:
        started.set()
        await asyncio.Event().wait()

    async with running(engine_with(first, clock, hang)):
        await started.wait()
    await first.close()
    second, handler = open_store(lasting_url, data_dir=tmp_path), Handler()
    async with running(engine_with(second, clock, handler)):
        await until(lambda: handler.ended == ["1", "2"])
    await second.close()


async def test_after_a_restart_nothing_overtakes_a_row_that_was_to_be_retried(
    lasting_url: str, tmp_path: Path, clock: HandClock
):
    first, failing = open_store(lasting_url, data_dir=tmp_path), Handler({"1": [Retryable()] * 99})
    await add(first, clock, "1", "2", lane="chat")
    async with running(engine_with(first, clock, failing)):
        await until_attempts(first, 1)
    await first.close()
    second, handler = open_store(lasting_url, data_dir=tmp_path), Handler()
    async with running(engine_with(second, clock, handler)):
        await until(lambda: handler.ended == ["1", "2"])
    await second.close()


async def test_drain_lets_what_runs_end_and_starts_nothing_new(store: Store, clock: HandClock):
    gate, handler = asyncio.Event(), Handler()

    async def slow(subject: str) -> None:
        await handler(subject)
        await gate.wait()

    await add(store, clock, "1", "2", lane="chat")
    async with running(engine_with(store, clock, slow)) as engine:
        await until(lambda: handler.begun == ["1"])
        draining = asyncio.create_task(engine.drain(10))
        await add(store, clock, "3")
        engine.wake()
        await asyncio.sleep(0.05)
        gate.set()
        assert await draining
    assert handler.begun == ["1"]
    assert await rows_left(store) == 2


async def test_drain_tells_when_something_does_not_end(store: Store, clock: HandClock):
    handler = Handler()

    async def hang(subject: str) -> None:
        await handler(subject)
        await asyncio.Event().wait()

    await add(store, clock, "1")
    async with running(engine_with(store, clock, hang)) as engine:
        await until(lambda: handler.ended == ["1"])
        assert not await engine.drain(0.05)


async def test_drain_does_not_wait_for_a_back_off(store: Store, clock: HandClock):
    handler = Handler({"1": [Retryable()] * 99})
    await add(store, clock, "1")
    async with running(engine_with(store, clock, handler)) as engine:
        await until_attempts(store, 1)
        assert await engine.drain(2)


async def test_the_engine_outlives_an_outage_of_the_store(
    lasting_store: Store, clock: HandClock, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("butler.engine.FIRST_PAUSE_S", 0.01)
    handler, full = Handler(), True
    read, transact = lasting_store._read, lasting_store._transact

    def reading(query):
        if full:
            raise StoreFullError
        return read(query)

    def writing(jobs):
        return _Failure(StoreFullError(), None) if full else transact(jobs)

    await add(lasting_store, clock, "1", "2")
    monkeypatch.setattr(lasting_store, "_read", reading)
    monkeypatch.setattr(lasting_store, "_transact", writing)
    async with running(engine_with(lasting_store, clock, handler)):
        await asyncio.sleep(0.05)
        assert handler.begun == []
        full = False
        await until(lambda: handler.ended == ["1", "2"])
        await until_left(lasting_store, 0)


async def test_a_fault_of_who_hears_of_the_clock_stops_neither_the_engine_nor_the_others(
    store: Store, clock: HandClock
):
    handler, told, away = Handler(), list[str](), [Retryable("the store is away")] * 2

    async def fails() -> None:
        told.append("fails")
        raise KeyError("x")

    async def waits() -> None:
        told.append("waits")
        if away:
            raise away.pop()

    async def hears() -> None:
        told.append("hears")

    engine = engine_with(store, clock, handler)
    engine.on_clock_back(fails, waits, hears)
    await add(store, clock, "left")
    async with running(engine):
        await until(lambda: handler.ended == ["left"])
        while away:
            engine.wake()
            await asyncio.sleep(0.001)
        await until(lambda: not engine._not_told)
        assert told == ["fails", "waits", "hears", "waits", "waits"]
        await clock.set(minutes=-5)
        engine.wake()
        await until(lambda: told[5:] == ["fails", "waits", "hears"])
        await add(store, clock, "after")
        engine.wake()
        await until(lambda: handler.ended == ["left", "after"])
    assert told[5:] == ["fails", "waits", "hears"]
    assert engine.last_tick == clock.now()


async def test_a_delayed_row_handled_during_an_outage_of_writes_is_forgotten_once_it_is_over(
    lasting_store: Store, clock: HandClock, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("butler.engine.FIRST_PAUSE_S", 0.01)
    handler, write, full = Handler(), lasting_store.write, True
    await add(lasting_store, clock, "1", after_s=10)

    async def failing(*args, **kwargs):
        if full:
            raise StoreFullError
        return await write(*args, **kwargs)

    async with running(engine_with(lasting_store, clock, handler)) as engine:
        await until(lambda: engine._next_due is not None)
        monkeypatch.setattr(lasting_store, "write", failing)
        await clock.advance(seconds=11)
        await until(lambda: handler.ended == ["1"])
        engine.wake()  # looks again while the row is still there
        await asyncio.sleep(0.05)
        full = False
        await until_left(lasting_store, 0)
    assert handler.begun == ["1"]
