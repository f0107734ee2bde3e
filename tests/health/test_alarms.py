"""A full disk, a growing process, an engine that hangs and a clock that jumped are told of, once while they last."""

import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from butler.health import alarms
from butler.health.alarms import MB, Alarms, resident
from config.health import HealthSettings
from tests.approvals.phone import TestClock


class Machine:
    def __init__(self) -> None:
        self.clock = TestClock()
        self.free, self.held = 10_000 * MB, 200 * MB
        self.tick: datetime | None = self.clock.now()
        self.told: list[tuple[str, str]] = []
        self.alarms = Alarms(
            self.clock,
            HealthSettings(),
            alarms.Machine(Path("/"), lambda: self.tick, lambda _path: self.free, lambda: self.held),
            self.tell,
        )

    async def tell(self, key: str, sentence: str) -> None:
        self.told.append((key, sentence))


async def test_all_is_well_and_nothing_is_told() -> None:
    machine = Machine()
    await machine.alarms.look()
    machine.tick = None
    await machine.alarms.look()
    assert machine.told == []


async def test_a_full_disk_is_told_once_until_there_is_enough_room_again() -> None:
    machine = Machine()
    for free in (499, 400, 510, 450, 700, 499):
        machine.free = free * MB
        await machine.alarms.look()
    assert [sentence for _, sentence in machine.told] == [
        "Only 499 MB are free on the disk where I keep my data",
        "Only 499 MB are free on the disk where I keep my data",
    ]


async def test_a_process_that_grows_is_told_once() -> None:
    machine = Machine()
    for held in (1600, 1700, 1490, 1600, 900, 1600):
        machine.held = held * MB
        await machine.alarms.look()
    assert [key for key, _ in machine.told] == ["alarm:memory", "alarm:memory"]


async def test_an_engine_that_looks_for_no_work_is_told_once() -> None:
    machine = Machine()
    machine.clock.turn(seconds=121)
    await machine.alarms.look()
    machine.clock.turn(seconds=121)
    await machine.alarms.look()
    assert machine.told == [("alarm:engine", "I have not looked for work for 121 s")]


async def test_a_clock_that_jumped_is_told_with_how_far() -> None:
    machine = Machine()
    await machine.alarms.look(timedelta(hours=2))
    await machine.alarms.look(timedelta(hours=-1))
    (_, ahead), (_, back) = machine.told
    assert "jumped by +120 minutes" in ahead
    assert "set back by 60 minutes" in back


async def test_a_machine_that_slept_is_not_told_as_an_engine_that_hangs_unless_it_does_so_afterwards() -> None:
    machine = Machine()
    machine.clock.turn(hours=8)
    await machine.alarms.look(timedelta(hours=8))
    assert [key.split(":")[1] for key, _ in machine.told] == ["clock"]
    await machine.alarms.look()
    assert machine.told[1:] == [("alarm:engine", "I have not looked for work for 28800 s")]


def test_memory_is_counted_in_pages_as_large_as_those_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    def large(_name: str) -> int:
        return 65536

    held = resident()
    monkeypatch.setattr(os, "sysconf", large)
    assert resident() > 4 * held


def test_the_memory_of_this_process_is_known() -> None:
    assert resident() > 10 * MB
