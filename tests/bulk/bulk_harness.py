"""The controller over a store in memory: an order is listed, begun and worked off as the engine would do it."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from approvals.frozen import sha256
from approvals.tap_result import Press, TapAnswer
from butler.bulk.launcher import StoreBulkLauncher
from butler.bulk.progress_message import ProgressMessages
from butler.bulk.registry import BulkAdapters
from butler.bulk.report import RunReports
from butler.bulk.run_buttons import RunButtons
from butler.bulk.runs import Runs
from butler.contract.bulk import BulkOrder, BulkSnapshot, BulkToolAdapter
from butler.contract.card import OwnerMessage, rich_text
from butler.contract.errors import Retryable
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.names import Identity
from butler.contract.provenance import Origin
from butler.contract.tools import ToolCall
from butler.store.queries import bulk, buttons, outbox, work
from butler.store.queries.bulk import RunRow
from butler.store.store import Store
from butler.store.tables import outbox as outbox_rows
from tests.support.context import MemoryBlobs
from tests.support.ticking import Ticking

OWNER = "telegram:42"
A = TypeVar("A", bound=BulkToolAdapter)


class Clock(Ticking):
    """Stands still until it is turned."""

    def __init__(self) -> None:
        self.at = datetime(2027, 3, 5, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    async def sleep_until(self, when: datetime) -> None:
        self.at = max(self.at, when)


@dataclass
class BulkHarness(Generic[A]):
    """Everything of the controller, and what a test asks of it."""

    store: Store
    adapter: A
    adapters: BulkAdapters
    clock: Clock
    launcher: StoreBulkLauncher
    runs: Runs
    controls: RunButtons
    telling: ProgressMessages
    reports: RunReports
    blobs: MemoryBlobs

    @classmethod
    def of(cls, store: Store, adapter: A, home: str = OWNER, *, registered: bool = True) -> "BulkHarness[A]":
        clock, adapters = Clock(), BulkAdapters()
        adapters.add([adapter] if registered else [])
        telling = ProgressMessages(adapters, lambda: OWNER)
        launcher = StoreBulkLauncher(store, clock, adapters, zone=ZoneInfo("UTC"), home=lambda: home, wake=lambda: None)
        runs = Runs(store, clock, adapters, telling, wake=lambda: None)
        blobs = MemoryBlobs()
        reports = RunReports(store, clock, adapters, blobs, zone=ZoneInfo("UTC"), wake=lambda: None)
        controls = RunButtons(adapters, telling)
        return cls(store, adapter, adapters, clock, launcher, runs, controls, telling, reports, blobs)

    @classmethod
    def bare(cls, store: Store, adapter: A) -> "BulkHarness[A]":
        """The same after a restart whose settings know of no such adapter."""
        return cls.of(store, adapter, registered=False)

    def again(self) -> "BulkHarness[A]":
        """The same after a restart: what was only remembered is gone."""
        again = BulkHarness.of(self.store, self.adapter)
        again.clock.at = self.clock.at
        return again

    async def begun(self, call: str = "call-1", **params: Any) -> str:
        """List an order and say yes to it; its run."""
        order = BulkOrder(self.adapter.tool_name, "", params or {"action": "away"})
        snapshot = await self.shown(order)
        result = await self.launcher.start(order, snapshot, called(call))
        assert result.ok, result.error
        return snapshot.run

    async def shown(self, order: BulkOrder) -> BulkSnapshot:
        result = await self.launcher.snapshot(order, called("asks"))
        assert result.ok, result.error
        assert result.data is not None
        return BulkSnapshot.model_validate(result.data["snapshot"])

    async def step(self) -> bool:
        """Do what the next row of work says; False where there is none. A failure puts the row back and is raised."""
        rows = await self.store.read(lambda c: [r for r in work.ready(c, self.clock.now()) if r.kind == bulk.BATCH])
        if not rows:
            return False
        try:
            await self.runs.advance(rows[0].subject)
        except Retryable:
            self.clock.at += timedelta(seconds=1)
            raise
        await self.store.write(lambda c: work.done(c, rows[0].work_id))
        self.clock.at += timedelta(seconds=1)
        return True

    async def worked_off(self) -> None:
        """Go on until nothing is left to do, whatever comes in between."""
        while True:
            try:
                if not await self.step():
                    return
            except Retryable:
                continue

    async def run(self, run_id: str) -> RunRow:
        found = await self.store.read(lambda c: bulk.get(c, run_id))
        assert found is not None
        return found

    async def ids(self, run_id: str) -> list[str]:
        """What was listed."""
        return [one.item_id for one in await self.store.read(lambda c: bulk.page_of(c, run_id, -1))]

    async def files(self) -> list[bytes]:
        """Every file that was sent to the owner."""
        query = sa.select(outbox_rows.c.message)
        messages = await self.store.read(lambda c: [OwnerMessage.model_validate(m) for (m,) in c.execute(query)])
        return [await self.blobs.get(file.sha256) for message in messages for file in message.attachments]

    async def file_names(self) -> list[str]:
        """What they are called."""
        query = sa.select(outbox_rows.c.message)
        messages = await self.store.read(lambda c: [OwnerMessage.model_validate(m) for (m,) in c.execute(query)])
        return [file.name for message in messages for file in message.attachments]

    async def message(self, run_id: str) -> OwnerMessage:
        """What the owner sees of it."""
        run = await self.run(run_id)
        assert run.message_id is not None
        row = await self.store.read(lambda c: outbox.get(c, run.message_id or ""))
        assert row is not None
        return row.message

    async def text(self, run_id: str) -> str:
        return rich_text((await self.message(run_id)).text)

    async def labels(self, run_id: str) -> list[str]:
        return [one.label for line in (await self.message(run_id)).buttons for one in line]

    async def tap(self, run_id: str, label: str) -> TapAnswer:
        """Tap a button of its message."""
        message = await self.message(run_id)
        return await self.press(next(one.data for line in message.buttons for one in line if one.label == label))

    async def press(self, data: str) -> TapAnswer:
        """Tap a button, wherever it stands."""

        def press(connection: sa.Connection) -> TapAnswer:
            button = buttons.get(connection, sha256(data.removeprefix("a:")))
            assert button is not None
            hand = self.controls.press_handlers()[button.kind, button.verb]
            return hand(connection, Press(tapped(data, self.clock.now()), button, None, self.clock.now()))

        return await self.store.write(press)


def called(call_id: str) -> ToolCall:
    return ToolCall(tool="user_shelf_put_away", args=None, call_id=call_id, trace_id=call_id)


def tapped(data: str, now: datetime) -> Inbound:
    return Inbound(
        inbound_id=data,
        dedup_key=data,
        kind=InboundKind.BUTTON,
        channel="telegram",
        identity=Identity.BOT,
        account="",
        chat=OWNER,
        sender=OWNER,
        received_at=now,
        origin=Origin.owner(OWNER),
        payload={"data": data, "query": "q"},
    )
