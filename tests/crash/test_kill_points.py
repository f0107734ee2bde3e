"""The daemon is killed with SIGKILL at every commit and every provider call of a scenario, and started again."""

import asyncio

import pytest

from butler.store.queries import audit
from butler.store.store import Store
from tests.crash.household import Household, Nursery
from tests.crash.scenarios import SCENARIOS, nothing_is_broken

pytestmark = [pytest.mark.crash, pytest.mark.timeout(900)]


SIDE_BY_SIDE = 4


@pytest.fixture
async def nurseries():
    nurseries = [Nursery() for _ in range(SIDE_BY_SIDE)]
    yield nurseries
    for nursery in nurseries:
        nursery.close()


async def play(scenario, folder, nursery, kill_at):
    folder.mkdir()
    async with Household(folder, nursery, kill_at) as home:
        await scenario.play(home)
        await nothing_is_broken(home)
        points = home.points() if home.deaths == 0 else []
        deaths = home.deaths
    store = Store(f"sqlite:///{folder}/data/butler.db")
    try:
        assert await store.read(audit.verify) is None
    finally:
        await store.close()
    return points, deaths


def worth_killing_at(points):
    """Every point once; of the look into the mailbox that comes again every second, the first two."""
    kept = dict.fromkeys(p for p in points if "inbox.news" not in p or p.endswith(("#1", "#2")))
    return list(kept)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.name)
async def test_a_kill_at_any_point_loses_nothing_and_does_nothing_twice(scenario, tmp_path, nurseries):
    points, deaths = await play(scenario, tmp_path / "calm", nurseries[0], None)
    assert deaths == 0
    assert any(p.startswith("after-call:") for p in points)
    assert any(p.startswith("after-commit:") for p in points)
    waiting = list(enumerate(worth_killing_at(points)))
    killed = 0

    async def work(nursery):
        nonlocal killed
        while waiting:
            number, point = waiting.pop()
            _, deaths = await play(scenario, tmp_path / f"kill-{number}", nursery, point)
            killed += deaths

    async with asyncio.TaskGroup() as group:
        for nursery in nurseries:
            group.create_task(work(nursery))
    # A point that depends on timing may be missed now and then; most are met.
    assert killed >= len(worth_killing_at(points)) * 0.8
