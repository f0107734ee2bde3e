"""A house for approvals: the real store, a clock that a test turns, and a channel and a provider that remember."""
# names: made up here

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict

from approvals.context import Context
from approvals.desk import Approvals
from approvals.policy import Verdict
from approvals.request import Proposal
from approvals.states import State
from approvals.transition import redraw
from butler.contract.card import Button, Card, MessageRef, OwnerMessage, rich_text
from butler.contract.door import failed
from butler.contract.errors import ChatClosedError, Effect, IntegrationErrorCode, Retryable, UnknownToolError
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.integration import Idempotency, IntegrationResult, ResultMeta
from butler.contract.names import ApprovalDefault, Direction, Identity
from butler.contract.provenance import Origin, Trust
from butler.contract.tools import (
    ArgMetadata,
    ArgRole,
    Attachment,
    Preview,
    Recipient,
    Reconciled,
    Settled,
    ToolCall,
    ToolMetadata,
    ToolSpec,
)
from butler.store.queries import approvals, contacts, work
from butler.store.queries.approvals import ApprovalRow, AttemptRow
from butler.store.store import Store
from butler.store.tables import attempts, contact_addresses, metadata
from butler.store.tables import outbox as outbox_table
from butler.store.tables import work as work_table
from config.approvals import ApprovalsSettings
from tests.approvals.second import Killed, Second

T = TypeVar("T")

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
OWNER = "telegram:42"
STRANGER = "telegram:666"
ANNA = "telegram:1002"
OWN_WORDS = frozenset({Origin.owner("telegram:42")})
A_MAIL = frozenset({Origin(trust=Trust.UNTRUSTED, source="mail:7", shown_as="a mail by eve@evil.example")})

SEND = "user_telegram_send_message"
BOT_SEND = "bot_telegram_send_message"
MAIL = "user_email_send_message"
ARCHIVE = "user_email_archive_thread"
KEEP = "bot_notes_keep"
READ = "bot_email_read_message"
PRIVATE_READ = "user_email_read_message"


class SendArgs(BaseModel):
    model_config = ConfigDict(extra="forbid")

    to: tuple[str, ...]
    text: str
    subject: str = ""
    files: tuple[Attachment, ...] = ()
    silent: bool = False


class ReadArgs(BaseModel):
    model_config = ConfigDict(extra="forbid")

    item: str
    limit: int | None = None


ROLES: Mapping[type[BaseModel], Mapping[str, ArgMetadata]] = {
    SendArgs: {
        "to": ArgMetadata(ArgRole.RECIPIENT),
        "text": ArgMetadata(ArgRole.CONTENT),
        "subject": ArgMetadata(ArgRole.CONTENT),
        "files": ArgMetadata(ArgRole.CONTENT),
        "silent": ArgMetadata(ArgRole.OPTION),
    },
    ReadArgs: {"item": ArgMetadata(ArgRole.TARGET), "limit": ArgMetadata(ArgRole.OPTION)},
}


def preview_send(args: SendArgs) -> Preview:
    recipients = tuple(Recipient(address=address) for address in args.to)
    effect = "Sends a message"
    return Preview(effect=effect, recipients=recipients, subject=args.subject, body=args.text, attachments=args.files)


class TestClock:
    """Stands still until it is turned; waiting turns it."""

    __test__ = False

    def __init__(self) -> None:
        self.time = NOON
        self.waits: list[timedelta] = []

    def now(self) -> datetime:
        return self.time

    async def sleep_until(self, when: datetime) -> None:
        self.waits.append(when - self.time)
        self.time = max(self.time, when)

    def turn(self, **by: float) -> None:
        self.time += timedelta(**by)


@dataclass
class Owner:
    telegram_user_id: int | None = 42
    emails: frozenset[str] = frozenset({"me@home.example"})


