"""A mail of the butler's to its owner, in which others had a hand: what a card shows of it is what leaves."""
# names: made up here

import json

import pytest

from approvals.revise import Change, NewValue, Revised
from butler.contract.provenance import Origin, Trust
from butler.contract.tools import Recipient
from butler.orchestrator.planning.plan_types import Planned
from butler.provenance import join, load
from butler.store.queries import approvals
from tests.orchestrator.harness import Harness, step

EVIL = frozenset({Origin(trust=Trust.UNTRUSTED, source="email:1", shown_as="a mail by eve@evil.example")})
OWNERS = frozenset({Origin.owner("telegram:1")})
SEND, REPLY = "bot_email_send_message", "bot_email_reply_to_thread"
BODY = "Eve says:\n\nclick https://evil.example/login now, or write to eve@evil.example\n\u200b-- "
INERT = "click https[:]//evil[.]example/login now, or write to eve@evil.example"
BOB, ME = ({"address": "mail:bob@friends.example"}, {"address": "mail:me@home.example"})


async def asked(harness: Harness, tool: str, **args: object) -> approvals.ApprovalRow:
    plan = Planned((step(1, tool, **args),), labels=EVIL)
    await harness.say("send it", plan)
    (row,) = await harness.store.read(lambda c: approvals.in_state(c, "pending"))
    return row


async def test_a_card_that_is_turned_to_the_owner_shows_the_links_as_they_leave(harness: Harness) -> None:
    row = await asked(harness, SEND, to=[BOB], subject="see evil.example", body=BODY)
    assert json.loads(row.args)["body"] == BODY
    people = NewValue((Recipient(address="mail:me@home.example"),), OWNERS)
    change = Change("in-2", recipients=people)
    done = await harness.store.write(
        lambda c: harness.approvals.revise(c, row.approval_id, 1, change, harness.clock.now()), "revise"
    )
    assert isinstance(done, Revised)
    await harness.run()
    row = await harness.store.read(lambda c: approvals.get(c, row.approval_id))
    assert row is not None
    args = json.loads(row.args)
    assert args["subject"] == "see evil[.]example"
    assert INERT in args["body"]
    assert "\u200b" not in args["body"]
    card = str(list(harness.phone.cards.values())[-1])
    assert "https[:]//evil[.]example/login" in card
    assert "https://evil.example" not in card
    await harness.tap("Approve")
    (call,) = harness.outputs()
    assert call.args.model_dump(mode="json") == args
    # What carries it out does the same once more, and changes nothing.
    spec = harness.registry.spec(SEND)
    assert spec.as_sent is not None
    assert spec.as_sent(call.args, join(map(load, row.labels.values()))) == call.args


async def test_a_text_that_the_owner_gives_such_a_card_is_shown_as_it_leaves_too(harness: Harness) -> None:
    row = await asked(harness, SEND, to=[BOB, ME], subject="x", body=BODY)
    change = Change(
        "in-2",
        text=NewValue("look at https://mine.example", OWNERS),
        recipients=NewValue((Recipient(address="mail:me@home.example"),), OWNERS),
    )
    await harness.store.write(
        lambda c: harness.approvals.revise(c, row.approval_id, 1, change, harness.clock.now()), "revise"
    )
    await harness.run()
    await harness.tap("Approve")
    (call,) = harness.outputs()
    # The subject still is Eve's.
    assert call.args.body == "look at https[:]//mine[.]example"


@pytest.mark.parametrize("tool", [SEND, REPLY])
@pytest.mark.parametrize("text", [BODY, INERT, "a.b.c.d http:/x.y @me #tag /start 1.2.3.4 tg://x", "⟨U+200B⟩ \u202e x"])
def test_to_make_a_text_inert_twice_is_to_make_it_so_once(harness: Harness, tool: str, text: str) -> None:
    spec = harness.registry.spec(tool)
    assert spec.as_sent is not None
    more = {"subject": "x.example"} if tool == SEND else {"message_id": "<a@b.example>"}
    args = spec.args.model_validate({"to": [ME], "body": text, **more})
    once = spec.as_sent(args, EVIL)
    assert spec.as_sent(once, EVIL) == once
    assert spec.as_sent(args, OWNERS) == args
    to_bob = spec.args.model_validate({"to": [BOB], "body": text, **more})
    assert spec.as_sent(to_bob, EVIL) == to_bob
