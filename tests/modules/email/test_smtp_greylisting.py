"""A mail that a server wants to see again later: approved once, tried again by rows for hours, sent and filed once."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from approvals.reason_words import details_in_words
from butler.store.store import Store
from butler_demo.mailbox.server import MailServer
from tests.approvals.house import House, card_text, create_tables
from tests.modules.email.mailhost import ANNA, BotUnderTest

SEND = "bot_email_send_message"
ARGS = {"to": [{"address": f"mail:{ANNA}", "name": "Anna"}], "subject": "Lunch", "body": "At one."}


@pytest.fixture
async def house(demo_bot: BotUnderTest) -> AsyncIterator[House]:
    """The approvals over the module on the demo's server."""
    store = create_tables(Store("sqlite://"))
    house = House(store)
    house.invoker, house.blobs = whole(demo_bot.registry), whole(demo_bot.context.blobs)
    house.start()
    yield house
    await store.close()


def whole(real: Any) -> Any:
    """In the place of a stand-in."""
    return real


async def next_try(house: House, approval_id: str) -> float:
    """Turn the clock to it, after a restart; how many minutes that was."""
    due = (await house.row(approval_id)).execute_at
    assert due is not None
    minutes = (due - house.clock.now()).total_seconds() / 60
    house.restart()
    house.clock.time = due
    await house.run()
    return minutes


async def test_sm_12_a_greylisted_mail_is_sent_once_hours_later(
    house: House, demo_bot: BotUnderTest, server: MailServer
) -> None:
    for stage, code in (("rcpt", 450), ("mail", 421), ("data", 451), ("connect", 421)):
        server.fail_smtp(stage, code, "4.7.1 Greylisted, come back later")  # type: ignore[arg-type]
    approval_id = await house.approved(tool=SEND, args=ARGS)
    await house.after_undo_window()
    shown = card_text(house.channel.newest)
    assert "Not sent yet: the mail server asked to wait (" in shown
    assert "Greylisted, come back later" in shown
    assert "Next try at 12:01:10" in shown
    waits = [await next_try(house, approval_id) for _ in range(4)]
    assert waits == [1, 5, 15, 60]
    assert await house.state(approval_id) == "done"
    assert "Not sent yet" not in card_text(house.channel.newest)
    (sent,) = server.outgoing
    (copy,) = await demo_bot.mailbox("Sent")
    tokens = {attempt.token for attempt in await house.attempts(approval_id)}
    assert len(tokens) == 1
    assert all(f"Message-ID: <{tokens.copy().pop()}@home.example>".encode() in raw for raw in (sent.raw, copy.raw))


async def test_sm_12_what_was_handed_over_without_an_answer_is_not_tried_by_schedule(
    house: House, server: MailServer
) -> None:
    server.fail_smtp("after_data", None)
    approval_id = await house.approved(tool=SEND, args=ARGS)
    await house.after_undo_window()
    assert await house.state(approval_id) == "unknown"
    house.clock.turn(hours=24)
    await house.run()
    assert len(server.outgoing) == 1


async def test_a_refusal_for_good_is_not_tried_again(house: House, server: MailServer) -> None:
    server.fail_smtp("data", 554, "5.7.1 Looks like spam")
    approval_id = await house.approved(tool=SEND, args=ARGS)
    await house.after_undo_window()
    row = await house.row(approval_id)
    assert (row.state, details_in_words(row.detail)) == (
        "failed",
        "the mail server refused the mail: 554 5.7.1 Looks like spam",
    )
    assert server.outgoing == []
