"""Counts and snapshots the items of an order in one pass: ids as rows, and a digest over them in their order."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from butler.bulk.contexts import stored
from butler.contract.bulk import BulkItem, BulkToolAdapter, PreparedBulkContext
from butler.store.queries import bulk
from butler.store.queries.bulk import NewItem
from butler.store.store import Store

LONGEST = 120
"""The most characters of a sender's name or a subject, whose length others choose."""
ENDS = 3
"""How many items of each end of a list a card shows."""


@dataclass(frozen=True, slots=True)
class Listed:
    """What a listing found: the count, the digest, and the items at both ends."""

    total: int
    digest: str
    first: tuple[BulkItem, ...]
    last: tuple[BulkItem, ...]


async def take(store: Store, adapter: BulkToolAdapter, context: PreparedBulkContext, run_id: str) -> Listed:
    """List all items into the rows of a run. Raises the adapter's errors, after which the listing is void."""
    sha, offset, total = hashlib.sha256(), 0, 0
    first: tuple[BulkItem, ...] = ()
    last: tuple[BulkItem, ...] = ()
    page = adapter.limits(context).page
    while items := await adapter.get_next_batch(context, page, offset):
        offset += len(items)
        fresh = await _keep(store, run_id, total, items)
        for item in fresh:
            sha.update(item.id.encode() + b"\n")
        total += len(fresh)
        first = (first + fresh)[:ENDS]
        last = (last + fresh)[-ENDS:]
    listed = Listed(total, sha.hexdigest(), first, last)
    found = stored(context)
    await store.write(lambda c: bulk.listed(c, run_id, digest=listed.digest, total=total, context=found), "bulk.listed")
    return listed


async def _keep(store: Store, run_id: str, total: int, items: Sequence[BulkItem]) -> tuple[BulkItem, ...]:
    def keep(connection: sa.Connection) -> tuple[BulkItem, ...]:
        known = bulk.known(connection, run_id, [item.id for item in items])
        fresh = tuple({item.id: item for item in items if item.id not in known}.values())
        if fresh:  # A page may hold only items that moved there from the one before.
            rows = [NewItem(item.id, short_line(item.display_name), item.raw_data) for item in fresh]
            bulk.add_items(connection, run_id, total, rows)
        return fresh

    return await store.write(keep, "bulk.page", flushed=False)


def short_line(text: str) -> str:
    """Shorten a text to one line that cannot pass for the next one; mark invisible characters."""
    line = " ".join(text.encode(errors="replace").decode().split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
