"""What it takes to archive a hundred thousand mails of a Gmail account: units of its quota, requests, and time.

The controller runs as a process of its own against the stand-in, which counts units, enforces the quota of a minute and
refuses what goes beyond. Once it is left alone, once it is killed at random, again and again, and started anew; each
time all of it is undone. The floor is what Gmail's own numbers allow at best: 500 ids a list for 5 units, 1,000 ids a
change for 50. Beside it stand the plans that other programs publish, by the same numbers.
"""

import argparse
import asyncio
import json
import math
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from bench.bulk_worker import VARIABLE
from bench.machine import report, table
from butler.demo.gmail.server import GmailServer
from butler.store.open import open_store
from butler.store.queries import bulk
from butler.store.queries.bulk import ItemState
from butler.store.tables import bulk_items

ME, SENDER = "me@home.example", "news@shop.example"
ORDER = {"action": "archive", "senders": [SENDER], "inbox": True}
A_MINUTE = 6_000
ROOT = Path(__file__).parent.parent


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

    def labels(self) -> dict[str, tuple[str, ...]]:
        """Of each mail."""
        return {message.id: tuple(sorted(message.label_ids)) for message in self.server.mailbox(ME)}

    async def run(self, folder: Path, *, undo: bool = False, kill_after: float | None = None) -> bool:
        """Start the controller, and wait for its end or kill it; whether it ended by itself."""
        arguments = [str(folder), self.server.url, json.dumps(ORDER), *(["undo"] if undo else [])]
        environment = {**os.environ, VARIABLE: self.server.credentials_json(ME)}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bench.bulk_worker", *arguments), env=environment, cwd=ROOT
        )
        with suppress(TimeoutError):
            async with asyncio.timeout(kill_after):
                if await process.wait():
                    raise SystemExit("the controller failed")
                return True
        process.kill()
        await process.wait()
        return False


@dataclass(frozen=True, slots=True)
class Measured:
    """What one way through has taken."""

    units: int
    requests: int
    seconds: float
    refused: int


async def measure(mailbox: Mailbox, folder: Path, kills: int, chance: random.Random) -> Measured:
    """Archive everything, killed so often on the way."""
    server, began = mailbox.server, time.monotonic()
    units, requests, refused = server.spent_in_all(ME), server.calls_in_all(ME), server.refused_calls
    left = kills
    while not await mailbox.run(folder, kill_after=chance.uniform(0.5, 6.0) if left else None):
        left -= 1
    return Measured(
        server.spent_in_all(ME) - units,
        server.calls_in_all(ME) - requests,
        time.monotonic() - began,
        server.refused_calls - refused,
    )


async def outcome(folder: Path) -> tuple[int, int, int]:
    """Of the first run: how many are done, how many are not, and how many were sent more than once."""
    store = open_store("sqlite:///butler.db", data_dir=folder)
    try:
        run = await store.read(lambda c: bulk.by_call(c, "bench"))
        assert run is not None
        counts = await store.read(lambda c: bulk.counts(c, run.run_id))
        twice = sa.select(sa.func.count()).where(bulk_items.c.run_id == run.run_id, bulk_items.c.sent > 1)
        again = await store.read(lambda c: c.execute(twice).scalar_one())
    finally:
        await store.close()
    return counts[ItemState.DONE], run.total - counts[ItemState.DONE], again


async def play(count: int, kills: int, seed: int) -> None:
    """Measure, and print."""
    chance = random.Random(seed)
    mailbox = Mailbox(count)
    await mailbox.server.start()
    mailbox.server.enforce_quota()
    try:
        before = mailbox.labels()
        with tempfile.TemporaryDirectory() as plain, tempfile.TemporaryDirectory() as killed:
            calm = await measure(mailbox, Path(plain), 0, chance)
            await mailbox.run(Path(plain), undo=True)
            restored = mailbox.labels() == before
            hurt = await measure(mailbox, Path(killed), kills, chance)
            done, lost, again = await outcome(Path(killed))
            in_inbox = sum("INBOX" in labels for labels in mailbox.labels().values())
            await mailbox.run(Path(killed), undo=True)
            restored = restored and mailbox.labels() == before
    finally:
        await mailbox.server.stop()
    floor, *others = plans(count)
    rows = [[one.name, one.units, one.requests, f"{one.units / A_MINUTE:.1f}", ""] for one in (floor, *others)] + [
        [name, one.units, one.requests, f"{one.seconds / 60:.1f}", one.refused]
        for name, one in (("Butler", calm), (f"Butler, killed {kills} times", hurt))
    ]
    table([f"{count:,} mails", "units", "requests", "minutes", "refused"], rows)
    print(
        f"done {done:,}, not done {lost}, still in the inbox {in_inbox}, sent again {again}, undone exactly {restored}"
    )
    report(
        "bulk",
        {
            "units_vs_floor": round(calm.units / floor.units, 3),
            "requests_per_1000": round(calm.requests / count * 1000, 2),
            "time_vs_floor": round(calm.seconds / 60 / (floor.units / A_MINUTE), 2),
        },
        {"rejected_429": calm.refused + hurt.refused, "done_twice": again, "lost": lost + in_inbox},
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
