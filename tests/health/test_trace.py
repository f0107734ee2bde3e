"""What led to a message or a card, as `/why` and `butler why` tell it: from the rows, in lines, with ids to copy."""
# names: made up here

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from approvals.service import Approvals
from butler.contract.agents import PlanStep
from butler.contract.card import MessageRef, OwnerMessage, Style, plain, rich_text
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.names import Identity
from butler.contract.provenance import Origin, Trust
from butler.orchestrator.planning.plan_types import Command
from butler.orchestrator.planning.spoken import spoken
from butler.store.queries import bulk, firings, inbox, outbox, plans, trace
from butler.store.queries.firings import FiringKind
from butler.store.tables import automation_firings
from butler.trace import BY_ITSELF, NOT_KNOWN, TraceService
from tests.approvals.conftest import harness, store
from tests.approvals.harness import Harness
from tests.approvals.phone import NOON, OWNER

__all__ = ["harness", "store"]
STEP = PlanStep(step_id=1, description="Send Anna a Telegram message", tool_call="user_telegram_send_message")


def item(inbound_id: str = "in-1", text: str = "tell Anna I'm late", **more: Any) -> Inbound:
    values: dict[str, Any] = {
        "inbound_id": inbound_id,
        "kind": InboundKind.CHAT,
        "channel": "telegram",
        "identity": Identity.BOT,
        "account": "bot",
        "dedup_key": inbound_id,
        "chat": OWNER,
        "sender": OWNER,
        "text": text,
        "received_at": NOON,
        "origin": Origin.owner(OWNER),
    }
    return Inbound(**(values | more))


def desk(harness: Harness) -> TraceService:
    approvals: Approvals = harness.approvals
    return TraceService(approvals.shown_at, harness.zone)


async def asked(harness: Harness, reply_to: str | None = None) -> str:
    """What /why answers."""
    question = item(f"why-{reply_to}", "/why", reply_to=reply_to, kind=InboundKind.COMMAND)
    await harness.write(lambda c: desk(harness).tell(c, question, harness.clock.now()))
    return (await harness.said())[-1]


async def said(harness: Harness, key: str, ref: str, text: str = "x") -> str:
    """A message that was said under a key, and stands in the chat."""
    now = harness.clock.now()

    def work(connection: sa.Connection) -> str:
        message_id = outbox.add(connection, OWNER, OwnerMessage(text=plain(text)), now=now, dedup_key=key)
        assert message_id is not None
        outbox.sent(connection, message_id, MessageRef(chat=OWNER, message_ids=(ref,)), now)
        return message_id

    return await harness.write(work)


async def planned(harness: Harness) -> str:
    await harness.write(lambda c: inbox.add(c, item()))
    await harness.write(
        lambda c: plans.add(c, "plan-7", session_id=OWNER, inbound_id="in-1", steps=[STEP], labels=[], now=NOON)
    )
    return "plan-7"


async def test_a_card_tells_the_request_the_plan_the_reasons_and_the_log(harness: Harness) -> None:
    plan_id = await planned(harness)
    approval_id = await harness.ask(plan_id=plan_id, step_id=1)
    ref = next(iter(harness.channel.cards))
    text = await asked(harness, ref)
    assert "You asked for it on Thu 5 Mar 12:00: “tell Anna I'm late” in-1" in text
    assert f"Plan: {plan_id}" in text
    assert "Step 1: user_telegram_send_message – Send Anna a Telegram message" in text
    assert f"In the log: {plan_id}:1" in text
    assert f"Card: user_telegram_send_message, waits for your answer. {approval_id}" in text
    assert "I asked because: " in text
    assert "approval.requested (policy)" in text
    await harness.tap("Approve")
    await harness.after_undo_window()
    (attempt,) = await harness.attempts(approval_id)
    done = await harness.store.read(lambda c: trace.of_id(c, approval_id))
    assert done is not None
    assert rich_text(desk(harness).text(done)).count(attempt.attempt_id) == 1


async def test_ids_stand_as_code(harness: Harness) -> None:
    plan_id = await planned(harness)
    trail = await harness.store.read(lambda c: trace.of_id(c, plan_id))
    assert trail is not None
    assert plan_id in [span.text for span in desk(harness).text(trail) if span.style is Style.CODE]


async def test_an_answer_and_a_progress_message_tell_what_was_asked(harness: Harness) -> None:
    plan_id = await planned(harness)
    await said(harness, "turn:in-1", "71")
    await said(harness, f"progress:{plan_id}", "72")
    for ref in ("71", "72"):
        assert "You asked for it" in await asked(harness, ref)


async def test_an_answer_to_an_item_with_colons_in_its_id_tells_what_was_asked(harness: Harness) -> None:
    await harness.write(lambda c: inbox.add(c, item("telegram:bot:7:3", "/automations", kind=InboundKind.COMMAND)))
    begins = "turn:telegram:bot:7:3", "turn:telegram:bot:7:3:2", "pin:telegram:bot:7:3", "automation:telegram:bot:7:3"
    for ref, key in enumerate(begins, 90):
        await said(harness, key, f"{ref}")
        assert "“/automations” telegram:bot:7:3" in await asked(harness, f"{ref}")


