"""What the card and the list of an automation say: what will be done, to whom, and whether it asks each time."""

from typing import Any

import pytest

from butler.contract.automation_words import act_words, asks_words
from butler.contract.automations import Automation
from butler.contract.events import EventName
from butler.orchestrator.planning.card_orders import CardOrder
from butler.orchestrator.planning.model_planner import MODEL
from butler.orchestrator.planning.plan_types import CardOrders, Command, PlannerInput
from butler.store.queries import automations
from tests.automations.test_by_model import by_model, create
from tests.automations.world import World, happened
from tests.orchestrator.harness import step

MAIL = {"event": "mail.received"}
SEND, POST = "user_telegram_send_message", "bot_telegram_send_message"


async def calls_anna(world: World, tool: str = SEND) -> list[dict[str, Any]]:
    return [{"call": tool, "args": {"text": "Bob wrote", "to": {"contact": await world.contact("Anna")}}}]


async def test_the_card_names_the_contact_and_says_first_that_each_time_asks(world: World) -> None:
    await world.say("do that", by_model(create("Bob", MAIL, do=await calls_anna(world))))
    *_, card = world.phone.cards.values()
    text = str(card)
    assert "Telegram, as you: send message – to: Anna; text: “Bob wrote”" in text
    assert "Yes, each time, before it acts as you." in text
    assert text.index("Asks you") < text.index("Name")
    assert await world.contact("Anna") not in text.split("Then")[1].split("Limits", maxsplit=1)[0]


async def test_the_list_names_the_contact_too_and_one_that_is_gone_is_said_to_be_so(world: World) -> None:
    await world.keep(when=MAIL, do=await calls_anna(world))
    for words, plan in (("list", by_model(step(1, "bot_automations_list"))), ("list it", Command.AUTOMATIONS)):
        await world.say(words, plan)
        assert "to: Anna; text" in world.phone.said[-1]
    (kept,) = await world.store.read(automations.every)
    assert "somebody who is no longer in your contacts" in act_words(kept.automation.do[0], {})


async def test_what_follows_from_a_change_of_the_card_changes_with_it(world: World) -> None:
    await world.say("do that", by_model(create("Bob", MAIL, do=await calls_anna(world))))
    mum = [{"call": SEND, "args": {"text": "Bob wrote", "to": {"contact": await world.contact("Mum")}}}]

    def change(request: PlannerInput) -> CardOrders:
        return CardOrders((CardOrder(request.cards[-1], args={"do": mum}),), MODEL)

    await world.say("no, tell Mum", change)
    *_, card = world.phone.cards.values()
    assert "to: Mum; text" in str(card)


ASKS: list[tuple[list[dict[str, Any]], str]] = [
    ([{"tell": "hi"}], "No. It only tells you; nobody else sees anything."),
    ([{"call": SEND, "args": {}}], "Yes, each time, before it acts as you."),
    ([{"request": "archive it"}], "The rest it does without asking."),
    ([{"call": POST, "args": {}}], "The rest it does without asking."),
]


@pytest.mark.parametrize(("do", "asks"), ASKS)
def test_whether_it_asks_follows_from_what_it_does(do: list[dict[str, Any]], asks: str) -> None:
    automation = Automation.model_validate({"name": "A", "when": MAIL, "do": do})
    assert asks_words(automation).endswith(asks)


async def test_an_automation_of_the_clock_has_no_limits_that_do_not_hold_it(world: World) -> None:
    clock = {"zone": "UTC", "start": "2026-03-06T08:00", "every": "day"}
    plan = step(1, "bot_automations_create").model_copy(
        update={"args": {"name": "Morning", "clock": clock, "do": [{"tell": "Good morning"}]}}
    )
    await world.say("do that", by_model(plan))
    *_, card = world.phone.cards.values()
    assert "times an hour" not in str(card)


async def test_no_automations_yet_is_said_with_an_example(world: World) -> None:
    for words, plan in (("list", by_model(step(1, "bot_automations_list"))), ("list it", Command.AUTOMATIONS)):
        await world.say(words, plan)
        assert world.phone.said[-1] == (
            "You have no automations yet. Say for example “when Anna mails me, tell me at once”."
        )


@pytest.mark.parametrize("heard", [False, True])
async def test_the_card_says_when_no_alert_rule_is_known_that_sends_such_an_alert(world: World, heard: bool) -> None:
    if heard:
        await world.happens(happened(EventName.ALERT_FIRED, summary="The disk is full"))
    disk = {"event": "alert.fired", "where": [{"fact": "summary", "compare": "contains", "value": "disk"}]}
    await world.say("tell me when the disk is over 90 %", by_model(create("Disk", disk, do=[{"tell": "{name}"}])))
    *_, card = world.phone.cards.values()
    assert ("has an alert rule for it that is sent to me" in str(card)) is not heard
