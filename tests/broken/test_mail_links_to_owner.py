"""A mail of the butler's to its owner, in which others had a hand: what a card shows of it is what leaves."""
# names: made up here

import json

import pytest

from approvals.revise import Change, Put, Revised
from butler.contract.provenance import Origin, Trust
from butler.contract.tools import Recipient
from butler.orchestrator.planning.plan_types import Planned
from butler.provenance import join, load
from butler.store.queries import approvals
from tests.orchestrator.house import House, step

EVIL = frozenset({Origin(trust=Trust.UNTRUSTED, source="email:1", shown_as="a mail by eve@evil.example")})
OWNERS = frozenset({Origin.owner("telegram:1")})
SEND, REPLY = "bot_email_send_message", "bot_email_reply_to_thread"
BODY = "Eve says:\n\nclick https://evil.example/login now, or write to eve@evil.example\n\u200b-- "
INERT = "click https[:]//evil[.]example/login now, or write to eve@evil.example"
BOB, ME = ({"address": "mail:bob@friends.example"}, {"address": "mail:me@home.example"})


async def asked(house: House, tool: str, **args: object) -> approvals.ApprovalRow:
    plan = Planned((step(1, tool, **args),), labels=EVIL)
    await house.say("send it", plan)
    (row,) = await house.store.read(lambda c: approvals.in_state(c, "pending"))
    return row


async def test_a_card_that_is_turned_to_the_owner_shows_the_links_as_they_leave(house: House) -> None:
    row = await asked(house, SEND, to=[BOB], subject="see evil.example", body=BODY)
    assert json.loads(row.args)["body"] == BODY
    people = Put((Recipient(address="mail:me@home.example"),), OWNERS)
    change = Change("in-2", recipients=people)
    done = await house.store.write(
        lambda c: house.approvals.revise(c, row.approval_id, 1, change, house.clock.now()), "revise"
    )
    assert isinstance(done, Revised)
    await house.run()
    row = await house.store.read(lambda c: approvals.get(c, row.approval_id))
    assert row is not None
    args = json.loads(row.args)
    assert args["subject"] == "see evil[.]example"
    assert INERT in args["body"]
    assert "\u200b" not in args["body"]
    card = str(list(house.phone.cards.values())[-1])
    assert "https[:]//evil[.]example/login" in card
    assert "https://evil.example" not in card
    await house.tap("Approve")
    (call,) = house.outputs()
    assert call.args.model_dump(mode="json") == args
    # What carries it out does the same once more, and changes nothing.
    spec = house.registry.spec(SEND)
    assert spec.as_sent is not None
    assert spec.as_sent(call.args, join(map(load, row.labels.values()))) == call.args


async def test_a_text_that_the_owner_gives_such_a_card_is_shown_as_it_leaves_too(house: House) -> None:
    row = await asked(house, SEND, to=[BOB, ME], subject="x", body=BODY)
    change = Change(
        "in-2",
        text=Put("look at https://mine.example", OWNERS),
        recipients=Put((Recipient(address="mail:me@home.example"),), OWNERS),
    )
    await house.store.write(
        lambda c: house.approvals.revise(c, row.approval_id, 1, change, house.clock.now()), "revise"
    )
    await house.run()
    await house.tap("Approve")
    (call,) = house.outputs()
    # The subject still is Eve's.
    assert call.args.body == "look at https[:]//mine[.]example"


@pytest.mark.parametrize("tool", [SEND, REPLY])
@pytest.mark.parametrize("text", [BODY, INERT, "a.b.c.d http:/x.y @me #tag /start 1.2.3.4 tg://x", "⟨U+200B⟩ \u202e x"])
def test_to_make_a_text_inert_twice_is_to_make_it_so_once(house: House, tool: str, text: str) -> None:
    spec = house.registry.spec(tool)
    assert spec.as_sent is not None
    more = {"subject": "x.example"} if tool == SEND else {"message_id": "<a@b.example>"}
    args = spec.args.model_validate({"to": [ME], "body": text, **more})
    once = spec.as_sent(args, EVIL)
    assert spec.as_sent(once, EVIL) == once
    assert spec.as_sent(args, OWNERS) == args
    to_bob = spec.args.model_validate({"to": [BOB], "body": text, **more})
    assert spec.as_sent(to_bob, EVIL) == to_bob
