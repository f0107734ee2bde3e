"""An environment with injected faults: the process dies, the store refuses, the provider answers late or never.

Everything runs on one event loop without threads, so that a run can be repeated exactly.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any, TypeVar

import sqlalchemy as sa

from butler.contract.card import Card, MessageRef
from butler.contract.errors import Effect, IntegrationErrorCode, Retryable
from butler.contract.integration import Idempotency, IntegrationResult
from butler.contract.reasons import of_error
from butler.contract.tools import Reconciled, Settled, ToolCall
from butler.store.connect import writer_of
from butler.store.errors import StoreUnavailableError
from butler.store.queries import outbox, work
from butler.store.queries.work import WorkRow
from butler.store.store import Store
from butler.store.tables import metadata
from tests.approvals.harness import Harness, create_tables
from tests.approvals.phone import OWNER, Channel
from tests.approvals.providers import Invoker, Provider, fault, ok
from tests.approvals.second_channel import Killed

T = TypeVar("T")

ENGINE_PAUSE = timedelta(seconds=30)
MOST_ROUNDS = 20
"""More rounds than are needed until no work is due."""


class Blow(StrEnum):
    """The kinds of faults."""

    DIE = "die"
    REFUSE = "refuse"


@dataclass
class Fate:
    """The fault to inject. Each commit, channel call and provider call has two points: before it and after it."""

    blow: Blow | None = None
    left: int = 0
    """The number of points until the fault."""
    dead: bool = False
    blows: int = 0
    """The number of injected faults."""
    points: list[str] = field(default_factory=list)
    struck: list[str] = field(default_factory=list)

    def meet(self, point: str, refusal: type[Exception]) -> None:
        """Pass a point. Nothing is done after a death."""
        if self.dead:
            raise Killed
        self.points.append(point)
        self.left -= 1
        if self.blow is None or self.left:
            return
        blow, self.blow = self.blow, None
        self.blows += 1
        self.struck.append(f"{blow} {point}")
        if blow is Blow.DIE:
            self.dead = True
            raise Killed
        raise refusal("it is away")


class MortalStore(Store):
    """The store over one connection, without its threads; each transaction has a point before it and one after it."""

    def __init__(self) -> None:
        super().__init__("sqlite://")
        create_tables(self)
        self._one = writer_of(self.engine)
        self.clear()

    def clear(self) -> None:
        """Delete all rows, which is faster than a new database."""
        self.fate = Fate()
        self.writes = 0
        with self._one.begin() as connection:
            for table in reversed(metadata.sorted_tables):
                connection.execute(table.delete())

    async def write(self, work: Callable[[sa.Connection], T], label: str = "", *, flushed: bool = True) -> T:
        del flushed
        await asyncio.sleep(0)
        self.fate.meet(f"before {label}", StoreUnavailableError)
        with self._one.begin() as connection:
            result = work(connection)
        self.writes += 1
        self.fate.meet(f"after {label}", StoreUnavailableError)
        await asyncio.sleep(0)
        return result

    async def read(self, work: Callable[[sa.Connection], T]) -> T:
        await asyncio.sleep(0)
        if self.fate.dead:
            raise Killed
        return self.peek(work)

    def peek(self, work: Callable[[sa.Connection], T]) -> T:
        """Read the store from outside."""
        with self.engine.connect() as connection:
            return work(connection)


@dataclass(frozen=True)
class View:
    """What a message showed during some time."""

    message_id: str
    card: Card
    sent: bool
    """Whether it is a new message, and not a redrawn card."""
    blows: int
    """The number of faults that were injected before it was shown."""


class Phone(Channel):
    """The owner's phone, which records every card that it ever showed."""

    def __init__(self, fate: Fate) -> None:
        super().__init__()
        self.fate = fate
        self.views: list[View] = []

    async def show(self, chat: str, card: Card, reply_to: str | None = None) -> MessageRef:
        await self._point("before show")
        ref = await super().show(chat, card, reply_to)
        self._see(ref, card, sent=True)
        await self._point("after show")
        return ref

    async def edit(self, ref: MessageRef, card: Card) -> None:
        await self._point("before edit")
        if not set(ref.message_ids) <= self.cards.keys():
            return  # deleted meanwhile, which is not an error
        await super().edit(ref, card)
        self._see(ref, card, sent=False)
        await self._point("after edit")

    async def delete(self, ref: MessageRef) -> bool:
        await self._point("before delete")
        deleted = await super().delete(ref)
        await self._point("after delete")
        return deleted

    async def answer(self, query: str, text: str = "", *, alert: bool = False) -> None:
        await self._point("before answer")
        await super().answer(query, text, alert=alert)

    async def _point(self, name: str) -> None:
        await asyncio.sleep(0)
        self.fate.meet(name, Retryable)

    def _see(self, ref: MessageRef, card: Card, *, sent: bool) -> None:
        self.views += [View(message_id, card, sent, self.fate.blows) for message_id in ref.message_ids]

    @property
    def offered(self) -> list[str]:
        """Return the data of all buttons that can be tapped now."""
        return [button.data for card in self.cards.values() for line in card.buttons for button in line]

    def offering(self, label: str) -> list[str]:
        """Return the data of all buttons with a label that can be tapped now."""
        lines = (line for card in self.cards.values() for line in card.buttons)
        return [button.data for line in lines for button in line if button.label.startswith(label)]

    @property
    def ever_offered(self) -> list[str]:
        """Return the data of all buttons that could ever be tapped, each once."""
        seen = (button.data for view in self.views for line in view.card.buttons for button in line)
        return list(dict.fromkeys(seen))

    def views_of(self, data: str) -> Iterator[View]:
        """Return where a button was shown."""
        for view in self.views:
            if any(button.data == data for line in view.card.buttons for button in line):
                yield view


