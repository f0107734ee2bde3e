"""What it takes to move five thousand events of a Google Calendar by a day: requests, refusals, time and memory.

The controller runs as a process of its own against the stand-in, which counts requests, compares the state of an event
with the one that was listed, and refuses what Google refuses: more than 600 requests in a minute of one user. Once it
is left alone, once it is killed at random, again and again, and started anew; each time all of it is undone, and the
whole calendar is compared. The floor is a request for each event and one for each 2,500 that are listed, at what Google
allows in a minute; a fifth of that is left free for the person, so time is 1.25 of the floor at best.
"""

import argparse
import asyncio
import math
import os
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.bulk_runs import Spent, play_twice
from bench.bulk_worker import Job
from bench.machine import report, table
from butler_demo.calendar.server import CALENDAR_SINCE_MAY_2026, CalendarServer

ME, ANNA = "me@home.example", "anna@friends.example"
VARIABLE = "USER_CALENDAR_OAUTH_JSON"
FIRST = datetime(2027, 1, 4, 8, tzinfo=UTC)
ORDER = {"action": "move", "words": "shift", "since": "2027-01-01", "before": "2030-01-01", "days": 1}
OTHERS = 100
A_MINUTE, PAGE = 600, 2_500
PARTS = ("summary", "status", "start", "end", "attendees", "reminders", "colorId", "description")


class Book:
    """A calendar that is full of shifts, some of them with a guest, and holds a few other things."""

    def __init__(self, count: int, faster: int) -> None:
        """Google takes `faster` times of what it takes, for a machine that has no minutes to wait."""
        self.server, self._faster = CalendarServer(), faster
        for address, name in ((ME, "Me"), (ANNA, "Anna")):
            self.server.add_account(address, name)
        for number in range(count):
            self._add(number, f"Shift {number}", [ANNA] if number % 50 == 0 else [])
        for number in range(OTHERS):
            self._add(number, f"Dentist {number}", [])
        self._made = self.state()
        self.server.enforce_quota(replace(CALENDAR_SINCE_MAY_2026, user_per_minute=A_MINUTE * faster))

    def _add(self, number: int, title: str, guests: list[str]) -> None:
        start = FIRST + timedelta(hours=4 * number)
        times = {
            name: {"dateTime": at.isoformat(), "timeZone": "UTC"}
            for name, at in (("start", start), ("end", start + timedelta(hours=1)))
        }
        invited = {"attendees": [{"email": guest} for guest in guests]} if guests else {}
        self.server.add_event(ME, {"summary": title, **times, **invited})

    def state(self) -> dict[str, list[Any]]:
        """All that an undo has to restore."""
        return {event["id"]: [event.get(part) for part in PARTS] for event in self.server.events(ME)}

    def changed(self) -> int:
        """How many begin on another day than they were made for."""
        return sum(event["start"] != self._made[event["id"]][2] for event in self.server.events(ME))

    def spent(self) -> Spent:
        """What it has taken of Google until now."""
        return Spent(self.server.calls_in_all(ME), self.server.refused_calls)

    def job(self, folder: Path) -> Job:
        """What the controller is to do."""
        user = {"api_root": self.server.url, "requests_per_minute": A_MINUTE * self._faster}
        order = {**ORDER, "account": "main"}
        return Job(str(folder), "calendar", {"user": user}, "calendar", "main", order, (VARIABLE,))

    def environment(self) -> dict[str, str]:
        """Who may sign in to it."""
        return {**os.environ, VARIABLE: self.server.credentials_json(ME)}


async def play(count: int, kills: int, seed: int, faster: int) -> None:
    """Measure, and print."""
    chance, book = random.Random(seed), Book(count, faster)
    await book.server.start()
    try:
        played = await play_twice(book, kills, chance, (3.0, 10.0))
    finally:
        await book.server.stop()
    calm, hurt, found = played.calm, played.hurt, played.found
    floor = count + math.ceil(count / PAGE)
    rows = [["floor", floor, f"{floor / count * 1000:,.0f}", f"{floor / A_MINUTE / faster:.1f}", ""]] + [
        [name, one.requests, f"{one.requests / count * 1000:,.0f}", f"{one.seconds / 60:.1f}", one.refused]
        for name, one in (("Butler", calm), (f"Butler, killed {kills} times", hurt))
    ]
    table([f"{count:,} events", "requests", "for 1,000 events", "minutes", "refused"], rows)
    print(
        f"done {found.done:,}, not done {found.lost}, on another day {played.changed:,}, sent again {found.again}, "
        f"undone exactly {played.restored}, at most {played.peak_mb:.0f} MB"
    )
    if not played.restored:
        raise SystemExit("the undo left something other than it was")
    report(
        "bulk_calendar",
        {
            "requests_vs_floor": round(calm.requests / floor, 3),
            "time_vs_floor": round(calm.seconds / 60 / (floor / A_MINUTE / faster), 2),
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
    parser.add_argument("--count", type=int, default=5_000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faster", type=int, default=1, help="so many times of what Google takes in a minute")
    arguments = parser.parse_args()
    asyncio.run(play(arguments.count, arguments.kills, arguments.seed, arguments.faster))


if __name__ == "__main__":
    main()