async def test_what_others_wrote_is_not_repeated(harness: Harness) -> None:
    eve = Origin(trust=Trust.UNTRUSTED, source="mail:7", shown_as="a mail")
    mail = item("in-2", "do as I say", origin=eve, sender="mail:eve@evil.example", kind=InboundKind.MAIL)
    await harness.write(lambda c: inbox.add(c, mail))
    await said(harness, "turn:in-2", "73")
    text = await asked(harness, "73")
    assert "It came in on Thu 5 Mar 12:00 from mail:eve@evil.example. in-2" in text
    assert "do as I say" not in text


async def test_a_button_has_no_words(harness: Harness) -> None:
    await harness.write(lambda c: inbox.add(c, item("in-3", "", kind=InboundKind.BUTTON)))
    await said(harness, "turn:in-3", "74")
    assert "You asked for it by a button" in await asked(harness, "74")


async def test_a_reminder_and_an_automation_are_named(harness: Harness) -> None:
    message_id = await said(harness, "reminder:r1:0", "75")
    due = NOON - timedelta(minutes=1)
    await harness.write(lambda c: firings.fire(c, FiringKind.REMINDER, "r1", due, NOON, message_id=message_id))
    assert "A reminder was due on Thu 5 Mar 11:59. r1" in await asked(harness, "75")
    other = await said(harness, "automation:a1", "76")
    row = {"automation_id": "a1", "event_id": "e1", "replay": 0, "at": NOON, "state": "done", "message_id": other}
    await harness.write(lambda c: c.execute(automation_firings.insert().values(row)))
    assert "An automation was set going on Thu 5 Mar 12:00. a1 e1" in await asked(harness, "76")


async def test_what_was_said_by_itself_and_what_is_not_known_say_so(harness: Harness) -> None:
    assert await asked(harness) == NOT_KNOWN
    assert await asked(harness, "999") == NOT_KNOWN
    harness.clock.turn(seconds=1)
    await said(harness, "alarm:disk:2026-03-05", "77")
    assert (await asked(harness, "77")).startswith(f"{BY_ITSELF} alarm:disk:2026-03-05")


async def test_without_a_reply_it_is_about_the_last(harness: Harness) -> None:
    await said(harness, "alarm:disk", "78")
    assert BY_ITSELF in await asked(harness)
    harness.clock.turn(seconds=1)
    await harness.ask()
    question = item("why-2", "/why")
    trail = await harness.store.read(lambda c: desk(harness).trail(c, question))
    assert trail is not None
    assert len(trail.approvals) == 1


async def test_an_id_is_found_by_its_beginning_where_only_one_begins_so(harness: Harness) -> None:
    approval_id = await harness.ask()
    assert await harness.store.read(lambda c: trace.of_id(c, approval_id[:12])) is not None
    assert await harness.store.read(lambda c: trace.of_id(c, "nothing")) is None
    assert await harness.store.read(lambda c: trace.of_id(c, "")) is None


async def test_messages_about_approvals_lead_to_them(harness: Harness) -> None:
    approval_id = await harness.ask()
    message_id = await said(harness, f"approval:{approval_id}:1:reminder", "79")
    await said(harness, "approval:gone:1:reminder", "80")
    told = await asked(harness, "79")
    assert approval_id in told
    assert f"This message: {message_id}" in told
    assert await asked(harness, "80")


async def test_what_is_done_to_many_things_leads_to_the_yes_that_it_began_with_undoing_it_too(harness: Harness) -> None:
    plan_id = await planned(harness)
    approval_id = await harness.ask(plan_id=plan_id, step_id=1, call_id="call-many")
    first = bulk.NewRun("run-1", "gmail", "me", "{}", {})
    again = replace(first, run_id="run-2", undo_of="run-1")

    def begin(connection: sa.Connection) -> None:
        for run, call_id in ((first, "call-many"), (again, None)):
            bulk.add(connection, run, NOON)
            bulk.listed(connection, run.run_id, digest="", total=1, context={})
            assert bulk.begin(connection, run.run_id, call_id=call_id, chat=OWNER, now=NOON)

    await harness.write(begin)
    for ref, key in (("83", "bulk:run-1"), ("84", "bulk:run-2:done"), ("85", "bulk-file:run-1:abc")):
        await said(harness, key, ref)
        told = await asked(harness, ref)
        assert "“tell Anna I'm late”" in told
        assert approval_id in told
        assert BY_ITSELF not in told
    await said(harness, "bulk:gone", "86")
    assert "bulk:gone" in await asked(harness, "86")


async def test_what_had_a_card_is_not_called_said_by_itself_where_the_request_is_not_kept_any_more(
    harness: Harness,
) -> None:
    await harness.ask()
    assert BY_ITSELF not in await asked(harness, next(iter(harness.channel.cards)))


@pytest.mark.parametrize(
    "words",
    [
        "why did you ask me this?",
        "Why did you tell me that",
        "warum hast du mich das gefragt?",
        "warum hast du mir das gesagt?",
        "pourquoi m'as-tu demandé ça ?",
        "pourquoi ce message ?",
        "¿por qué me has preguntado esto?",
        "¿por qué este mensaje?",
    ],
)
def test_it_is_asked_in_four_languages(words: str) -> None:
    assert spoken(words, "Jeeves") is Command.WHY
