"""Executes approved calls at most once; the outcome is true, or openly unknown."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

import pytest
from pydantic import ConfigDict, create_model

from approvals.attempts import MAX_ATTEMPTS
from approvals.reason_words import details_in_words
from approvals.states import State
from approvals.weekly_digest import WEEKLY
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
from tests.approvals.harness import Harness
from tests.approvals.phone import NOON
from tests.approvals.providers import SEND, SendArgs, fault, ok
from tests.approvals.second_channel import Killed

T = TypeVar("T")
TRY_LATER = fault(IntegrationErrorCode.UNAVAILABLE)
UNDO = timedelta(seconds=10)
NO_ANSWER = fault(IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)


async def test_the_result_the_attempt_and_the_plans_next_step_are_stored_together(harness: Harness) -> None:
    approval_id = await harness.approved(plan_id="plan-1", step_id=1)
    await harness.after_undo_window()
    row = await harness.row(approval_id)
    (attempt,) = await harness.attempts(approval_id)
    assert (row.state, row.result, row.finished_at) == ("done", {"data": {"id": "sent"}}, harness.clock.now())
    assert (attempt.number, attempt.outcome, attempt.provider_ref) == (1, "done", "sent")
    assert (PLAN_STEP, "plan-1", harness.clock.now()) in await harness.works()
    kinds = [row.kind for row in reversed(await harness.store.read(lambda c: audit.rows(c, approval_id)))]
    assert kinds == [
        "approval.requested",
        "approval.approved",
        "approval.executing",
        "approval.attempt",
        "approval.done",
    ]
    assert await harness.store.read(audit.verify) is None


async def test_the_call_is_made_with_the_frozen_arguments_and_a_stored_token(harness: Harness) -> None:
    approval_id = await harness.approved()
    await harness.after_undo_window()
    (call,) = harness.provider.effects
    (attempt,) = await harness.attempts(approval_id)
    assert isinstance(call.args, SendArgs)
    assert call.args.text == "I'll be late"
    assert (call.call_id, call.account, call.token) == ("plan-1:1", "", attempt.token)
    assert 0 < int(call.token) < 2**63


async def test_progress_is_on_disk_before_the_next_step_and_is_handed_on(harness: Harness) -> None:
    harness.provider.note = {"draft": "d-1"}
    harness.provider.script = [TRY_LATER]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    harness.provider.note = {"sent": "yes"}
    harness.clock.turn(seconds=5)
    await harness.run()
    first, second = await harness.attempts(approval_id)
    assert (first.progress, second.progress) == ({"draft": "d-1"}, {"draft": "d-1", "sent": "yes"})
    progress = harness.provider.calls[1].progress
    assert progress is not None
    assert progress.stored == {"draft": "d-1", "sent": "yes"}


async def test_a_failure_without_effect_is_tried_again_later_and_less_and_less_often(harness: Harness) -> None:
    harness.provider.script = [TRY_LATER] * MAX_ATTEMPTS
    approval_id = await harness.approved()
    await harness.after_undo_window()
    waits: list[float] = []
    while await harness.state(approval_id) == "executing":
        due = (await harness.row(approval_id)).execute_at
        assert due
        waits.append((due - harness.clock.now()).total_seconds())
        harness.clock.time = due
        await harness.run()
    assert waits == [5, 10, 20, 40]
    attempts = await harness.attempts(approval_id)
    assert [attempt.outcome for attempt in attempts] == ["retry"] * 4 + ["failed"]
    assert len({attempt.token for attempt in attempts}) == 1
    row = await harness.row(approval_id)
    assert (row.state, details_in_words(row.detail)) == ("failed", "the provider said UNAVAILABLE")


async def test_a_try_that_works_ends_the_waiting(harness: Harness) -> None:
    harness.provider.script = [TRY_LATER]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    harness.clock.turn(seconds=5)
    await harness.run()
    row = await harness.row(approval_id)
    assert (row.state, details_in_words(row.detail)) == ("done", "")
    assert len(harness.provider.effects) == 1


async def test_a_provider_that_asks_for_patience_gets_it_within_reason(harness: Harness) -> None:
    harness.provider.script = [fault(IntegrationErrorCode.RATE_LIMITED, retry_after_s=90)]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    assert (await harness.row(approval_id)).execute_at == harness.clock.now() + timedelta(seconds=90)
    harness.provider.script = [fault(IntegrationErrorCode.RATE_LIMITED, retry_after_s=7200)]
    harness.clock.turn(seconds=90)
    await harness.run()
    assert await harness.state(approval_id) == "failed"


async def test_a_duplicate_work_row_does_not_shorten_a_wait(harness: Harness) -> None:
    harness.provider.script = [TRY_LATER]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    await harness.approvals.handlers()[approvals.EXECUTE](approval_id)
    assert len(harness.provider.calls) == 1
    harness.clock.turn(seconds=5)
    await harness.run()
    assert len(harness.provider.calls) == 2


async def test_a_final_failure_is_not_tried_again(harness: Harness) -> None:
    harness.provider.script = [fault(IntegrationErrorCode.FORBIDDEN)]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    row = await harness.row(approval_id)
    assert row.state == "failed"
    assert row.result
    assert row.result["error"]["code"] == "FORBIDDEN"


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (Reconciled.with_text(Settled.DONE, "found", {"id": "7"}), "done"),
        (Reconciled.with_text(Settled.FAILED, "bounced"), "failed"),
        (Reconciled.with_text(Settled.UNKNOWN, "no trace"), "unknown"),
        (ValueError("secret text"), "unknown"),
    ],
)
async def test_no_clear_answer_is_looked_into_and_settled_as_it_is_found(
    harness: Harness, found: Reconciled | Exception, state: str
) -> None:
    harness.provider.script = [NO_ANSWER]
    harness.provider.found = [found]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    row = await harness.row(approval_id)
    assert row.state == state
    assert "secret" not in row.detail
    assert (await harness.attempts(approval_id))[0].outcome == state
    assert len(harness.provider.calls) == 1


async def test_what_surely_had_no_effect_is_repeated_at_once_with_the_same_token(harness: Harness) -> None:
    harness.provider.script = [NO_ANSWER]
    harness.provider.found = [Reconciled.with_text(Settled.REPEAT, "not before DATA")]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    first, second = await harness.attempts(approval_id)
    assert (first.outcome, second.outcome, first.token) == ("repeat", "done", second.token)
    (effect,) = harness.provider.effects
    assert effect.args == harness.provider.calls[0].args
    row = await harness.row(approval_id)
    assert (row.detail, row.execute_at) == ((), NOON + UNDO)


async def test_a_repeat_can_note_its_progress(harness: Harness) -> None:
    harness.provider.script = [NO_ANSWER]
    harness.provider.found = [Reconciled.with_text(Settled.REPEAT, "not before DATA")]
    harness.provider.note = {"rcpt": "accepted"}
    approval_id = await harness.approved()
    await harness.after_undo_window()
    assert [attempt.progress for attempt in await harness.attempts(approval_id)] == [{"rcpt": "accepted"}] * 2


async def test_a_cut_off_act_is_asked_about_with_what_was_frozen(harness: Harness) -> None:
    harness.provider.die = "before"
    approval_id = await harness.approved()
    with pytest.raises(Killed):
        await harness.after_undo_window()
    harness.restart()
    await harness.run()
    (asked,) = harness.provider.reconciled
    (attempt,) = await harness.attempts(approval_id)
    assert (asked.args, asked.token) == (harness.provider.calls[0].args, attempt.token)
    assert asked.progress is not None
    await asked.progress.save(seen="nothing")
    assert (await harness.attempts(approval_id))[0].progress == {"seen": "nothing"}


async def test_a_look_that_breaks_leaves_it_unknown_and_says_so(harness: Harness) -> None:
    harness.provider.script = [NO_ANSWER]
    harness.provider.found = [ValueError("a bug")]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    row = await harness.row(approval_id)
    assert (row.state, details_in_words(row.detail)) == ("unknown", "It could not be found out")


async def test_what_is_held_back_is_on_the_log_as_the_butlers_doing(harness: Harness) -> None:
    first = await harness.approved()
    harness.invoker.tools.pop(SEND)
    await harness.after_undo_window()
    rows = await harness.store.read(audit.rows)
    held = next((row.kind, row.actor) for row in rows if row.subject == first)
    assert held == ("approval.superseded", "butler")


async def test_repeats_are_bounded_and_end_as_unknown(harness: Harness) -> None:
    harness.provider.script = [NO_ANSWER] * 9
    harness.provider.found = [Reconciled.with_text(Settled.REPEAT, "again")] * 9
    approval_id = await harness.approved()
    await harness.after_undo_window()
    assert await harness.state(approval_id) == "unknown"
    assert len(harness.provider.calls) == MAX_ATTEMPTS


async def test_a_tool_that_raises_is_looked_into_like_one_that_did_not_answer(harness: Harness) -> None:
    harness.provider.script = [KeyError("a bug")]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    assert await harness.state(approval_id) == "unknown"
    assert len(harness.provider.reconciled) == 1


async def test_what_cannot_be_found_out_now_is_asked_again_until_it_is_too_late(harness: Harness) -> None:
    harness.provider.script = [NO_ANSWER]
    harness.provider.found = [Retryable("offline")] * 3
    approval_id = await harness.approved()
    await harness.after_undo_window()
    assert await harness.state(approval_id) == "executing"
    harness.clock.turn(seconds=30)
    await harness.run()
    assert await harness.state(approval_id) == "executing"
    harness.clock.turn(hours=2)
    await harness.run()
    row = await harness.row(approval_id)
    assert row.state == "unknown"
    assert details_in_words(row.detail).startswith("It could not be found out")
    assert len(harness.provider.calls) == 1


async def test_what_is_unknown_is_never_repeated(harness: Harness) -> None:
    harness.provider.script = [NO_ANSWER]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    harness.restart()
    for _ in range(3):
        await harness.approvals.handlers()[approvals.EXECUTE](approval_id)
    assert len(harness.provider.calls) == 1
    assert await harness.state(approval_id) == "unknown"


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
    harness: Harness, idempotency: Idempotency, die: str, effects: int, state: str
) -> None:
    harness.behave(idempotency)
    approval_id = await harness.approved()
    harness.provider.die = die
    with pytest.raises(Killed):
        await harness.after_undo_window()
    assert await harness.state(approval_id) == "executing"
    harness.restart()
    await harness.run()
    assert (await harness.state(approval_id), len(harness.provider.effects)) == (state, effects)
    assert len({call.token for call in harness.provider.calls}) == 1
    assert ("It was done" in str(harness.channel.newest.buttons)) is (state == "unknown")


async def test_a_repeat_hours_later_is_left_to_the_owner(harness: Harness) -> None:
    harness.behave(Idempotency.PROVIDER)
    approval_id = await harness.approved()
    harness.provider.die = "before"
    with pytest.raises(Killed):
        await harness.after_undo_window()
    harness.restart()
    harness.clock.turn(hours=3)
    await harness.run()
    assert await harness.state(approval_id) == "unknown"
    assert not harness.provider.effects


async def test_too_long_down_after_the_yes_expires_it_and_tells(harness: Harness) -> None:
    approval_id = await harness.approved(plan_id="plan-1")
    harness.clock.turn(hours=1, seconds=11)
    harness.restart()
    await harness.run()
    row = await harness.row(approval_id)
    assert (row.state, details_in_words(row.detail)) == ("expired", "Butler was down for too long after your yes")
    assert await harness.said() == [
        "I was down for too long after your yes. Nothing was sent: Sends a message (to Telegram 1002): “I'll be late”."
    ]
    assert not harness.provider.calls
    assert [kind for kind, _, _ in await harness.works()] == [PLAN_STEP, outbox.DELIVER]


async def test_too_long_down_between_two_tries_fails_it(harness: Harness) -> None:
    harness.provider.script = [TRY_LATER]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    harness.clock.turn(hours=2)
    harness.restart()
    await harness.run()
    row = await harness.row(approval_id)
    assert (row.state, details_in_words(row.detail)) == ("failed", "Butler was down for too long in between")
    assert len(harness.provider.calls) == 1


async def test_a_little_late_is_not_too_late(harness: Harness) -> None:
    approval_id = await harness.approved()
    harness.clock.turn(minutes=59)
    await harness.run()
    assert await harness.state(approval_id) == "done"


def changed_args(harness: Harness) -> None:
    shape = create_model("Other", __config__=ConfigDict(extra="forbid"), to=(tuple[str, ...], ...))
    harness.invoker.change(SEND, args=shape)


def new_default(harness: Harness) -> None:
    shape = create_model("More", __base__=SendArgs, copy_to=(str, "mail:spy@x.example"))
    harness.invoker.change(SEND, args=shape)


def changed_adapter(harness: Harness) -> None:
    harness.invoker.change(SEND, adapter_contract_version="2.0.0")


def changed_preview(harness: Harness) -> None:
    harness.invoker.change(SEND, preview=lambda args: Preview("Deletes everything", body=args.text))


def gone(harness: Harness) -> None:
    del harness.invoker.tools[SEND]


CHANGES = [changed_args, new_default, changed_adapter, changed_preview, gone]


@pytest.mark.parametrize("change", CHANGES)
async def test_what_is_no_longer_what_was_shown_is_withdrawn(
    harness: Harness, change: Callable[[Harness], None]
) -> None:
    approval_id = await harness.approved()
    change(harness)
    await harness.after_undo_window()
    row = await harness.row(approval_id)
    assert row.state == "superseded"
    assert row.detail
    assert not harness.provider.calls


@pytest.mark.parametrize("column", ["args", "args_sha256", "contract_digest"])
async def test_a_changed_row_is_withdrawn(harness: Harness, column: str) -> None:
    approval_id = await harness.approved()
    row = await harness.row(approval_id)
    other = row.args.replace("late", "rich") if column == "args" else "0" * 64
    await harness.write(lambda c: c.execute(approvals_table.update().values({column: other})))
    await harness.after_undo_window()
    assert await harness.state(approval_id) == "superseded"
    assert not harness.provider.calls


async def test_a_change_between_two_tries_fails_it(harness: Harness) -> None:
    harness.provider.script = [TRY_LATER]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    gone(harness)
    harness.clock.turn(seconds=5)
    await harness.run()
    assert await harness.state(approval_id) == "failed"


async def test_an_interrupted_act_whose_tool_has_gone_is_unknown(harness: Harness) -> None:
    approval_id = await harness.approved()
    harness.provider.die = "after"
    with pytest.raises(Killed):
        await harness.after_undo_window()
    gone(harness)
    harness.restart()
    await harness.run()
    row = await harness.row(approval_id)
    assert row.state == "unknown"
    assert details_in_words(row.detail).startswith("Butler was interrupted, and can no longer find out")


@pytest.mark.parametrize("state", sorted(set(State) - {State.APPROVED, State.EXECUTING}))
async def test_ap_06_work_on_what_is_not_approved_does_nothing_and_leaves_nothing_behind(
    harness: Harness, state: str
) -> None:
    approval_id = await harness.ask()
    await harness.write(lambda c: approvals.move(c, approval_id, 1, "pending", state))
    before = await harness.works()
    await harness.approvals.handlers()[approvals.EXECUTE](approval_id)
    assert await harness.works() == before
    assert await harness.state(approval_id) == state
    assert not harness.provider.calls


async def test_work_on_what_is_not_there_does_nothing(harness: Harness) -> None:
    for handler in harness.approvals.handlers().values():
        await handler("nothing")
    assert {kind for kind, _, _ in await harness.works()} <= {WEEKLY}, "the digest of a week looks forward to the next"


async def test_work_that_comes_too_early_comes_again(harness: Harness) -> None:
    approval_id = await harness.approved()
    await harness.approvals.handlers()[approvals.EXECUTE](approval_id)
    assert not harness.provider.calls
    await harness.after_undo_window()
    assert len(harness.provider.calls) == 1


async def test_an_act_in_progress_is_not_taken_for_a_cut_off_one(harness: Harness) -> None:
    approval_id = await harness.approved()
    harness.clock.turn(seconds=10)
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(_: object) -> object:
        begun.set()
        await go_on.wait()
        return ok("slow")

    harness.invoker.change(SEND, handler=slow)
    execute = harness.approvals.handlers()[approvals.EXECUTE]
    running = asyncio.create_task(asyncio.wait_for(execute(approval_id), 60))
    await asyncio.wait_for(begun.wait(), 60)
    await execute(approval_id)
    assert not harness.provider.reconciled
    go_on.set()
    await running
    assert await harness.state(approval_id) == "done"


async def test_the_engine_is_woken_after_every_step_that_leaves_work(harness: Harness) -> None:
    await harness.approved()
    woken = harness.wakes
    await harness.after_undo_window()
    assert harness.wakes >= woken + 2


async def test_a_nul_in_a_providers_words_does_not_keep_the_outcome_from_being_stored(harness: Harness) -> None:
    refused = fault(IntegrationErrorCode.REJECTED)
    assert refused.error
    harness.provider.script = [
        refused.model_copy(update={"error": refused.error.model_copy(update={"message": "a\0b"})})
    ]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    assert details_in_words((await harness.row(approval_id)).detail) == "ab"
