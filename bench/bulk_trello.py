"""What it takes to move two thousand cards of a Trello board: requests, refusals, time and memory.

The controller runs as a process of its own against the stand-in, which counts requests and refuses what Trello refuses:
more than 100 in ten seconds of a token. Once it is left alone, once it is killed at random, again and again, and
started anew; each time all of it is undone, and list, place, labels, members and date of every card are compared. The
floor is a request for each card and one for each thousand that are listed; ten seconds take a hundred of them.
"""

import argparse
import asyncio
import math
import os
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.bulk_runs import Spent, play_twice
from bench.bulk_worker import Job
from bench.machine import report, table
from butler_demo.trello.limits import LimitRules
from butler_demo.trello.server import TrelloServer

ME, ANNA = "robin", "anna"
KEY, TOKEN = "USER_TRELLO_KEY", "USER_TRELLO_TOKEN"
ORDER = {"action": "move", "board": "Home", "in_list": "To do", "to_list": "Done"}
OTHERS = 100
MADE = datetime(2026, 1, 1, tzinfo=UTC)
PARTS = ("idList", "pos", "closed", "due", "dueComplete", "name")
LIMITS = LimitRules()
A_SECOND = LIMITS.per_token / LIMITS.window.total_seconds()


class Board:
    """A board whose first list is full."""

    def __init__(self, count: int, faster: int) -> None:
        """Trello takes `faster` times of what it takes, for a machine that has no minutes to wait."""
        self.server, self._faster = TrelloServer(), faster
        for member in (ME, ANNA):
            self.server.add_member(member)
        self.home = self.server.add_board("Home", ME, [ANNA])
        todo, doing, self.done = (self.server.add_list(self.home, name) for name in ("To do", "Doing", "Done"))
        red = self.server.add_label(self.home, "Urgent", "red")
        for number in range(count):
            self._add(todo, number, [red] if number % 3 == 0 else [])
        for number in range(OTHERS):
            self._add(doing if number % 2 else self.done, count + number, [])
        self._given = self.server.credentials(ME)
        rules = LimitRules(per_key=LIMITS.per_key * faster, per_token=LIMITS.per_token * faster)
        self.server.enforce_limits(rules)

    def _add(self, list_id: str, number: int, labels: list[str]) -> None:
        made = MADE + timedelta(seconds=number // 4)
        due = MADE + timedelta(days=number) if number % 5 == 0 else None
        members = [ANNA] if number % 7 == 0 else []
        self.server.add_card(list_id, f"Card {number}", labels=labels, members=members, due=due, created=made)

    def state(self) -> dict[str, list[Any]]:
        """All that an undo has to restore."""
        return {
            card["id"]: [*(card[part] for part in PARTS), sorted(card["idLabels"]), sorted(card["idMembers"])]
            for card in self.server.cards(self.home)
        }

    def changed(self) -> int:
        """How many lie in the other list, but for those that did before."""
        return sum(card["idList"] == self.done for card in self.server.cards(self.home)) - OTHERS // 2

    def spent(self) -> Spent:
        """What it has taken of Trello until now."""
        return Spent(self.server.calls_in_all, self.server.refused_calls)

    def job(self, folder: Path) -> Job:
        """What the controller is to do."""
        user = {"api_root": self.server.url, "requests_per_10s": 95 * self._faster}
        return Job(str(folder), "trello", {"user": user}, "trello", "main", {**ORDER, "account": "main"}, (KEY, TOKEN))

    def environment(self) -> dict[str, str]:
        """Who may sign in to it."""
        return {**os.environ, KEY: self._given.key, TOKEN: self._given.token}


async def play(count: int, kills: int, seed: int, faster: int) -> None:
    """Measure, and print."""
    chance, board = random.Random(seed), Board(count, faster)
    await board.server.start()
    try:
        played = await play_twice(board, kills, chance, (4.0, 20.0))
    finally:
        await board.server.stop()
    calm, hurt, found = played.calm, played.hurt, played.found
    floor = count + math.ceil(count / 1_000)
    rows = [["floor", floor, "1,001", f"{floor / A_SECOND / faster:.0f}", ""]] + [
        [name, one.requests, f"{one.requests / count * 1000:,.0f}", f"{one.seconds:.0f}", one.refused]
        for name, one in (("Butler", calm), (f"Butler, killed {kills} times", hurt))
    ]
    table([f"{count:,} cards", "requests", "for 1,000 cards", "seconds", "refused"], rows)
    print(
        f"done {found.done:,}, not done {found.lost}, in the list {played.changed:,}, sent again {found.again}, "
        f"undone exactly {played.restored}, at most {played.peak_mb:.0f} MB"
    )
    if not played.restored:
        raise SystemExit("the undo left something other than it was")
    report(
        "bulk_trello",
        {
            "requests_vs_floor": round(calm.requests / floor, 3),
            "time_vs_floor": round(calm.seconds / (floor / A_SECOND / faster), 2),
        },
        {
            "requests_per_1000": round(calm.requests / count * 1000, 1),
            "rejected_429": calm.refused + hurt.refused,
            "done_twice": played.changed - found.done,
            "lost": found.lost,
            "rss_mb": round(played.peak_mb),
        },
    )


def main() -> None:
    """`--count`, `--kills`, `--seed`, `--faster`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2_000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faster", type=int, default=1, help="so many times of what Trello takes in ten seconds")
    arguments = parser.parse_args()
    asyncio.run(play(arguments.count, arguments.kills, arguments.seed, arguments.faster))


if __name__ == "__main__":
    main()