@dataclass
class Channel:
    """The owner's phone: every message with the card as it now stands."""

    home_chat: str | None = OWNER
    cards: dict[str, Card] = field(default_factory=dict)
    replies: dict[str, str | None] = field(default_factory=dict)
    answers: list[tuple[str, str, bool]] = field(default_factory=list)
    redrawn: dict[str, OwnerMessage] = field(default_factory=dict)
    """Messages of text, as they now stand, by their ids."""
    edits: int = 0
    deleted: list[str] = field(default_factory=list)
    offline: bool = False
    may_not_delete: bool = False
    closed: bool = False
    """The owner has blocked the butler."""
    die: str = ""
    """`before` or `after` the next card is sent."""

    def home(self) -> str | None:
        return self.home_chat

    async def say(self, chat: str, message: OwnerMessage) -> MessageRef:
        raise NotImplementedError

    async def show(self, chat: str, card: Card, reply_to: str | None = None) -> MessageRef:
        self._reach()
        if self.closed:
            raise ChatClosedError("blocked")
        if self.die == "before":
            raise Killed
        message_id = str(100 + len(self.cards) + len(self.deleted))  # never one twice
        self.cards[message_id] = card
        self.replies[message_id] = reply_to
        if self.die == "after":
            raise Killed
        return MessageRef(chat=chat, message_ids=(message_id,))

    async def edit(self, ref: MessageRef, card: Card) -> None:
        self._reach()
        self.edits += 1
        for message_id in ref.message_ids:
            self.cards[message_id] = card

    async def redraw(self, ref: MessageRef, message: OwnerMessage) -> None:
        self._reach()
        if self.closed:
            raise ChatClosedError("blocked")
        for message_id in ref.message_ids:
            self.redrawn[message_id] = message

    def pages(self, card: Card) -> int:
        return 1 + len(card.body) // 3000 + len(card.attachments)

    async def delete(self, ref: MessageRef) -> bool:
        self._reach()
        for message_id in ref.message_ids:
            self.deleted.append(message_id)
            self.cards.pop(message_id, None)
        return not self.may_not_delete

    async def answer(self, query: str, text: str = "", *, alert: bool = False) -> None:
        self._reach()
        self.answers.append((query, text, alert))

    async def typing(self, chat: str) -> None:
        raise NotImplementedError

    async def commands(self, commands: Sequence[tuple[str, str]]) -> None:
        raise NotImplementedError

    def _reach(self) -> None:
        if self.offline:
            raise Retryable("offline")

    @property
    def newest(self) -> Card:
        return list(self.cards.values())[-1]

    def button(self, label: str, card: Card | None = None) -> Button:
        lines = (card or self.newest).buttons
        return next(button for line in lines for button in line if button.label == label)


@dataclass
class Provider:
    """Counts effects. `script` answers in the place of success; `die` kills before or after the effect."""

    effects: list[ToolCall] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    reconciled: list[ToolCall] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    script: list[IntegrationResult | Exception] = field(default_factory=list)
    found: list[Reconciled | Exception] = field(default_factory=list)
    die: str = ""
    note: dict[str, str] = field(default_factory=dict)


