"""The approvals over a real store, with a channel that takes everything and a tool that counts."""
# ruff: noqa: ARG002 - ports have arguments that nothing here needs

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from pydantic import BaseModel

from approvals.buttons import new_button
from approvals.context import Context
from approvals.request import Proposal
from approvals.service import Approvals
from butler.clock import RealClock
from butler.contract.card import Button, Card, MessageRef, OwnerMessage
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.integration import IntegrationResult, ResultMeta
from butler.contract.names import ApprovalDefault, Direction, Identity
from butler.contract.provenance import Origin
from butler.contract.tools import Preview, Recipient, Reconciled, Settled, ToolCall, ToolMetadata, ToolSpec
from butler.engine import LocalEngine
from butler.store.blobs import FileBlobs
from butler.store.queries import approvals, contacts
from butler.store.queries.approvals import CardRef
from butler.store.queries.buttons import ButtonKind
from butler.store.store import Store
from config.approvals import ApprovalsSettings

TOOL = "user_telegram_send_message"
OWNER = "telegram:42"
TEXT = "I'll be ten minutes late, the train stands still. " * 4


class Args(BaseModel):
    """What the tool takes."""

    to: str
    text: str


@dataclass
class Owner:
    """Somebody who is paired."""

    telegram_user_id: int | None = 42
    emails: frozenset[str] = frozenset()


@dataclass
class Tools:
    """An invoker with one tool. `effect` is set by the effect."""

    effect: asyncio.Event = field(default_factory=asyncio.Event)
    effects: int = 0

    def spec(self, name: str) -> ToolSpec:
        return ToolSpec(
            tool_name=name,
            channel="telegram",
            direction=Direction.OUTPUT,
            identity=Identity.USER,
            approval_default=ApprovalDefault.ALWAYS,
            description="Sends a message.",
            args=Args,
            handler=self.invoke,
            preview=preview,
        )

    def specs(self) -> Sequence[ToolSpec]:
        return [self.spec(TOOL)]

    def metadata(self, name: str) -> ToolMetadata:
        return ToolMetadata({})

    async def invoke(self, call: ToolCall) -> IntegrationResult:
        self.effects += 1
        self.effect.set()
        return IntegrationResult(ok=True, data={"id": self.effects}, meta=ResultMeta(provider_request_id="1"))

    async def reconcile(self, call: ToolCall) -> Reconciled:
        return Reconciled.with_text(Settled.UNKNOWN, "it cannot tell")


def preview(args: Args) -> Preview:
    return Preview("Sends a message as you", recipients=(Recipient(address=args.to),), body=args.text)


class Channel:
    """Takes every card at once; `shown` holds the newest."""

    def __init__(self) -> None:
        self.cards = 0
        self.shown: asyncio.Queue[Card] = asyncio.Queue()

    def home(self) -> str | None:
        return OWNER

    async def say(self, chat: str, message: OwnerMessage) -> MessageRef:
        raise NotImplementedError

    async def show(self, chat: str, card: Card, reply_to: str | None = None) -> MessageRef:
        self.cards += 1
        self.shown.put_nowait(card)
        return MessageRef(chat=chat, message_ids=(str(self.cards),))

    async def edit(self, ref: MessageRef, card: Card) -> None: ...

    async def redraw(self, ref: MessageRef, message: OwnerMessage) -> None: ...

    def pages(self, card: Card) -> int:
        return 1

    async def delete(self, ref: MessageRef) -> bool:
        return True

    async def answer(self, query: str, text: str = "", *, alert: bool = False) -> None: ...

    async def typing(self, chat: str) -> None: ...

    async def commands(self, commands: Sequence[tuple[str, str]]) -> None: ...


class Harness:
    """Approvals, their engine, and what they act with."""

    def __init__(self, store: Store, blobs: FileBlobs) -> None:
        self.store, self.clock = store, RealClock()
        self.engine = LocalEngine(store, self.clock)
        self.channel, self.tools = Channel(), Tools()
        self.approvals = Approvals(
            Context(
                store=store,
                invoker=self.tools,
                channel=self.channel,
                owner=Owner(),
                clock=self.clock,
                zone=ZoneInfo("UTC"),
                settings=ApprovalsSettings(undo_window=timedelta(0), quiet_hours=None),
                blobs=blobs,
                wake=self.engine.wake,
            )
        )
        self._made = 0

    async def ask(self) -> str:
        """Something that waits for a yes; its id."""
        self._made += 1
        args = {"to": "telegram:1002", "text": f"{TEXT}{self._made}"}
        own = frozenset({Origin.owner(OWNER)})
        proposal = Proposal(
            tool=TOOL,
            args=args,
            origins=dict.fromkeys(args, own),
            account="",
            requested_by=f"in-{self._made}",
            call_id=f"call-{self._made}",
            chat=OWNER,
        )
        now = self.clock.now()
        verdict = await self.store.write(lambda c: self.approvals.request(c, proposal, now))
        assert verdict.approval_id is not None
        return verdict.approval_id

    async def know(self) -> None:
        """The owner has confirmed whom the tool writes to."""
        now, to = self.clock.now(), ["telegram:1002"]
        await self.store.write(lambda c: contacts.learn(c, "Anna", to, source="owner", owner_says_so=True, now=now))

    async def waiting(self, count: int) -> list[Inbound]:
        """So many approvals whose cards have been shown, and a tap on Approve for each."""
        ids = [await self.ask() for _ in range(count)]
        buttons = await self.store.write(lambda c: [self._shown(c, approval_id) for approval_id in ids])
        return [self.tap(button, message_ref=approval_id) for button, approval_id in zip(buttons, ids, strict=True)]

    def _shown(self, connection: sa.Connection, approval_id: str) -> Button:
        """As the drawing of its card leaves it."""
        connection.exec_driver_sql("DELETE FROM work WHERE kind = 'show_card'")
        ref = CardRef(1, MessageRef(chat=OWNER, message_ids=(approval_id,)))
        approvals.set_card_refs(connection, approval_id, [ref])
        button = partial(new_button, connection, ButtonKind.APPROVAL, approval_id, 1)
        button("deny", "Deny", owner=OWNER, chat=OWNER, now=self.clock.now())
        return button("approve", "Approve", owner=OWNER, chat=OWNER, now=self.clock.now())

    def tap(self, button: Button, *, message_ref: str) -> Inbound:
        """A tap of the owner, as it stands in the inbox."""
        return Inbound(
            inbound_id=f"tap-{button.data}",
            kind=InboundKind.BUTTON,
            channel="telegram",
            identity=Identity.BOT,
            account="bot",
            dedup_key=f"tap-{button.data}",
            chat=OWNER,
            sender=OWNER,
            message_ref=message_ref,
            received_at=datetime.now(UTC),
            origin=Origin.owner(OWNER),
            payload={"query": "1", "data": button.data},
        )
