"""The panic switch: `/pause user` stops acts as the owner at once, and stopped acts never come back."""

from typing import Any

import pytest

from approvals import pause as pausing
from approvals.pause import COMMAND_LINE, Resumed
from approvals.reason_words import details_in_words
from approvals.states import State
from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.integration import Idempotency
from butler.contract.names import Identity
from butler.contract.tools import Reconciled, Settled, ToolCall
from butler.store.queries import audit
from tests.approvals.chat_input import chat_message
from tests.approvals.harness import Harness, card_text
from tests.approvals.phone import OWNER
from tests.approvals.providers import BOT_SEND, MAIL, READ, fault
from tests.approvals.second_channel import Killed

TRY_LATER = fault(IntegrationErrorCode.UNAVAILABLE)
NO_ANSWER = fault(IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)
STRANGERS = {"to": ["mail:somebody@x.example"], "text": "hello"}


async def pause(harness: Harness, rest: str = "user", by: str = OWNER) -> str:
    """Send `/pause`, or run `butler pause` if it is by the command line; return the answer."""
    now = harness.clock.now()
    if by == COMMAND_LINE:
        return pausing.stopped_words(await harness.write(lambda c: pausing.pause(c, by, now)))
    return await harness.write(lambda c: harness.approvals.pause(c, command("pause", rest), now))


async def resume(harness: Harness, by: str = OWNER) -> str:
    now = harness.clock.now()
    if by == COMMAND_LINE:
        return pausing.resumed_words(await harness.write(lambda c: pausing.resume(c, by, now)))
    return await harness.write(lambda c: harness.approvals.resume(c, command("resume"), now))


def command(name: str, rest: str = "") -> Inbound:
    return chat_message(f"/{name} {rest}", kind=InboundKind.COMMAND, payload={"name": name, "rest": rest})


async def test_what_is_approved_and_not_begun_is_stopped_and_the_card_says_so(harness: Harness) -> None:
    approval_id = await harness.approved(plan_id="plan-1", step_id=1)
    told = await pause(harness)
    await harness.run()
    row = await harness.row(approval_id)
    assert (row.state, details_in_words(row.detail)) == (State.CANCELLED, "you paused what acts as you")
    assert "1 approved act was stopped." in told
    assert "already" not in told
    assert "Stopped at 12:00:00 on 5 March 2026: you paused what acts as you. Nothing was sent." in card_text(
        harness.channel.newest
    )
    assert harness.channel.newest.buttons == ()
    assert ("plan_step", "plan-1", harness.clock.now()) in await harness.works()
    await harness.after_undo_window()
    assert harness.provider.calls == []


async def test_an_undone_act_is_told_apart_from_a_stopped_one(harness: Harness) -> None:
    await harness.approved()
    await harness.tap("Undo")
    assert "Undone at 12:00:00 on 5 March 2026. Nothing was sent." in card_text(harness.channel.newest)


async def test_a_card_that_waits_goes_on_waiting_and_its_yes_is_refused_until_the_pause_is_lifted(
    harness: Harness,
) -> None:
    approval_id = await harness.ask()
    await pause(harness)
    for _ in range(2):
        told = await harness.tap("Approve")
        assert told == "What acts as you is paused; /resume first. This still waits for you."
    assert await harness.state(approval_id) == State.PENDING
    assert harness.channel.answers[-1][2], "a refusal is an alert"
    await resume(harness)
    await harness.tap("Approve")
    await harness.after_undo_window()
    assert await harness.state(approval_id) == State.DONE


async def test_a_card_can_be_denied_while_paused(harness: Harness) -> None:
    approval_id = await harness.ask()
    await pause(harness)
    await harness.tap("Deny")
    assert await harness.state(approval_id) == State.DENIED


async def test_an_expired_card_says_that_and_not_that_it_is_paused(harness: Harness) -> None:
    approval_id = await harness.ask()
    await pause(harness)
    harness.clock.turn(hours=49)
    told = await harness.tap("Approve")
    assert "Expired" in told
    assert await harness.state(approval_id) == State.EXPIRED


async def test_new_acts_as_the_owner_are_refused_and_all_else_goes_on(harness: Harness) -> None:
    await pause(harness)
    refused = await harness.request(MAIL, args=STRANGERS)
    assert (refused.decision, refused.approval_id) == ("deny", None)
    read = await harness.request(READ, call_id="read", args={"item": "1"})
    assert read.decision == "allow"
    approval_id = await harness.approved(tool=BOT_SEND, call_id="bot", args=STRANGERS)
    await harness.after_undo_window()
    assert await harness.state(approval_id) == State.DONE


async def test_what_the_butler_does_in_its_own_name_is_not_stopped(harness: Harness) -> None:
    approval_id = await harness.approved(tool=BOT_SEND, args=STRANGERS)
    assert "stopped" not in await pause(harness)
    await harness.after_undo_window()
    assert await harness.state(approval_id) == State.DONE


