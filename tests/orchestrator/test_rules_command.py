"""/rules and /pending in the chat, and a rule's whole way from a card to a message that passes, all of it by taps."""

from butler.contract.inbound import InboundKind
from butler.orchestrator.planning.plan_types import Command
from tests.orchestrator.harness import SEND, Harness, planned, step


async def ask_anna(harness: Harness) -> None:
    to = {"contact": await harness.contact("Anna")}
    await harness.say("tell Anna hello", planned(step(1, SEND, to=to, text="hello")))


async def rules_command(harness: Harness, inbound_id: str = "c1", name: str = "rules") -> None:
    payload = {"name": name, "rest": ""}
    await harness.say(
        f"/{name}", kind=InboundKind.COMMAND, payload=payload, inbound_id=inbound_id, dedup_key=inbound_id
    )


async def test_rules_lists_what_passes_with_buttons_that_stop_it(harness: Harness) -> None:
    await ask_anna(harness)
    await harness.tap("Always")
    await harness.tap("Save rule")
    assert harness.sent() == []
    await harness.tap("Deny")
    await ask_anna(harness)
    assert harness.sent() == ["hello"]
    await rules_command(harness)
    assert "Rule 1: Send message (Telegram, as you" in harness.phone.said[-1]
    assert "to Anna (@anna), in this chat" in harness.phone.said[-1]
    await harness.tap("Revoke 1")
    assert harness.phone.said[-1].startswith("Rule 1 (revoked): Send message")
    await ask_anna(harness)
    assert harness.sent() == ["hello"]
    await rules_command(harness, "c2")
    assert harness.phone.said[-1].startswith("There are no standing rules.")


async def test_words_that_ask_for_the_rules_or_for_what_waits_are_answered_with_the_same_buttons(
    harness: Harness,
) -> None:
    await ask_anna(harness)
    await harness.tap("Always")
    await harness.tap("Save rule")
    await harness.say("which rules do I have?", Command.RULES)
    assert harness.phone.said[-1].startswith("Rule 1: Send message (Telegram, as you")
    await harness.tap("Revoke 1")
    assert harness.phone.said[-1].startswith("Rule 1 (revoked)")
    await harness.say("what is pending?", Command.PENDING)
    assert harness.phone.said[-1].startswith("1 waiting for your yes:")
    assert harness.phone.buttons("Show 1")


async def test_pending_lists_what_waits_with_buttons_that_bring_a_card_down(harness: Harness) -> None:
    await ask_anna(harness)
    await rules_command(harness, name="pending")
    assert harness.phone.said[-1].startswith("1 waiting for your yes:\n1. ")
    await harness.tap("Show 1")
    assert len(harness.phone.cards) == 2
    await harness.tap("Approve")
    assert harness.sent() == ["hello"]
