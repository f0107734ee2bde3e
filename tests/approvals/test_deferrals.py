"""A call that the provider defers is retried by rows for a day, and then ends with a clear outcome."""

from datetime import timedelta

from approvals.attempts import DEFERRALS, DETAIL_LIMIT, MAX_ATTEMPTS
from approvals.reason_words import details_in_words
from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.integration import IntegrationResult, ResultMeta
from butler.contract.reasons import ReasonCode, in_own_words, reason
from butler.contract.speech import phrase
from butler.contract.tools import Reconciled, Settled
from tests.approvals.harness import Harness, card_text
from tests.approvals.providers import fault

LATER = fault(IntegrationErrorCode.UNAVAILABLE, retry_after_s=60, deferred=True)
NO_ANSWER = fault(IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)


async def wait_for_the_next(harness: Harness, approval_id: str) -> timedelta:
    """Turn the clock to the next try and make it; return how long the wait was."""
    due = (await harness.row(approval_id)).execute_at
    assert due is not None
    wait = due - harness.clock.now()
    harness.clock.time = due
    await harness.run()
    return wait


async def test_sm_12_the_waits_grow_over_a_day_and_then_it_has_failed(harness: Harness) -> None:
    harness.provider.script = [LATER for _ in range(len(DEFERRALS) + 1)]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    begun = harness.clock.now()
    waits: list[timedelta] = []
    while await harness.state(approval_id) == "executing":
        harness.restart()
        waits.append(await wait_for_the_next(harness, approval_id))
    assert waits == list(DEFERRALS)
    assert timedelta(hours=20) < harness.clock.now() - begun <= timedelta(hours=24)
    attempts = await harness.attempts(approval_id)
    assert [attempt.outcome for attempt in attempts] == ["deferred"] * len(DEFERRALS) + ["failed"]
    assert len({attempt.token for attempt in attempts}) == 1
    assert harness.provider.effects == []
    row = await harness.row(approval_id)
    assert (row.state, details_in_words(row.detail)) == (
        "failed",
        "Given up after a day of tries: the provider said UNAVAILABLE",
    )


async def test_the_card_says_until_when_it_waits_and_that_it_was_done_at_last(harness: Harness) -> None:
    harness.provider.script = [LATER, LATER]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    assert "Not sent yet: the provider said UNAVAILABLE. Next try at 12:01:10" in card_text(harness.channel.newest)
    await wait_for_the_next(harness, approval_id)
    await wait_for_the_next(harness, approval_id)
    assert (await harness.state(approval_id), len(harness.provider.effects)) == ("done", 1)
    assert "Not sent yet" not in card_text(harness.channel.newest)


async def test_waits_that_a_provider_asked_for_use_up_no_other_tries(harness: Harness) -> None:
    harness.provider.script = [*[LATER] * MAX_ATTEMPTS, NO_ANSWER, fault(IntegrationErrorCode.UNAVAILABLE)]
    harness.provider.found = [Reconciled.with_text(Settled.REPEAT, "not before DATA")]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    for _ in range(MAX_ATTEMPTS):
        await wait_for_the_next(harness, approval_id)
    assert await wait_for_the_next(harness, approval_id) == timedelta(seconds=10)
    outcomes = [attempt.outcome for attempt in await harness.attempts(approval_id)]
    assert outcomes == ["deferred"] * MAX_ATTEMPTS + ["repeat", "retry", "done"]


async def test_what_the_owner_should_know_of_what_was_done_stands_on_the_card(harness: Harness) -> None:
    remark = "Not to bob@friends.example: 550 no such user"
    harness.provider.script = [IntegrationResult(ok=True, data={}, meta=ResultMeta(remark=(in_own_words(remark),)))]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    assert details_in_words((await harness.row(approval_id)).detail) == remark
    assert f"{remark}." in card_text(harness.channel.newest)


async def test_a_providers_words_are_bounded_wherever_they_stand(harness: Harness) -> None:
    people = in_own_words(phrase("It did not take it for {people}."), people="a\0b" * 200)
    begun = reason(ReasonCode.BEGUN_WITH, count=2)
    harness.provider.script = [IntegrationResult(ok=True, data={}, meta=ResultMeta(remark=(people, begun)))]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    first, second = (await harness.row(approval_id)).detail
    assert first == in_own_words("It did not take it for {people}.", people=("ab" * 200)[:DETAIL_LIMIT])
    assert second == begun
