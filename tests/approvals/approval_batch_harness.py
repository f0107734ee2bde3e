"""Approval batches for the tests: many similar requests, and what the owner can read and tap on the batch's card."""

from typing import Any

import sqlalchemy as sa

from butler.contract.card import Card
from butler.store.queries import approval_batches
from butler.store.queries.approval_batches import ApprovalBatchRow
from butler.store.tables import approval_batches as table
from tests.approvals.harness import Harness
from tests.approvals.providers import ANNA, SEND

OWN = 3
"""Requests that get a card of their own before a batch begins."""


async def ask_many(harness: Harness, count: int, *, first: int = 1, run: bool = True, **more: Any) -> list[str]:
    """Request this many messages to Anna at the same moment; return the approvals' ids in order."""

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
    """Return the batch's card, which is the newest message."""
    return harness.channel.newest


def labels(card: Card) -> list[str]:
    """Return the labels of its buttons."""
    return [button.label for line in card.buttons for button in line]


async def see_all(harness: Harness) -> None:
    """Page through the card until every waiting approval was shown."""
    for _ in range(100):
        if any(label.startswith("Approve all") for label in labels(digest(harness))):
            return
        await harness.tap("▶")
    raise AssertionError("the pages never end")


async def newest_batch(harness: Harness) -> ApprovalBatchRow:
    """Return the newest batch."""
    (*_, newest) = await harness.store.read(lambda c: [*approval_batches.all_open(c), *batches_in(c, "telegram:42")])
    return newest


def batches_in(connection: sa.Connection, chat: str) -> list[ApprovalBatchRow]:
    """Return a chat's batches, open or closed, the oldest first."""
    query = sa.select(table.c.batch_id).where(table.c.chat == chat).order_by(table.c.created_at, table.c.batch_id)
    found = (approval_batches.get(connection, batch_id) for batch_id in connection.execute(query).scalars())
    return [newest_batch for newest_batch in found if newest_batch is not None]
