"""The demo's calendar and boards, asked for in chat: what a tap approves is what stands there afterwards, no more."""

from typing import Any

import pytest

from butler_demo.daemon import Daemon
from butler_demo.people import OWNER
from butler_demo.world import World
from demo.tests.playing import play


def event(world: World, title: str) -> dict[str, Any]:
    found = [one for one in world.calendar.events(OWNER.email) if one.get("summary") == title]
    assert len(found) == 1, found
    return found[0]


def lists(world: World, name: str) -> dict[str, list[str]]:
    """The names of the open cards of a board by their list."""
    names = {one["id"]: one["name"] for one in world.trello.lists(world.boards[name])}
    found: dict[str, list[str]] = {name: [] for name in names.values()}
    for card in world.trello.cards(world.boards[name]):
        if not card["closed"]:
            found[names[card["idList"]]].append(card["name"])
    return found


@pytest.mark.nightly
async def test_an_event_is_found_moved_by_a_tap_and_keeps_its_length_and_day(world: World, daemon: Daemon) -> None:
    before = event(world, "Dinner with Anna")
    day = before["start"]["dateTime"][:10]
    await play(
        world,
        daemon,
        'say "move dinner with Anna to 8pm"\nexpect bot "Dinner with Anna" "20:00"\nexpect pending 1\n'
        'tap "Approve"\nexpect event "Dinner with Anna" "T20:00"\nexpect pending 0',
    )
    after = event(world, "Dinner with Anna")
    assert (after["start"]["dateTime"][:16], after["end"]["dateTime"][:16]) == (f"{day}T20:00", f"{day}T22:30")
    assert after["attendees"] == before["attendees"]


async def test_a_new_event_is_made_once_and_only_after_a_yes(world: World, daemon: Daemon) -> None:
    count = len(world.calendar.events(OWNER.email))
    await play(
        world,
        daemon,
        'say "add haircut on 5 May at 3pm for half an hour"\nexpect bot "Haircut" "15:00"\nexpect nothing within 1\n'
        'tap "Deny"\nexpect pending 0\n'
        'say "add haircut on 5 May at 3pm for half an hour"\nexpect pending 1\ntap "Approve"\nexpect bot "Done at"',
    )
    assert len(world.calendar.events(OWNER.email)) == count + 1
    made = event(world, "Haircut")
    assert made["start"]["dateTime"][5:16] == "05-05T15:00"
    assert made["end"]["dateTime"][5:16] == "05-05T15:30"


async def test_all_cards_of_a_list_are_moved_by_one_tap(world: World, daemon: Daemon) -> None:
    before = lists(world, "Home")
    await play(
        world,
        daemon,
        'say "what is on the list Doing?"\nexpect bot "Sort the cellar" "Mend the bicycle"\n'
        'say "move all cards in Doing to Done on Home"\nexpect bot "How many: 2"\ntap "Approve"\n'
        'expect bot "Cards moved: 2 of 2"\nexpect card "Home | Done | Mend the bicycle"',
    )
    moved = lists(world, "Home")
    assert moved["Doing"] == []
    assert set(moved["Done"]) == {*before["Done"], *before["Doing"]}


@pytest.mark.nightly
async def test_another_tap_puts_them_back_where_they_were(world: World, daemon: Daemon) -> None:
    before = lists(world, "Home")
    await play(
        world,
        daemon,
        'say "move all cards in Doing to Done on Home"\nexpect bot "How many: 2"\ntap "Approve"\n'
        'expect bot "Cards moved: 2 of 2"\ntap "Undo"\nexpect bot "Cards put back: 2 of 2"',
    )
    assert lists(world, "Home") == before


@pytest.mark.nightly
async def test_what_fits_several_is_listed_and_nothing_is_done(world: World, daemon: Daemon) -> None:
    before = world.calendar.events(OWNER.email)
    await play(
        world,
        daemon,
        'say "cancel my meeting with Bob"\nexpect bot "Lunch with Bob" "More than one fits"\nexpect pending 0\n'
        'say "what is on tomorrow?"\nexpect bot "2"',
    )
    assert world.calendar.events(OWNER.email) == before


@pytest.mark.nightly
async def test_a_script_says_what_stands_there_instead(world: World, daemon: Daemon) -> None:
    with pytest.raises(AssertionError, match="0 hold these words; there are"):
        await play(world, daemon, 'expect card "Home | Done | Sort the cellar" within 1')


@pytest.mark.nightly
async def test_what_was_just_made_is_it(world: World, daemon: Daemon) -> None:
    made = 'expect pending 1\ntap "Approve"\nexpect pending 0\nexpect bot "Done at"\nexpect nothing within 1\n'
    await play(
        world,
        daemon,
        f'say "add a card Sharpen the knives to To Do on Home"\n{made}'
        'say "move it to Doing"\nexpect bot "Sharpen the knives" "Doing"\n'
        'expect pending 1\ntap "Approve"\nexpect bot "Cards moved: 1 of 1"',
    )
    assert "Sharpen the knives" in lists(world, "Home")["Doing"]
    await play(
        world,
        daemon,
        f'say "add haircut on 5 May at 3pm for half an hour"\n{made}'
        'say "move it to 4pm"\nexpect bot "Haircut" "16:00"\n'
        'expect pending 1\ntap "Approve"\nexpect event "Haircut" "T16:00"',
    )
