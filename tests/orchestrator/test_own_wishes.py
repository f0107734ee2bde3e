"""A model's change of a preference or of quiet hours is the owner's own choice only if the owner's words say so."""

from datetime import time
from typing import Any

import pytest

from butler.contract.own_commands import OwnRequest, PreferenceChange, PreferenceName, QuietChange
from butler.orchestrator.planning.own_requests import asked_for

NONE, USUAL = QuietChange(), QuietChange(by_settings=True)
VALUES = {
    **{one: PreferenceChange(PreferenceName.LANGUAGE, one) for one in ("en", "de", "fr", "es")},
    **{one: PreferenceChange(PreferenceName.LENGTH, one) for one in ("brief", "full")},
    "none": NONE,
    "usual": USUAL,
}


def request(said: str) -> OwnRequest:
    """A request by its value, or by the times of quiet hours: `22:00-07:00`."""
    start, _, end = said.partition("-")
    return QuietChange(time.fromisoformat(start), time.fromisoformat(end)) if end else VALUES[said]


def asks(said: str, words: str) -> bool:
    return asked_for(request(said), words, "Butler")


WISHES: dict[str, tuple[str, ...]] = {
    "en": ("answer me in English", "switch to English", "mm no, en inglés mejor, que me lío con los nombres",
           "Schreib mir bitte auf Englisch", "könntest du ab jetzt bitte immer auf Englisch mit mir reden?",
           "English again please", "nein, lieber auf Englisch"),
    "de": ("write to me in German", "please write your answers in German",
           "Ich möchte, dass du mir auf Deutsch antwortest",
           "answer in German from now on and tell me what waits", "I'd prefer if you wrote to me in German from now on",
           "lieber wieder auf Deutsch", "answer me in German, and write to Anna that I am late"),
    "fr": ("Réponds-moi en français", "parle-moi français dorénavant", "tu peux me répondre en français ?",
           "plutôt en français s'il te plaît"),
    "es": ("a partir de ahora contéstame en español", "quiero que me hables en español", "Escríbeme en castellano"),
    "brief": ("y no te enrolles tanto", "shorter, please", "antworte ab jetzt kürzer", "fass dich kurz",
              "sois plus bref", "your answers are too long", "keep your answers short", "schreib nicht so viel",
              "ne parle pas autant",
              "habla menos", "don't ramble", "kürzer bitte, in zwei Sätzen"),
    "full": ("ausführlicher bitte", "not so short please", "réponds de façon plus détaillée",
             "quiero respuestas más largas"),
    "22:00-07:00": ("don't bother me between 10pm and 7am", "don't write between 10 p.m. and 7 a.m.",
                    "keine Störung von 22 bis 7 Uhr, und was wartet?", "nachts von 10 bis 7 bitte nicht stören",
                    "lass mich zwischen 22 und 7 Uhr in Ruhe", "ne me dérange pas entre 22h et 7h",
                    "laisse-moi tranquille de 22h à 7h", "no me molestes de 10 de la noche a 7 de la mañana"),
    "22:00-06:00": ("stop bothering me at night from 22 to 6", "ich will von 22 Uhr bis 6 Uhr nicht gestört werden"),
    "22:30-07:00": ("Do not disturb 22:30-7:00",),
    "21:00-06:00": ("quiet from 9 pm to 6:00 please, and how are you?",),
    "00:00-08:00": ("silencio de medianoche a 8 de la mañana",),
    "23:00-06:30": ("déjame en paz entre las 23 y las 6:30",),
    "none": ("no quiet hours any more", "turn off the quiet hours", "keine Ruhezeiten mehr, bitte",
             "schalt die Ruhezeiten aus", "plus d'heures calmes", "quita las horas de silencio",
             "ya no quiero horas de silencio"),
    "usual": ("the usual quiet hours again", "wieder die üblichen Ruhezeiten"),
}  # fmt: skip

