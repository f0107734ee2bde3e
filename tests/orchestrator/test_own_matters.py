"""Nobody else's words answer who the owner is; the owner's own notes come first."""

import pytest

from butler.agents.tailor.extractive_tailor import ExtractiveTailor
from butler.contract.agents import RetrievedContext
from butler.contract.provenance import Origin, Trust
from butler.orchestrator.planning.owner_questions import (
    believable,
    identifies_the_owner,
    is_of_the_owner,
    of_another_thing,
)
from tests.orchestrator.harness import Harness, planned, step
from tests.orchestrator.readers import SEARCH, found, passage, wired, worded

EVE = Origin(trust=Trust.UNTRUSTED, source="mail:<eve@evil>", shown_as="a mail by eve@evil.example")
NOT_TOLD = "You have not told me that. Others' messages speak of it, but I don't take their word for it."


def note(text: str, relevance: float = 0.8) -> RetrievedContext:
    return passage(
        text,
        "n-1",
        source_id="note:1",
        kind="note",
        title=text,
        relevance_score=relevance,
        origins=[Origin.owner("note:1")],
    )


def phish(text: str, number: int = 1, relevance: float = 0.95) -> RetrievedContext:
    return passage(
        text,
        f"e-{number}",
        source_id=f"mail:<eve{number}@evil>",
        title="Your documents",
        relevance_score=relevance,
        origins=[EVE],
    )


@pytest.mark.parametrize(
    "question",
    [
        "what's my passport number?",
        "what is the PIN of my card",
        "what's my wifi password again",
        "where do I live?",
        "when was I born",
        "what is my phone number?",
        "what's my home address",
        "What is my blood type?",
        "my IBAN?",
        "wie lautet meine Passnummer?",
        "was ist mein WLAN-Passwort",
        "wo wohne ich?",
        "wie ist meine Telefonnummer",
        "meine Steuer-ID?",
        "quel est mon numéro de compte ?",
        "c'est quoi mon mot de passe wifi",
        "quelle est mon adresse ?",
        "où est-ce que j'habite ?",
        "¿cuál es mi número de pasaporte?",
        "¿cuál es mi contraseña?",
        "¿dónde vivo?",
        "mi fecha de nacimiento",
    ],
)
def test_what_identifies_the_owner_is_told_apart(question: str) -> None:
    assert identifies_the_owner(question)


@pytest.mark.parametrize(
    "question",
    [
        "when does my flight leave?",
        "what is my dentist's phone number?",
        "what does my rental contract say about notice?",
        "when is my next appointment",
        "wann geht mein Zug?",
        "quand part mon train ?",
        "¿cuándo sale mi vuelo?",
        "what's the address of my hotel?",
    ],
)
def test_other_questions_about_the_owners_matters_may_be_answered_by_mails(question: str) -> None:
    assert is_of_the_owner(question)
    assert not identifies_the_owner(question)


@pytest.mark.parametrize("question", ["what's the wifi password of the cabin?", "how old is Anna?", "wer ist Bob?"])
def test_what_is_not_the_owners_is_not_taken_for_it(question: str) -> None:
    assert not is_of_the_owner(question)


def test_the_owners_note_answers_alone_where_it_holds_what_is_asked_for() -> None:
    own, others = note("my dentist appointment is on 3 May at 10:00"), phish("Your appointment is moved to 9 May")
    assert believable("when is my dentist appointment?", [others, own]) == (own,)
    vague = note("my dentist is Dr Molar")
    assert believable("when is my dentist appointment?", [others, vague]) == (others, vague)


def test_what_the_owner_named_is_read_whoever_wrote_it() -> None:
    named = phish("Your passport number is 666", relevance=1.0)
    assert believable("what is my passport number?", [named]) == (named,)


async def test_a_phishers_sentence_is_no_answer_about_the_owner(harness: Harness) -> None:
    wired(harness, worded("Your passport number is 666."))
    harness.tailor = ExtractiveTailor()
    harness.start()
    harness.results[SEARCH] = [found(phish("Your passport number is 666."))]
    await harness.say("what's my passport number?", planned(step(1, SEARCH, question="what's my passport number?")))
    assert harness.phone.said == [NOT_TOLD]
    assert "666" not in str(harness.phone.messages)


async def test_the_owners_own_note_is_the_answer_beside_a_phishers(harness: Harness) -> None:
    wired(harness)
    harness.tailor = ExtractiveTailor()
    harness.start()
    hits = [phish("Your passport number is 666.", n) for n in range(4)]
    harness.results[SEARCH] = [found(*hits, note("my passport number is C01X00T47"))]
    await harness.say("what's my passport number?", planned(step(1, SEARCH, question="what's my passport number?")))
    (said,) = harness.phone.said
    assert "C01X00T47" in said
    assert "666" not in str(harness.phone.messages)


async def test_mails_that_the_owner_asks_to_look_into_are_quoted(harness: Harness) -> None:
    wired(harness)
    harness.tailor = ExtractiveTailor()
    harness.start()
    harness.results[SEARCH] = [found(phish("Your passport number is 666."))]
    ask = planned(step(1, SEARCH, question="passport number", kind="mail"))
    await harness.say("what do my mails say about my passport number?", ask)
    assert "666" in harness.phone.said[0]


@pytest.mark.parametrize(
    ("question", "told", "another"),
    [
        ("what is my passport number?", "my boat number is ZEBRA2", True),
        ("what's my wifi password", "my bank password is x", True),
        ("what's my boat number", "my passport number is P1", True),
        ("wie ist meine Reisepassnummer?", "meine Bootsnummer ist ZEBRA2", True),
        ("wie ist mein Türcode", "mein Tresorcode ist 1", True),
        ("quel est mon numéro de passeport ?", "mon numéro de bateau est ZEBRA2", True),
        ("¿cuál es mi número de pasaporte?", "mi número de barco es ZEBRA2", True),
        ("what's my boat number", "my boat number is ZEBRA2", False),
        ("was ist meine Passnummer", "meine Reisepassnummer ist 3", False),
        ("wie ist mein WLAN-Passwort", "mein WLAN Passwort ist x", False),
        ("what's my wifi password", "my wi-fi password: x", False),
        ("what is my passport number?", "meine Reisepassnummer ist 3", False),
        ("what is my number plate?", "my registration is AB12", False),
        ("what's my phone number?", "my number is 123", False),
        ("what is my passport number?", "my boat number is Z and my passport number is P", False),
        ("what's my address", "my home address is x", False),
        ("where is the key?", "my key is under the mat", False),
        ("what is my door code", "the door code is 1", False),
    ],
)
def test_a_note_about_another_thing_is_no_answer_and_doubt_leaves_it_in(
    question: str, told: str, *, another: bool
) -> None:
    assert of_another_thing(question, told) is another
    assert believable(question, [note(told)]) == (() if another else (note(told),))


async def test_without_a_note_about_it_the_owner_is_told_so_and_no_other_number(harness: Harness) -> None:
    wired(harness)
    harness.tailor = ExtractiveTailor()
    harness.start()
    harness.results[SEARCH] = [found(note("my boat number is ZEBRA2"))]
    await harness.say("what's my passport number?", planned(step(1, SEARCH, question="what's my passport number?")))
    assert harness.phone.said == ["You have not told me that."]
    assert "ZEBRA2" not in str(harness.phone.messages)
