"""The planner asks in the owner's language; what the owner wrote stands in the question as it was written."""

import re

import pytest

from butler.orchestrator.embedded.help import NOT_UNDERSTOOD
from butler.orchestrator.embedded.languages.say import entries, in_language
from butler.orchestrator.planning import Choice, Command, Planned, Unclear
from tests.orchestrator.embedded import scene

LANGUAGES = ("de", "fr", "es")
EXAMPLE = re.compile("[„«] ?([^“»]+?) ?[“»]|• (.+)")


async def asked(words: str, language: str) -> Unclear:
    output = await scene.plan(words, language=language)
    assert isinstance(output, Unclear)
    return output


@pytest.mark.parametrize(
    ("words", "language", "question"),
    [
        ("Sag Anna, dass ich komme", "de", "Auf welchem Weg soll ich es Anna schicken?"),
        ("Dis à Anna que je viens", "fr", "Par quel moyen dois-je l'envoyer à Anna ?"),
        ("Dile a Anna que voy", "es", "¿Por qué vía se lo envío a Anna?"),
        ("tell Sam hi", "de", "Wen meinst du mit Sam?"),
        ("Erinnere mich morgen an die Milch", "de", "Um wie viel Uhr am Donnerstag, dem 5. März?"),
        ("Rappelle-moi demain le lait", "fr", "À quelle heure le jeudi 5 mars ?"),
        ("Recuérdame mañana la leche", "es", "¿A qué hora el jueves 5 de marzo?"),
        ("Suche nach Rechnung", "de", "Wo soll ich suchen?"),
    ],
)
async def test_a_question_is_asked_in_the_owners_language(words: str, language: str, question: str) -> None:
    assert (await asked(words, language)).question == question


async def test_a_name_that_nobody_has_stays_as_it_was_written() -> None:
    output = await asked("Dis à Bertrand que je viens", "fr")
    assert output.question.startswith("Je ne connais personne du nom de Bertrand. Écris l'adresse, ou ajoute Bertrand")
    assert output.stranger == "Bertrand"


async def test_a_button_says_it_in_the_owners_language_and_asks_for_the_same() -> None:
    english, german = await asked("Suche nach Rechnung", "en"), await asked("Suche nach Rechnung", "de")
    assert [choice.label for choice in german.choices] == ["Deine Mails", "Mein Posteingang", "Deine Notizen"]
    assert [choice.words for choice in german.choices] == [choice.words for choice in english.choices]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_not_understood_is_said_in_every_language(language: str) -> None:
    output = in_language(Unclear(NOT_UNDERSTOOD), language)
    assert isinstance(output, Unclear)
    assert output.question != NOT_UNDERSTOOD
    assert output.question.count("•") == 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_question_is_there_in_every_language_with_slots_that_it_has(language: str) -> None:
    for entry in entries():
        assert set(re.findall(r"\{(\w+)\}", entry.said[language])) <= set(entry.english.groupindex)


def examples() -> list[str]:
    found = [match for entry in entries() for said in entry.said.values() for match in EXAMPLE.findall(said)]
    return sorted({a or b for a, b in found if "{" not in a + b})


@pytest.mark.parametrize("words", examples())
async def test_every_example_is_understood(words: str) -> None:
    output = await scene.plan(words)
    assert not isinstance(output, Unclear) or "did not understand" not in output.question


async def test_the_answer_to_a_question_in_the_owners_language_is_understood() -> None:
    before = "Erinnere mich morgen an die Milch"
    question = (await asked(before, "de")).question
    history = (scene.said("user", before), scene.said("assistant", question))
    output = await scene.plan("um halb neun", history=history, language="de")
    assert isinstance(output, Planned), output
    assert output.steps[0].args == {"text": "Milch", "at": "2026-03-05T08:30:00"}


def test_english_and_what_is_no_question_stay_as_they_are() -> None:
    output = Unclear("Which Sam do you mean?", (Choice("Yes: hi", "tell Sam: hi"),))
    assert in_language(output, "en") is output
    assert in_language(Command.HELP, "de") is Command.HELP
    strange = Unclear("What would Rossini say?")
    assert in_language(strange, "de") == strange
