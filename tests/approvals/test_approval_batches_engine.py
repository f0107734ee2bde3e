"""An approval batch under the real engine, with concurrent lanes: few messages, and edits that are merged."""

import asyncio
from datetime import UTC, datetime

import sqlalchemy as sa

from approvals.approval_batch_members import is_drawn
from butler.contract.card import Card, MessageRef
from butler.engine import LocalEngine
from butler.store.queries import approval_batches
from butler.store.store import Store
from tests.approvals.approval_batch_harness import OWN, digest
from tests.approvals.harness import Harness, create_tables
from tests.approvals.phone import TestClock
from tests.approvals.providers import ANNA, SEND

SLOW_S = 0.1
"""Edit a message; at Telegram this takes a second."""


class WallClock(TestClock):
    """Real time."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep_until(self, when: datetime) -> None:
        await asyncio.sleep((when - self.now()).total_seconds())


async def drawn(store: Store, count: int) -> None:
    """Wait until the batch card shows this many members."""

    def stands(connection: sa.Connection) -> bool:
        found = approval_batches.all_open(connection)
        return any(
            is_drawn(batch) and approval_batches.count_waiting(connection, batch.batch_id) == count for batch in found
        )

    while not await store.read(stands):  # noqa: ASYNC110 - the rows are what is waited for
        await asyncio.sleep(0.02)


async def test_forty_requests_one_by_one_are_few_messages_and_few_edits() -> None:
    store = create_tables(Store("sqlite://"))
    harness = Harness(store)
    harness.clock = WallClock()
    harness.configure(quiet_hours="")
    engine = LocalEngine(store, harness.clock)
    harness.on_wake = engine.wake
    for kind, handler in harness.approvals.handlers().items():
        engine.register(kind, handler)
    edit = harness.channel.edit

    async def slow_edit(ref: MessageRef, card: Card) -> None:
        await asyncio.sleep(SLOW_S)
        await edit(ref, card)

    harness.channel.edit = slow_edit  # type: ignore[method-assign]
    await harness.know("Anna", ANNA)
    running = asyncio.create_task(engine.run())
    for number in range(40):
        await harness.request(SEND, args={"to": [ANNA], "text": f"Message number {number}"}, call_id=f"c{number}")
        engine.wake()
        await asyncio.sleep(0.005)
    await asyncio.wait_for(drawn(store, 37), 60)
    running.cancel()
    assert len(harness.channel.cards) == OWN + 1
    assert digest(harness).title.startswith("1 of 37 wait")
    assert harness.channel.edits <= 15
    await store.close()
