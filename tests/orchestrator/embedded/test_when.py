"""Times are read as people say them, in their own zone, and an hour that nobody said is never made up."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler.orchestrator.embedded.when import Spoken, settle
from butler.orchestrator.understanding.said import spoken
from butler.understanding.times.parse import parse

BERLIN = ZoneInfo("Europe/Berlin")
WEDNESDAY = datetime(2026, 3, 4, 10, 30, tzinfo=BERLIN)

TIMES = [
    ("in 20 minutes", "2026-03-04T10:50"),
    ("in twenty minutes", "2026-03-04T10:50"),
    ("in a minute", "2026-03-04T10:31"),
    ("in 3 hours", "2026-03-04T13:30"),
    ("in an hour", "2026-03-04T11:30"),
    ("in half an hour", "2026-03-04T11:00"),
    ("in an hour and a half", "2026-03-04T12:00"),
    ("in 2 hours and 15 minutes", "2026-03-04T12:45"),
    ("in a couple of hours", "2026-03-04T12:30"),
    ("in 3 days", "2026-03-07T10:30"),
    ("in 3 days at 8", "2026-03-07T08:00"),
    ("at 8 in 3 days", "2026-03-07T08:00"),
    ("in two weeks", "2026-03-18T10:30"),
    ("in 1 month", "2026-04-04T10:30"),
    ("at 11", "2026-03-04T11:00"),
    ("at 9", "2026-03-05T09:00"),
    ("at 9:30", "2026-03-05T09:30"),
    ("at 9.30", "2026-03-05T09:30"),
    ("at 21:15", "2026-03-04T21:15"),
    ("9am", "2026-03-05T09:00"),
    ("9 pm", "2026-03-04T21:00"),
    ("9 p.m.", "2026-03-04T21:00"),
    ("9:30pm", "2026-03-04T21:30"),
    ("12am", "2026-03-05T00:00"),
    ("12pm", "2026-03-04T12:00"),
    ("at nine o'clock", "2026-03-05T09:00"),
    ("at half past nine", "2026-03-05T09:30"),
    ("at quarter to twelve", "2026-03-04T11:45"),
    ("noon", "2026-03-04T12:00"),
    ("at midnight", "2026-03-05T00:00"),
    ("today at midnight", "2026-03-05T00:00"),
    ("today at 11", "2026-03-04T11:00"),
    ("tonight", "2026-03-04T20:00"),
    ("tonight at 9", "2026-03-04T21:00"),
    ("at 9 tonight", "2026-03-04T21:00"),
    ("tonight at 1", "2026-03-05T01:00"),
    ("tonight at 12", "2026-03-05T00:00"),
    ("at 9 in the evening", "2026-03-04T21:00"),
    ("at 9 in the morning", "2026-03-05T09:00"),
    ("in the evening", "2026-03-04T18:00"),
    ("in the morning", "2026-03-05T09:00"),
    ("this afternoon", "2026-03-04T14:00"),
    ("tomorrow at 9", "2026-03-05T09:00"),
    ("tomorrow, at 9", "2026-03-05T09:00"),
    ("tomorrow morning", "2026-03-05T09:00"),
    ("tomorrow evening at 8", "2026-03-05T20:00"),
    ("the day after tomorrow at 7:15", "2026-03-06T07:15"),
    ("on Friday at noon", "2026-03-06T12:00"),
    ("Friday at 8", "2026-03-06T08:00"),
    ("on fri at 8", "2026-03-06T08:00"),
    ("on Wednesday at 11", "2026-03-04T11:00"),
    ("on Wednesday at 9", "2026-03-11T09:00"),
    ("next Monday at 9", "2026-03-09T09:00"),
    ("this Friday at 9", "2026-03-06T09:00"),
    ("on 5 March at 14:30", "2026-03-05T14:30"),
    ("on 3 March at 14:30", "2027-03-03T14:30"),
    ("on the 3rd of March at 9", "2027-03-03T09:00"),
    ("on March 5th at 9", "2026-03-05T09:00"),
    ("March 3rd, 2028 at 9am", "2028-03-03T09:00"),
    ("3 Mar 2028 at 9", "2028-03-03T09:00"),
    ("on 29 February at 9", "2028-02-29T09:00"),
    ("on the 15th at 9", "2026-03-15T09:00"),
    ("on the 2nd at 9", "2026-04-02T09:00"),
    ("on the 31st at 9", "2026-03-31T09:00"),
    ("2026-03-10 at 9", "2026-03-10T09:00"),
    ("on 2026-03-10 at 18:00", "2026-03-10T18:00"),
]

NO_TIMES = [
    "", "at", "at home", "at 25", "at 9:75", "on", "on 30 February at 9", "in", "in Rome", "in the sun",
    "in 99999999 days", "in 99999 weeks of work", "sun", "may", "2026-13-01",
]  # fmt: skip


def said(words: str, now: datetime = WEDNESDAY) -> Spoken | None:
    found = parse(words, "en", now)
    return spoken(found) if found is not None and not found.bound and found.until_day is None else None


@pytest.mark.parametrize(("words", "wall"), TIMES, ids=[words for words, _ in TIMES])
def test_a_time_is_read_as_it_is_said(words: str, wall: str) -> None:
    found = said(words)
    assert found is not None
    assert found.whole
    assert settle(found, WEDNESDAY) == datetime.fromisoformat(wall)


@pytest.mark.parametrize("words", NO_TIMES)
def test_what_is_no_time_is_not_taken_for_one(words: str) -> None:
    found = said(words)
    assert found is None or not found.whole


@pytest.mark.parametrize("words", ["tomorrow", "on Friday", "5 March", "2026-03-10", "the day after tomorrow"])
def test_a_day_alone_has_no_hour(words: str) -> None:
    found = said(words)
    assert found is not None
    assert not found.whole


@pytest.mark.parametrize("words", ["today at 9", "this morning", "2026-03-01 at 9", "3 March 2026 at 9"])
def test_a_time_that_is_past_is_not_moved(words: str) -> None:
    found = said(words)
    assert found is not None
    assert settle(found, WEDNESDAY) is None


def test_minutes_are_real_ones_over_a_change_of_the_clocks() -> None:
    before = datetime(2026, 3, 29, 1, 50, tzinfo=BERLIN)
    found = said("in 20 minutes", before)
    assert found is not None
    assert settle(found, before) == datetime.fromisoformat("2026-03-29T03:10")


WORDS = (
    "in at on the 9 9:30 9am pm 25 31 2026-03-10 2026-02-30 march friday next this tomorrow tonight evening noon half "
    "past an hour and a couple of days weeks months minutes 99999 first 3rd 32nd 0 may , ."
)
WORD = st.sampled_from(sorted(set(WORDS.split())))


@given(st.lists(WORD, max_size=8), st.datetimes(datetime(2000, 1, 1), datetime(2090, 1, 1), timezones=st.just(BERLIN)))  # noqa: DTZ001
def test_any_words_give_a_time_to_come_or_none(words: list[str], now: datetime) -> None:
    found = said(" ".join(words), now)
    if found is not None and found.whole:
        at = settle(found, now)
        assert at is None or at.replace(tzinfo=BERLIN).timestamp() >= now.timestamp() - 3600
