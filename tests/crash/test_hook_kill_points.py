"""The daemon dies after a webhook was stored and before its sender knows, before it is acted on, and amid that."""

import pytest

from tests.crash.killing import kill_at_each, label_of, play
from tests.crash.scenarios_alerts import ALERTS_SCENARIO

pytestmark = [pytest.mark.crash, pytest.mark.nightly, pytest.mark.timeout(900)]

OURS = {"hook", "event", "alert", "hook_settled"}
"""The commits of a webhook's way: it is stored, told as events, told the owner, and done with."""


async def test_a_kill_amid_webhooks_tells_each_alert_once(tmp_path, nurseries):
    points, deaths = await play(ALERTS_SCENARIO, tmp_path / "calm", nurseries[0], None)
    assert deaths == 0
    ours = [point for point in points if label_of(point) in OURS]
    assert {label_of(point) for point in ours} == OURS
    first = [point for point in ours if point.endswith("#1")]
    assert await kill_at_each(ALERTS_SCENARIO, tmp_path, nurseries, first) >= len(first) * 0.8
