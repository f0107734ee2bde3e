"""A mail that a server wants to see again later: approved once, tried again by rows for hours, sent and filed once."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from approvals.reason_words import details_in_words
from butler.store.store import Store
from butler_demo.mailbox.server import MailServer
from tests.approvals.harness import Harness, card_text, create_tables
from tests.modules.email.mailhost import ANNA, BotUnderTest

SEND = "bot_email_send_message"
ARGS = {"to": [{"address": f"mail:{ANNA}", "name": "Anna"}], "subject": "Lunch", "body": "At one."}


@pytest.fixture
async def harness(demo_bot: BotUnderTest) -> AsyncIterator[Harness]:
    """The approvals over the module on the demo's server."""
    store = create_tables(Store("sqlite://"))
    harness = Harness(store)
    harness.invoker, harness.blobs = whole(demo_bot.registry), whole(demo_bot.context.storage.blobs)
    harness.start()
    yield harness
    await store.close()


def whole(real: Any) -> Any:
    """In the place of a stand-in."""
    return real


async def next_try(harness: Harness, approval_id: str) -> float:
    """Turn the clock to it, after a restart; how many minutes that was."""
    due = (await harness.row(approval_id)).execute_at
    assert due is not None
    minutes = (due - harness.clock.now()).total_seconds() / 60
    harness.restart()
    harness.clock.time = due
    await harness.run()
    return minutes


async def test_sm_12_a_greylisted_mail_is_sent_once_hours_later(
    harness: Harness, demo_bot: BotUnderTest, server: MailServer
) -> None:
    for stage, code in (("rcpt", 450), ("mail", 421), ("data", 451), ("connect", 421)):
        server.fail_smtp(stage, code, "4.7.1 Greylisted, come back later")  # type: ignore[arg-type]
    approval_id = await harness.approved(tool=SEND, args=ARGS)
    await harness.after_undo_window()
    shown = card_text(harness.channel.newest)
    assert "Not sent yet: the mail server asked to wait (" in shown
    assert "Greylisted, come back later" in shown
    assert "Next try at 12:01:10" in shown
    waits = [await next_try(harness, approval_id) for _ in range(4)]
    assert waits == [1, 5, 15, 60]
    assert await harness.state(approval_id) == "done"
    assert "Not sent yet" not in card_text(harness.channel.newest)
    (sent,) = server.outgoing
    (copy,) = await demo_bot.mailbox("Sent")
    tokens = {attempt.token for attempt in await harness.attempts(approval_id)}
    assert len(tokens) == 1
    assert all(f"Message-ID: <{tokens.copy().pop()}@home.example>".encode() in raw for raw in (sent.raw, copy.raw))


async def test_sm_12_what_was_handed_over_without_an_answer_is_not_tried_by_schedule(
    harness: Harness, server: MailServer
) -> None:
    server.fail_smtp("after_data", None)
    approval_id = await harness.approved(tool=SEND, args=ARGS)
    await harness.after_undo_window()
    assert await harness.state(approval_id) == "unknown"
    harness.clock.turn(hours=24)
    await harness.run()
    assert len(server.outgoing) == 1


async def test_a_refusal_for_good_is_not_tried_again(harness: Harness, server: MailServer) -> None:
    server.fail_smtp("data", 554, "5.7.1 Looks like spam")
    approval_id = await harness.approved(tool=SEND, args=ARGS)
    await harness.after_undo_window()
    row = await harness.row(approval_id)
    assert (row.state, details_in_words(row.detail)) == (
        "failed",
        "the mail server refused the mail: 554 5.7.1 Looks like spam",
    )
    assert server.outgoing == []
