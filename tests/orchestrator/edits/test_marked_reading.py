"""A reply to a single card in any of the languages: what the trained reader marks becomes a new version of the card."""
# names: made up here

import pytest

from butler.contract.card import rich_text
from butler.orchestrator.edits.answers import NOT_BY_WORDS, STILL_WAITS
from butler.orchestrator.edits.card_words import card_words
from butler.orchestrator.edits.marked_reading import OR_TEXT, MarkedReader
from butler.orchestrator.edits.recipient_slots import CANNOT_UNSEEN
from butler.orchestrator.embedded.scene import scene_of
from butler.orchestrator.planning.plan_types import AboutCards
from butler.store.queries import approvals
from tests.orchestrator.edits.test_handler import asked, newest, row
from tests.orchestrator.embedded.scene import request
from tests.orchestrator.harness import Harness


@pytest.mark.parametrize(
    ("text", "reply", "new"),
    [
        ("Wir sehen uns um acht", "mach lieber neun draus", "Wir sehen uns um neun"),
        ("On se voit à huit heures", "mets plutôt neuf heures", "On se voit à neuf heures"),
        ("Nos vemos a las ocho", "mejor a las nueve", "Nos vemos a las nueve"),
        (
            "J'aurai dix minutes de retard, à huit heures",
            "mets plutôt vingt minutes",
            "J'aurai vingt minutes de retard, à huit heures",
        ),
        ("Ich bringe Kuchen", "häng noch an: und Kaffee", "Ich bringe Kuchen. Und Kaffee"),
    ],
)
async def test_a_reply_in_another_language_changes_what_it_names(
    harness: Harness, text: str, reply: str, new: str
) -> None:
    card = await asked(harness, text)
    await harness.say(reply, reply_to=card)
    assert newest(harness).body == new
    assert (await row(harness)).revision == 2
    assert harness.sent() == []


@pytest.mark.parametrize(
    ("reply", "who"),
    [(words, "@eva_b") for words in ("schick es lieber an @eva_b", "plutôt à @eva_b", "mejor a @eva_b")],
)
async def test_a_reply_in_another_language_names_who_gets_it(harness: Harness, reply: str, who: str) -> None:
    card = await asked(harness)
    await harness.say(reply, reply_to=card)
    shown = {label: rich_text(value) for label, value in newest(harness).fields}
    assert shown["To"] == who


@pytest.mark.parametrize("reply", ["nein", "lass es sein", "non, laisse tomber", "no, déjalo", "lieber doch nicht"])
async def test_a_no_in_any_language_denies_the_card(harness: Harness, reply: str) -> None:
    card = await asked(harness)
    await harness.say(reply, reply_to=card)
    assert not await harness.store.read(lambda c: approvals.in_state(c, "pending"))


@pytest.mark.parametrize("reply", ["ja, mach das", "oui, vas-y", "sí, adelante", "passt, schick es ab"])
async def test_a_yes_in_any_language_is_given_by_the_button(harness: Harness, reply: str) -> None:
    card = await asked(harness)
    await harness.say(reply, reply_to=card)
    assert harness.phone.said[-1] == NOT_BY_WORDS
    assert (await row(harness)).revision == 1


@pytest.mark.parametrize("reply", ["danke", "merci beaucoup", "gracias"])
async def test_thanks_change_nothing(harness: Harness, reply: str) -> None:
    card = await asked(harness)
    await harness.say(reply, reply_to=card)
    assert harness.phone.said[-1] == STILL_WAITS


@pytest.mark.parametrize("text", ["Wir fangen ohne dich an, bis später!", "On commence sans toi, à plus tard !"])
async def test_a_new_text_in_another_language_is_the_text(harness: Harness, text: str) -> None:
    card = await asked(harness)
    await harness.say(text, reply_to=card)
    assert newest(harness).body == text


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("nein warte, schreib ihr nur: bin gleich da", "Bin gleich da"),
        ("Schreib dazu, dass ich Brötchen mitbringe", "Ich Brötchen mitbringe"),
    ],
)
async def test_words_that_say_to_write_something_are_not_the_text(harness: Harness, reply: str, text: str) -> None:
    card = await asked(harness)
    await harness.say(reply, reply_to=card)
    assert harness.phone.said[-1] == f"Is “{text}” the whole text, or shall it be added?"
    assert (await row(harness)).revision == 1


