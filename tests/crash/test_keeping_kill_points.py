"""The daemon dies between the portions of what goes at night: nothing that is kept is lost."""

import pytest

from tests.crash.killing import kill_at_each, label_of, play
from tests.crash.scenarios_keeping import KEEPING_SCENARIO

pytestmark = [pytest.mark.crash, pytest.mark.nightly, pytest.mark.timeout(900)]


async def test_a_kill_between_the_portions_loses_nothing_that_is_kept(tmp_path, nurseries):
    points, deaths = await play(KEEPING_SCENARIO, tmp_path / "calm", nurseries[0], None)
    assert deaths == 0
    ours = [point for point in points if label_of(point).startswith("keep.") and label_of(point) != "keep.begin"]
    assert {label_of(point) for point in ours} >= {"keep.inbox", "keep.plans", "keep.done"}
    first = [point for point in ours if point.endswith("#1")]
    assert await kill_at_each(KEEPING_SCENARIO, tmp_path, nurseries, first) >= len(first) * 0.8
