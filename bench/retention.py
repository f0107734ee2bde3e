"""What a store of many rows costs: replies while old rows go, `/status`, `/why`, the check of the audit log, a backup.

`reply_p50_with_vs_without` is how much longer the writes of a reply take while a night's work is done: 1 means that it
holds up nobody. The rest are times at this size.
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import sqlalchemy as sa

from bench.machine import report, table
from butler.clock import RealClock
from butler.contract.card import MessageRef, OwnerMessage, plain
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.names import Identity
from butler.contract.provenance import Origin
from butler.maintenance.retention import Retention
from butler.store.backup import backup
from butler.store.blobs import FileBlobs
from butler.store.chain import GENESIS, chain_hash, check
from butler.store.instants import EPOCH
from butler.store.open import open_store
from butler.store.queries import audit, counts, outbox, trace, work
from butler.store.store import Store
from config.keeping import RetentionSettings
from config.settings import Settings
from tests.support.services import make_services

CHAT = "telegram:42"
ROWS = 200_000
OLD_PART = 0.2
"""Of all rows, those that are older than anything is kept."""
CHUNK = 20_000
PAUSE_S = 0.02
REPLIES = 100
Row = tuple[object, ...]


class Forgetful:
    """A memory without anything in it."""

    async def drop(self, source_ids: Sequence[str]) -> int:
        return len(source_ids)


def times(count: int, now: datetime) -> Iterator[int]:
    """Microseconds of so many rows, evenly over five years, of which a part is old."""
    newest, oldest = now - timedelta(minutes=1), now - timedelta(days=5 * 365)
    step = (newest - oldest) / count
    for number in range(count):
        yield (oldest + number * step - EPOCH) // timedelta(microseconds=1)


def inbox_rows(count: int, now: datetime) -> Iterator[Row]:
    item = Inbound(
        inbound_id="i0",
        kind=InboundKind.CHAT,
        channel="telegram",
        identity=Identity.BOT,
        account="",
        dedup_key="i0",
        chat=CHAT,
        sender=CHAT,
        message_ref="0",
        received_at=now,
        text="remind me tomorrow at nine to call the bank about the card",
        origin=Origin.owner("i0"),
        payload={"update": {"padding": "x" * 300}},
    )
    text = item.model_dump_json()
    for number, at in enumerate(times(count, now)):
        one = f"i{number}"
        held = text.replace('"i0"', f'"{one}"')
        yield (one, one, "chat", "telegram", "bot", "", CHAT, CHAT, str(number), at, held, "done", "")


def outbox_rows(count: int, now: datetime) -> Iterator[Row]:
    message = OwnerMessage(
        text=plain("I will remind you tomorrow at nine to call the bank about the card.")
    ).model_dump_json()
    for number, at in enumerate(times(count, now)):
        ref = json.dumps({"chat": CHAT, "message_ids": [str(number)]})
        yield (f"m{number}", CHAT, message, "sent", f"turn:i{number}", at, at, ref)


def audit_rows(count: int, now: datetime) -> Iterator[Row]:
    previous = GENESIS
    for number, micros in enumerate(times(count, now), 1):
        at = EPOCH + timedelta(microseconds=micros)
        data = audit.data_text({"from": "pending", "to": "approved", "revision": 1})
        digest = chain_hash(previous, number, at, "approval.approved", f"a{number}", CHAT, data)
        yield (number, micros, "approval.approved", f"a{number}", CHAT, data, previous, digest)
        previous = digest


_FILLS: tuple[tuple[str, Callable[[int, datetime], Iterator[Row]], float], ...] = (
    (
        "inbox(inbound_id,dedup_key,kind,channel,identity,account,chat,sender,message_ref,received_at,item,state,detail)",
        inbox_rows,
        0.4,
    ),
    ("outbox(message_id,chat,message,state,dedup_key,created_at,sent_at,refs)", outbox_rows, 0.4),
    ("audit(seq,at,kind,subject,actor,data,previous_hash,hash)", audit_rows, 0.2),
)


def fill(store: Store, rows: int, now: datetime) -> None:
    """Write them, past all logic."""
    with store.engine.begin() as connection:
        plain_connection = connection.connection.dbapi_connection
        assert plain_connection is not None
        cursor = plain_connection.cursor()
        for into, made, part in _FILLS:
            marks = ",".join("?" * (into.count(",") + 1))
            cursor.executemany(f"INSERT INTO {into} VALUES ({marks})", made(int(rows * part), now))


async def replies(store: Store, until: Callable[[int], bool]) -> list[float]:
    """Milliseconds that the writes of a reply take: the message, its work, and where it stands."""
    took: list[float] = []
    ref = MessageRef(chat=CHAT, message_ids=("1",))
    while not until(len(took)):
        began = time.perf_counter()
        now, message = datetime.now(UTC), OwnerMessage(text=plain("Done."))
        message_id = await store.write(lambda c, now=now, message=message: outbox.add(c, CHAT, message, now=now))
        assert message_id is not None
        await store.write(lambda c, one=message_id, now=now: outbox.sent(c, one, ref, now))
        await store.write(lambda c, one=message_id: work.cancel(c, outbox.DELIVER, one), flushed=False)
        took.append((time.perf_counter() - began) * 1e3)
        await asyncio.sleep(PAUSE_S)
    return took


async def median_ms(store: Store, look: Callable[[sa.Connection], object]) -> float:
    took: list[float] = []
    for _ in range(9):
        began = time.perf_counter()
        await store.read(look)
        took.append((time.perf_counter() - began) * 1e3)
    return statistics.median(took)


def retention_of(store: Store, folder: Path) -> Retention:
    days = f"{round(5 * 365 * (1 - OLD_PART))}d"
    settings = RetentionSettings(inbox=days, outbox=days, raw_mail=days, files=days)  # type: ignore[arg-type]
    services = make_services(store, RealClock(), settings=Settings(retention=settings))
    return Retention(services, FileBlobs(folder / "blobs"), Forgetful())


async def nights(store: Store, retention: Retention) -> int:
    """A whole night's work, turn by turn; how many turns."""
    turns = 0
    while True:
        await retention.tonight("house")
        turns += 1
        if await store.read(lambda c: counts.queue(c, datetime.now(UTC)).last_retention) is not None:
            return turns