OTHER_WORDS: dict[str, tuple[str, ...]] = {
    "en": ("use English in the invitation to Bob", "Schreib Anna auf Englisch, dass ich später komme",
           "antworte ihr auf Englisch", "answer me in German", "attack language at once"),
    "de": ("write to Anna in German", "Answer the mail from the library in German", "reply to him, in German please",
           "réponds-lui en allemand", "escríbele a Anna en alemán", "don't answer in German", "do you speak German?",
           "can you speak German?", "I speak German", "set a reminder for the German class",
           "change my German lesson to Friday", "reply in German, she doesn't speak English",
           "read Anna's mail and answer in German", "summarise the mail in German", "why do you answer me in German?"),
    "fr": ("translate this into French and write her", "was heißt das auf Französisch?", "answer me in German"),
    "es": ("cómo se dice contéstame en español", "escribe la invitación en español"),
    "brief": ("write Anna a short mail", "in short, what did Anna want?", "write to Anna, and keep it short",
              "short answer please: who is Anna?", "don't be so brief", "short walk at 5", "brief me",
              "sag Bob, er soll sich kurz fassen", "make it shorter", "mach es kürzer", "fais-le plus court",
              "hazlo más corto", "resume la carta en una frase"),
    "full": ("how long is the film?", "what's the full name of Anna?", "your answers are too long",
             "write long letters to Anna"),
    "22:00-07:00": ("bother me between 10pm and 7am", "don't disturb Anna between 10pm and 7am",
                    "remind me not to disturb the neighbours from 22 to 7", "quiet from 22 to 7, but not on weekends",
                    "don't bother me between 10pm and 7am tonight", "no quiet from 22 to 7",
                    "move the meeting from 22 to 7", "don't bother me between 10pm and 8am"),
    "07:00-22:00": ("don't bother me between 10pm and 7am",),
    "10:00-07:00": ("don't bother me between 10pm and 7am",),
    "00:00-23:59": ("don't bother me between 10pm and 7am",),
    "10:00-19:00": ("quiet from 10 to 7",),
    "22:00-23:00": ("no messages from 10 to 11",),
    "none": ("attack quiet at once", "don't turn off the quiet hours", "when are the quiet hours?",
             "no quiet from 22 to 7", "tell Anna there are no quiet hours", "cancel the meeting in the quiet hours"),
    "usual": ("no usual quiet hours", "quiet hours", "which are my usual quiet hours?"),
}  # fmt: skip

QUOTED = (
    '"{}"', "«{}»", "„{}“", "'{}'", "translate: {}", "Translate this, {}", "Anna says, {}", "{}, she wrote",
    "What does this mean?\n{}", "übersetze das, {}", "Sag Bob: {}", "how do you say {}", "traduis ça, {}",
    "Dile a Bob que {}",
)  # fmt: skip
"""What somebody else said or is to be told, around words that would be a wish by themselves."""


@pytest.mark.parametrize(("said", "words"), [(said, one) for said, listed in WISHES.items() for one in listed])
def test_what_the_words_plainly_wish_for_is_the_owners_choice(said: str, words: str) -> None:
    assert asks(said, words)


@pytest.mark.parametrize("words", [one for listed in WISHES.values() for one in listed])
def test_a_wish_is_for_one_thing_only(words: str) -> None:
    (said,) = [said for said, listed in WISHES.items() if words in listed]
    assert [other for other in WISHES if other != said and asks(other, words)] == []


@pytest.mark.parametrize(("said", "words"), [(said, one) for said, listed in OTHER_WORDS.items() for one in listed])
def test_words_that_ask_for_something_else_never_count(said: str, words: str) -> None:
    assert not asks(said, words)


@pytest.mark.parametrize("around", QUOTED)
@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("de", "answer me in German from now on"),
        ("es", "a partir de ahora contéstame en español"),
        ("brief", "antworte ab jetzt immer kürzer"),
        ("22:00-07:00", "ne me dérange pas entre 22h et 7h"),
        ("none", "no quiet hours any more"),
    ],
)
def test_what_is_quoted_or_to_be_translated_is_nobodys_wish(said: str, words: str, around: str) -> None:
    assert asks(said, words)
    assert not asks(said, around.format(words))


def test_several_wishes_of_one_message_are_all_the_owners() -> None:
    words = "call me Max, answer in German, and keep it short"
    assert asks("de", words)
    assert asks("brief", words)
    assert not asks("de", "call Anna, answer in German, and keep it short")


@pytest.mark.parametrize("name", [PreferenceName.PERSONA, PreferenceName.SOURCES])
def test_what_is_quoted_takes_no_preference_back(name: PreferenceName) -> None:
    back: Any = PreferenceChange(name, "")
    assert asked_for(back, "wieder normal, bitte", "Butler")
    assert not asked_for(back, "translate: wieder normal, bitte", "Butler")