class Mood(StrEnum):
    """The provider's behaviour at the next call."""

    REFUSED = "refused"
    BUSY = "busy"
    LOST = "lost"
    """The call takes effect, but its answer is lost."""
    SILENT = "silent"
    """The call has no effect, and its answer is lost."""
    LATE = "late"
    """The call takes effect after its caller gave up waiting."""
    BROKEN = "broken"
    GARBLED = "garbled"
    """The call takes effect, and its answer is malformed."""


class Search(StrEnum):
    """The provider's behaviour when it is next asked what became of a call."""

    AWAY = "away"
    BROKEN = "broken"


@dataclass
class MoodyProvider(Provider):
    """Answers truthfully; how much it knows depends on its idempotency."""

    moods: deque[Mood] = field(default_factory=deque)
    searches: deque[Search] = field(default_factory=deque)
    under_way: list[ToolCall] = field(default_factory=list)

    def land(self, idempotency: Idempotency) -> None:
        """Complete the calls under way."""
        for call in self.under_way:
            if idempotency is not Idempotency.PROVIDER or call.token not in self.tokens:
                self.do(call)
        self.under_way.clear()

    def do(self, call: ToolCall) -> None:
        self.tokens.add(call.token)
        self.effects.append(call)


class MoodyInvoker(Invoker):
    """The registry over this provider."""

    def __init__(self, provider: MoodyProvider, idempotency: Idempotency, fate: Fate) -> None:
        super().__init__(provider, idempotency)
        self.moody, self.fate = provider, fate

    async def _handle(self, call: ToolCall) -> IntegrationResult:
        await asyncio.sleep(0)
        self.fate.meet("before call", RuntimeError)
        self.moody.calls.append(call)
        answer = self._act(call, self.moody.moods.popleft() if self.moody.moods else None)
        await asyncio.sleep(0)
        self.fate.meet("after call", RuntimeError)
        return answer

    def _act(self, call: ToolCall, mood: Mood | None) -> IntegrationResult:
        # A caller without access does not learn of duplicates.
        if mood is Mood.REFUSED:
            return fault(IntegrationErrorCode.AUTH_REQUIRED)
        if mood is Mood.BUSY:
            return fault(IntegrationErrorCode.UNAVAILABLE)
        if self.idempotency is Idempotency.PROVIDER and call.token in self.moody.tokens:
            return ok("done before")
        if mood in {None, Mood.LOST, Mood.GARBLED}:
            self.moody.do(call)
        if mood is Mood.LATE:
            self.moody.under_way.append(call)
        match mood:
            case None:
                return ok("sent")
            case Mood.GARBLED:
                return fault(IntegrationErrorCode.INVALID_OUTPUT, Effect.DONE)
            case Mood.BROKEN:
                raise RuntimeError
            case _:
                return fault(IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)

    async def reconcile(self, call: ToolCall) -> Reconciled:
        await asyncio.sleep(0)
        self.fate.meet("before reconcile", RuntimeError)
        search = self.moody.searches.popleft() if self.moody.searches else None
        if search is Search.AWAY:
            raise Retryable("it does not answer")
        if search is Search.BROKEN:
            raise RuntimeError
        if any(other.token == call.token for other in self.moody.under_way) and self.idempotency is Idempotency.STATE:
            return Reconciled.with_text(Settled.UNKNOWN, "it may still be on its way")
        return await super().reconcile(call)


