"""A clock that is set, back or forward, changes no length of time: of pauses, of polls, of ages."""

import asyncio
import time
from datetime import UTC, datetime, timedelta

import pytest

from butler.clock import RealClock
from butler.contract.clock_steps import ClockSteps
from butler.contract.last_time import LastTime
from butler.contract.module import Health
from butler.contract.polling import PollingSource, PollStep
from butler.status import describe, mark
from tests.engine.clock import HandClock
from tests.support.waiting import until

SETTINGS = (timedelta(days=-1), timedelta(hours=-1), timedelta(seconds=-1), timedelta(hours=1), timedelta(days=1))


class Counting:
    """Meets `Poll`."""

    progress = ""

    def __init__(self) -> None:
        self.steps = 0

    async def step(self) -> PollStep:
        self.steps += 1
        return PollStep()


@pytest.mark.parametrize("by", SETTINGS, ids=str)
async def test_a_poll_goes_on_at_its_pace_and_its_age_stays_true(by: timedelta) -> None:
    clock, poll = HandClock(), Counting()
    source = PollingSource("calendar.user", poll, clock, every_s=60)
    running = asyncio.create_task(source.run())
    await until(lambda: poll.steps == 1)
    await clock.advance(seconds=20)
    await clock.set(seconds=by.total_seconds())
    health, now = source.health(), clock.now()
    assert (health.age_s(now), health.is_alive(now)) == (20.0, True)
    await asyncio.sleep(0.01)
    assert poll.steps == 1
    await clock.advance(seconds=41)
    await until(lambda: poll.steps == 2)
    assert source.health().age_s(clock.now()) == 0.0
    running.cancel()


async def test_a_pause_of_the_real_clock_does_not_wait_by_the_wall_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = RealClock()
    monkeypatch.setattr(RealClock, "now", lambda _: datetime(1970, 1, 1, tzinfo=UTC))
    began = time.monotonic()
    await clock.sleep(0.05)
    assert time.monotonic() - began >= 0.05
    await clock.sleep(-3600)


async def test_a_step_is_seen_once_and_time_that_passes_is_none() -> None:
    clock = HandClock()
    steps = ClockSteps(clock)
    await clock.advance(hours=3)
    assert not steps.look()
    for by in SETTINGS:
        await clock.set(seconds=by.total_seconds())
        await clock.advance(seconds=1)
        assert (steps.look(), steps.look()) == (by, timedelta())


def test_a_process_that_was_stopped_between_two_readings_has_seen_no_step() -> None:
    """SIGSTOP strikes anywhere; the clocks are read again then."""

    class Stopped(HandClock):
        stops = 0.0

        def now(self) -> datetime:
            self._passed += self.stops
            self._now += timedelta(seconds=self.stops)
            self.stops = 0.0
            return super().now()

    clock = Stopped()
    steps = ClockSteps(clock)
    clock.stops = 3600.0
    assert not steps.look()


async def test_an_age_is_told_by_the_clock_as_it_is_now() -> None:
    clock = HandClock()
    last = LastTime(clock)
    assert (last.at, last.age_s) == (None, None)
    last.note()
    noted = clock.now()
    await clock.advance(seconds=30)
    assert (last.at, last.age_s) == (noted, 30.0)
    await clock.set(days=-1)
    assert (last.at, last.age_s) == (noted - timedelta(days=1), 30.0)


def test_a_round_trip_that_lies_ahead_is_no_sign_of_life() -> None:
    now = datetime(2026, 7, 30, 12, tzinfo=UTC)
    ahead = Health(now + timedelta(hours=1), stale_after_s=60)
    assert not ahead.is_alive(now)
    assert (mark(ahead, now), describe(ahead, now)) == ("🔴", "no round trip yet")
    assert Health(now, stale_after_s=60).is_alive(now - timedelta(seconds=0.2))
