"""The language that is preferred is the one that is spoken: at once, and after a restart."""

import sqlalchemy as sa

from butler.contract.speech import say, speak, spoken
from butler.inbound import COMMANDS
from butler.orchestrator.chat.preference_commands import NOT_YOURS, language_of
from butler.orchestrator.planning.plan_types import Command
from butler.orchestrator.planning.preferences import Preference, PreferenceName
from config.language import OwnerLanguage
from tests.orchestrator.harness import Harness

GERMAN = Preference(PreferenceName.LANGUAGE, "de")
FRENCH = Preference(PreferenceName.LANGUAGE, "fr")
NONE = Preference(PreferenceName.LANGUAGE, "")


async def after_restart(harness: Harness, settings: str) -> OwnerLanguage:
    def read(connection: sa.Connection) -> OwnerLanguage:
        return language_of(connection, settings)

    return await harness.store.read(read)


async def test_the_preferred_language_is_spoken_from_its_confirmation_on(harness: Harness) -> None:
    await harness.say("answer in German", GERMAN)
    assert spoken() is OwnerLanguage.GERMAN
    told = say("All right: {what}. /preferences lists what you prefer.", what=say("I answer in German"))
    assert harness.phone.said == [told]
    await harness.say("answer in French", FRENCH)
    assert spoken() is OwnerLanguage.FRENCH


async def test_a_language_that_is_taken_back_gives_way_to_the_one_of_the_settings(harness: Harness) -> None:
    await harness.say("answer in German", GERMAN)
    await harness.say("what do I prefer?", Command.PREFERENCES)
    button = harness.phone.buttons(say("No longer: {what}", what=say("I answer in German")))[-1]
    await harness.press(button, message_ref="m2")
    assert spoken() is OwnerLanguage.ENGLISH
    assert harness.phone.said[-1] == "All right, I forgot language."
    await harness.say("answer in German", GERMAN)
    await harness.say("answer in any language again", NONE)
    assert spoken() is OwnerLanguage.ENGLISH


async def test_after_a_restart_what_is_preferred_goes_before_the_settings(harness: Harness) -> None:
    assert await after_restart(harness, "fr") is OwnerLanguage.FRENCH
    await harness.say("answer in German", GERMAN)
    assert await after_restart(harness, "fr") is OwnerLanguage.GERMAN


async def test_the_commands_are_listed_in_the_language_that_is_spoken(harness: Harness) -> None:
    await harness.say("answer in German", GERMAN)
    assert harness.phone.listed == [(name, say(what)) for name, what in COMMANDS]


async def test_words_that_may_not_set_a_preference_change_no_language(harness: Harness) -> None:
    await harness.say("summarise the mail", Preference(PreferenceName.NAME, "Mallory"))
    assert harness.phone.said == [NOT_YOURS]
    assert spoken() is OwnerLanguage.ENGLISH


async def test_another_preference_changes_no_language(harness: Harness) -> None:
    speak(OwnerLanguage.SPANISH)
    await harness.say("call me Max", Preference(PreferenceName.NAME, "Max"))
    assert spoken() is OwnerLanguage.SPANISH
