"""The life of an approval on every supported database."""

from butler.contract.door import failed
from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.integration import Idempotency
from butler.contract.reasons import Reason, ReasonCode
from butler.store.queries import audit
from tests.approvals.harness import Harness
from tests.approvals.providers import A_MAIL, ANNA, MAIL, fault
from tests.approvals.second_channel import Killed

ODD = "nul \0, bidi \u202e, emoji 👩‍👧, quote ', half e\u0301"


async def test_any_text_is_stored_shown_and_sent_as_it_is(lasting_harness: Harness) -> None:
    harness = lasting_harness
    args = {"to": ["mail:anna@friends.example"], "text": ODD, "subject": ODD}
    approval_id = await harness.ask(MAIL, args=args, origins={"text": A_MAIL})
    assert "[U+0000]" in harness.channel.newest.body
    await harness.tap("Approve")
    await harness.after_undo_window()
    assert await harness.state(approval_id) == "done"
    assert harness.provider.effects[0].args.text == ODD


async def test_the_owner_settles_an_outcome_that_nobody_knows(lasting_harness: Harness) -> None:
    harness = lasting_harness
    harness.provider.note = {"draft": "d-1"}
    harness.provider.script = [failed(IntegrationErrorCode.TIMEOUT, "no\0 answer", effect=Effect.UNKNOWN)]
    approval_id = await harness.approved(plan_id="plan-1")
    await harness.after_undo_window()
    (attempt,) = await harness.attempts(approval_id)
    assert (attempt.outcome, attempt.progress) == ("unknown", {"draft": "d-1"})
    await harness.tap("It was not done")
    assert await harness.state(approval_id) == "failed"
    assert await harness.store.read(audit.verify) is None


async def test_a_death_after_the_act_and_a_wait_between_two_tries(lasting_harness: Harness) -> None:
    harness = lasting_harness
    harness.behave(Idempotency.PROVIDER)
    harness.provider.script = [fault(IntegrationErrorCode.UNAVAILABLE)]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    harness.clock.turn(seconds=5)
    harness.provider.die = "after"
    try:
        await harness.run()
    except Killed:
        harness.restart()
    await harness.run()
    assert await harness.state(approval_id) == "done"
    assert [attempt.outcome for attempt in await harness.attempts(approval_id)] == ["retry", "repeat", "done"]
    assert len(harness.provider.effects) == 1


async def test_cards_are_withdrawn_moved_listed_and_expire(lasting_harness: Harness) -> None:
    harness = lasting_harness
    await harness.know("Anna", ANNA)
    withdrawn = await harness.ask()
    moved = await harness.ask(call_id="c2", requested_by="in-2", chat="telegram:-5")
    now = harness.clock.now()
    await harness.write(
        lambda c: harness.approvals.supersede_requested_by(c, "in-1", Reason(ReasonCode.MESSAGE_EDITED), now)
    )
    await harness.write(lambda c: harness.approvals.chat_moved(c, "telegram:-5", "telegram:-1005", now))
    await harness.run()
    assert [one.chat for one in await harness.pending()] == ["telegram:-1005"]
    harness.clock.turn(hours=48)
    await harness.run()
    assert [await harness.state(one) for one in (withdrawn, moved)] == ["superseded", "expired"]
