"""The daemon dies around the time at which something approved for later is sent: it is sent once all the same."""

import pytest

from tests.crash.killing import kill_at_each, label_of, play
from tests.crash.scenarios_later import LATER_SCENARIO

pytestmark = [pytest.mark.crash, pytest.mark.nightly, pytest.mark.timeout(900)]

OURS = {"propose", "approval.tap", "approval.claim", "approval.end"}
"""The commits of its way: asked for, approved, begun, and done with."""


async def test_a_kill_around_its_time_sends_it_once(tmp_path, nurseries):
    points, deaths = await play(LATER_SCENARIO, tmp_path / "calm", nurseries[0], None)
    assert deaths == 0
    ours = [point for point in points if label_of(point) in OURS or "telegram" in point]
    assert {label_of(point) for point in ours} >= OURS
    first = [point for point in ours if point.endswith("#1")]
    assert await kill_at_each(LATER_SCENARIO, tmp_path, nurseries, first) >= len(first) * 0.8
