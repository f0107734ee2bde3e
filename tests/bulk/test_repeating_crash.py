"""A recurring rule through deaths of the process: each of its times is settled once, whatever was interrupted."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from butler.store.queries.bulk import RunState
from tests.approvals.house import create_tables
from tests.approvals.second import Killed
from tests.bulk.repeat_house import Mortal, RepeatHouse, text_of
from tests.bulk.shelf import Shelf

COMMITS = 30
"""More than one time of a rule takes; a test holds that."""


@pytest.fixture
async def mortal(tmp_path: Path) -> AsyncIterator[Mortal]:
    store = Mortal(f"sqlite:///{tmp_path}/butler.db")
    create_tables(store)
    yield store
    await store.close()


async def test_a_time_of_a_rule_has_fewer_commits_than_are_tried(mortal: Mortal) -> None:
    house = RepeatHouse(mortal, Shelf.of(30))
    await house.ruled()
    mortal.count = 0
    await house.next()
    assert 5 < mortal.count < COMMITS


@pytest.mark.parametrize("after", [False, True])
async def test_a_death_at_any_commit_leaves_one_run_for_each_time(mortal: Mortal, *, after: bool) -> None:
    house = RepeatHouse(mortal, Shelf.of(30))
    await house.ruled()
    for number in range(1, COMMITS):
        house.shelf.things = dict.fromkeys(house.shelf.things, True)
        await house.due_now()
        mortal.left, mortal.after = number, after
        try:
            await house.run()
        except Killed:
            house.restart()
        mortal.left = -1
        await house.run()
        begun = await house.begun()
        assert len(begun) == number
        assert begun[-1].state is RunState.DONE
        assert not any(house.shelf.things.values())
        assert (await house.rule()).uses == number
    assert await house.outcomes() == ["begun"] * (COMMITS - 1)
    assert len([one for one in await house.messages() if "By your rule 1" in text_of(one)]) == COMMITS - 1


@pytest.mark.parametrize("after", [False, True])
async def test_a_death_while_a_rule_is_made_makes_one(mortal: Mortal, *, after: bool) -> None:
    house = RepeatHouse(mortal, Shelf.of(30))
    await house.ordered()
    await house.tap("Approve")
    house.clock.turn(seconds=10)
    mortal.left, mortal.after = 2, after  # the attempt's row is the first
    with pytest.raises(Killed):
        await house.run()
    mortal.left = -1
    house.restart()
    await house.run()
    assert (await house.rule()).number == 1
    await house.next()
    assert len(await house.begun()) == 1
