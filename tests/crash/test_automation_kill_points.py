"""The daemon dies after an event was told, while automations fire for it, and amid what they set going."""

import pytest

from tests.crash.killing import kill_at_each, label_of, play
from tests.crash.scenarios_automations import AUTOMATIONS_SCENARIO

pytestmark = [pytest.mark.crash, pytest.mark.nightly, pytest.mark.timeout(900)]

OURS = {"inbox", "automation", "propose"}
"""The commits of the way: the mail with its event, the firing with its plan, and the plan's one step."""


async def test_a_kill_amid_automations_fires_each_once(tmp_path, nurseries):
    points, deaths = await play(AUTOMATIONS_SCENARIO, tmp_path / "calm", nurseries[0], None)
    assert deaths == 0
    ours = [point for point in points if label_of(point) in OURS]
    assert {label_of(point) for point in ours} == OURS
    assert await kill_at_each(AUTOMATIONS_SCENARIO, tmp_path, nurseries, ours) >= len(ours) * 0.6
