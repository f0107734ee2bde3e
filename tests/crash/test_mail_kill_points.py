"""The daemon is killed amid a mail that it takes in and puts away: none is lost, kept twice or moved twice."""

import pytest

from tests.crash.killing import kill_at_each, label_of, play
from tests.crash.scenarios_mail import LABELS, MAIL_SCENARIO

pytestmark = [pytest.mark.crash, pytest.mark.timeout(300)]


@pytest.mark.parametrize(
    "moments",
    [pytest.param(("after",), id="after"), pytest.param(("before",), marks=pytest.mark.nightly, id="before")],
)
async def test_a_kill_amid_a_mail_that_comes_in_and_is_put_away_keeps_and_moves_it_once(moments, tmp_path, nurseries):
    points, deaths = await play(MAIL_SCENARIO, tmp_path / "calm", nurseries[0], None)
    assert deaths == 0
    chosen = [point for point in amid_the_last(points) if point.startswith(moments)]
    assert len(chosen) == len(LABELS)
    assert await kill_at_each(MAIL_SCENARIO, tmp_path, nurseries, chosen) >= len(chosen) * 0.5


def amid_the_last(points):
    """Before and after the last passage of each step."""
    last = {}
    for point in points:
        if label_of(point).startswith(LABELS) and label_of(point).removesuffix(".v1") in LABELS:
            last[point.partition(":")[0], label_of(point)] = point
    return list(last.values())
