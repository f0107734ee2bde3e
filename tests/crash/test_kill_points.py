"""The daemon is killed with SIGKILL at every commit and every provider call of a scenario, and started again."""

import pytest

from tests.crash.household import Nursery
from tests.crash.killing import kill_at_each, play, sampled, worth_killing_at
from tests.crash.scenarios import SCENARIOS
from tests.crash.scenarios_approvals import APPROVAL_SCENARIOS

pytestmark = [pytest.mark.crash, pytest.mark.timeout(900)]


SIDE_BY_SIDE = 4
MOST_POINTS = 20
"""Of what is done with a card; each label is among them, however many those are."""


@pytest.fixture
async def nurseries():
    nurseries = [Nursery() for _ in range(SIDE_BY_SIDE)]
    yield nurseries
    for nursery in nurseries:
        nursery.close()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.name)
async def test_a_kill_at_any_point_loses_nothing_and_does_nothing_twice(scenario, tmp_path, nurseries):
    points, deaths = await play(scenario, tmp_path / "calm", nurseries[0], None)
    assert deaths == 0
    assert any(p.startswith("after-call:") for p in points)
    assert any(p.startswith("after-commit:") for p in points)
    points = worth_killing_at(points)
    killed = await kill_at_each(scenario, tmp_path, nurseries, points)
    # A point that depends on timing may be missed now and then; most are met.
    assert killed >= len(points) * 0.8


@pytest.mark.parametrize("scenario", APPROVAL_SCENARIOS, ids=lambda s: s.name)
async def test_a_kill_between_what_is_done_with_a_card_leaves_it_true(scenario, tmp_path, nurseries):
    points, deaths = await play(scenario, tmp_path / "calm", nurseries[0], None)
    assert deaths == 0
    chosen = sampled(points, MOST_POINTS)
    killed = await kill_at_each(scenario, tmp_path, nurseries, chosen)
    assert killed >= len(chosen) * 0.8
