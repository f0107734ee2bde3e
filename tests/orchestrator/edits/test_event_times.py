"""New times of an event on a card: when it begins, when it ends, and by how much it is moved."""
# names: made up here

import json
from typing import Any

import pytest

from butler.orchestrator.edits.slot_scene import CANNOT
from butler.orchestrator.edits.slot_times import WHOLE_DAY
from butler.orchestrator.edits.times import PAST
from butler.orchestrator.planning.plan_types import AboutCards, CardAct
from tests.orchestrator.edits.test_handler import row
from tests.orchestrator.edits.test_unreplied import EVENT, asked_of, offline
from tests.orchestrator.harness import Harness

DENTIST = {"title": "Dentist", "start": "2026-03-10T09:00:00", "end": "2026-03-10T09:30:00"}
WHOLE = {"title": "Fair", "start": "2026-03-10", "end": "2026-03-11"}


async def changed(
    harness: Harness, words: str, slot: str, marked: str, *, language: str = "en", event: dict[str, Any] = DENTIST
) -> dict[str, object]:
    """Return what differs after words about the card of an event, of which one slot is marked."""
    offline(harness, EVENT)
    await asked_of(harness, EVENT, **event)
    before = json.loads((await row(harness)).args)
    await harness.say(words, AboutCards(CardAct.CHANGE, values=((slot, marked),), language=language))
    after = json.loads((await row(harness)).args)
    return {name: value for name, value in after.items() if before.get(name) != value}


@pytest.mark.parametrize(
    ("words", "language", "marked", "start", "end"),
    [
        ("from 3 to 5", "en", "from 3 to 5", "2026-03-10T15:00:00", "2026-03-10T17:00:00"),
        ("from 22 to 1", "en", "from 22 to 1", "2026-03-10T22:00:00", "2026-03-11T01:00:00"),
        ("from ten to eleven", "en", "ten to eleven", "2026-03-10T10:00:00", "2026-03-10T11:00:00"),
        ("Mittwoch nicht Dienstag", "de", "Mittwoch", "2026-03-11T09:00:00", "2026-03-11T09:30:00"),
        ("von 3 bis 5", "de", "von 3 bis 5", "2026-03-10T15:00:00", "2026-03-10T17:00:00"),
        ("de 15h à 17h", "fr", "de 15h à 17h", "2026-03-10T15:00:00", "2026-03-10T17:00:00"),
        ("plus tard, à 10h", "fr", "plus tard, à 10h", "2026-03-10T10:00:00", "2026-03-10T10:30:00"),
        ("décale à 10h", "fr", "10h", "2026-03-10T10:00:00", "2026-03-10T10:30:00"),
        ("moin, um zehn", "de", "moin, um zehn", "2026-03-10T10:00:00", "2026-03-10T10:30:00"),
        ("it's on Thursday at 2pm", "en", "Thursday at 2pm", "2026-03-12T14:00:00", "2026-03-12T14:30:00"),
        ("à dix heures moins le quart", "fr", "dix heures", "2026-03-10T09:45:00", "2026-03-10T10:15:00"),
        ("am Mittwoch um 9", "de", "Mittwoch um 9", "2026-03-11T09:00:00", "2026-03-11T09:30:00"),
    ],
)
async def test_an_event_begins_at_another_time(
    harness: Harness, words: str, language: str, marked: str, start: str, end: str
) -> None:
    new = await changed(harness, words, "time", marked, language=language)
    assert (new["start"], new["end"]) == (start, end)


@pytest.mark.parametrize(
    ("words", "language", "marked"),
    [("until 11", "en", "11"), ("bis 11 Uhr", "de", "bis 11 Uhr"), ("jusqu'à 11h", "fr", "11h"),
     ("hasta las 11", "es", "hasta las 11"), ("ends at 11", "en", "at 11"), ("endet um elf", "de", "elf")],
)  # fmt: skip
async def test_until_is_when_it_ends(harness: Harness, words: str, language: str, marked: str) -> None:
    assert await changed(harness, words, "time", marked, language=language) == {"end": "2026-03-10T11:00:00"}


