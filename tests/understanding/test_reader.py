"""The shipped network reads plain requests in four languages, and never makes up a word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler.understanding.reader import OPEN, RequestReader
from butler.understanding.tables import intents
from butler.understanding.weights import SHIPPED, load

READER = RequestReader()
MOST_BYTES = 20_000_000
PLAIN = (
    ("text anna I'm on my way", "message.send", {"to": ["anna"], "reported": ["I'm on my way"]}),
    ("remind me tomorrow at nine to call the dentist", "reminder.create", {"time": ["tomorrow at nine"]}),
    ("what's on my calendar on friday", "calendar.list", {"time": ["friday"]}),
    ("thanks a lot!", "chat.thanks", {}),
    ("what's the weather like tomorrow", "decline.weather", {}),
    ("erinnere mich morgen um neun an den zahnarzt", "reminder.create", {"time": ["morgen um neun"]}),
    ("zeig mir die ungelesenen mails", "mail.search", {}),
    ("rappelle-moi demain à neuf heures d'appeler le dentiste", "reminder.create", {"time": ["demain à neuf heures"]}),
    ("merci beaucoup", "chat.thanks", {}),
    ("recuérdame mañana a las nueve llamar al dentista", "reminder.create", {"time": ["mañana a las nueve"]}),
    ("qué tengo mañana en el calendario", "calendar.list", {"time": ["mañana"]}),
)


def test_what_is_shipped_is_small_and_of_these_tables() -> None:
    weights = load()
    assert SHIPPED.stat().st_size < MOST_BYTES
    assert set(weights.intents) == set(intents()), "the tables have changed: run `make train-understanding`"
    slots = {slot for intent in intents().values() for slot in intent.slots}
    assert {tag[2:] for tag in weights.tags if tag != "O"} <= slots


@pytest.mark.parametrize(("text", "intent", "slots"), PLAIN, ids=[text for text, *_ in PLAIN])
def test_a_plain_request_is_read(text: str, intent: str, slots: dict[str, list[str]]) -> None:
    (found,) = READER.read(text)
    assert found.intent == intent
    assert {slot: list(found.words(slot)) for slot in slots} == slots


def test_two_requests_in_one_message_are_two() -> None:
    found = READER.read("text anna that I'm running late. oh and remind me at six to buy flowers")
    assert [one.intent for one in found] == ["message.send", "reminder.create"]


def test_a_colon_before_requests_dictates_none_of_them() -> None:
    act = "cancel my dentist appointment and remind me at noon to call the doctor"
    assert [one.intent for one in READER.read(f"I'm ill tomorrow: {act}")] == ["calendar.delete", "reminder.create"]
    (one,) = READER.read(f"tell Bob: {act}")
    assert one.intent == "message.send"


def test_a_message_without_words_has_no_request() -> None:
    assert READER.read("") == READER.read(" \n ") == ()


@given(st.text(max_size=200))
def test_all_that_is_marked_stands_in_the_message(text: str) -> None:
    for request in READER.read(text):
        assert 0 <= request.confidence <= 1
        assert all(request.text[one.start : one.end] == one.text for one in request.slots)
        assert request.text in text


def test_a_long_text_belongs_to_the_last_slot() -> None:
    dictated = " ".join(["we sat in the garden and talked about the old days and then the neighbours came"] * 20)
    (found, *_) = READER.read(f"tell anna that {dictated}")
    assert found.slots[-1].slot in OPEN
    assert found.slots[-1].end == len(found.text.rstrip())
