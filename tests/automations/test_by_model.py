"""What a model plans about automations: people in conditions, and which automation is meant, by number or handle."""

from dataclasses import replace
from typing import Any

import pytest

from butler.contract.agents import PlanStep
from butler.contract.automations import AutomationAction, AutomationState
from butler.contract.events import EventName
from butler.orchestrator.planning.model_prompt import handle_line
from butler.orchestrator.planning.plan_types import Command, Planned
from butler.provenance import MODEL_PLAN
from butler.store.queries import automations
from tests.automations.test_firing import BILLS, TELL
from tests.automations.world import EVE, World, happened
from tests.orchestrator.harness import planned, step

CREATE, PAUSE, LIST = "bot_automations_create", "bot_automations_pause", "bot_automations_list"


def create(name: str, when: dict[str, Any], **more: Any) -> PlanStep:
    args = {"name": name, "when": when, **(more or TELL)}
    return step(1, CREATE).model_copy(update={"args": args})


def by_model(*steps: Any, **more: Any) -> Planned:
    return replace(planned(*steps), labels=frozenset({MODEL_PLAN}), **more)


async def standing(world: World) -> AutomationState:
    (kept,) = await world.store.read(automations.every)
    return kept.standing


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        ({"fact": "sender", "compare": "contains"}, ("contact", "is", "Anna")),
        ({"fact": "sender_name"}, ("contact", "is", "Anna")),
        ({"fact": "contact", "compare": "is_not"}, ("contact", "is_not", "Anna")),
        ({"fact": "text", "compare": "contains"}, ("text", "contains", "Anna")),
    ],
)
async def test_a_contact_in_a_condition_is_bound(
    world: World, condition: dict[str, str], kept: tuple[str, str, str]
) -> None:
    anna = {"contact": await world.contact("Anna")}
    when = {"event": "mail.received", "where": [{**condition, "value": anna}]}
    await world.say("tell me when Anna writes", by_model(create("Anna", when)))
    await world.tap("Approve")
    (one,) = await world.store.read(automations.every)
    assert one.automation.when is not None
    (where,) = one.automation.when.where
    assert (where.fact, where.compare.value, where.value) == kept


async def test_several_contacts_and_an_organizers_address_are_bound(world: World) -> None:
    anna = {"contact": await world.contact("Anna")}
    mum = {"contact": await world.contact("Mum")}
    either = [{"fact": "contact", "compare": "any_of", "value": [anna, mum]}]
    invites = [{"fact": "organizer", "compare": "is", "value": anna}]
    for event, where in (("mail.received", either), ("event.starting", invites)):
        when = {"event": event, "where": where}
        await world.say("tell me", by_model(create(event, when, do=[{"tell": "hi"}])))
        await world.tap("Approve")
    first, second = [one.automation.when for one in await world.store.read(automations.every)]
    assert first is not None
    assert second is not None
    assert first.where[0].value == ("Anna", "Mum")
    assert second.where[0].value == "anna@friends.example"


async def test_an_unknown_contact_in_a_condition_is_one_clear_sentence(world: World) -> None:
    when = {"event": "mail.received", "where": [{"fact": "sender", "value": {"contact": "nobody"}}]}
    await world.say("tell me when she writes", planned(create("X", when)))
    assert world.phone.cards == {}
    assert "there is no such contact" in world.phone.said[-1]


async def test_a_model_pauses_what_the_list_shows_by_its_number(world: World) -> None:
    await world.keep(**BILLS, **TELL)
    await world.say("which automations?", by_model(step(1, LIST)))
    await world.say("pause number 1", by_model(step(1, PAUSE).model_copy(update={"args": {"number": 1}})))
    assert await standing(world) is AutomationState.PAUSED
    assert world.phone.said[-1] == "⏸ Automation 1, “Test”, is paused."


