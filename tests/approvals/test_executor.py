"""Doing what was approved: at most once, with an outcome that is true or openly unknown."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

import pytest
from pydantic import ConfigDict, create_model

from approvals.attempts import MAX_ATTEMPTS
from approvals.reason_words import details_in_words
from approvals.states import State
from approvals.weekly import WEEKLY
from butler.contract.errors import (
    Effect,
    IntegrationErrorCode,
    Retryable,
)
from butler.contract.integration import Idempotency
from butler.contract.tools import Preview, Reconciled, Settled
from butler.store.queries import approvals, audit, outbox
from butler.store.queries.plans import PLAN_STEP
from butler.store.tables import approvals as approvals_table
from tests.approvals.house import House
from tests.approvals.phone import NOON
from tests.approvals.providers import SEND, SendArgs, fault, ok
from tests.approvals.second import Killed

T = TypeVar("T")
TRY_LATER = fault(IntegrationErrorCode.UNAVAILABLE)
UNDO = timedelta(seconds=10)
NO_ANSWER = fault(IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)


async def test_the_result_the_attempt_and_the_plans_next_step_are_stored_together(house: House) -> None:
    approval_id = await house.approved(plan_id="plan-1", step_id=1)
    await house.after_undo_window()
    row = await house.row(approval_id)
    (attempt,) = await house.attempts(approval_id)
    assert (row.state, row.result, row.finished_at) == ("done", {"data": {"id": "sent"}}, house.clock.now())
    assert (attempt.number, attempt.outcome, attempt.provider_ref) == (1, "done", "sent")
    assert (PLAN_STEP, "plan-1", house.clock.now()) in await house.works()
    kinds = [row.kind for row in reversed(await house.store.read(lambda c: audit.rows(c, approval_id)))]
    assert kinds == [
        "approval.requested",
        "approval.approved",
        "approval.executing",
        "approval.attempt",
        "approval.done",
    ]
    assert await house.store.read(audit.verify) is None


async def test_the_call_is_made_with_the_frozen_arguments_and_a_stored_token(house: House) -> None:
    approval_id = await house.approved()
    await house.after_undo_window()
    (call,) = house.provider.effects
    (attempt,) = await house.attempts(approval_id)
    assert isinstance(call.args, SendArgs)
    assert call.args.text == "I'll be late"
    assert (call.call_id, call.account, call.token) == ("plan-1:1", "", attempt.token)
    assert 0 < int(call.token) < 2**63


async def test_progress_is_on_disk_before_the_next_step_and_is_handed_on(house: House) -> None:
    house.provider.note = {"draft": "d-1"}
    house.provider.script = [TRY_LATER]
    approval_id = await house.approved()
    await house.after_undo_window()
    house.provider.note = {"sent": "yes"}
    house.clock.turn(seconds=5)
    await house.run()
    first, second = await house.attempts(approval_id)
    assert (first.progress, second.progress) == ({"draft": "d-1"}, {"draft": "d-1", "sent": "yes"})
    progress = house.provider.calls[1].progress
    assert progress is not None
    assert progress.stored == {"draft": "d-1", "sent": "yes"}


async def test_a_failure_without_effect_is_tried_again_later_and_less_and_less_often(house: House) -> None:
    house.provider.script = [TRY_LATER] * MAX_ATTEMPTS
    approval_id = await house.approved()
    await house.after_undo_window()
    waits: list[float] = []
    while await house.state(approval_id) == "executing":
        due = (await house.row(approval_id)).execute_at
        assert due
        waits.append((due - house.clock.now()).total_seconds())
        house.clock.time = due
        await house.run()
    assert waits == [5, 10, 20, 40]
    attempts = await house.attempts(approval_id)
    assert [attempt.outcome for attempt in attempts] == ["retry"] * 4 + ["failed"]
    assert len({attempt.token for attempt in attempts}) == 1
    row = await house.row(approval_id)
    assert (row.state, details_in_words(row.detail)) == ("failed", "the provider said UNAVAILABLE")


async def test_a_try_that_works_ends_the_waiting(house: House) -> None:
    house.provider.script = [TRY_LATER]
    approval_id = await house.approved()
    await house.after_undo_window()
    house.clock.turn(seconds=5)
    await house.run()
    row = await house.row(approval_id)
    assert (row.state, details_in_words(row.detail)) == ("done", "")
    assert len(house.provider.effects) == 1


async def test_a_provider_that_asks_for_patience_gets_it_within_reason(house: House) -> None:
    house.provider.script = [fault(IntegrationErrorCode.RATE_LIMITED, retry_after_s=90)]
    approval_id = await house.approved()
    await house.after_undo_window()
    assert (await house.row(approval_id)).execute_at == house.clock.now() + timedelta(seconds=90)
    house.provider.script = [fault(IntegrationErrorCode.RATE_LIMITED, retry_after_s=7200)]
    house.clock.turn(seconds=90)
    await house.run()
    assert await house.state(approval_id) == "failed"


async def test_a_duplicate_work_row_does_not_shorten_a_wait(house: House) -> None:
    house.provider.script = [TRY_LATER]
    approval_id = await house.approved()
    await house.after_undo_window()
    await house.approvals.handlers()[approvals.EXECUTE](approval_id)
    assert len(house.provider.calls) == 1
    house.clock.turn(seconds=5)
    await house.run()
    assert len(house.provider.calls) == 2


async def test_a_final_failure_is_not_tried_again(house: House) -> None:
    house.provider.script = [fault(IntegrationErrorCode.FORBIDDEN)]
    approval_id = await house.approved()
    await house.after_undo_window()
    row = await house.row(approval_id)
    assert row.state == "failed"
    assert row.result
    assert row.result["error"]["code"] == "FORBIDDEN"


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (Reconciled.said(Settled.DONE, "found", {"id": "7"}), "done"),
        (Reconciled.said(Settled.FAILED, "bounced"), "failed"),
        (Reconciled.said(Settled.UNKNOWN, "no trace"), "unknown"),
        (ValueError("secret text"), "unknown"),
    ],
)
async def test_no_clear_answer_is_looked_into_and_settled_as_it_is_found(
    house: House, found: Reconciled | Exception, state: str
) -> None:
    house.provider.script = [NO_ANSWER]
    house.provider.found = [found]
    approval_id = await house.approved()
    await house.after_undo_window()
    row = await house.row(approval_id)
    assert row.state == state
    assert "secret" not in row.detail
    assert (await house.attempts(approval_id))[0].outcome == state
    assert len(house.provider.calls) == 1


async def test_what_surely_had_no_effect_is_repeated_at_once_with_the_same_token(house: House) -> None:
    house.provider.script = [NO_ANSWER]
    house.provider.found = [Reconciled.said(Settled.REPEAT, "not before DATA")]
    approval_id = await house.approved()
    await house.after_undo_window()
    first, second = await house.attempts(approval_id)
    assert (first.outcome, second.outcome, first.token) == ("repeat", "done", second.token)
    (effect,) = house.provider.effects
    assert effect.args == house.provider.calls[0].args
    row = await house.row(approval_id)
    assert (row.detail, row.execute_at) == ((), NOON + UNDO)


async def test_a_repeat_can_note_its_progress(house: House) -> None:
    house.provider.script = [NO_ANSWER]
    house.provider.found = [Reconciled.said(Settled.REPEAT, "not before DATA")]
    house.provider.note = {"rcpt": "accepted"}
    approval_id = await house.approved()
    await house.after_undo_window()
    assert [attempt.progress for attempt in await house.attempts(approval_id)] == [{"rcpt": "accepted"}] * 2


async def test_a_cut_off_act_is_asked_about_with_what_was_frozen(house: House) -> None:
    house.provider.die = "before"
    approval_id = await house.approved()
    with pytest.raises(Killed):
        await house.after_undo_window()
    house.restart()
    await house.run()
    (asked,) = house.provider.reconciled
    (attempt,) = await house.attempts(approval_id)
    assert (asked.args, asked.token) == (house.provider.calls[0].args, attempt.token)
    assert asked.progress is not None
    await asked.progress.save(seen="nothing")
    assert (await house.attempts(approval_id))[0].progress == {"seen": "nothing"}


async def test_a_look_that_breaks_leaves_it_unknown_and_says_so(house: House) -> None:
    house.provider.script = [NO_ANSWER]
    house.provider.found = [ValueError("a bug")]
    approval_id = await house.approved()
    await house.after_undo_window()
    row = await house.row(approval_id)
    assert (row.state, details_in_words(row.detail)) == ("unknown", "It could not be found out")


async def test_what_is_held_back_is_on_the_log_as_the_butlers_doing(house: House) -> None:
    first = await house.approved()
    house.invoker.tools.pop(SEND)
    await house.after_undo_window()
    rows = await house.store.read(audit.rows)
    held = next((row.kind, row.actor) for row in rows if row.subject == first)
    assert held == ("approval.superseded", "butler")


async def test_repeats_are_bounded_and_end_as_unknown(house: House) -> None:
    house.provider.script = [NO_ANSWER] * 9
    house.provider.found = [Reconciled.said(Settled.REPEAT, "again")] * 9
    approval_id = await house.approved()
    await house.after_undo_window()
    assert await house.state(approval_id) == "unknown"
    assert len(house.provider.calls) == MAX_ATTEMPTS


async def test_a_tool_that_raises_is_looked_into_like_one_that_did_not_answer(house: House) -> None:
    house.provider.script = [KeyError("a bug")]
    approval_id = await house.approved()
    await house.after_undo_window()
    assert await house.state(approval_id) == "unknown"
    assert len(house.provider.reconciled) == 1


async def test_what_cannot_be_found_out_now_is_asked_again_until_it_is_too_late(house: House) -> None:
    house.provider.script = [NO_ANSWER]
    house.provider.found = [Retryable("offline")] * 3
    approval_id = await house.approved()
    await house.after_undo_window()
    assert await house.state(approval_id) == "executing"
    house.clock.turn(seconds=30)
    await house.run()
    assert await house.state(approval_id) == "executing"
    house.clock.turn(hours=2)
    await house.run()
    row = await house.row(approval_id)
    assert row.state == "unknown"
    assert details_in_words(row.detail).startswith("It could not be found out")
    assert len(house.provider.calls) == 1


async def test_what_is_unknown_is_never_repeated(house: House) -> None:
    house.provider.script = [NO_ANSWER]
    approval_id = await house.approved()
    await house.after_undo_window()
    house.restart()
    for _ in range(3):
        await house.approvals.handlers()[approvals.EXECUTE](approval_id)
    assert len(house.provider.calls) == 1
    assert await house.state(approval_id) == "unknown"


CUT_OFF = [
    (Idempotency.NONE, "before", 0, "unknown"),
    (Idempotency.NONE, "after", 1, "unknown"),
    (Idempotency.STATE, "before", 1, "done"),
    (Idempotency.STATE, "after", 1, "done"),
    (Idempotency.PROVIDER, "before", 1, "done"),
    (Idempotency.PROVIDER, "after", 1, "done"),
]


@pytest.mark.parametrize(("idempotency", "die", "effects", "state"), CUT_OFF)
async def test_ap_03_a_crash_around_the_act_leads_to_one_effect_or_an_honest_question(
    house: House, idempotency: Idempotency, die: str, effects: int, state: str
) -> None:
    house.behave(idempotency)
    approval_id = await house.approved()
    house.provider.die = die
    with pytest.raises(Killed):
        await house.after_undo_window()
    assert await house.state(approval_id) == "executing"
    house.restart()
    await house.run()
    assert (await house.state(approval_id), len(house.provider.effects)) == (state, effects)
    assert len({call.token for call in house.provider.calls}) == 1
    assert ("It was done" in str(house.channel.newest.buttons)) is (state == "unknown")


async def test_a_repeat_hours_later_is_left_to_the_owner(house: House) -> None:
    house.behave(Idempotency.PROVIDER)
    approval_id = await house.approved()
    house.provider.die = "before"
    with pytest.raises(Killed):
        await house.after_undo_window()
    house.restart()
    house.clock.turn(hours=3)
    await house.run()
    assert await house.state(approval_id) == "unknown"
    assert not house.provider.effects


async def test_too_long_down_after_the_yes_expires_it_and_tells(house: House) -> None:
    approval_id = await house.approved(plan_id="plan-1")
    house.clock.turn(hours=1, seconds=11)
    house.restart()
    await house.run()
    row = await house.row(approval_id)
    assert (row.state, details_in_words(row.detail)) == ("expired", "Butler was down for too long after your yes")
    assert await house.said() == [
        "I was down for too long after your yes. Nothing was sent: Sends a message (to telegram:1002): “I'll be late”."
    ]
    assert not house.provider.calls
    assert [kind for kind, _, _ in await house.works()] == [PLAN_STEP, outbox.DELIVER]


async def test_too_long_down_between_two_tries_fails_it(house: House) -> None:
    house.provider.script = [TRY_LATER]
    approval_id = await house.approved()
    await house.after_undo_window()
    house.clock.turn(hours=2)
    house.restart()
    await house.run()
    row = await house.row(approval_id)
    assert (row.state, details_in_words(row.detail)) == ("failed", "Butler was down for too long in between")
    assert len(house.provider.calls) == 1


async def test_a_little_late_is_not_too_late(house: House) -> None:
    approval_id = await house.approved()
    house.clock.turn(minutes=59)
    await house.run()
    assert await house.state(approval_id) == "done"


def changed_args(house: House) -> None:
    shape = create_model("Other", __config__=ConfigDict(extra="forbid"), to=(tuple[str, ...], ...))
    house.invoker.change(SEND, args=shape)


def new_default(house: House) -> None:
    shape = create_model("More", __base__=SendArgs, copy_to=(str, "mail:spy@x.example"))
    house.invoker.change(SEND, args=shape)


def changed_adapter(house: House) -> None:
    house.invoker.change(SEND, adapter_contract_version="2.0.0")


def changed_preview(house: House) -> None:
    house.invoker.change(SEND, preview=lambda args: Preview("Deletes everything", body=args.text))


def gone(house: House) -> None:
    del house.invoker.tools[SEND]


CHANGES = [changed_args, new_default, changed_adapter, changed_preview, gone]


@pytest.mark.parametrize("change", CHANGES)
async def test_what_is_no_longer_what_was_shown_is_withdrawn(house: House, change: Callable[[House], None]) -> None:
    approval_id = await house.approved()
    change(house)
    await house.after_undo_window()
    row = await house.row(approval_id)
    assert row.state == "superseded"
    assert row.detail
    assert not house.provider.calls


@pytest.mark.parametrize("column", ["args", "args_sha256", "contract_digest"])
async def test_a_changed_row_is_withdrawn(house: House, column: str) -> None:
    approval_id = await house.approved()
    row = await house.row(approval_id)
    other = row.args.replace("late", "rich") if column == "args" else "0" * 64
    await house.write(lambda c: c.execute(approvals_table.update().values({column: other})))
    await house.after_undo_window()
    assert await house.state(approval_id) == "superseded"
    assert not house.provider.calls


async def test_a_change_between_two_tries_fails_it(house: House) -> None:
    house.provider.script = [TRY_LATER]
    approval_id = await house.approved()
    await house.after_undo_window()
    gone(house)
    house.clock.turn(seconds=5)
    await house.run()
    assert await house.state(approval_id) == "failed"


async def test_an_interrupted_act_whose_tool_has_gone_is_unknown(house: House) -> None:
    approval_id = await house.approved()
    house.provider.die = "after"
    with pytest.raises(Killed):
        await house.after_undo_window()
    gone(house)
    house.restart()
    await house.run()
    row = await house.row(approval_id)
    assert row.state == "unknown"
    assert details_in_words(row.detail).startswith("Butler was interrupted, and can no longer find out")


@pytest.mark.parametrize("state", sorted(set(State) - {State.APPROVED, State.EXECUTING}))
async def test_ap_06_work_on_what_is_not_approved_does_nothing_and_leaves_nothing_behind(
    house: House, state: str
) -> None:
    approval_id = await house.ask()
    await house.write(lambda c: approvals.move(c, approval_id, 1, "pending", state))
    before = await house.works()
    await house.approvals.handlers()[approvals.EXECUTE](approval_id)
    assert await house.works() == before
    assert await house.state(approval_id) == state
    assert not house.provider.calls


async def test_work_on_what_is_not_there_does_nothing(house: House) -> None:
    for handler in house.approvals.handlers().values():
        await handler("nothing")
    assert {kind for kind, _, _ in await house.works()} <= {WEEKLY}, "the digest of a week looks forward to the next"


async def test_work_that_comes_too_early_comes_again(house: House) -> None:
    approval_id = await house.approved()
    await house.approvals.handlers()[approvals.EXECUTE](approval_id)
    assert not house.provider.calls
    await house.after_undo_window()
    assert len(house.provider.calls) == 1


async def test_an_act_in_progress_is_not_taken_for_a_cut_off_one(house: House) -> None:
    approval_id = await house.approved()
    house.clock.turn(seconds=10)
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(_: object) -> object:
        begun.set()
        await go_on.wait()
        return ok("slow")

    house.invoker.change(SEND, handler=slow)
    execute = house.approvals.handlers()[approvals.EXECUTE]
    running = asyncio.create_task(asyncio.wait_for(execute(approval_id), 60))
    await asyncio.wait_for(begun.wait(), 60)
    await execute(approval_id)
    assert not house.provider.reconciled
    go_on.set()
    await running
    assert await house.state(approval_id) == "done"


async def test_the_engine_is_woken_after_every_step_that_leaves_work(house: House) -> None:
    await house.approved()
    woken = house.wakes
    await house.after_undo_window()
    assert house.wakes >= woken + 2


async def test_a_nul_in_a_providers_words_does_not_keep_the_outcome_from_being_stored(house: House) -> None:
    refused = fault(IntegrationErrorCode.REJECTED)
    assert refused.error
    house.provider.script = [refused.model_copy(update={"error": refused.error.model_copy(update={"message": "a\0b"})})]
    approval_id = await house.approved()
    await house.after_undo_window()
    assert details_in_words((await house.row(approval_id)).detail) == "ab"
