"""An agenda reads as a person reads one: by its days, with hours, places and people."""
# names: made up here

from dataclasses import replace
from typing import Any

import pytest

from butler.contract.agents import When
from butler.contract.card import rich_text
from butler.contract.names import Direction
from butler.contract.speech import speak
from butler.orchestrator.replies.plan_replies import reply
from config.language import OwnerLanguage
from tests.support.rendering import ZONE, of, shown


def event(number: int, start: str, end: str, title: str, **more: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "event_id": f"e{number}",
        "title": title,
        "start": start,
        "end": end,
        "calendar": "Robin",
        "people": [],
    }
    return base | {"all_day": len(start) == 10, "location": "", "series": False} | more


WEEK = [
    event(1, "2026-03-06", "2026-03-08", "Anna visits"),
    event(2, "2026-03-06T10:00", "2026-03-06T11:30", "Review", location="Room 5", people=["Anna", "Bob"], series=True),
    event(3, "2026-03-07T22:00", "2026-03-08T02:00", "Party", response="needsAction"),
]


def test_an_agenda_is_read_by_its_days() -> None:
    said = of("user_calendar_list_events", {"events": WEEK, "count": 3, "complete": True})
    assert rich_text(said.text) == (
        "Friday 6 March 2026\n"
        "1. all day, until Sun 8 Mar: Anna visits\n"
        "2. 10:00–11:30 Review 🔁 · 📍 Room 5 · 👥 Anna, Bob\n\n"
        "Saturday 7 March 2026\n"
        "3. 22:00–Sun 8 Mar 02:00 Party · not answered yet"
    )
    assert said.memory == "Showed x-1, x-2, x-3 (user_calendar_list_events)."


def test_the_calendar_is_named_where_there_are_several() -> None:
    rows = [WEEK[1], event(4, "2026-03-06T12:00", "2026-03-06T13:00", "Lunch", calendar="Work")]
    said = rich_text(of("user_calendar_list_events", {"events": rows, "count": 2, "complete": True}).text)
    assert "2. 12:00–13:00 Lunch · Work" in said


def test_a_long_agenda_shows_the_first_and_says_how_many_more_there_are() -> None:
    rows = [event(n, "2026-03-06T10:00", "2026-03-06T11:00", f"Talk {n}") for n in range(1, 31)]
    said = rich_text(of("user_calendar_list_events", {"events": rows, "count": 30, "complete": False}).text)
    assert "25. 10:00–11:00 Talk 25" in said
    assert "Talk 26" not in said
    assert said.endswith("And 5 more.\nThere are still more: ask for fewer at once.")


def test_of_the_next_event_alone_it_is_not_said_that_more_come_after_it() -> None:
    said = of("user_calendar_list_events", {"events": WEEK[:1], "count": 1, "complete": False})
    assert "still more" not in rich_text(said.text)


def test_a_day_with_nothing_in_it_is_said_to_be_so() -> None:
    empty: dict[str, Any] = {"events": [], "count": 0, "complete": True}
    assert rich_text(of("user_calendar_list_events", empty).text) == "There is nothing in your calendar then."
    named = of("user_calendar_list_events", empty, words="dentist")
    assert rich_text(named.text) == "There is nothing like that in your calendar."


SPANS = [
    ("2026-03-06T00:00", "2026-03-07T00:00", " on Friday 6 March 2026."),
    ("2026-03-06T00:00", "2026-03-09T00:00", " from Friday 6 March 2026 to Sunday 8 March 2026."),
    (
        "2026-03-06T09:00",
        "2026-03-06T12:00",
        " from Friday 6 March 2026 at 09:00 to Friday 6 March 2026 at 12:00.",
    ),
]


