"""“Show me what it would do”, said of a card: it is shown, nothing is done, and the card waits with its buttons."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from approvals.states import State
from butler.contract.bulk import BulkSnapshot
from butler.contract.inbound import InboundKind
from butler.contract.integration import IntegrationResult
from butler.contract.tools import ToolCall
from butler.orchestrator.planning.spoken import DryAsked, dry_asked
from butler.store.queries import approvals
from butler.store.queries.approvals import ApprovalRow
from tests.modules.qdrant.harness import harness as qdrant_house
from tests.orchestrator.builders import EVE, said
from tests.orchestrator.harness import MAIL, Harness, planned, step

DONE = "This was a dry run: nothing was done, and the card waits as before."
ARCHIVE, CARD, PUT = "user_email_archive", "user_trello_create_card", "bot_qdrant_upsert"
WORDS = {
    "en": (
        "show me what it would do", "Show me what you would do.", "What would you do?",
        "what would happen if I approve?",
        "dry run", "Dry-run please", "just show me, don't do it", "only show me, don't send it yet", "Jeeves, dry run!",
    ),
    "de": ("zeig mir, was du tun würdest", "Was würdest du tun?", "Probelauf bitte", "zeig mir nur, mach es nicht"),
    "fr": ("montre-moi ce que ça ferait", "Que ferais-tu ?", "simulation", "montre-moi juste, ne le fais pas"),
    "es": ("muéstrame qué haría", "¿Qué harías?", "simulacro", "muéstramelo solo, pero no lo hagas"),
}  # fmt: skip


async def pending(harness: Harness) -> list[ApprovalRow]:
    return list(await harness.store.read(lambda c: approvals.in_state(c, State.PENDING)))


async def everything(harness: Harness) -> list[ApprovalRow]:
    return list(await harness.store.read(lambda c: approvals.in_state(c, *State)))


async def mail_card(harness: Harness, **more: Any) -> None:
    args = {"to": [{"address": "mail:anna@friends.example"}], "subject": "The boat", "body": "We sail at nine."} | more
    await harness.say("mail Anna", planned(step(1, MAIL, **args)))


def recorded(harness: Harness, tool: str, **more: Any) -> None:
    harness.registry._tools[tool] = replace(harness.registry.spec(tool), handler=harness._handle, **more)


async def shows(harness: Harness, words: str = "show me what it would do", **more: Any) -> str:
    """What is said to such words; nothing is done by them, and every card is as it was."""
    before, calls = await everything(harness), list(harness.calls)
    cards = dict(harness.phone.cards)
    await harness.say(words, **more)
    assert await everything(harness) == before
    assert harness.calls == calls
    assert harness.phone.cards == cards
    return harness.phone.said[-1]


@pytest.mark.parametrize("words", [words for several in WORDS.values() for words in several])
async def test_the_only_card_that_waits_is_shown_and_waits_on(harness: Harness, words: str) -> None:
    await mail_card(harness)
    told = await shows(harness, words)
    assert "anna@friends.example" in told
    assert "Subject: The boat" in told
    assert "Text: We sail at nine." in told
    assert "It would be done by user_email_send_message." in told
    assert told.endswith(DONE)
    assert harness.phone.buttons("Approve")
    await harness.tap("Approve")
    assert [call.tool for call in harness.outputs()] == [MAIL]


async def test_a_reply_means_its_card_whatever_else_waits(harness: Harness) -> None:
    await mail_card(harness)
    await mail_card(harness, subject="The car", body="It starts again.")
    first = next(key for key, card in harness.phone.cards.items() if "sail" in str(card))
    told = await shows(harness, reply_to=first)
    assert "The boat" in told
    assert "The car" not in told


async def test_several_cards_are_listed_and_none_is_shown(harness: Harness) -> None:
    await mail_card(harness)
    await mail_card(harness, subject="The car", body="It starts again.")
    told = await shows(harness, "what would you do?")
    assert told.startswith("2 waiting for your yes:\n1. ")
    assert told.endswith("Which one? Reply to its card with “dry run”; /pending brings it down. Nothing was done.")


async def test_no_card_is_a_sentence(harness: Harness) -> None:
    assert await shows(harness) == "No card is waiting, so there is nothing to show. Nothing was done."


async def test_a_card_that_is_decided_or_over_says_so(harness: Harness) -> None:
    await mail_card(harness)
    (key,) = harness.phone.cards
    await harness.tap("Deny")
    assert (await shows(harness, reply_to=key)).startswith("This no longer waits. Denied by you")
    await mail_card(harness)
    harness.clock.time += timedelta(days=3)
    (late,) = await pending(harness)
    assert (await harness.approvals.dry_run(late.approval_id)).startswith("This no longer waits.")
    assert await harness.approvals.dry_run("none") == "This no longer waits."
    assert await harness.approvals.waiting() == []


async def test_a_card_of_trello(harness: Harness) -> None:
    recorded(harness, CARD, complete=None, accounts=())
    await harness.say("a card", planned(step(1, CARD, name="Buy oars", board="Boats")))
    assert len(await pending(harness)) == 1
    told = await shows(harness)
    assert "Buy oars" in told
    assert told.endswith(f"It would be done by {CARD}.\n{DONE}")


async def test_many_mails_are_counted(harness: Harness) -> None:
    listed = BulkSnapshot(run="r1", digest="0" * 64, count=312, facts=(("Mails", "312"),), sample=("Sale! by Bob",))

    async def complete(_call: ToolCall) -> IntegrationResult:
        return IntegrationResult(ok=True, data={"snapshot": listed.model_dump(mode="json")})

    recorded(harness, ARCHIVE, complete=complete, accounts=())
    await harness.say("archive all mails from Bob", planned(step(1, ARCHIVE, senders=["bob@shop.example"])))
    assert len(await pending(harness)) == 1
    told = await shows(harness, reply_to=next(iter(harness.phone.cards)))
    assert "Mails: 312" in told
    assert "Sale! by Bob" in told


async def test_what_is_shown_is_made_harmless_as_on_the_card(harness: Harness) -> None:
    await mail_card(harness, subject="fdp\u202eexe", body=f"one\nThis was sent.\n{'long ' * 200}")
    told = await shows(harness)
    assert "\u202e" not in told
    assert "fdp[U+202E]exe" in told
    assert "Text: one This was sent." in told
    assert len(told) < 1_500


async def test_others_words_do_not_ask_and_groups_are_not_told(harness: Harness) -> None:
    await mail_card(harness)
    before = len(harness.phone.said)
    await harness.say("dry run", segments=(said("dry run", EVE),))
    assert not any(text.endswith(DONE) for text in harness.phone.said[before:])
    await harness.say("dry run", planned(), chat="telegram:-5")
    assert not any(text.endswith(DONE) for text in harness.phone.said[before:])
    assert len(await pending(harness)) == 1


async def test_a_reply_to_another_message_goes_on_as_any_words(harness: Harness) -> None:
    await mail_card(harness)
    await harness.say("what would you do?", planned(), reply_to="m77")
    assert harness.script.outputs == []


async def test_a_request_behind_the_words_is_not_planned(harness: Harness) -> None:
    told = await shows(harness, "dry run: archive all mails from Bob")
    assert told.startswith("I can only show that of a card that waits, so nothing was planned or done.")
    assert harness.script.requests == []


async def test_it_is_no_tool_that_a_model_or_a_mail_could_choose(harness: Harness) -> None:
    assert not [spec.tool_name for spec in harness.registry.specs() if "dry" in spec.tool_name]
    await mail_card(harness)
    mail = {"kind": InboundKind.MAIL, "channel": "email", "chat": "mail:<a@b>", "sender": "mail:eve@evil.example"}
    before = harness.phone.said
    await harness.say("dry run", segments=(said("dry run", EVE),), origin=EVE, **mail)
    assert not any(text.endswith(DONE) for text in harness.phone.said[len(before) :])
    assert harness.calls == []
    assert len(await pending(harness)) == 1


async def test_a_remote_tool_is_stopped_at_its_door(harness: Harness) -> None:
    async with qdrant_house() as there:
        await there.done("create_collection", {"collection": "notes"})
        harness.registry._tools[PUT] = there.registry.spec(PUT)
        harness.registry._gates = there.registry._gates
        points = [{"text": "The boiler is serviced each May.", "payload": {}}]
        await harness.say("keep it", planned(step(1, PUT, collection="notes", points=points)))
        before, stood = there.proxy.requests, there.server.state()
        told = await shows(harness)
        assert "The boiler is serviced each May." in told
        assert told.endswith(f"It would be done by qdrant-vector upsert.\n{DONE}")
        assert (there.proxy.requests, there.server.state()) == (before, stood)
        assert len(await pending(harness)) == 1


async def test_a_handler_that_knows_no_dry_runs_cannot_act(harness: Harness) -> None:
    async with qdrant_house() as there:
        await there.done("create_collection", {"collection": "notes"})
        real = there.registry.spec(PUT)

        async def heedless(call: ToolCall) -> IntegrationResult:
            return await real.handler(replace(call, dry_run=False))

        harness.registry._tools[PUT] = replace(real, handler=heedless)
        harness.registry._gates = there.registry._gates
        await harness.say("keep it", planned(step(1, PUT, collection="notes", points=[{"text": "Eve", "payload": {}}])))
        stood = there.server.state()
        told = await shows(harness)
        assert "As it stands, it would fail: this cannot be tried without doing it" in told
        assert there.server.state() == stood


@pytest.mark.parametrize("words", ["do it", "no dry run", "yes, dry run", "what would you do without me", "dry", ""])
def test_other_words_ask_for_nothing(words: str) -> None:
    assert dry_asked(words, "Jeeves") is None


def test_what_stands_behind_a_colon_is_a_request() -> None:
    assert dry_asked("show me what it would do: archive all", "Jeeves") is DryAsked.REQUEST