async def test_a_try_that_waits_for_the_next_ends_as_failed(harness: Harness) -> None:
    harness.provider.script = [TRY_LATER]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    told = await pause(harness)
    row = await harness.row(approval_id)
    assert (row.state, details_in_words(row.detail)) == (State.FAILED, "you paused what acts as you")
    assert "1 approved act was stopped." in told
    harness.clock.turn(seconds=5)
    await harness.run()
    assert len(harness.provider.calls) == 1


async def test_what_is_under_way_is_told_as_that_and_ends_as_it_ends(harness: Harness) -> None:
    approval_id = await harness.approved()
    told: list[str] = []
    handle = harness.invoker.invoke

    async def pause_meanwhile(call: ToolCall) -> Any:
        told.append(await pause(harness))
        return await handle(call)

    harness.invoker.invoke = pause_meanwhile
    await harness.after_undo_window()
    assert "1 was already being sent or done." in told[0]
    assert await harness.state(approval_id) == State.DONE


async def test_several_are_counted_in_the_plural(harness: Harness) -> None:
    for number in range(2):
        await harness.approved(call_id=f"call-{number}")
    assert "2 approved acts were stopped." in await pause(harness)


@pytest.mark.parametrize(
    "settled", [Reconciled.with_text(Settled.REPEAT, "again"), Reconciled.with_text(Settled.DONE, "found")]
)
async def test_while_paused_an_act_that_was_cut_off_is_only_looked_for(harness: Harness, settled: Reconciled) -> None:
    harness.behave(Idempotency.PROVIDER)
    approval_id = await harness.approved()
    harness.provider.die = "before"
    with pytest.raises(Killed):
        await harness.after_undo_window()
    harness.restart()
    assert "1 was already being sent" in await pause(harness)
    harness.provider.found = [settled]
    await harness.run()
    found = State.DONE if settled.settled is Settled.DONE else State.UNKNOWN
    assert (await harness.state(approval_id), len(harness.provider.calls)) == (found, 1)


async def test_a_claim_that_comes_after_the_pause_finds_it(harness: Harness) -> None:
    """Set a pause without stopping approved acts, as a restored backup may."""
    approval_id = await harness.approved()
    await harness.write(lambda c: pausing.set_paused(c, OWNER, harness.clock.now()))
    harness.restart()
    await harness.after_undo_window()
    row = await harness.row(approval_id)
    assert (row.state, details_in_words(row.detail)) == (State.CANCELLED, "you paused what acts as you")


async def test_both_commands_may_be_said_twice_and_outlive_a_restart(harness: Harness) -> None:
    assert (await pause(harness)).startswith("Paused: nothing is done in your name now.")
    harness.restart()
    assert (await pause(harness)).startswith("What acts as you was paused already.")
    assert await harness.approvals.paused() == (
        "What acts as you is paused since 12:00:00 on 5 March 2026, by you here."
    )
    assert "may be done again" in await resume(harness)
    harness.restart()
    assert await resume(harness) == "Nothing was paused."
    assert await harness.approvals.paused() == ""
    kinds = [row.kind for row in reversed(await harness.store.read(audit.rows))]
    assert kinds == ["pause.set", "pause.set", "pause.lifted"]


@pytest.mark.parametrize("rest", ["", "everything", "bot"])
async def test_the_bare_command_explains_itself_and_stops_nothing(harness: Harness, rest: str) -> None:
    told = await pause(harness, rest)
    assert "/pause user stops at once what acts as you" in told
    assert await harness.approvals.paused() == ""
    await pause(harness, " User ")
    assert "is paused since" in await pause(harness, rest)


async def test_what_the_command_line_paused_only_the_command_line_lifts(harness: Harness) -> None:
    await pause(harness, by=COMMAND_LINE)
    assert "can only be lifted there, by `butler resume`" in await resume(harness)
    assert "`butler resume` on the command line lifts it" in await pause(harness)
    assert "by you on the command line" in await harness.approvals.paused()
    assert "may be done again" in await resume(harness, by=COMMAND_LINE)
    assert await resume(harness, by=COMMAND_LINE) == "Nothing was paused."
    assert await harness.approvals.paused() == ""


async def test_the_command_line_takes_over_a_pause_of_the_chat(harness: Harness) -> None:
    await pause(harness)
    await pause(harness, by=COMMAND_LINE)
    assert await harness.write(lambda c: pausing.resume(c, OWNER, harness.clock.now())) is Resumed.BY_COMMAND_ONLY
    assert await harness.approvals.paused() != ""


async def test_the_butlers_own_identity_is_never_paused(harness: Harness) -> None:
    await pause(harness)
    assert not await harness.write(lambda c: pausing.is_paused(c, Identity.BOT))
