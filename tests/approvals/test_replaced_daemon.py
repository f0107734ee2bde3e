"""An attempt that another daemon began is never repeated, unless the provider refuses duplicates."""

import pytest
import sqlalchemy as sa

from approvals import executor
from approvals.reason_words import details_in_words
from butler.contract.errors import Retryable
from butler.contract.integration import Idempotency
from butler.contract.tools import Reconciled, Settled, ToolCall
from butler.store.errors import FencedError
from butler.store.queries import daemons
from butler.store.store import Store
from butler.store.tables import attempts
from tests.approvals.harness import Harness
from tests.approvals.second_channel import Killed

REPEAT = Reconciled.with_text(Settled.REPEAT, "It was not there.")
FAILED = Reconciled.with_text(Settled.FAILED, "It was refused.")
DONE = Reconciled.with_text(Settled.DONE, "It is there.", {"id": "found"})
MAY_BE = "Another Butler had begun this, and may still have done it"


async def begun_by(harness: Harness, place: str) -> str:
    """Build an act that one daemon began and did not end, after another daemon has taken over at `b`."""
    await harness.store.take_over(place)
    harness.provider.die = "before"
    approval_id = await harness.approved()
    with pytest.raises(Killed):
        await harness.after_undo_window()
    harness.restart()
    await harness.store.take_over("b")
    return approval_id


@pytest.mark.parametrize("found", [REPEAT, FAILED])
async def test_an_act_that_another_daemon_may_still_be_at_is_asked_about(harness: Harness, found: Reconciled) -> None:
    approval_id = await begun_by(harness, "a")
    harness.provider.found = [found]
    await harness.run()
    row = await harness.row(approval_id)
    assert row.state == "unknown"
    assert details_in_words(row.detail).startswith(MAY_BE)
    assert harness.provider.effects == []


async def test_what_is_found_to_be_done_is_done(harness: Harness) -> None:
    approval_id = await begun_by(harness, "a")
    harness.provider.found = [DONE]
    await harness.run()
    assert await harness.state(approval_id) == "done"


async def test_a_provider_that_refuses_doubles_is_given_it_again(harness: Harness) -> None:
    harness.behave(Idempotency.PROVIDER)
    approval_id = await begun_by(harness, "a")
    harness.provider.found = [REPEAT]
    await harness.run()
    assert await harness.state(approval_id) == "done"
    assert len({attempt.token for attempt in await harness.attempts(approval_id)}) == 1


async def test_a_daemon_that_held_the_same_lock_has_ended_and_its_act_is_repeated(harness: Harness) -> None:
    approval_id = await begun_by(harness, "b")
    harness.provider.found = [REPEAT]
    await harness.run()
    assert await harness.state(approval_id) == "done"
    assert len(harness.provider.effects) == 1
    first, second = await harness.attempts(approval_id)
    assert (first.epoch, second.epoch) == (harness.store.epoch - 1, harness.store.epoch)


async def test_an_attempt_whose_daemon_was_replaced_before_its_call_is_not_made(
    lasting_harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness, store = lasting_harness, lasting_harness.store
    await store.take_over("a")
    await harness.approved()
    other, confirm = Store(store.url), store.confirm

    async def replaced_just_now() -> None:
        if await store.read(lambda c: c.execute(sa.select(attempts.c.attempt_id)).first()):
            # The attempt is stored, and the call comes next.
            await other.write(lambda c: daemons.begin(c, "b", 1, harness.clock.now()))
        await confirm()

    monkeypatch.setattr(store, "confirm", replaced_just_now)
    with pytest.raises(FencedError):
        await harness.after_undo_window()
    assert harness.provider.calls == []
    assert len(await store.read(lambda c: c.execute(sa.select(attempts)).all())) == 1
    await other.close()


@pytest.mark.parametrize("until_late", [False, True])
async def test_a_store_that_cannot_be_asked_right_before_the_call_is_waited_for_until_it_is_too_late(
    lasting_harness: Harness, monkeypatch: pytest.MonkeyPatch, until_late: bool
) -> None:
    harness, store = lasting_harness, lasting_harness.store
    await store.take_over("a")
    approval_id = await harness.approved()
    confirm, waits = store.confirm, list[float]()

    async def out_of_reach() -> None:
        begun = await store.read(lambda c: c.execute(sa.select(attempts.c.attempt_id)).first())
        if begun and (until_late or not waits):
            raise Retryable("the store is out of reach")
        await confirm()

    async def at_once(seconds: float) -> None:
        waits.append(seconds)
        harness.clock.turn(hours=5 if until_late else 0)

    monkeypatch.setattr(store, "confirm", out_of_reach)
    monkeypatch.setattr(executor.asyncio, "sleep", at_once)
    await harness.after_undo_window()
    if until_late:
        assert waits
        assert harness.provider.calls == []
    else:
        assert waits == [executor.PAUSE.total_seconds()]
        assert await harness.state(approval_id) == "done"


async def test_an_act_of_another_daemon_whose_tool_has_gone_is_asked_about(harness: Harness) -> None:
    approval_id = await begun_by(harness, "a")
    harness.provider.found = [REPEAT]
    reconcile = harness.invoker.reconcile

    async def then_gone(call: ToolCall) -> Reconciled:
        found = await reconcile(call)
        del harness.invoker.tools[call.tool]
        return found

    harness.invoker.reconcile = then_gone  # type: ignore[method-assign]
    await harness.run()
    row = await harness.row(approval_id)
    assert row.state == "unknown"
    assert details_in_words(row.detail).startswith(MAY_BE)
