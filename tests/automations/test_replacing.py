"""An automation that is there already is not made again, and a changed one takes the place of the old one."""

from typing import Any

from butler.contract.automations import Automation, AutomationAction
from butler.orchestrator.planning.plan_types import Planned
from butler.store.queries import automations
from tests.automations.test_saving import EVERY_DAY, TELL_HI
from tests.automations.world import World
from tests.orchestrator.harness import planned, step

DISK: dict[str, Any] = {
    "event": "alert.fired",
    "where": [{"fact": "state", "value": "firing"}, {"fact": "name", "compare": "contains", "value": "disk"}],
}


def wanted(**args: Any) -> Planned:
    """A plan that makes an automation."""
    return planned(step(1, "bot_automations_create").model_copy(update={"args": args}))


async def test_what_an_automation_does_already_is_said_instead_of_asked(world: World) -> None:
    kept = await world.keep(name="Disk", when=DISK, do=[{"tell": "The disk is full."}])
    again = {**DISK, "where": list(reversed(DISK["where"]))}
    await world.say("tell me", wanted(name="Disk over 90 %", when=again, do=[{"tell": "{name}: {summary}"}]))
    assert world.phone.cards == {}
    assert "automation 1, “Disk”, does that already; nothing more is needed" in world.phone.said[-1]
    await world.by_themselves.repository.take(kept.number, AutomationAction.PAUSE)
    await world.say("tell me", wanted(name="Disk", when=again, do=[{"tell": "{name}"}]))
    assert "does that already but is stopped; let it go on" in world.phone.said[-1]
    await world.say("tell me", wanted(name="Disk", when=DISK, do=[{"request": "how is the disk?"}]))
    assert len(world.phone.cards) == 1


async def test_times_that_began_on_another_day_are_the_same_and_other_words_are_not(world: World) -> None:
    await world.keep(name="Old", clock=EVERY_DAY, **TELL_HI)
    later = {**EVERY_DAY, "start": f"2026-04-01T{EVERY_DAY['start'].partition('T')[2]}"}
    await world.say("daily", wanted(name="New", clock=later, **TELL_HI))
    assert "does that already" in world.phone.said[-1]
    await world.say("daily", wanted(name="New", clock=later, do=[{"tell": "Good morning"}]))
    assert len(world.phone.cards) == 1


async def test_a_changed_automation_takes_the_place_of_the_old_one_when_it_is_approved(world: World) -> None:
    await world.keep(name="Old", clock=EVERY_DAY, **TELL_HI)
    await world.say("list", planned(step(1, "bot_automations_list")))
    nine = {**EVERY_DAY, "at": ["09:00"]}
    await world.say("at nine", wanted(name="Nine", clock=nine, **TELL_HI, replaces={"handle": "automation-1"}))
    *_, card = world.phone.cards.values()
    assert "automation 1" in str(card)
    assert [one.automation.name for one in await world.store.read(automations.every)] == ["Old"]
    await world.tap("Approve")
    assert [one.automation.name for one in await world.store.read(automations.every)] == ["Nine"]


async def test_only_what_is_there_and_in_no_file_can_be_replaced(world: World) -> None:
    await world.say("at nine", wanted(name="Nine", clock=EVERY_DAY, **TELL_HI, replaces=7))
    assert "there is no automation 7" in world.phone.said[-1]
    written = Automation.model_validate({"name": "W", "clock": EVERY_DAY, "do": [{"tell": "x"}]})
    await world.by_themselves.keep_written([("butler.toml", written)])
    await world.say("at nine", wanted(name="Nine", clock=EVERY_DAY, **TELL_HI, replaces=1))
    assert "stands in your settings" in world.phone.said[-1]
    assert world.phone.cards == {}
