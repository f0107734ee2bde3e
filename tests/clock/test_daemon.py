"""The wall clock is set under the running daemon: polls, undo windows, health, reminders and what the owner hears."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from butler_demo.world import World
from tests.clock.machine import LIBRARY, Machine

HOUR, DAY = 3600.0, 86_400.0
UNDO_S = 3.0
LATE = "I'll be {minutes} minutes late"

pytestmark = [
    pytest.mark.skipif(LIBRARY is None, reason="libfaketime is not installed; scripts/install-services.sh does that"),
    pytest.mark.timeout(600),
]


@asynccontextmanager
async def running(folder: Path, monkeypatch: pytest.MonkeyPatch, by_s: float = 0) -> AsyncGenerator[Machine]:
    """A daemon that starts while the machine's clock is so many seconds beside the true time."""
    world = World(folder)
    await world.start()
    machine = Machine(world, monkeypatch, undo_window=f"{UNDO_S:g}s")
    machine.set(by_s)
    try:
        await machine.daemon.start()
        yield machine
    finally:
        await machine.daemon.stop()
        await world.stop()


@pytest.fixture
async def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Machine]:
    async with running(tmp_path, monkeypatch) as machine:
        yield machine


async def approve(machine: Machine, minutes: int) -> tuple[str, float]:
    """Have a message approved; its words, and when the yes was given."""
    words = LATE.format(minutes=minutes)
    await machine.play(f'say "tell Anna on Telegram that {words}"\nexpect bot "Anna" "{minutes} minutes" within 90\n')
    tapped = time.monotonic()
    await machine.play(f'tap "Approve"\nexpect bot "Sending" "{minutes} minutes" within 90\n')
    return words, tapped


def is_sent(machine: Machine, words: str) -> bool:
    return [words in str(one) for one in machine.world.sent_telegrams()].count(True) == 1


def reminded(machine: Machine) -> list[str]:
    """The reminders that came due."""
    return [one for one in machine.said if one.startswith("⏰") and "I will remind you" not in one]


async def looks_well(machine: Machine) -> None:
    """All channels go on completing round trips, none of them in the future."""
    began = time.monotonic()
    while True:
        page = await machine.health()
        channels = page.get("channels", {})
        assert all(one["last_ok_s_ago"] is None or one["last_ok_s_ago"] >= 0 for one in channels.values()), page
        # Younger than this look: the poll of the mailbox goes on by itself.
        if page.get("ok") and channels["email.bot"]["last_ok_s_ago"] < time.monotonic() - began:
            return
        assert time.monotonic() - began < 120, page
        await asyncio.sleep(0.2)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(((10, HOUR),), id="once"),
        pytest.param(((10, 1.0), (20, HOUR), (30, DAY)), id="again and again"),
    ],
)
async def test_a_clock_set_back_stops_nothing(machine: Machine, settings: tuple[tuple[int, float], ...]) -> None:
    for minutes, back in settings:
        words, tapped = await approve(machine, minutes)
        machine.set(-back)
        await machine.until(lambda words=words: is_sent(machine, words), f"a sent message after -{back:g} s", 90)
        assert time.monotonic() - tapped >= UNDO_S
        await looks_well(machine)
        # What is beside the true time by a day then was beside it by an hour before.
        told = {HOUR: "set back by 60 minutes", DAY: "set back by 1380 minutes"}.get(back, "")
        await machine.told(told)
    await machine.play('say "help"\nexpect bot "Jeeves" within 90\n')


@pytest.mark.nightly
async def test_a_clock_set_forward_ends_no_time_to_undo_and_says_a_reminder_once(machine: Machine) -> None:
    await machine.play('say "remind me in 20 hours to stretch"\nexpect bot "remind you" "stretch" within 90\n')
    words, tapped = await approve(machine, 40)
    machine.set(DAY)
    await machine.until(lambda: is_sent(machine, words), "a sent message")
    assert time.monotonic() - tapped >= UNDO_S
    await machine.told("⏰ (late")
    await machine.told("jumped by +1440 minutes")
    await looks_well(machine)
    machine.set(0)
    await machine.told("set back by 1440 minutes")
    await looks_well(machine)
    assert len([one for one in machine.said if one.startswith("⏰ (late")]) == 1, machine.said


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("switch", "then"),
    [
        pytest.param(datetime(2027, 3, 28, 1, tzinfo=UTC), "03:2", id="begins"),
        pytest.param(datetime(2027, 10, 31, 1, tzinfo=UTC), "02:2", id="ends"),
    ],
)
async def test_summer_time_begins_and_ends_under_the_running_daemon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, switch: datetime, then: str
) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")

    def beside(moment: datetime) -> float:
        return (moment - datetime.now(UTC)).total_seconds()

    async with running(tmp_path, monkeypatch, beside(switch - timedelta(minutes=4))) as machine:
        await machine.play('say "remind me in 25 minutes to stretch"\nexpect bot "remind you" "stretch" within 90\n')
        assert any(then in one for one in machine.said), machine.said
        words, tapped = await approve(machine, 60)
        machine.set(beside(switch + timedelta(seconds=1)))
        await machine.until(lambda: is_sent(machine, words), "a message sent over the change")
        assert time.monotonic() - tapped >= UNDO_S
        await looks_well(machine)
        assert not reminded(machine), "the change of the offset is no passing of time"
        machine.set(beside(switch + timedelta(minutes=22)))
        await machine.until(lambda: reminded(machine), "the reminder")
        await looks_well(machine)
        await machine.play('say "help"\nexpect bot "Jeeves" within 90\n')
        assert len(reminded(machine)) == 1, machine.said


@pytest.mark.nightly
async def test_a_stopped_process_goes_on_and_tells_of_no_clock(machine: Machine) -> None:
    words, _ = await approve(machine, 50)
    await machine.stop_for(2 * UNDO_S)
    await machine.until(lambda: is_sent(machine, words), "a sent message")
    await looks_well(machine)
    assert not [one for one in machine.said if "The clock of my machine" in one]
    assert "clock_was_set" not in machine.daemon.log_path.read_text("utf-8")