@pytest.mark.parametrize(("since", "before", "span"), SPANS)
def test_a_look_that_finds_nothing_says_where_it_looked(since: str, before: str, span: str) -> None:
    looked: dict[str, Any] = {"count": 0, "complete": True, "since": since, "before": before}
    empty: dict[str, Any] = {"events": [], **looked}
    assert rich_text(of("user_calendar_list_events", empty).text) == f"There is nothing in your calendar{span}"
    named = rich_text(of("user_calendar_list_events", empty, words="dentist").text)
    assert named == f"There is nothing like that in your calendar{span}"
    free = rich_text(of("user_calendar_find_free_time", {"free": [], **looked}).text)
    assert free == f"You have no free time{span}"


def test_a_search_that_finds_something_says_where_it_looked() -> None:
    looked = {
        "events": WEEK[1:2],
        "count": 1,
        "complete": True,
        "since": "2026-03-06T00:00",
        "before": "2026-03-07T00:00",
    }
    said = rich_text(of("user_calendar_list_events", looked, words="review").text)
    assert said.endswith("I looked at Friday 6 March 2026.")


def test_one_event_is_read_whole_with_its_guests() -> None:
    guests = [{"address": "anna@friends.example", "name": "Anna", "response": "accepted"}]
    whole = WEEK[1] | {"guests": guests, "description": "Bring the plan.", "reminders": [30, 1]}
    assert rich_text(of("user_calendar_read_event", whole).text) == (
        "Review\nFriday 6 March 2026, 10:00–11:30\n📍 Room 5\n👥 Anna <anna@friends.example> (accepted)\n"
        "🔁 It comes again.\n🗓 Robin\n⏰ 30 minutes before and 1 minute before\nBring the plan."
    )


def test_what_hides_in_a_title_is_made_visible() -> None:
    rows = [event(1, "2026-03-06T10:00", "2026-03-06T11:00", "Pay \u202eeve")]
    said = rich_text(of("user_calendar_list_events", {"events": rows, "count": 1, "complete": True}).text)
    assert "[U+202E]" in said


def test_free_times_stand_by_their_days() -> None:
    free = [
        {"start": "2026-03-05T08:00", "end": "2026-03-05T10:00", "minutes": 120},
        {"start": "2026-03-05T11:30", "end": "2026-03-05T20:00", "minutes": 510},
        {"start": "2026-03-06T08:00", "end": "2026-03-06T20:00", "minutes": 720},
    ]
    said = of("user_calendar_find_free_time", {"free": free, "count": 3, "complete": True})
    assert rich_text(said.text) == ("You are free:\nThu 5 Mar: 08:00–10:00, 11:30–20:00\nFri 6 Mar: 08:00–20:00")
    assert rich_text(of("user_calendar_find_free_time", {"free": [], "count": 0}).text) == "You have no free time then."


ONLY = When(step_id=1, fact="count", is_="equal", value=1)


@pytest.mark.parametrize("count", [0, 2, 3])
def test_what_fits_none_or_several_is_shown_and_nothing_is_done(count: int) -> None:
    found = shown("user_calendar_list_events", {"events": WEEK[:count], "count": count, "complete": True}, words="x")
    act = shown("user_calendar_delete_event", None, number=2)
    assert act.spec.direction is Direction.OUTPUT
    act = replace(act, step=act.step.model_copy(update={"when": ONLY, "depends_on": [1]}))
    said = reply((found, act), ZONE)
    assert said is not None
    text = rich_text(said.text)
    if count:
        assert "2. 10:00–11:30 Review" in text
        assert "More than one fits, so I did nothing." in text
    else:
        assert text == "There is nothing like that in your calendar."


def test_an_agenda_is_told_in_the_owners_language() -> None:
    speak(OwnerLanguage.GERMAN)
    said = rich_text(of("user_calendar_list_events", {"events": WEEK, "count": 3, "complete": True}).text)
    assert said.startswith("Freitag")
    assert "ganztägig, bis" in said
    assert said.endswith("noch nicht beantwortet")
    free = rich_text(of("user_calendar_find_free_time", {"free": [], "count": 0}).text)
    assert free == "Da hast du keine freie Zeit."
