"""Executes approved calls while the store refuses: what the provider accepted stays accepted."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import TypeVar

import pytest
import sqlalchemy as sa

from approvals.pause import pause
from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.tools import Reconciled, Settled, ToolCall
from butler.store.errors import StoreBusyError, StoreFullError, StoreUnavailableError
from butler.store.store import Store
from tests.approvals.harness import Harness, create_tables
from tests.approvals.phone import OWNER
from tests.approvals.providers import fault

T = TypeVar("T")
TRY_LATER = fault(IntegrationErrorCode.UNAVAILABLE)
NO_ANSWER = fault(IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)


class Stubborn(Store):
    """A store that refuses writes of one label for a while; with `committed` it writes, and then reports a failure."""

    label = ""
    errors: Sequence[Exception] = ()
    committed = False

    async def write(self, work: Callable[[sa.Connection], T], label: str = "") -> T:
        if label == self.label and self.errors:
            error, *self.errors = self.errors
            if self.committed:
                await super().write(work, label)
            raise error
        return await super().write(work, label)


@pytest.fixture
async def stubborn_harness() -> AsyncIterator[Harness]:
    store = Stubborn("sqlite://")
    create_tables(store)
    yield Harness(store)
    await store.close()


async def test_what_the_provider_accepted_stays_accepted_while_the_store_refuses(stubborn_harness: Harness) -> None:
    harness = stubborn_harness
    store = harness.store
    assert isinstance(store, Stubborn)
    approval_id = await harness.approved()
    store.label = "approval.end"
    store.errors = [StoreFullError(), StoreBusyError(), StoreUnavailableError(), *[StoreFullError() for _ in range(6)]]
    await harness.after_undo_window()
    assert await harness.state(approval_id) == "done"
    assert len(harness.provider.effects) == 1
    waits = [wait.total_seconds() for wait in harness.clock.waits]
    assert waits == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]


@pytest.mark.parametrize("kind", ["done", "retry", "repeat"])
async def test_a_commit_whose_news_was_lost_is_not_made_twice(stubborn_harness: Harness, kind: str) -> None:
    harness = stubborn_harness
    store = harness.store
    assert isinstance(store, Stubborn)
    approval_id = await harness.approved()
    store.label, store.errors, store.committed = "approval.end", [StoreUnavailableError()], True
    harness.provider.script = {"done": [], "retry": [TRY_LATER], "repeat": [NO_ANSWER]}[kind]
    harness.provider.found = [Reconciled.with_text(Settled.REPEAT, "again")]
    await harness.after_undo_window()
    harness.clock.turn(seconds=5)
    await harness.run()
    assert await harness.state(approval_id) == "done"
    assert len(harness.provider.effects) == 1
    outcomes = [attempt.outcome for attempt in await harness.attempts(approval_id)]
    assert outcomes == {"done": ["done"], "retry": ["retry", "done"], "repeat": ["repeat", "done"]}[kind]


def paused_meanwhile(harness: Harness) -> Callable[[ToolCall], Awaitable[Reconciled]]:
    reconcile = harness.invoker.reconcile

    async def pause_and_reconcile(call: ToolCall) -> Reconciled:
        await harness.write(lambda c: pause(c, OWNER, harness.clock.now()))
        return await reconcile(call)

    return pause_and_reconcile


async def test_a_repeat_that_is_held_back_stays_so_when_the_news_of_it_was_lost(stubborn_harness: Harness) -> None:
    harness = stubborn_harness
    store = harness.store
    assert isinstance(store, Stubborn)
    approval_id = await harness.approved()
    store.label, store.errors, store.committed = "approval.end", [StoreUnavailableError()], True
    harness.provider.script = [NO_ANSWER]
    harness.provider.found = [Reconciled.with_text(Settled.REPEAT, "again")]
    harness.invoker.reconcile = paused_meanwhile(harness)
    await harness.after_undo_window()
    assert await harness.state(approval_id) == "unknown"
    assert len(harness.provider.calls) == 1


async def test_a_claim_that_the_store_refuses_is_claimed_later(stubborn_harness: Harness) -> None:
    harness = stubborn_harness
    store = harness.store
    assert isinstance(store, Stubborn)
    approval_id = await harness.approved()
    store.label, store.errors = "approval.claim", [StoreBusyError()]
    await harness.after_undo_window()
    assert await harness.state(approval_id) == "approved"
    harness.clock.turn(seconds=30)
    await harness.run()
    assert await harness.state(approval_id) == "done"
