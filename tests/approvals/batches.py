"""Floods for the tests: many requests alike, and what the owner can read and tap on the digest card."""

from typing import Any

import sqlalchemy as sa

from butler.contract.card import Card
from butler.store.queries import approval_batches
from butler.store.queries.approval_batches import ApprovalBatchRow
from butler.store.tables import approval_batches as table
from tests.approvals.harness import Harness
from tests.approvals.providers import ANNA, SEND

OWN = 3
"""Cards of their own before a digest begins."""


async def flood_of(harness: Harness, count: int, *, first: int = 1, run: bool = True, **more: Any) -> list[str]:
    """So many messages to Anna, asked for within one moment; the approvals' ids, in the order of asking."""

    def ask(connection: sa.Connection) -> list[str]:
        ids: list[str] = []
        for number in range(first, first + count):
            args = {"to": [ANNA], "text": f"Message number {number}"}
            proposal = harness.proposal(SEND, **{"args": args, "call_id": f"c{number}", **more})
            ids.append(harness.approvals.request(connection, proposal, harness.clock.now()).approval_id or "")
            harness.clock.turn(milliseconds=1)
        return ids

    await harness.know("Anna", ANNA)
    ids = await harness.write(ask)
    if run:
        await harness.run()
    return ids


def digest(harness: Harness) -> Card:
    """The digest card, which is the newest message."""
    return harness.channel.newest


def labels(card: Card) -> list[str]:
    """What its buttons say."""
    return [button.label for line in card.buttons for button in line]


async def see_all(harness: Harness) -> None:
    """Turn the pages until all that wait were shown."""
    for _ in range(100):
        if any(label.startswith("Approve all") for label in labels(digest(harness))):
            return
        await harness.tap("▶")
    raise AssertionError("the pages never end")


async def batch(harness: Harness) -> ApprovalBatchRow:
    """The newest flood."""
    (*_, newest) = await harness.store.read(lambda c: [*approval_batches.all_open(c), *batches_in(c, "telegram:42")])
    return newest


def batches_in(connection: sa.Connection, chat: str) -> list[ApprovalBatchRow]:
    """The batches of a chat, open or not, the oldest first."""
    query = sa.select(table.c.batch_id).where(table.c.chat == chat).order_by(table.c.created_at, table.c.batch_id)
    found = (approval_batches.get(connection, batch_id) for batch_id in connection.execute(query).scalars())
    return [batch for batch in found if batch is not None]