@dataclass
class Blobs:
    """Files in memory."""

    files: dict[str, bytes] = field(default_factory=dict)

    async def put(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        self.files[digest] = data
        return digest

    async def get(self, sha256: str) -> bytes:
        return self.files[sha256]


class Invoker:
    """A registry of test tools over one provider."""

    def __init__(self, provider: Provider, idempotency: Idempotency = Idempotency.NONE) -> None:
        self.provider = provider
        self.idempotency = idempotency
        self.tools = {spec.tool_name: spec for spec in self._tools()}
        self.sensitive = {PRIVATE_READ}

    def _tools(self) -> list[ToolSpec]:
        return [
            self.make(SEND, Identity.USER, ApprovalDefault.ALWAYS),
            self.make(MAIL, Identity.USER, ApprovalDefault.ALWAYS),
            self.make(ARCHIVE, Identity.USER, ApprovalDefault.NONE),
            self.make(BOT_SEND, Identity.BOT, ApprovalDefault.CONDITIONAL),
            self.make(KEEP, Identity.BOT, ApprovalDefault.NONE, to_owner=True),
            self.make(READ, Identity.BOT, ApprovalDefault.NONE, reads=True),
            self.make(PRIVATE_READ, Identity.USER, ApprovalDefault.NONE, reads=True),
        ]

    def make(
        self, name: str, identity: Identity, default: ApprovalDefault, *, reads: bool = False, **more: Any
    ) -> ToolSpec:
        return ToolSpec(
            tool_name=name,
            channel=name.split("_")[1],
            direction=Direction.INPUT if reads else Direction.OUTPUT,
            identity=identity,
            approval_default=default,
            description=f"What {name} does",
            args=ReadArgs if reads else SendArgs,
            handler=self._handle,
            idempotency=self.idempotency,
            preview=None if reads else preview_send,
            **more,
        )

    def change(self, name: str, **values: Any) -> None:
        self.tools[name] = replace(self.tools[name], **values)

    def spec(self, name: str) -> ToolSpec:
        if name not in self.tools:
            raise UnknownToolError(name)
        return self.tools[name]

    def specs(self) -> Sequence[ToolSpec]:
        return list(self.tools.values())

    def metadata(self, name: str) -> ToolMetadata:
        return ToolMetadata(ROLES.get(self.spec(name).args, {}), sensitive_read=name in self.sensitive)

    async def invoke(self, call: ToolCall) -> IntegrationResult:
        return await self.spec(call.tool).handler(call)

    async def _handle(self, call: ToolCall) -> IntegrationResult:
        provider = self.provider
        provider.calls.append(call)
        if provider.note and call.progress:
            await call.progress.save(**provider.note)
        if provider.die == "before":
            raise Killed
        if provider.script:
            answer = provider.script.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer
        if self.idempotency is Idempotency.PROVIDER and call.token in provider.tokens:
            return ok("done before")
        provider.tokens.add(call.token)
        provider.effects.append(call)
        if provider.die == "after":
            raise Killed
        return ok("sent")

    async def reconcile(self, call: ToolCall) -> Reconciled:
        provider = self.provider
        provider.reconciled.append(call)
        if provider.found:
            answer = provider.found.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer
        if self.idempotency is Idempotency.PROVIDER:
            return Reconciled(Settled.REPEAT, "the provider refuses doubles")
        if self.idempotency is Idempotency.STATE:
            done = call.token in provider.tokens
            return Reconciled(Settled.DONE if done else Settled.REPEAT, "it stands in the log" if done else "no trace")
        return Reconciled(Settled.UNKNOWN, "the provider cannot tell")


def ok(ref: str) -> IntegrationResult:
    return IntegrationResult(ok=True, data={"id": ref}, meta=ResultMeta(provider_request_id=ref))


def fault(
    code: IntegrationErrorCode, effect: Effect = Effect.NONE, retry_after_s: float | None = None
) -> IntegrationResult:
    return failed(code, f"the provider said {code}", effect=effect, retry_after_s=retry_after_s)


class House:
    """Everything, over one store."""

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
        self.second: Second | None = None
        self.mail_to = ""
        self.heard: datetime | None = None
        self.start()

    def start(self) -> None:
        """A fresh process on the same store."""
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
        """The process died and is started again."""
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
        """The owner takes addresses out of the contacts."""
        gone = contact_addresses.c.address.in_(addresses)
        await self.write(lambda c: c.execute(contact_addresses.update().where(gone).values(confirmed=False)))

    def proposal(self, tool: str = SEND, **more: Any) -> Proposal:
        args = more.pop("args", {"to": [ANNA], "text": "I'll be late"})
        values: dict[str, Any] = {
            "tool": tool,
            "args": args,
            "origins": dict.fromkeys(args, OWN_WORDS),
            "account": "me",
            "requested_by": "in-1",
            "call_id": "plan-1:1",
            "chat": OWNER,
        }
        return Proposal(**(values | more))

    async def request(self, tool: str = SEND, **more: Any) -> Verdict:
        proposal = self.proposal(tool, **more)
        return await self.write(lambda c: self.approvals.request(c, proposal, self.clock.now()))

    async def ask(self, tool: str = SEND, **more: Any) -> str:
        """Request something that asks, and have its card shown; the approval's id."""
        verdict = await self.request(tool, **more)
        assert verdict.approval_id is not None
        await self.run()
        return verdict.approval_id

    async def approved(self, **more: Any) -> str:
        """An approval after the owner's yes, its undo window not over."""
        approval_id = await self.ask(**more)
        await self.tap("Approve")
        return approval_id

    async def row(self, approval_id: str) -> ApprovalRow:
        found = await self.store.read(lambda c: approvals.get(c, approval_id))
        assert found is not None
        return found

    async def pending(self) -> list[ApprovalRow]:
        """What waits, oldest first."""
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
        """What went into the outbox, as text."""
        return [rich_text(message.text) for message in await self.messages()]

    async def messages(self) -> list[OwnerMessage]:
        """What went into the outbox."""
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
        """Tap a button of the newest card, and have the work that follows done; what the tapper is told."""
        answer = await self.approvals.decide(self.tap_of(self.channel.button(label, card), **more))
        await self.run()
        return answer.text

    async def run(self, *, kinds: Mapping[str, Any] | None = None) -> None:
        """Do all work that is due, as an engine does: rows stay until they are done."""
        handlers = self.approvals.handlers()
        while due := [
            row
            for row in await self.store.read(lambda c: work.ready(c, self.clock.now()))
            if row.kind in handlers and (kinds is None or row.kind in kinds)
        ]:
            row = due[0]
            try:
                await handlers[row.kind](row.subject)
            except Retryable as error:
                await self.write(partial(self._again, row, str(error)))
            else:
                await self.write(partial(work.done, work_id=row.work_id))

    def _again(self, row: work.WorkRow, why: str, connection: sa.Connection) -> None:
        work.again(connection, row.work_id, self.clock.now() + timedelta(seconds=30), why)

    async def redraw(self, row: ApprovalRow) -> None:
        """Have an approval drawn anew, as whoever changed it does."""
        await self.write(lambda c: redraw(c, row, now=self.clock.now()))
        await self.run()

    async def after_undo_window(self) -> None:
        self.clock.turn(seconds=10)
        await self.run()


def card_text(card: Card) -> str:
    """All that a person can read on a card."""
    lines = [card.title, *(f"{label}: {rich_text(value)}" for label, value in card.fields), card.body]
    lines += [f"{a.name} {a.size} {a.sha256}" for a in card.attachments]
    return "\n".join([*lines, *card.reasons, card.effect, rich_text(card.outcome)])


def create_tables(store: Store) -> Store:
    metadata.create_all(store.engine)
    return store
