"""A bare reference means what was shown last, an empty list included: never an older thing of another kind."""

from collections.abc import AsyncIterator

import pytest

from butler.contract.automations import AutomationState
from butler.home_zone import HomeZone
from butler.registry import Registry
from butler.reminder_repository import StoreReminders
from butler.store.queries import automations, reminders
from butler.store.store import Store
from modules.reminders.module import RemindersModule, RemindersSettings
from tests.automations.test_firing import BILLS, TELL
from tests.automations.world import World
from tests.orchestrator.builders import ZONE
from tests.orchestrator.harness import SEARCH, planned, step
from tests.support.context import make_context
from tests.support.reading import reading_planner
from tests.support.tables import create_tables

OFF = ("turn off the first one", "remove it", "schalt die erste aus", "supprime-la", "elimina el último")


class Home(World):
    """A world with reminders in its store, in which everything that is said is really read."""

    def _tools(self) -> Registry:
        registry, own = super()._tools(), Registry()
        repository = StoreReminders(self.store, self.clock, HomeZone(ZONE.key), lambda: None)
        context = make_context(reminders=repository, clock=self.clock, zone=ZONE)
        own.add_module(RemindersModule(RemindersSettings(), context))
        registry._tools |= own._tools
        return registry

    async def reminders(self) -> list[str]:
        found = await self.store.read(lambda c: reminders.waiting(c, 10))
        return [one.text for one in found]


@pytest.fixture
async def home() -> AsyncIterator[Home]:
    store = Store("sqlite://")
    create_tables(store.engine)
    home = Home(store, reading_planner())
    await home.meet()
    for text in ("call the bank", "buy milk"):
        await home.say(f"remind me tomorrow at 9 to {text}")
    await home.say("what reminders do I have?")
    assert len(await home.reminders()) == 2
    yield home
    await store.close()


@pytest.mark.parametrize("words", OFF)
async def test_after_an_empty_list_of_automations_no_reminder_is_removed(home: Home, words: str) -> None:
    await home.say("what automations do I have?")
    await home.say(words)
    assert len(await home.reminders()) == 2
    assert home.phone.said[-1] == "You have no automations."


async def test_a_list_by_its_command_counts_as_shown(home: Home) -> None:
    await home.say("/automations", kind="command", payload={"name": "automations", "rest": ""})
    await home.say("turn off the first one")
    assert len(await home.reminders()) == 2
    assert home.phone.said[-1] == "You have no automations."


async def test_the_first_of_the_listed_automations_is_paused_or_removed(home: Home) -> None:
    bills = await home.keep(**BILLS, **TELL)
    await home.say("what automations do I have?")
    await home.say("turn off the first one")
    assert (await home.look(bills)).standing is AutomationState.PAUSED
    await home.say("what automations do I have?")
    await home.say("delete the first one")
    assert await home.store.read(automations.every) == []
    assert len(await home.reminders()) == 2


@pytest.mark.parametrize("words", ["delete the first one", "supprime le premier"])
async def test_after_a_search_without_a_hit_nothing_older_is_meant(home: Home, words: str) -> None:
    await home.say("any mail from Anna?")
    assert [call.tool for call in home.calls] == [SEARCH]
    await home.say(words)
    assert len(await home.reminders()) == 2
    assert home.phone.said[-1] == "There is no mail in what I showed you last."


@pytest.mark.parametrize("words", ["delete the first one", "borra el primero"])
async def test_the_first_of_the_list_of_reminders_is_still_removed(home: Home, words: str) -> None:
    await home.say(words)
    assert await home.reminders() == ["Buy milk"]


async def test_a_planner_of_any_kind_is_held_to_what_was_shown_last(home: Home) -> None:
    await home.say("what automations do I have?")
    home.turns._planner = home.script
    plan = planned(step(1, "bot_reminders_remove", reminder_id={"handle": "reminder-1"}))
    await home.say("turn off the first one", plan)
    assert len(await home.reminders()) == 2
    assert home.phone.said[-1] == "You have no automations."
    await home.say("remove the first reminder", plan)
    assert len(await home.reminders()) == 1


KINDS = (
    ("remove the automation about Bob", "You have no automations yet."),
    ("lösch die Automatisierung über Bob", "You have no automations yet."),
    ("supprime l'automatisation sur Bob", "You have no automations yet."),
    ("borra la automatización de Bob", "You have no automations yet."),
)


@pytest.mark.parametrize(("words", "answer"), KINDS)
async def test_an_automation_that_is_named_never_becomes_an_event(home: Home, words: str, answer: str) -> None:
    await home.say(words)
    assert home.phone.said[-1].startswith(answer)
    assert home.calls == []
