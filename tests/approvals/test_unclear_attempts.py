"""After an unclear attempt was repeated to learn its outcome, what the repeat does not tell stays unknown."""

import pytest

from approvals.pause import pause
from butler.contract.card import rich_text
from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.integration import Idempotency
from butler.contract.tools import Reconciled, Settled
from butler.store.queries import approvals
from tests.approvals.harness import Harness
from tests.approvals.phone import OWNER
from tests.approvals.providers import SEND, fault

NO_ANSWER = fault(IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)
AWAY = fault(IntegrationErrorCode.UNAVAILABLE)
NOT_LET_IN = fault(IntegrationErrorCode.AUTH_REQUIRED)


async def test_a_refused_repeat_says_nothing_of_the_try_before_it(harness: Harness) -> None:
    harness.behave(Idempotency.PROVIDER)
    harness.provider.script = [NO_ANSWER, NOT_LET_IN]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    assert await harness.state(approval_id) == "unknown"
    assert "An earlier try may have been done; the last was not" in rich_text(harness.channel.newest.outcome)
    assert (await harness.tap("It was done")).startswith("Marked as sent by you")


@pytest.mark.parametrize("settled", [Settled.REPEAT, Settled.UNKNOWN])
async def test_where_a_repeat_follows_only_what_had_no_effect_its_refusal_is_a_failure(
    harness: Harness, settled: Settled
) -> None:
    harness.provider.script = [NO_ANSWER, NOT_LET_IN]
    harness.provider.found = [Reconciled.with_text(settled, "the connection broke before DATA")]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    assert await harness.state(approval_id) == ("failed" if settled is Settled.REPEAT else "unknown")


async def test_a_pause_does_not_call_undone_what_an_earlier_try_may_have_done(harness: Harness) -> None:
    harness.behave(Idempotency.PROVIDER)
    harness.provider.script = [NO_ANSWER, AWAY]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    assert await harness.state(approval_id) == "executing"
    stopped = await harness.write(lambda c: pause(c, OWNER, harness.clock.now()))
    assert (stopped.stopped, stopped.begun) == (0, 1)
    harness.clock.turn(minutes=1)
    await harness.run()
    assert await harness.state(approval_id) == "unknown"
    assert len(harness.provider.calls) == 2


async def test_a_tool_that_is_gone_leaves_the_doubt(harness: Harness) -> None:
    harness.behave(Idempotency.PROVIDER)
    harness.provider.script = [NO_ANSWER, AWAY]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    del harness.invoker.tools[SEND]
    harness.clock.turn(minutes=1)
    await harness.approvals.handlers()[approvals.EXECUTE](approval_id)
    assert await harness.state(approval_id) == "unknown"