@pytest.mark.parametrize(
    ("words", "language", "marked"),
    [
        ("before 9", "en", "before 9"),
        ("nach 9", "de", "9"),
        ("avant 9h", "fr", "avant 9h"),
        ("antes de las 9", "es", "las 9"),
        ("12 March to 14 March", "en", "12 March to 14 March"),
        ("until Thursday", "en", "until Thursday"),
        ("until 8:30", "en", "8:30"),
    ],
)
async def test_a_bound_or_several_days_are_asked_about(
    harness: Harness, words: str, language: str, marked: str
) -> None:
    assert await changed(harness, words, "time", marked, language=language) == {}
    assert harness.phone.said[-1] == f"Which time is “{words}”? Say it like “tomorrow at 9”."


@pytest.mark.parametrize(
    ("words", "slot", "marked", "start"),
    [
        ("verschieb es um 2 Stunden", "duration", "2 Stunden", "2026-03-10T11:00:00"),
        ("eine Stunde früher", "time", "eine Stunde früher", "2026-03-10T08:00:00"),
    ],
)
async def test_it_is_moved_by_a_length(harness: Harness, words: str, slot: str, marked: str, start: str) -> None:
    assert (await changed(harness, words, slot, marked, language="de"))["start"] == start


async def test_an_event_of_a_whole_day_is_moved_by_days_only(harness: Harness) -> None:
    assert await changed(harness, "2 hours later", "time", "2 hours later", event=WHOLE) == {}
    assert harness.phone.said[-1] == WHOLE_DAY
    await harness.say("two days later", AboutCards(CardAct.CHANGE, values=(("time", "two days later"),)))
    assert '"start":"2026-03-12"' in (await row(harness)).args


async def test_nothing_is_moved_to_the_past(harness: Harness) -> None:
    assert await changed(harness, "two weeks earlier", "time", "two weeks earlier") == {}
    assert harness.phone.said[-1] == PAST
    await harness.say("an hour ago", AboutCards(CardAct.CHANGE, values=(("time", "an hour ago"),)))
    assert harness.phone.said[-1] == PAST


@pytest.mark.parametrize(("marked", "minutes"), [("two hours", 120), ("three days", 4_320), ("half a month", 21_600)])
async def test_a_reminder_comes_so_long_before(harness: Harness, marked: str, minutes: int) -> None:
    new = await changed(harness, f"remind me {marked} before", "lead", marked)
    assert new.get("remind_minutes") == minutes


async def test_a_reply_that_moves_the_event_is_about_its_card(harness: Harness) -> None:
    offline(harness, EVENT)
    await asked_of(harness, EVENT, **DENTIST)
    card = list(harness.phone.cards)[-1]
    await harness.say("schieb den Termin auf Mittwoch", reply_to=card)
    assert '"start":"2026-03-11T09:00:00"' in (await row(harness)).args


async def test_a_length_that_is_corrected_in_words_that_were_not_marked_is_asked_about(harness: Harness) -> None:
    words = "eine Stunde, quatsch, eher zwei Stunden"
    assert await changed(harness, words, "duration", "eine Stunde", language="de") == {}
    assert harness.phone.said[-1].startswith("Which time is")


@pytest.mark.parametrize(
    ("words", "marked", "end"),
    [
        ("eine Stunde länger", "eine Stunde", "2026-03-10T10:30:00"),
        ("zehn Minuten kürzer", "zehn Minuten", "2026-03-10T09:20:00"),
    ],
)
async def test_an_event_takes_longer_or_shorter(harness: Harness, words: str, marked: str, end: str) -> None:
    assert await changed(harness, words, "duration", marked, language="de") == {"end": end}


async def test_an_event_without_an_end_takes_longer_by_its_minutes(harness: Harness) -> None:
    event: dict[str, Any] = {"title": "Lunch", "start": "2026-03-10T12:00:00", "minutes": 60}
    assert await changed(harness, "extend it by an hour", "duration", "an hour", event=event) == {"minutes": 120}


async def test_nothing_takes_less_than_no_time(harness: Harness) -> None:
    assert await changed(harness, "an hour shorter", "duration", "an hour") == {}
    assert harness.phone.said[-1] == CANNOT


async def test_an_event_of_a_whole_day_may_get_an_hour(harness: Harness) -> None:
    new = await changed(harness, "at 9", "time", "at 9", event=WHOLE)
    assert (new["start"], new["end"]) == ("2026-03-10T09:00:00", None)
    assert json.loads((await row(harness)).args)["minutes"] == 60