@pytest.mark.parametrize("reply", ["enlève l'heure, dis juste à lundi", "quince, no diez", "que salga a la una"])
async def test_what_speaks_of_the_card_becomes_its_text_only_by_a_tap(harness: Harness, reply: str) -> None:
    card = await asked(harness)
    before = newest(harness).body
    await harness.say(reply, reply_to=card)
    assert (harness.phone.said[-1], newest(harness).body) == (OR_TEXT, before)
    await harness.tap("The text: ")
    assert newest(harness).body == reply


@pytest.mark.parametrize("reply", ["verschieb es um 2 Stunden", "push it back an hour", "postpone it"])
async def test_words_that_move_an_event_are_no_text(harness: Harness, reply: str) -> None:
    card = await asked(harness)
    await harness.say(reply, reply_to=card)
    assert (await row(harness)).revision == 1
    assert harness.phone.said[-1].startswith(("I am not sure", "I did not understand", "The card has nothing"))


async def test_nobody_is_added_in_the_open_who_was_to_be_unseen(harness: Harness) -> None:
    card = await asked(harness)
    await harness.say("mets maman en copie cachée", reply_to=card)
    assert harness.phone.said[-1] == CANNOT_UNSEEN
    assert (await row(harness)).revision == 1


@pytest.mark.parametrize(
    ("text", "reply", "new"),
    [
        ("See you at eight on Monday", "make that half past eight, not eight", "See you at half past eight on Monday"),
        ("À lundi huit heures", "c'est mardi, pas lundi, merci", "À mardi huit heures"),
        ("Bis Montag", "schreib noch dazu dass ich den Kuchen mitbringe", "Bis Montag. Ich bringe den Kuchen mit"),
    ],
)
async def test_new_words_take_their_place_in_the_text(harness: Harness, text: str, reply: str, new: str) -> None:
    card = await asked(harness, text)
    await harness.say(reply, reply_to=card)
    assert newest(harness).body == new


@pytest.mark.parametrize(
    "reply",
    [
        "quita lo del lunes",
        "adjunta el menú",
        "streich das mit Montag",
        "supprime le lundi de la fin",
        "schreib dass ich nicht komme",
        "dis que je ne viens pas",
        "lass den Montag weg",
        "lass Anna drin",
        "tell Anna I'm not coming",
        "zu früh",
    ],
)
async def test_an_instruction_that_is_not_understood_is_no_text(harness: Harness, reply: str) -> None:
    card = await asked(harness)
    before = newest(harness).body
    await harness.say(reply, reply_to=card)
    assert newest(harness).body == before


async def test_a_copy_that_nobody_sees_is_refused_in_any_words(harness: Harness) -> None:
    card = await asked(harness)
    await harness.say("Bob en copie cachée et dis qu'on mange à vingt heures pile", reply_to=card)
    assert harness.phone.said[-1] == CANNOT_UNSEEN


@pytest.mark.parametrize("words", ["mets maman en copie", "Bob in Kopie", "put Bob in cc", "pon a Ana en copia"])
def test_a_copy_is_for_one_person_more(words: str) -> None:
    assert card_words("also_to").search(words)


def test_a_time_of_the_day_is_no_length() -> None:
    about = MarkedReader(None).read("à dix heures", scene_of(request("à dix heures")), "", maybe_text=True)
    assert isinstance(about, AboutCards)
    assert about.values == (("time", "à dix heures"),)


async def test_a_long_reply_that_may_be_a_text_is_asked_about(harness: Harness) -> None:
    card = await asked(harness)
    text = "Der Zug steht noch immer in Hanau. Fangt ruhig schon einmal ohne mich an!"
    await harness.say(text, reply_to=card)
    assert harness.phone.said[-1] == f"Is “{text}” the whole text, or shall it be added?"
    await harness.tap("The whole text: ")
    assert newest(harness).body == text


def test_without_a_reader_nothing_is_understood() -> None:
    assert MarkedReader(None).read("mach das", scene_of(request("mach das")), "", maybe_text=True) is None
