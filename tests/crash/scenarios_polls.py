"""What changes in the person's calendar, files and boards: kept as it is there, and told once, whenever it died."""

import json
from collections import Counter
from datetime import timedelta

from butler_demo.people import OWNER
from tests.crash.scenarios import Scenario

FIRST, SECOND = "Chimney sweep", "Piano tuner"
KEPT = "select kind, item from polled where removed_at is null and item like '%{name}%' order by kind"
TOLD = "select name, facts from events where name in ('event.changed', 'file.changed', 'card.changed')"


async def polls(home):
    """Something of each kind is there at first, goes, and something else comes; each is told once."""
    home.world.say("/start")
    there = arrives(home, FIRST)
    await home.until(lambda: kinds(home, FIRST) == ["card", "event", "file"], "what was there at first")
    arrives(home, SECOND)
    goes(home, there)
    await home.until(lambda: kinds(home, SECOND) == ["card", "event", "file"], "what came", every=0.25)
    await home.until(lambda: not kinds(home, FIRST), "what went is gone", every=0.25)
    await home.settled()
    told = Counter((name, change_of(facts)) for name, facts in home.rows(TOLD) if concerns(facts))
    assert told == {
        ("event.changed", "made"): 1,
        ("event.changed", "cancelled"): 1,
        ("file.changed", "made"): 1,
        ("file.changed", "removed"): 1,
        ("card.changed", "made"): 1,
        ("card.changed", "deleted"): 1,
    }, told


def arrives(home, name):
    """One of each; their ids."""
    world = home.world
    at = world.clock.now() + timedelta(days=3)
    times = {"start": {"dateTime": at.isoformat()}, "end": {"dateTime": (at + timedelta(hours=1)).isoformat()}}
    event = world.calendar.add_event(OWNER.email, {"summary": name, **times})["id"]
    file = world.drive.add_file(OWNER.email, f"{name}.txt", b"text", "text/plain")
    return event, file, world.trello.add_card(board_list(world), name)


def goes(home, there):
    """By another program of the person's."""
    event, file, card = there
    world = home.world
    world.calendar.cancel(OWNER.email, event)
    world.drive.delete(file)
    world.trello.delete_card(card, OWNER.username)


def board_list(world):
    """A list that cards can be put on."""
    return next(one.id for one in world.trello._state.lists.values() if not one.closed)


def kinds(home, name):
    return [kind for kind, _ in home.rows(KEPT.format(name=name))]


def concerns(facts):
    return FIRST in str(facts) or SECOND in str(facts)


def change_of(facts):
    return (json.loads(facts) if isinstance(facts, str) else facts)["change"]


POLLS_SCENARIO = Scenario("polls", polls, replaced={"watch = false": "watch = true"})