async def test_a_model_pauses_what_it_has_just_listed_by_its_handle(world: World) -> None:
    await world.keep(**BILLS, **TELL)
    this = step(1, PAUSE).model_copy(update={"args": {"number": {"handle": "automation-1"}}})
    world.script.outputs += [by_model(step(1, LIST), more=True), by_model(this)]
    await world.say("pause the automation about invoices")
    assert await standing(world) is AutomationState.PAUSED
    assert world.phone.cards == {}


def handles(world: World) -> list[str]:
    """Return what a model is told of the automations that have a handle."""
    request = world.script.requests[-1]
    return [handle_line(one, request) for one in request.referents]


@pytest.mark.parametrize("way", ["list", "command", "show", "pause"])
async def test_an_automation_that_was_shown_has_a_handle_with_its_number_and_standing(world: World, way: str) -> None:
    await world.keep(name="gone", **BILLS, **TELL)
    await world.by_themselves.repository.take(1, AutomationAction.REMOVE)
    await world.keep(**BILLS, **TELL)
    two = {"args": {"number": 2}}
    ways = {
        "list": by_model(step(1, LIST)),
        "command": Command.AUTOMATIONS,
        "show": by_model(step(1, "bot_automations_show").model_copy(update=two)),
        "pause": by_model(step(1, PAUSE).model_copy(update=two)),
    }
    await world.say("do that", ways[way])
    this = step(1, PAUSE).model_copy(update={"args": {"number": {"handle": "automation-1"}}})
    await world.say("pause it", by_model(this))
    assert (await world.store.read(automations.every))[0].standing is AutomationState.PAUSED
    await world.say("show it", by_model(this))
    assert handles(world) == ["automation-1: automation 2, paused"]
    await world.say("what is there?", by_model(step(1, LIST)))
    assert "2. ⏸ Test (paused)" in world.phone.said[-1]
    await world.by_themselves.repository.take(2, AutomationAction.REMOVE)
    await world.say("show it", by_model(this))
    assert handles(world) == ["automation-1: automation 2, gone"]


async def test_an_unknown_number_is_one_clear_sentence(world: World) -> None:
    await world.say("pause number 7", by_model(step(1, PAUSE).model_copy(update={"args": {"number": 7}})))
    assert "there is no automation 7" in world.phone.said[-1]


async def test_a_model_that_knew_others_words_asks_and_then_it_is_done(world: World) -> None:
    await world.keep(**BILLS, **TELL)
    this = step(1, PAUSE).model_copy(update={"args": {"number": 1}})
    await world.say("pause it", replace(by_model(this), labels=frozenset({MODEL_PLAN, EVE})))
    assert await standing(world) is AutomationState.ACTIVE
    await world.tap("Approve")
    assert await standing(world) is AutomationState.PAUSED


async def test_a_models_plan_for_a_request_that_others_set_going_asks_too(world: World) -> None:
    await world.keep(**BILLS, **TELL)
    await world.keep(when={"event": "chat.received"}, do=[{"request": "pause the first automation"}])
    world.script.outputs.append(by_model(step(1, PAUSE).model_copy(update={"args": {"number": 1}})))
    await world.happens(happened(EventName.CHAT_RECEIVED, channel="telegram", text="pause everything"))
    states = [one.standing for one in await world.store.read(automations.every)]
    assert states == [AutomationState.ACTIVE, AutomationState.ACTIVE]


async def test_a_limit_is_watched_by_an_alert_rule_of_the_server(world: World) -> None:
    firing = {"fact": "state", "value": "firing"}
    when = {"event": "alert.fired", "where": [firing, {"fact": "summary", "compare": "contains", "value": "CPU"}]}
    await world.say("tell me when the CPU is above 90 %", by_model(create("CPU", when, do=[{"tell": "It is busy."}])))
    await world.tap("Approve")
    await world.happens(happened(EventName.ALERT_FIRED, 1, summary="The disk is full", state="firing"))
    assert not any("It is busy." in text for text in world.phone.said)
    await world.happens(happened(EventName.ALERT_FIRED, 2, summary="CPU above 90 %", state="firing"))
    assert "It is busy." in world.phone.said[-1]
