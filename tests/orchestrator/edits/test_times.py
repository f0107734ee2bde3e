"""A reply to the card of what waits for a time: which time it says, against Wednesday 4 March 2026, 10:30 in Berlin."""
# names: made up here

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from butler.agents.languages import language_of
from butler.orchestrator.edits.times import NewTime, new_time, said_of, says_too
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.scene import scene_of
from butler.orchestrator.planning.plan_types import Unclear
from tests.orchestrator.embedded.scene import request

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 4, 10, 30, tzinfo=BERLIN)
SHOWN = datetime(2026, 3, 5, 8, 0, tzinfo=BERLIN)


def told(words: str, text: str = "see you") -> NewTime | Unclear | None:
    scene = scene_of(request(words))
    return new_time(said_of(words, scene, language_of(words) or "en"), SHOWN, text)


@pytest.mark.parametrize(
    ("words", "local"),
    [
        ("make it 9", "2026-03-05T09:00"),
        ("at 10 instead", "2026-03-05T10:00"),
        ("9:30", "2026-03-05T09:30"),
        ("tomorrow at 9", "2026-03-05T09:00"),
        ("on Friday", "2026-03-06T08:00"),
        ("on Friday at 7 pm", "2026-03-06T19:00"),
        ("move it to Monday", "2026-03-09T08:00"),
        ("an hour later", "2026-03-05T09:00"),
        ("30 minutes earlier", "2026-03-05T07:30"),
        ("half an hour later", "2026-03-05T08:30"),
        ("in 2 hours", "2026-03-04T12:30"),
        ("send it at 11", "2026-03-05T11:00"),
        ("no, at 10", "2026-03-05T10:00"),
        ("morgen um 9", "2026-03-05T09:00"),
        ("à 9h30 demain", "2026-03-05T09:30"),
        ("mañana a las 9", "2026-03-05T09:00"),
        ("not today, tomorrow at 9", "2026-03-05T09:00"),
        ("heute nicht, am Freitag", "2026-03-06T08:00"),
        ("earlier, at 7", "2026-03-05T07:00"),
        ("plus tard, à 9h", "2026-03-05T09:00"),
        ("décale à 9h", "2026-03-05T09:00"),
        ("décale de 2h", "2026-03-05T10:00"),
        ("verschieb es um 2 Stunden", "2026-03-05T10:00"),
        ("schick es 2 Stunden früher", "2026-03-05T06:00"),
        ("retrásalo dos horas", "2026-03-05T10:00"),
        ("push it back an hour", "2026-03-05T09:00"),
        ("no a las 7, a las 9", "2026-03-05T09:00"),
        ("um 10, nein, um 11", "2026-03-05T11:00"),
        ("a las 10, no, a las 11", "2026-03-05T11:00"),
        ("avance à 6h", "2026-03-05T06:00"),
        ("adelántalo a las 6", "2026-03-05T06:00"),
    ],
)
def test_what_is_not_said_of_a_time_is_as_the_card_has_it(words: str, local: str) -> None:
    assert told(words) == NewTime(datetime.fromisoformat(local).replace(tzinfo=BERLIN).astimezone(UTC))


@pytest.mark.parametrize(
    "words",
    [
        "not tomorrow",
        "nicht am Freitag",
        "non demain",
        "ne l'envoie pas demain",
        "no lo envíes mañana",
        "demain non",
        "mañana no",
        "don't send it at 9",
    ],
)
def test_a_time_that_is_only_refused_is_asked_for(words: str) -> None:
    with pytest.raises(Asking, match="When shall it be sent then"):
        told(words)


@pytest.mark.parametrize(
    "words",
    [
        "send it now",
        "schick es sofort",
        "tout de suite",
        "no esperes, mándalo ya",
        "cuanto antes",
        "so bald wie möglich",
    ],
)
def test_it_may_be_sent_at_once(words: str) -> None:
    assert told(words) == NewTime(None)


@pytest.mark.parametrize("words", ["not before 9", "nicht vor 9", "pas avant neuf heures, il dort encore"])
def test_not_before_nine_is_at_nine(words: str) -> None:
    assert told(words) == NewTime(datetime(2026, 3, 5, 8, 0, tzinfo=UTC))


@pytest.mark.parametrize(
    "words",
    [
        "before 9",
        "after 9",
        "avant 9h",
        "après 9h",
        "antes de las 9",
        "von Montag bis Freitag",
        "um 10, äh 11",
        "at 10 or 11",
        "à neuf ou dix heures",
        "31.12.9999",
        "900 years later",
    ],
)
def test_a_time_that_is_a_bound_is_asked_about(words: str) -> None:
    with pytest.raises(Asking, match="Which time is"):
        told(words)


@pytest.mark.parametrize("words", ["2 days earlier", "yesterday at 9", "an hour ago"])
def test_nothing_is_moved_to_the_past(words: str) -> None:
    with pytest.raises(Asking, match="That time is past"):
        told(words)


@pytest.mark.parametrize("words", ["hello there", "thanks", "see you at 9", "I'll be late", "change late to early", ""])
def test_words_that_say_no_time_alone_are_no_time(words: str) -> None:
    assert told(words) is None


def test_where_the_text_has_a_time_too_it_is_asked_which() -> None:
    output = told("make it 9", "I'll be there at 8")
    assert isinstance(output, Unclear)
    send, text = output.choices
    assert send.words == "send it on 2026-03-05 at 09:00"
    assert text.words == "change “8” to “9”"
    assert told(send.words, "I'll be there at 8") == NewTime(datetime(2026, 3, 5, 8, 0, tzinfo=UTC))


def test_what_speaks_of_sending_is_not_of_the_text() -> None:
    assert isinstance(told("send it at 11", "I'll be there at 8"), NewTime)
    assert isinstance(told("an hour later", "I'll be there at 8"), NewTime)


@pytest.mark.parametrize("words", ["zu früh", "trop tard", "too early for him"])
def test_that_a_time_does_not_fit_says_no_other(words: str) -> None:
    assert says_too(words)
    assert told(words) is None


@pytest.mark.parametrize(
    ("old", "words", "hour"),
    [("22:00", "at eleven", 23), ("15:00", "at eleven", 11), ("09:00", "at three", 15), ("19:00", "earlier, at 6", 18)],
)
def test_an_hour_is_of_the_half_that_the_card_is_in(old: str, words: str, hour: int) -> None:
    shown = datetime.fromisoformat(f"2026-03-05T{old}").replace(tzinfo=BERLIN)
    scene = scene_of(request(words))
    found = new_time(said_of(words, scene, "en"), shown, "see you")
    assert isinstance(found, NewTime)
    assert found.at is not None
    assert found.at.astimezone(BERLIN).hour == hour