class World(Harness):
    """An environment whose parts fail on demand, with an engine that serves its lanes in any order."""

    channel: Phone
    provider: MoodyProvider
    store: MortalStore

    def __init__(self, store: MortalStore) -> None:
        super().__init__(store)
        self.fate = store.fate
        self.channel = Phone(self.fate)
        self.provider = MoodyProvider()
        self.deaths = 0
        self.behave(Idempotency.NONE)

    def behave(self, idempotency: Idempotency) -> None:
        self.invoker = MoodyInvoker(self.provider, idempotency, self.fate)
        self.start()

    async def live(self, *jobs: Awaitable[Any]) -> list[Any]:
        """Run these concurrently; return a result, a refusal, or None where the process died.

        Raises every unexpected error.
        """
        ends = await asyncio.gather(*jobs, return_exceptions=True)
        for end in ends:
            if isinstance(end, BaseException) and not isinstance(end, Killed | Retryable):
                raise end
        if self.fate.dead:
            self.fate.dead = False
            self.deaths += 1
            self.start()
        return [None if isinstance(end, Killed) else end for end in ends]

    def due(self) -> list[WorkRow]:
        """Return the work rows that are due, in the order of writing."""
        handlers = self.approvals.handlers()
        rows = self.store.peek(lambda c: work.ready(c, self.clock.now()))
        return [row for row in rows if row.kind in handlers]

    def lanes(self) -> list[list[WorkRow]]:
        """Take what is due now, lane by lane. A row reaches its handler even if it is cancelled meanwhile."""
        lanes: dict[str, list[WorkRow]] = {}
        for row in self.due():
            lanes.setdefault(row.lane, []).append(row)
        return list(lanes.values())

    async def engine(self, picks: Sequence[int]) -> None:
        """For each pick, serve the first row of a lane. The other rows stay in the store."""
        lanes = self.lanes()
        for pick in picks:
            if not lanes:
                return
            rows = lanes[pick % len(lanes)]
            if not await self.see_to(rows.pop(0)) or not rows:
                lanes.remove(rows)

    def side_by_side(self) -> list[Coroutine[Any, Any, None]]:
        """Return jobs that do all due work, one for each lane."""
        return [self._serve(rows) for rows in self.lanes()]

    async def _serve(self, rows: list[WorkRow]) -> None:
        for row in rows:
            if not await self.see_to(row):
                return  # a lane waits for a row that has to be retried

    async def see_to(self, row: WorkRow) -> bool:
        """Hand a row to its handler; return False if it has to be retried."""
        try:
            await self.approvals.handlers()[row.kind](row.subject)
        except Retryable as error:
            again_at = self.clock.now() if not row.delayed else self.clock.now() + ENGINE_PAUSE
            why = of_error(error)
            await self.store.write(lambda c: work.again(c, row.work_id, again_at, why), "work.again")
            return False
        await self.store.write(lambda c: work.done(c, row.work_id), "work.done")
        return True

    async def settle(self) -> None:
        """Stop injecting faults, and do all due work."""
        self.fate.blow = None
        self.channel.offline = self.channel.closed = False
        await self.store.write(self._owner_writes)
        self.provider.moods.clear()
        self.provider.searches.clear()
        for _ in range(MOST_ROUNDS):
            due = self.due()
            if not due:
                return
            await self.engine([0] * len(due))
        raise AssertionError(f"it does not come to rest: {self.due()}")

    def _owner_writes(self, connection: sa.Connection) -> None:
        """Let a message of the owner reopen a closed chat, so that the cards that could not be shown are sent."""
        self.approvals.show_unseen(connection, self.clock.now())
        outbox.revive(connection, OWNER, self.clock.now())
