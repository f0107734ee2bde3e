"""/rules and /pending in the chat, and a rule's whole way from a card to a message that passes, all of it by taps."""

from butler.contract.inbound import InboundKind
from butler.orchestrator.planning.plan_types import Command
from tests.orchestrator.house import SEND, House, planned, step


async def ask_anna(house: House) -> None:
    to = {"contact": await house.contact("Anna")}
    await house.say("tell Anna hello", planned(step(1, SEND, to=to, text="hello")))


async def rules_command(house: House, inbound_id: str = "c1", name: str = "rules") -> None:
    payload = {"name": name, "rest": ""}
    await house.say(f"/{name}", kind=InboundKind.COMMAND, payload=payload, inbound_id=inbound_id, dedup_key=inbound_id)


async def test_rules_lists_what_passes_with_buttons_that_stop_it(house: House) -> None:
    await ask_anna(house)
    await house.tap("Always")
    await house.tap("Save rule")
    assert house.sent() == []
    await house.tap("Deny")
    await ask_anna(house)
    assert house.sent() == ["hello"]
    await rules_command(house)
    assert "Rule 1: Send message (Telegram, as you" in house.phone.said[-1]
    assert "to Anna (telegram:@anna), in this chat" in house.phone.said[-1]
    await house.tap("Revoke 1")
    assert house.phone.said[-1].startswith("Rule 1 (revoked): Send message")
    await ask_anna(house)
    assert house.sent() == ["hello"]
    await rules_command(house, "c2")
    assert house.phone.said[-1].startswith("There are no standing rules.")


async def test_words_that_ask_for_the_rules_or_for_what_waits_are_answered_with_the_same_buttons(house: House) -> None:
    await ask_anna(house)
    await house.tap("Always")
    await house.tap("Save rule")
    await house.say("which rules do I have?", Command.RULES)
    assert house.phone.said[-1].startswith("Rule 1: Send message (Telegram, as you")
    await house.tap("Revoke 1")
    assert house.phone.said[-1].startswith("Rule 1 (revoked)")
    await house.say("what is pending?", Command.PENDING)
    assert house.phone.said[-1].startswith("1 waiting for your yes:")
    assert house.phone.buttons("Show 1")


async def test_pending_lists_what_waits_with_buttons_that_bring_a_card_down(house: House) -> None:
    await ask_anna(house)
    await rules_command(house, name="pending")
    assert house.phone.said[-1].startswith("1 waiting for your yes:\n1. ")
    await house.tap("Show 1")
    assert len(house.phone.cards) == 2
    await house.tap("Approve")
    assert house.sent() == ["hello"]
