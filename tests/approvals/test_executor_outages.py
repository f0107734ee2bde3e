"""Doing what was approved while the store refuses: what the provider accepted stays accepted."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import TypeVar

import pytest
import sqlalchemy as sa

from approvals.pause import pause
from butler.contract.errors import (
    Effect,
    IntegrationErrorCode,
    StoreBusyError,
    StoreFullError,
    StoreUnavailableError,
)
from butler.contract.tools import Reconciled, Settled, ToolCall
from butler.store.store import Store
from tests.approvals.house import House, create_tables
from tests.approvals.phone import OWNER
from tests.approvals.providers import fault

T = TypeVar("T")
TRY_LATER = fault(IntegrationErrorCode.UNAVAILABLE)
NO_ANSWER = fault(IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)


class Stubborn(Store):
    """A store that refuses writes of one label for a while; with `committed` it writes and then says it did not."""

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
async def stubborn_house() -> AsyncIterator[House]:
    store = Stubborn("sqlite://")
    create_tables(store)
    yield House(store)
    await store.close()


async def test_what_the_provider_accepted_stays_accepted_while_the_store_refuses(stubborn_house: House) -> None:
    house = stubborn_house
    store = house.store
    assert isinstance(store, Stubborn)
    approval_id = await house.approved()
    store.label = "approval.end"
    store.errors = [StoreFullError(), StoreBusyError(), StoreUnavailableError(), *[StoreFullError() for _ in range(6)]]
    await house.after_undo_window()
    assert await house.state(approval_id) == "done"
    assert len(house.provider.effects) == 1
    waits = [wait.total_seconds() for wait in house.clock.waits]
    assert waits == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]


@pytest.mark.parametrize("kind", ["done", "retry", "repeat"])
async def test_a_commit_whose_news_was_lost_is_not_made_twice(stubborn_house: House, kind: str) -> None:
    house = stubborn_house
    store = house.store
    assert isinstance(store, Stubborn)
    approval_id = await house.approved()
    store.label, store.errors, store.committed = "approval.end", [StoreUnavailableError()], True
    house.provider.script = {"done": [], "retry": [TRY_LATER], "repeat": [NO_ANSWER]}[kind]
    house.provider.found = [Reconciled.said(Settled.REPEAT, "again")]
    await house.after_undo_window()
    house.clock.turn(seconds=5)
    await house.run()
    assert await house.state(approval_id) == "done"
    assert len(house.provider.effects) == 1
    outcomes = [attempt.outcome for attempt in await house.attempts(approval_id)]
    assert outcomes == {"done": ["done"], "retry": ["retry", "done"], "repeat": ["repeat", "done"]}[kind]


def paused_meanwhile(house: House) -> Callable[[ToolCall], Awaitable[Reconciled]]:
    reconcile = house.invoker.reconcile

    async def pause_and_reconcile(call: ToolCall) -> Reconciled:
        await house.write(lambda c: pause(c, OWNER, house.clock.now()))
        return await reconcile(call)

    return pause_and_reconcile


async def test_a_repeat_that_is_held_back_stays_so_when_the_news_of_it_was_lost(stubborn_house: House) -> None:
    house = stubborn_house
    store = house.store
    assert isinstance(store, Stubborn)
    approval_id = await house.approved()
    store.label, store.errors, store.committed = "approval.end", [StoreUnavailableError()], True
    house.provider.script = [NO_ANSWER]
    house.provider.found = [Reconciled.said(Settled.REPEAT, "again")]
    house.invoker.reconcile = paused_meanwhile(house)
    await house.after_undo_window()
    assert await house.state(approval_id) == "unknown"
    assert len(house.provider.calls) == 1


async def test_a_claim_that_the_store_refuses_is_claimed_later(stubborn_house: House) -> None:
    house = stubborn_house
    store = house.store
    assert isinstance(store, Stubborn)
    approval_id = await house.approved()
    store.label, store.errors = "approval.claim", [StoreBusyError()]
    await house.after_undo_window()
    assert await house.state(approval_id) == "approved"
    house.clock.turn(seconds=30)
    await house.run()
    assert await house.state(approval_id) == "done"
