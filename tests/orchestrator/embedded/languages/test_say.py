"""The planner asks in the owner's language; what the owner wrote stands in the question as it was written."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from babel.messages.extract import extract_from_file

from bench.understanding_scenes import tools
from butler.contract.speech import say, speak
from butler.orchestrator.embedded import planner
from butler.orchestrator.embedded.every import repeated_at
from butler.orchestrator.embedded.help import EXAMPLES, NOT_UNDERSTOOD, help_text
from butler.orchestrator.embedded.languages.canonical import time_in_english
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.when import spoken_at
from butler.orchestrator.planning.plan_types import Planned, Unclear
from config.language import OwnerLanguage
from tests.orchestrator.embedded import scene

GERMAN, FRENCH, SPANISH = OwnerLanguage.GERMAN, OwnerLanguage.FRENCH, OwnerLanguage.SPANISH
OTHERS = (GERMAN, FRENCH, SPANISH)
EXAMPLE = re.compile(r"[„«“]\s?([^“»”]+?)\s?[“»”]|• (.+)")
SHOWN = [example for _, examples in EXAMPLES for example in examples]


async def asked(words: str, language: OwnerLanguage) -> Unclear:
    speak(language)
    output = await scene.plan(words)
    assert isinstance(output, Unclear)
    return output


@pytest.mark.parametrize(
    ("words", "language", "question"),
    [
        ("Sag Anna, dass ich komme", GERMAN, "Auf welchem Weg soll ich es Anna schicken?"),
        ("Dis à Anna que je viens", FRENCH, "Par quel moyen dois-je l’envoyer à Anna\N{NO-BREAK SPACE}?"),
        ("Dile a Anna que voy", SPANISH, "¿Por qué vía se lo envío a Anna?"),
        ("tell Sam hi", GERMAN, "Wen meinst du mit Sam?"),
        ("Erinnere mich morgen an die Milch", GERMAN, "Um wie viel Uhr? (Donnerstag, 5. März 2026)"),
        ("Rappelle-moi demain le lait", FRENCH, "À quelle heure le jeudi 5 mars 2026\N{NO-BREAK SPACE}?"),
        ("Recuérdame mañana la leche", SPANISH, "¿A qué hora el jueves, 5 de marzo de 2026?"),
        ("Suche nach Rechnung", GERMAN, "Wo soll ich suchen?"),
        ("Sag ihr, dass ich komme", GERMAN, "Wen meinst du damit? Sag den Namen, oder schreib die Adresse."),
    ],
)
async def test_a_question_is_asked_in_the_owners_language(words: str, language: OwnerLanguage, question: str) -> None:
    assert (await asked(words, language)).question == question


async def test_a_name_that_nobody_has_stays_as_it_was_written() -> None:
    output = await asked("Dis à Bertrand que je viens", FRENCH)
    assert output.question.startswith("Je ne connais personne du nom de Bertrand. Écris l’adresse, ou ajoute Bertrand")
    assert output.stranger == "Bertrand"


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        ("Suche nach Rechnung", ["Deine Mails", "Mein Posteingang", "Deine Notizen"]),
        ("Erinnere mich an die Milch", ["In einer Stunde", "In drei Stunden", "Morgen um 9"]),
        ("Sag Anna, dass ich komme", ["Telegram: Ich komme", "Mail: Ich komme"]),
    ],
)
async def test_a_button_says_it_in_the_owners_language_and_asks_for_the_same(words: str, labels: list[str]) -> None:
    english, german = await asked(words, OwnerLanguage.ENGLISH), await asked(words, GERMAN)
    assert [choice.label for choice in german.choices] == labels
    assert [choice.words for choice in german.choices] == [choice.words for choice in english.choices]


@pytest.mark.parametrize("language", OTHERS)
def test_what_is_not_understood_is_said_in_every_language(language: OwnerLanguage) -> None:
    speak(language)
    assert say(NOT_UNDERSTOOD) != NOT_UNDERSTOOD
    assert say(NOT_UNDERSTOOD).count("•") == 3


@pytest.mark.parametrize("language", OTHERS)
def test_the_help_is_whole_in_every_language(language: OwnerLanguage) -> None:
    english = help_text("Jeeves").splitlines()
    speak(language)
    lines = help_text("Jeeves").splitlines()
    assert [line[:1] == "•" for line in lines] == [line[:1] == "•" for line in english]
    same = {line for line in lines if line and line in english}
    assert not same


@cache
def texts() -> tuple[str, ...]:
    """All that the planner says."""
    folder = Path(planner.__file__).parent
    keywords = {"say": None, "phrase": None}
    found = [
        text
        for path in sorted(folder.rglob("*.py"))
        for _line, text, _comments, _context in extract_from_file("python", str(path), keywords=keywords)
    ]
    return tuple(text for text in found if isinstance(text, str) and text)


def quoted(language: OwnerLanguage) -> list[str]:
    """The examples in what the planner says, with names where such stand; what is only begun is none."""
    speak(language)
    said = [say(text) for text in texts() if text not in SHOWN]
    found = [a or b for text in said for a, b in EXAMPLE.findall(text)]
    found += [say(text) for text in texts() if text in SHOWN or text.endswith(": see you at eight")]
    speak(OwnerLanguage.ENGLISH)
    named = (words.replace("{names}", "Anna") for words in found)
    return sorted({words for words in named if "{" not in words and "…" not in words})


def is_time(words: str) -> bool:
    """Whether an example is the answer to a question about a time, once or again and again."""
    now = scene.NOW.astimezone(scene.ZONE)
    said = lex(time_in_english(words, now.date()) or words).bare()
    return any(
        found is not None and found[1].done for found in (repeated_at(said, now), spoken_at(said, now, zones=True))
    )


@pytest.mark.parametrize("language", OwnerLanguage)
async def test_every_example_is_understood(language: OwnerLanguage) -> None:
    bob = scene.Contact("c-bob", "Bob", ("bob",), ("telegram:5002", "mail:bob@friends.example"))
    examples = quoted(language)
    assert len(examples) > 30
    for words in examples:
        output = await scene.plan(words, contacts=(scene.ANNA, scene.CAROL, bob), tools=tools())
        known = not isinstance(output, Unclear) or "did not understand" not in output.question
        assert known or is_time(words), words


@pytest.mark.parametrize(
    ("before", "answer", "args"),
    [
        ("remind me to stretch every few hours", "every 2 hours", {"every": "hour", "interval": 2}),
        ("remind me every few days to stretch", "every 3 days at 9", {"every": "day", "interval": 3}),
        ("remind me to stretch twice a day", "every day at 8 and 20", {"every": "day", "clocks": ["08:00", "20:00"]}),
        ("remind me every third Friday to stretch", "every third Friday of the month", {"every": "month", "nth": [3]}),
        ("remind me every 2 minutes to stretch", "every 15 minutes", {"every": "minute", "interval": 15}),
    ],
)
async def test_how_often_is_answered_with_what_the_question_offers(before: str, answer: str, args: Any) -> None:
    question = (await asked(before, OwnerLanguage.ENGLISH)).question
    history = (scene.said("user", before), scene.said("assistant", question))
    output = await scene.plan(answer, history=history)
    assert isinstance(output, Planned), output
    (step,) = output.steps
    assert step.args.items() >= ({"text": "Stretch"} | args).items()


@pytest.mark.parametrize(
    ("before", "language", "answer", "args"),
    [
        ("Erinnere mich alle paar Stunden an die Pause", GERMAN, "alle 2 Stunden", ("Pause", "hour", 2)),
        ("Rappelle-moi tous les quelques jours de courir", FRENCH, "tous les 3 jours à 9h", ("Courir", "day", 3)),
        ("Recuérdame cada pocas horas beber agua", SPANISH, "cada 2 horas", ("Beber agua", "hour", 2)),
    ],
)
async def test_how_often_is_asked_and_answered_in_the_owners_language(
    before: str, language: OwnerLanguage, answer: str, args: tuple[str, str, int]
) -> None:
    history = (scene.said("user", before), scene.said("assistant", (await asked(before, language)).question))
    output = await scene.plan(answer, history=history)
    assert isinstance(output, Planned), output
    assert tuple(output.steps[0].args[name] for name in ("text", "every", "interval")) == args


async def test_a_time_before_a_reminder_is_none_of_its_text() -> None:
    output = await scene.plan("In einer Stunde erinnere mich an die Wäsche")
    assert isinstance(output, Planned), output
    assert output.steps[0].args == {"text": "Wäsche", "at": "2026-03-04T11:30:00"}


@pytest.mark.parametrize(
    "words",
    [
        "show me the CPU of the last day", "zeig mir die CPU des letzten Tages", "montre-moi le CPU du dernier jour",
        "muéstrame la CPU del último día",
    ],
)  # fmt: skip
@pytest.mark.parametrize("again", [False, True])
async def test_a_look_at_a_server_is_understood_once_and_again_and_again(words: str, again: bool) -> None:
    often = {
        "sh": "every weekday at 8",
        "ze": "jeden Werktag um 8",
        "mo": "tous les jours à 8h",
        "mu": "cada día a las 8",
    }
    output = await scene.plan(f"{often[words[:2]]} {words}" if again else words, tools=tools())
    assert isinstance(output, Planned), output
    (step,) = output.steps
    assert step.tool_call == ("bot_automations_create" if again else "bot_prometheus_query_metrics")
    assert not again or step.args["do"] == [{"request": words}]


async def test_a_reminder_that_is_moved_to_a_day_is_given_its_hour() -> None:
    before = "move my reminder about the bins to Friday"
    history = (
        scene.said("user", before),
        scene.said("assistant", (await asked(before, OwnerLanguage.ENGLISH)).question),
    )
    output = await scene.plan("Friday at 10", history=history)
    assert isinstance(output, Planned), output
    assert output.steps[0].args["at"] == "2026-03-06T10:00:00"


async def test_the_answer_to_a_question_in_the_owners_language_is_understood() -> None:
    before = "Erinnere mich morgen an die Milch"
    question = (await asked(before, GERMAN)).question
    history = (scene.said("user", before), scene.said("assistant", question))
    output = await scene.plan("um halb neun", history=history)
    assert isinstance(output, Planned), output
    assert output.steps[0].args == {"text": "Milch", "at": "2026-03-05T08:30:00"}


async def test_a_button_in_the_owners_language_may_be_typed() -> None:
    before = "Erinnere mich an die Milch"
    question = await asked(before, GERMAN)
    history = (scene.said("user", before), scene.said("assistant", question.question))
    output = await scene.plan("In drei Stunden", history=history)
    assert isinstance(output, Planned), output
    assert output.steps[0].args == {"text": "Milch", "at": "2026-03-04T13:30:00"}


async def test_several_names_are_a_list_in_the_owners_language_and_in_a_buttons_request_none() -> None:
    output = await asked("write to Anna and Carol", GERMAN)
    assert output.question.startswith("Was soll ich Anna und Carol schreiben?")
    output = await asked("tell Anna, Carol: hi", GERMAN)
    assert output.question == "An Anna und Carol oder nur an Anna?"
    assert [choice.words for choice in output.choices] == ["tell Anna and Carol: hi", "tell Anna: Carol: hi"]


async def test_what_a_step_does_is_said_in_the_owners_language() -> None:
    speak(FRENCH)
    output = await scene.plan("email Carol and Dave: hi")
    assert isinstance(output, Planned), output
    assert output.steps[0].description == "Envoyer un mail à Carol et Dave"