async def measure(rows: int, folder: Path) -> None:
    now = datetime.now(UTC)
    store = await asyncio.to_thread(open_store, "sqlite:///butler.db", data_dir=folder)
    began = time.perf_counter()
    await asyncio.to_thread(fill, store, rows, now)
    figures = {"rows": float(rows), "filled_s": time.perf_counter() - began}
    figures["status_ms"] = await median_ms(store, lambda c: counts.queue(c, now))
    figures["why_ms"] = await median_ms(store, lambda c: trace.of_last(c, CHAT))
    without = await replies(store, lambda done: done >= REPLIES)
    night = asyncio.create_task(nights(store, retention_of(store, folder)))
    began = time.perf_counter()
    during = await replies(store, lambda done: done >= 10 and night.done())
    figures |= {"turns": float(await night), "night_s": time.perf_counter() - began}
    before, meanwhile = statistics.median(without), statistics.median(during)
    figures |= {"reply_p50_ms": before, "reply_p50_with_ms": meanwhile}
    figures["reply_p99_with_ms"] = statistics.quantiles(during, n=100)[98]
    began = time.perf_counter()
    checked = await store.read(lambda c: check(audit.entries(c)))
    assert checked.broken is None, checked.broken
    figures["verify_s_per_million"] = (time.perf_counter() - began) * 1e6 / max(1, checked.last.seq)
    began = time.perf_counter()
    await asyncio.to_thread(backup, "sqlite:///butler.db", folder, folder / "backups")
    figures["backup_s"] = time.perf_counter() - began
    await store.close()
    table(("what", "value"), [(name, f"{value:,.2f}") for name, value in figures.items()])
    rounded = {name: round(value, 3) for name, value in figures.items()}
    report("retention", {"reply_p50_with_vs_without": round(meanwhile / before, 2)}, rounded)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help="rows of all tables together")
    parser.add_argument("--folder", type=Path, help="where the store is made; a temporary folder where it is left out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        asyncio.run(measure(options.rows, Path(folder)))


if __name__ == "__main__":
    main()
