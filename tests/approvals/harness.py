"""The approvals harness: the real store, a manual clock, and a channel and a provider that record their calls."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from approvals.context import Context
from approvals.policy import Verdict
from approvals.request import Proposal
from approvals.service import Approvals
from approvals.states import State
from approvals.transition import redraw
from butler.contract.card import Button, Card, OwnerMessage, rich_text
from butler.contract.errors import Retryable
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.integration import Idempotency
from butler.contract.names import Identity
from butler.contract.provenance import Origin
from butler.contract.reasons import Reason, of_error
from butler.store.queries import approvals, contacts, work
from butler.store.queries.approvals import ApprovalRow, AttemptRow
from butler.store.queries.events import HAPPENED
from butler.store.store import Store
from butler.store.tables import attempts, contact_addresses
from butler.store.tables import outbox as outbox_table
from butler.store.tables import work as work_table
from config.approvals import ApprovalsSettings
from tests.approvals.phone import OWNER, Channel, Owner, TestClock
from tests.approvals.providers import ANNA, OWN_WORDS, SEND, Blobs, Invoker, Provider
from tests.approvals.second_channel import SecondChannelStub
from tests.support import tables

T = TypeVar("T")


async def heard_by_nobody(_event_id: str) -> None:
    """Ignore each event."""


class Harness:
    """The approvals service and its handlers over one store."""

    def __init__(self, store: Store, settings: ApprovalsSettings | None = None) -> None:
        self.store = store
        self.clock = TestClock()
        self.channel = Channel()
        self.owner = Owner()
        self.provider = Provider()
        self.invoker = Invoker(self.provider)
        self.blobs = Blobs()
        self.zone = ZoneInfo("Europe/London")
        self.settings = settings or ApprovalsSettings()
        self.taps = 0
        self.wakes = 0
        self.on_wake: Callable[[], None] = lambda: None
        self.second: SecondChannelStub | None = None
        self.mail_to = ""
        self.heard: datetime | None = None
        self.start()

    def start(self) -> None:
        """Start a fresh process on the same store."""
        self.context = Context(
            store=self.store,
            invoker=self.invoker,
            channel=self.channel,
            owner=self.owner,
            clock=self.clock,
            zone=self.zone,
            settings=self.settings,
            blobs=self.blobs,
            wake=self._woken,
            second=self.second,
            mail_to=self.mail_to,
            last_heard=lambda: self.heard,
        )
        self.approvals = Approvals(self.context)

    def restart(self) -> None:
        """Kill the process and start it again."""
        self.provider.die = self.channel.die = ""
        if self.second is not None:
            self.second.die = False
        self.start()

    def behave(self, idempotency: Idempotency) -> None:
        self.invoker = Invoker(self.provider, idempotency)
        self.start()

    def configure(self, **settings: Any) -> None:
        self.settings = ApprovalsSettings.model_validate(settings)
        self.start()

    def _woken(self) -> None:
        self.wakes += 1
        self.on_wake()

    async def write(self, job: Callable[[sa.Connection], T]) -> T:
        return await self.store.write(job)

    async def know(self, name: str, *addresses: str) -> None:
        await self.write(
            lambda c: contacts.learn(c, name, addresses, source="test", owner_says_so=True, now=self.clock.now())
        )

    async def forget(self, *addresses: str) -> None:
        """Remove addresses from the owner's contacts."""
        gone = contact_addresses.c.address.in_(addresses)
        await self.write(lambda c: c.execute(contact_addresses.update().where(gone).values(confirmed=False)))

    def proposal(self, tool: str = SEND, **more: Any) -> Proposal:
        args = more.pop("args", {"to": [ANNA], "text": "I'll be late"})
        values: dict[str, Any] = {
            "tool": tool,
            "args": args,
            "origins": dict.fromkeys(args, OWN_WORDS),
            "account": "",
            "requested_by": "in-1",
            "call_id": "plan-1:1",
            "chat": OWNER,
        }
        return Proposal(**(values | more))

    async def request(self, tool: str = SEND, **more: Any) -> Verdict:
        proposal = self.proposal(tool, **more)
        return await self.write(lambda c: self.approvals.request(c, proposal, self.clock.now()))

    async def ask(self, tool: str = SEND, **more: Any) -> str:
        """Request a call that asks, and have its card shown; return the approval's id."""
        verdict = await self.request(tool, **more)
        assert verdict.approval_id is not None
        await self.run()
        return verdict.approval_id

    async def approved(self, **more: Any) -> str:
        """Return an approval after the owner's yes, within its undo window."""
        approval_id = await self.ask(**more)
        await self.tap("Approve")
        return approval_id

    async def row(self, approval_id: str) -> ApprovalRow:
        found = await self.store.read(lambda c: approvals.get(c, approval_id))
        assert found is not None
        return found

    async def pending(self) -> list[ApprovalRow]:
        """Return the pending approvals, the oldest first."""
        return await self.store.read(lambda c: approvals.in_state(c, State.PENDING))

    async def state(self, approval_id: str) -> str:
        return (await self.row(approval_id)).state

    async def attempts(self, approval_id: str) -> list[AttemptRow]:
        query = sa.select(attempts).where(attempts.c.approval_id == approval_id).order_by(attempts.c.number)
        rows = await self.store.read(lambda c: list(c.execute(query).mappings()))
        return [AttemptRow(**row) for row in rows]

    async def works(self) -> list[tuple[str, str, datetime]]:
        query = sa.select(work_table.c.kind, work_table.c.subject, work_table.c.run_at).order_by(work_table.c.work_id)
        return await self.store.read(lambda c: [tuple(row) for row in c.execute(query)])

    async def said(self) -> list[str]:
        """Return the texts of the outbox."""
        return [rich_text(message.text) for message in await self.messages()]

    async def messages(self) -> list[OwnerMessage]:
        """Return the messages of the outbox."""
        query = sa.select(outbox_table.c.message).order_by(outbox_table.c.created_at)
        rows = await self.store.read(lambda c: list(c.execute(query).scalars()))
        return [OwnerMessage.model_validate(row) for row in rows]

    def tap_of(self, button: Button | str, **more: Any) -> Inbound:
        self.taps += 1
        values: dict[str, Any] = {
            "inbound_id": f"tap-{self.taps}",
            "kind": InboundKind.BUTTON,
            "channel": "telegram",
            "identity": Identity.BOT,
            "account": "bot",
            "dedup_key": f"tap-{self.taps}",
            "chat": OWNER,
            "sender": OWNER,
            "received_at": self.clock.now(),
            "origin": Origin.owner(OWNER),
            "payload": {"query": f"q{self.taps}", "data": button if isinstance(button, str) else button.data},
        }
        return Inbound(**(values | more))

    async def tap(self, label: str, card: Card | None = None, **more: Any) -> str:
        """Tap a button of the newest card and do the resulting work; return the answer to the tapper."""
        answer = await self.approvals.decide(self.tap_of(self.channel.button(label, card), **more))
        await self.run()
        return answer.text

    async def run(self, *, kinds: Mapping[str, Any] | None = None) -> None:
        """Do all work that is due, as an engine does: a row stays until its handler has succeeded."""
        handlers = {HAPPENED: heard_by_nobody, **self.approvals.handlers()}
        while due := [
            row
            for row in await self.store.read(lambda c: work.ready(c, self.clock.now()))
            if row.kind in handlers and (kinds is None or row.kind in kinds)
        ]:
            row = due[0]
            try:
                await handlers[row.kind](row.subject)
            except Retryable as error:
                await self.write(partial(self._again, row, of_error(error)))
            else:
                await self.write(partial(work.done, work_id=row.work_id))

    def _again(self, row: work.WorkRow, why: Reason, connection: sa.Connection) -> None:
        work.again(connection, row.work_id, self.clock.now() + timedelta(seconds=30), why)

    async def redraw(self, row: ApprovalRow) -> None:
        """Have an approval's card redrawn, as a service does after a change."""
        await self.write(lambda c: redraw(c, row, now=self.clock.now()))
        await self.run()

    async def after_undo_window(self) -> None:
        self.clock.turn(seconds=10)
        await self.run()


def card_text(card: Card) -> str:
    """Return all text that a person can read on a card."""
    lines = [card.title, *(f"{label}: {rich_text(value)}" for label, value in card.fields), card.body]
    lines += [f"{a.name} {a.size} {a.sha256}" for a in card.attachments]
    return "\n".join([*lines, *card.reasons, card.effect, rich_text(card.outcome)])


def create_tables(store: Store) -> Store:
    tables.create_tables(store.engine)
    return store
