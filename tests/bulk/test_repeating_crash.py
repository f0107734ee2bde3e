"""A recurring rule through deaths of the process: each of its times is settled once, whatever was interrupted."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from butler.store.queries.bulk import RunState
from tests.approvals.harness import create_tables
from tests.approvals.second_channel import Killed
from tests.bulk.repeat_harness import Mortal, RepeatHarness, text_of
from tests.bulk.stub_provider import StubProvider

COMMITS = 30
"""More than one time of a rule takes; a test holds that."""


@pytest.fixture
async def mortal(tmp_path: Path) -> AsyncIterator[Mortal]:
    store = Mortal(f"sqlite:///{tmp_path}/butler.db")
    create_tables(store)
    yield store
    await store.close()


async def test_a_time_of_a_rule_has_fewer_commits_than_are_tried(mortal: Mortal) -> None:
    harness = RepeatHarness(mortal, StubProvider.of(30))
    await harness.ruled()
    mortal.count = 0
    await harness.next()
    assert 5 < mortal.count < COMMITS


@pytest.mark.parametrize("after", [False, True])
async def test_a_death_at_any_commit_leaves_one_run_for_each_time(mortal: Mortal, *, after: bool) -> None:
    harness = RepeatHarness(mortal, StubProvider.of(30))
    await harness.ruled()
    for number in range(1, COMMITS):
        harness.shelf.things = dict.fromkeys(harness.shelf.things, True)
        await harness.due_now()
        mortal.left, mortal.after = number, after
        try:
            await harness.run()
        except Killed:
            harness.restart()
        mortal.left = -1
        await harness.run()
        begun = await harness.begun()
        assert len(begun) == number
        assert begun[-1].state is RunState.DONE
        assert not any(harness.shelf.things.values())
        assert (await harness.rule()).uses == number
    assert await harness.outcomes() == ["begun"] * (COMMITS - 1)
    assert len([one for one in await harness.messages() if "By your rule 1" in text_of(one)]) == COMMITS - 1


@pytest.mark.parametrize("after", [False, True])
async def test_a_death_while_a_rule_is_made_makes_one(mortal: Mortal, *, after: bool) -> None:
    harness = RepeatHarness(mortal, StubProvider.of(30))
    await harness.ordered()
    await harness.tap("Approve")
    harness.clock.turn(seconds=10)
    mortal.left, mortal.after = 2, after  # the attempt's row is the first
    with pytest.raises(Killed):
        await harness.run()
    mortal.left = -1
    harness.restart()
    await harness.run()
    assert (await harness.rule()).number == 1
    await harness.next()
    assert len(await harness.begun()) == 1
