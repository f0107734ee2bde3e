"""The life of approvals on every database that Butler can keep its rows in."""

from butler.contract.door import failed
from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.integration import Idempotency
from butler.contract.reasons import Reason, ReasonCode
from butler.store.queries import audit
from tests.approvals.house import House
from tests.approvals.providers import A_MAIL, ANNA, MAIL, fault
from tests.approvals.second import Killed

ODD = "nul \0, bidi \u202e, emoji 👩‍👧, quote ', half e\u0301"


async def test_any_text_is_stored_shown_and_sent_as_it_is(lasting_house: House) -> None:
    house = lasting_house
    args = {"to": ["mail:anna@friends.example"], "text": ODD, "subject": ODD}
    approval_id = await house.ask(MAIL, args=args, origins={"text": A_MAIL})
    assert "[U+0000]" in house.channel.newest.body
    await house.tap("Approve")
    await house.after_undo_window()
    assert await house.state(approval_id) == "done"
    assert house.provider.effects[0].args.text == ODD


async def test_the_owner_settles_an_outcome_that_nobody_knows(lasting_house: House) -> None:
    house = lasting_house
    house.provider.note = {"draft": "d-1"}
    house.provider.script = [failed(IntegrationErrorCode.TIMEOUT, "no\0 answer", effect=Effect.UNKNOWN)]
    approval_id = await house.approved(plan_id="plan-1")
    await house.after_undo_window()
    (attempt,) = await house.attempts(approval_id)
    assert (attempt.outcome, attempt.progress) == ("unknown", {"draft": "d-1"})
    await house.tap("It was not done")
    assert await house.state(approval_id) == "failed"
    assert await house.store.read(audit.verify) is None


async def test_a_death_after_the_act_and_a_wait_between_two_tries(lasting_house: House) -> None:
    house = lasting_house
    house.behave(Idempotency.PROVIDER)
    house.provider.script = [fault(IntegrationErrorCode.UNAVAILABLE)]
    approval_id = await house.approved()
    await house.after_undo_window()
    house.clock.turn(seconds=5)
    house.provider.die = "after"
    try:
        await house.run()
    except Killed:
        house.restart()
    await house.run()
    assert await house.state(approval_id) == "done"
    assert [attempt.outcome for attempt in await house.attempts(approval_id)] == ["retry", "repeat", "done"]
    assert len(house.provider.effects) == 1


async def test_cards_are_withdrawn_moved_listed_and_expire(lasting_house: House) -> None:
    house = lasting_house
    await house.know("Anna", ANNA)
    withdrawn = await house.ask()
    moved = await house.ask(call_id="c2", requested_by="in-2", chat="telegram:-5")
    now = house.clock.now()
    await house.write(
        lambda c: house.approvals.supersede_requested_by(c, "in-1", Reason(ReasonCode.MESSAGE_EDITED), now)
    )
    await house.write(lambda c: house.approvals.chat_moved(c, "telegram:-5", "telegram:-1005", now))
    await house.run()
    assert [one.chat for one in await house.pending()] == ["telegram:-1005"]
    house.clock.turn(hours=48)
    await house.run()
    assert [await house.state(one) for one in (withdrawn, moved)] == ["superseded", "expired"]
