"""What it takes to archive a hundred thousand mails of a Gmail account: units of its quota, requests, and time.

The controller runs as a process of its own against the stand-in, which counts units, enforces the quota of a minute and
refuses what goes beyond. Once it is left alone, once it is killed at random, again and again, and started anew; each
time all of it is undone. The floor is what Gmail's own numbers allow at best: 500 ids a list for 5 units, 1,000 ids a
change for 50. Beside it stand the plans that other programs publish, by the same numbers.
"""

import argparse
import asyncio
import math
import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.bulk_runs import Spent, play_twice
from bench.bulk_worker import Job
from bench.machine import report, table
from butler_demo.gmail.server import GmailServer

ME, SENDER = "me@home.example", "news@shop.example"
VARIABLE = "USER_EMAIL_OAUTH_JSON"
ORDER = {"action": "archive", "senders": [SENDER], "inbox": True}
A_MINUTE = 6_000


@dataclass(frozen=True, slots=True)
class Plan:
    """What a way of doing it takes, by Gmail's published numbers."""

    name: str
    units: int
    requests: int


def plans(count: int) -> Sequence[Plan]:
    """The floor first, then what other programs publish."""
    lists = math.ceil(count / 500)

    def chunks(name: str, size: int) -> Plan:
        changes = math.ceil(count / size)
        return Plan(name, lists * 5 + changes * 50, lists + changes)

    per_message = Plan("a request a mail", lists * 5 + count * 5, lists + count)
    return (chunks("floor", 1_000), chunks("chunks of 500", 500), chunks("chunks of 100", 100), per_message)


class Mailbox:
    """The stand-in with one account, and who may sign in to it."""

    def __init__(self, count: int) -> None:
        self.server = GmailServer()
        self.server.add_account(ME, "Me")
        for number in range(count):
            raw = f"From: {SENDER}\r\nTo: {ME}\r\nSubject: Offer {number}\r\nMessage-ID: <{number}@s>\r\n\r\nBuy.\r\n"
            self.server.deliver(ME, raw.encode())

    def state(self) -> dict[str, tuple[str, ...]]:
        """Of each mail."""
        return {message.id: tuple(sorted(message.label_ids)) for message in self.server.mailbox(ME)}

    def changed(self) -> int:
        """How many lie in the inbox no more."""
        return sum("INBOX" not in labels for labels in self.state().values())

    def spent(self) -> Spent:
        """What it has taken of Gmail until now."""
        server = self.server
        return Spent(server.calls_in_all(ME), server.refused_calls, server.spent_in_all(ME))

    def job(self, folder: Path) -> Job:
        """What the controller is to do."""
        settings = {"user": {"api_root": self.server.url, "credentials_env": VARIABLE}}
        return Job(str(folder), "email", settings, "gmail", "me", ORDER, (VARIABLE,))

    def environment(self) -> dict[str, str]:
        """Who may sign in to it."""
        return {**os.environ, VARIABLE: self.server.credentials_json(ME)}


async def play(count: int, kills: int, seed: int) -> None:
    """Measure, and print."""
    chance = random.Random(seed)
    mailbox = Mailbox(count)
    await mailbox.server.start()
    mailbox.server.enforce_quota()
    try:
        played = await play_twice(mailbox, kills, chance, (2.0, 6.0))
    finally:
        await mailbox.server.stop()
    calm, hurt, found = played.calm, played.hurt, played.found
    floor, *others = plans(count)
    rows = [[one.name, one.units, one.requests, f"{one.units / A_MINUTE:.1f}", ""] for one in (floor, *others)] + [
        [name, one.units, one.requests, f"{one.seconds / 60:.1f}", one.refused]
        for name, one in (("Butler", calm), (f"Butler, killed {kills} times", hurt))
    ]
    table([f"{count:,} mails", "units", "requests", "minutes", "refused"], rows)
    print(
        f"done {found.done:,}, not done {found.lost}, out of the inbox {played.changed:,}, sent again {found.again}, "
        f"undone exactly {played.restored}, at most {played.peak_mb:.0f} MB"
    )
    report(
        "bulk",
        {
            "units_vs_floor": round(calm.units / floor.units, 3),
            "requests_per_1000": round(calm.requests / count * 1000, 2),
            "time_vs_floor": round(calm.seconds / 60 / (floor.units / A_MINUTE), 2),
        },
        {
            "rejected_429": calm.refused + hurt.refused,
            "done_twice": played.changed - found.done,
            "lost": found.lost,
            "rss_mb": round(played.peak_mb),
        },
    )


def main() -> None:
    """`--count`, `--kills`, `--seed`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    asyncio.run(play(arguments.count, arguments.kills, arguments.seed))


if __name__ == "__main__":
    main()
