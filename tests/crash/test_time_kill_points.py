"""The daemon dies while a reminder is made and while it is said: nothing is lost, and its time is marked once."""

import pytest

from tests.crash.killing import kill_at_each, label_of, play, sampled
from tests.crash.scenarios_time import EDIT_SCENARIO, TIME_SCENARIO

pytestmark = [pytest.mark.crash, pytest.mark.nightly, pytest.mark.timeout(900)]

OURS = {"reminder", "remind"}
"""The commits of its way: kept, and taken as said."""
TAPS = {"button", "reminder.snooze"}
"""A button's commit, and that of another time."""


async def test_a_kill_around_a_reminder_loses_nothing_and_marks_it_once(tmp_path, nurseries):
    points, deaths = await play(TIME_SCENARIO, tmp_path / "calm", nurseries[0], None)
    assert deaths == 0
    ours = [point for point in points if label_of(point) in OURS]
    assert {label_of(point) for point in ours} >= OURS
    assert await kill_at_each(TIME_SCENARIO, tmp_path, nurseries, ours) >= len(ours) * 0.8


async def test_a_kill_around_a_snooze_and_an_edit_does_each_once(tmp_path, nurseries):
    points, deaths = await play(EDIT_SCENARIO, tmp_path / "calm", nurseries[0], None)
    assert deaths == 0
    assert {label_of(point) for point in points} >= TAPS, points
    ours = sampled([point for point in points if label_of(point) in TAPS], 4)
    assert await kill_at_each(EDIT_SCENARIO, tmp_path, nurseries, ours) >= len(ours) * 0.8
