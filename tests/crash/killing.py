"""Plays a scenario with a daemon that is killed at one of the points which a run that is left alone passes."""

import asyncio

from butler.store.queries import audit
from butler.store.store import Store
from tests.crash.household import Household
from tests.crash.scenarios import nothing_is_broken


async def play(scenario, folder, nursery, kill_at):
    """The points that the first life passed (where it was the only one), and how often the daemon died."""
    folder.mkdir()
    async with Household(folder, nursery, kill_at, replaced=scenario.replaced) as home:
        await scenario.play(home)
        await nothing_is_broken(home)
        points = home.points() if home.deaths == 0 else []
        deaths = home.deaths
    store = Store(f"sqlite:///{folder}/data/butler.db")
    try:
        assert await store.read(audit.verify) is None
    finally:
        await store.close()
    return points, deaths


async def kill_at_each(scenario, folder, nurseries, points):
    """Play it once for each point; how often a daemon was killed."""
    waiting = list(enumerate(points))
    killed = 0

    async def work(nursery):
        nonlocal killed
        while waiting:
            number, point = waiting.pop()
            _, deaths = await play(scenario, folder / f"kill-{number}", nursery, point)
            killed += deaths

    async with asyncio.TaskGroup() as group:
        for nursery in nurseries:
            group.create_task(work(nursery))
    return killed


def worth_killing_at(points):
    """Every point once; of the look into the mailbox that comes again every second, the first two."""
    kept = dict.fromkeys(p for p in points if "inbox.news" not in p or p.endswith(("#1", "#2")))
    return list(kept)


AT_THE_START = ("commands.set", "contacts", "me.get", "cursor", "inbox.news", "weekly.schedule")
"""What every life begins with, whatever is played."""


def sampled(points, most):
    """One point of each label, before and after by turns, and of the others as many as fit, evenly: about `most`."""
    points = [point for point in points if not any(what in point for what in AT_THE_START)]
    labels = list(dict.fromkeys(label_of(point) for point in points))
    firsts = {_first(points, label, "after" if number % 2 else "before") for number, label in enumerate(labels)}
    others = [point for point in points if point not in firsts]
    room = max(1, most - len(firsts))
    step = max(1, len(others) // room)
    chosen = firsts | set(others[step // 2 :: step][:room])
    return [point for point in points if point in chosen]


def label_of(point):
    """The label of a commit or the id of a method, without the moment."""
    return point.partition(":")[2].rpartition("#")[0]


def _first(points, label, moment):
    return next(point for point in points if point.startswith(moment) and label_of(point) == label)
