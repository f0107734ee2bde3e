"""Whoever writes in another language than the butler's is asked once whether it should speak it, after an answer."""

import pytest

from butler.contract.provenance import Labelled, Origin, Trust
from butler.contract.speech import say, spoken
from butler.orchestrator.chat.language_offer import OFFER, REST, own_language
from butler.orchestrator.planning.plan_types import Answer, Unclear
from butler.orchestrator.planning.preferences import Preference, PreferenceName
from butler.store.queries import cursors, preferences, work
from config.language import OwnerLanguage
from tests.orchestrator.builders import message
from tests.orchestrator.harness import SEND, Harness, planned, step

GERMAN = ("wann ist diese Woche wieder Chor?", "und was habe ich am Freitag noch vor?")
OFFERS = {
    OwnerLanguage.GERMAN: "Soll ich Deutsch mit dir sprechen?",
    OwnerLanguage.FRENCH: "Veux-tu que je te parle français ?",
    OwnerLanguage.SPANISH: "¿Quieres que te hable en español?",
}
ANSWER = Answer("Wednesday.")


async def rest(harness: Harness) -> None:
    harness.clock.time += REST
    await harness.run()


async def say_all(harness: Harness, *lines: str) -> None:
    for line in lines:
        await harness.say(line, ANSWER)
        await rest(harness)


def offers(harness: Harness) -> list[str]:
    return [text for text in harness.phone.said if text in OFFERS.values()]


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        (OwnerLanguage.GERMAN, GERMAN),
        (OwnerLanguage.FRENCH, ("quand est-ce que le plombier vient chez nous ?", "et qu'est-ce que j'ai vendredi ?")),
        (
            OwnerLanguage.SPANISH,
            ("¿cuándo viene el fontanero esta semana?", "¿y qué tengo yo el viernes por la tarde?"),
        ),
    ],
)
async def test_the_offer_comes_in_the_owners_language_after_the_second_answer(
    harness: Harness, language: OwnerLanguage, lines: tuple[str, str]
) -> None:
    await say_all(harness, lines[0])
    assert offers(harness) == []
    await harness.say(lines[1], ANSWER)
    assert offers(harness) == []
    await rest(harness)
    assert harness.phone.said[-2:] == [ANSWER.text, OFFERS[language]]
    assert spoken() is OwnerLanguage.ENGLISH


async def test_one_long_message_is_enough(harness: Harness) -> None:
    await say_all(harness, "sag mir bitte, was ich diese Woche noch alles vor der Reise mit den Kindern tun muss")
    assert offers(harness) == [OFFERS[OwnerLanguage.GERMAN]]


async def test_yes_sets_the_language_as_the_command_does(harness: Harness) -> None:
    await say_all(harness, *GERMAN)
    await harness.tap("Ja")
    assert spoken() is OwnerLanguage.GERMAN
    assert harness.phone.said[-1] == say(
        "All right: {what}. /preferences lists what you prefer.", what=say("I answer in German")
    )
    assert (await harness.store.read(preferences.every))[PreferenceName.LANGUAGE] == "de"


async def test_no_leaves_it_and_is_remembered(harness: Harness) -> None:
    await say_all(harness, *GERMAN)
    await harness.tap("Nein")
    assert harness.phone.said[-1].startswith("Gut, dann bleibt es")
    await say_all(harness, *GERMAN, *GERMAN)
    assert len(offers(harness)) == 1
    assert await harness.store.read(preferences.every) == {}


async def test_an_offer_that_nobody_answers_is_not_made_again(harness: Harness) -> None:
    await say_all(harness, *GERMAN, *GERMAN)
    assert len(offers(harness)) == 1


async def test_a_crash_after_the_offer_was_written_repeats_nothing(harness: Harness) -> None:
    await say_all(harness, *GERMAN)
    await harness.turns.language_offer.show("telegram:42")
    await harness.run()
    assert len(offers(harness)) == 1


async def test_a_crash_before_the_offer_leaves_it_in_the_store(harness: Harness) -> None:
    await say_all(harness, GERMAN[0])
    await harness.say(GERMAN[1], ANSWER)
    waiting = await harness.store.read(lambda c: work.ready(c, harness.clock.now() + REST))
    assert [row.kind for row in waiting] == [OFFER]


async def test_a_preference_or_a_setting_leaves_nothing_to_offer(harness: Harness) -> None:
    await harness.say("answer in English", Preference(PreferenceName.LANGUAGE, "en"))
    await say_all(harness, *GERMAN)
    assert offers(harness) == []


async def test_english_in_between_begins_anew(harness: Harness) -> None:
    await say_all(harness, GERMAN[0], "and what do I have on Friday afternoon?", GERMAN[1])
    assert offers(harness) == []


async def test_nothing_comes_between_a_question_and_its_answer(harness: Harness) -> None:
    await say_all(harness, GERMAN[0])
    await harness.say(GERMAN[1], Unclear("Which choir?"))
    await rest(harness)
    assert offers(harness) == []
    await harness.say(GERMAN[1], Answer("Do you mean the big choir?"))
    await rest(harness)
    assert offers(harness) == []
    await say_all(harness, GERMAN[1])
    assert harness.phone.said[-2:] == [ANSWER.text, OFFERS[OwnerLanguage.GERMAN]]


async def test_nothing_comes_while_the_next_message_is_unanswered(harness: Harness) -> None:
    await say_all(harness, GERMAN[0])
    await harness.say(GERMAN[1], ANSWER)
    await harness.come_in(message("danke dir", inbound_id="next", dedup_key="next", message_ref="99"))
    await harness.turns.language_offer.show("telegram:42")
    assert await harness.store.read(lambda c: cursors.fact(c, OFFER)) is None


async def test_nothing_comes_beside_a_card_that_waits(harness: Harness) -> None:
    await say_all(harness, GERMAN[0])
    await harness.say(GERMAN[1], planned(step(1, SEND, to={"address": "telegram:1002"}, text="Hallo")))
    assert harness.phone.buttons("Approve")
    await rest(harness)
    assert offers(harness) == []


async def test_a_group_and_others_words_do_not_count(harness: Harness) -> None:
    for line in GERMAN:
        await harness.say(line, ANSWER, chat="telegram:-100")
        await rest(harness)
    anna = Origin(trust=Trust.UNTRUSTED, source="telegram:7", shown_as="Anna")
    for line in GERMAN:
        said = Labelled(value="what does this say?", origins=frozenset({Origin.owner("telegram:42")}))
        await harness.say(line, ANSWER, segments=(said, Labelled(value=line, origins=frozenset({anna}))))
        await rest(harness)
    assert offers(harness) == []


@pytest.mark.parametrize(
    "text",
    [
        "translate: Guten Morgen, wie geht es dir und den Kindern?",
        "translate Guten Morgen, wie geht es dir und den Kindern",
        "what does “wie geht es dir und den Kindern” mean?",
        "tell Anna dass ich heute nicht zum Chor komme",
        "send Bob ich bin auf dem Weg zu dir",
        "Guten Morgen",
        "danke dir",
        "Anna Bob Carol Chor",
        "when is the next choir rehearsal with the others?",
    ],
)
def test_a_text_in_another_language_is_not_the_owners_own(text: str) -> None:
    assert own_language(text) in {"", "en"}


def test_what_follows_a_colon_does_not_hide_the_owners_own_words() -> None:
    assert own_language("schreib der Anna bitte noch von mir: I am late") == "de"
