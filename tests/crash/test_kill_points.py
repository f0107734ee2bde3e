"""The daemon is killed with SIGKILL at commits and provider calls of a scenario, and started again.

The scenarios that everything rests on are killed at each kind of commit and call; with BUTLER_EVERY_POINT=1
(`make crash`) before and after every single one.
"""

import os

import pytest

from tests.crash.killing import (
    a_few,
    amid_a_call,
    amid_acts,
    amid_bulk,
    amid_feeds,
    amid_polls,
    amid_the_day,
    amid_updates,
    done_with_a_card,
    kill_at_each,
    play,
    sampled,
    worth_killing_at,
)
from tests.crash.scenarios import SCENARIOS
from tests.crash.scenarios_accounts import ACCOUNT_SCENARIOS
from tests.crash.scenarios_approvals import APPROVAL_SCENARIOS
from tests.crash.scenarios_boards import BOARD_SCENARIO
from tests.crash.scenarios_bulk import BULK_SCENARIO
from tests.crash.scenarios_day import DAY_SCENARIO
from tests.crash.scenarios_feeds import FEEDS_SCENARIO
from tests.crash.scenarios_hooks import WEBHOOK_SCENARIO
from tests.crash.scenarios_polls import POLLS_SCENARIO
from tests.crash.scenarios_servers import CALL_SCENARIO, QDRANT_SCENARIO
from tests.support.nightly import all_but_the_first

pytestmark = [pytest.mark.crash, pytest.mark.timeout(900)]


EVERY_POINT = bool(os.environ.get("BUTLER_EVERY_POINT"))
MOST_OF_THE_BASE = 14
"""Of the scenarios that everything rests on; each label is among them, however many those are."""
MOST_POINTS = 12
"""The same of what is done with a card."""
MOST_OF_A_CALL = 10
"""From the words to the link that is sent; each label is among them."""
MOST_OF_A_WEBHOOK = 8
"""Of what Telegram sends; each label is among them."""
MOST_OF_THE_DAY = 6
"""Of digests and answers that are waited for."""
MOST_COMMITS = 6
"""Of what the feeds bring."""
FEW = 6
"""What every run of the suite takes of a sample; the rest is for the night."""


@pytest.mark.parametrize("scenario", all_but_the_first([SCENARIOS[0], APPROVAL_SCENARIOS[0]]), ids=lambda s: s.name)
async def test_a_kill_around_an_act_loses_nothing_and_does_nothing_twice(scenario, tmp_path, nurseries):
    points = amid_acts(await points_of(scenario, tmp_path, nurseries))
    assert any(p.startswith("after-call:") for p in points)
    assert any(p.startswith("after-commit:") for p in points)
    await dies_at(scenario, a_few(points, FEW), tmp_path, nurseries, at_least=0.5)


@pytest.mark.nightly
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.name)
async def test_a_kill_at_any_point_loses_nothing_and_does_nothing_twice(scenario, tmp_path, nurseries):
    points = await points_of(scenario, tmp_path, nurseries)
    assert any(p.startswith("after-call:") for p in points)
    assert any(p.startswith("after-commit:") for p in points)
    points = worth_killing_at(points)
    await dies_at(scenario, points if EVERY_POINT else sampled(points, MOST_OF_THE_BASE), tmp_path, nurseries)


@pytest.mark.nightly
@pytest.mark.parametrize("scenario", APPROVAL_SCENARIOS, ids=lambda s: s.name)
async def test_a_kill_between_what_is_done_with_a_card_leaves_it_true(scenario, tmp_path, nurseries):
    points = await points_of(scenario, tmp_path, nurseries)
    await dies_at(scenario, sampled(done_with_a_card(points), MOST_POINTS), tmp_path, nurseries)


@pytest.mark.nightly
@pytest.mark.parametrize("scenario", [*ACCOUNT_SCENARIOS, BOARD_SCENARIO, QDRANT_SCENARIO], ids=lambda s: s.name)
async def test_a_kill_amid_an_act_in_the_persons_accounts_doubles_and_loses_nothing(scenario, tmp_path, nurseries):
    points = await points_of(scenario, tmp_path, nurseries)
    await dies_at(scenario, amid_acts(points), tmp_path, nurseries)


@pytest.mark.nightly
async def test_a_kill_amid_a_call_opens_one_room_and_sends_one_link(tmp_path, nurseries):
    points = await points_of(CALL_SCENARIO, tmp_path, nurseries)
    points = done_with_a_card(points) if EVERY_POINT else amid_a_call(points, MOST_OF_A_CALL)
    await dies_at(CALL_SCENARIO, points, tmp_path, nurseries)


@pytest.mark.nightly
async def test_a_kill_amid_what_comes_in_keeps_it_once_and_makes_it_no_request(tmp_path, nurseries):
    points = await points_of(FEEDS_SCENARIO, tmp_path, nurseries)
    await dies_at(FEEDS_SCENARIO, amid_feeds(points, MOST_COMMITS), tmp_path, nurseries)


@pytest.mark.nightly
async def test_a_kill_amid_what_is_polled_keeps_it_and_tells_it_once(tmp_path, nurseries):
    points = await points_of(POLLS_SCENARIO, tmp_path, nurseries)
    await dies_at(POLLS_SCENARIO, amid_polls(points, MOST_COMMITS), tmp_path, nurseries)


@pytest.mark.nightly
async def test_a_kill_amid_what_telegram_sends_loses_no_update_and_takes_each_once(tmp_path, nurseries):
    points = amid_updates(await points_of(WEBHOOK_SCENARIO, tmp_path, nurseries))
    assert any("hook_settled" in point for point in points)
    points = points if EVERY_POINT else sampled(points, MOST_OF_A_WEBHOOK)
    await dies_at(WEBHOOK_SCENARIO, points, tmp_path, nurseries)


@pytest.mark.nightly
async def test_a_kill_amid_what_is_told_of_the_day_tells_each_thing_once(tmp_path, nurseries):
    points = amid_the_day(await points_of(DAY_SCENARIO, tmp_path, nurseries))
    assert any("wait.overdue" in point for point in points)
    await dies_at(DAY_SCENARIO, points if EVERY_POINT else sampled(points, MOST_OF_THE_DAY), tmp_path, nurseries)


@pytest.mark.nightly
async def test_a_kill_amid_many_mails_does_each_once_and_undoes_exactly(tmp_path, nurseries):
    points = await points_of(BULK_SCENARIO, tmp_path, nurseries)
    assert any("bulk.settle" in point for point in points)
    await dies_at(BULK_SCENARIO, amid_bulk(points), tmp_path, nurseries)


async def points_of(scenario, folder, nurseries):
    """What a run passes that is left alone."""
    points, deaths = await play(scenario, folder / "calm", nurseries[0], None)
    assert deaths == 0
    return points


async def dies_at(scenario, points, folder, nurseries, at_least=0.8):
    """Each point is tried; one that depends on timing may be missed now and then, most are met."""
    killed = await kill_at_each(scenario, folder, nurseries, points)
    assert killed >= len(points) * at_least
