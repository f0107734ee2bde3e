"""When a recurring order is due: days, months, nights of summer time, and dates that move on."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from pydantic import ValidationError

from butler.contract.bulk_repeat import Recurrence, Repeat

BEGAN = datetime(2027, 1, 28, 12, tzinfo=UTC)


def recurrence(zone: str = "Europe/London", until: str = "2028-01-28", **more: object) -> Recurrence:
    settled = {"zone": zone, "since": "2027-01-28", "until": until, "most": 50}
    return Recurrence.model_validate({"every": "day", "at": "09:00", **settled, **more})


def days(made: Recurrence, count: int) -> list[str]:
    return [f"{made.local(at):%m-%d %H:%M}" for at, _ in zip(made.times(BEGAN), range(count), strict=False)]


def test_every_day_is_every_day() -> None:
    assert days(recurrence(), 2) == ["01-29 09:00", "01-30 09:00"]
    assert days(recurrence(at="13:00"), 1) == ["01-28 13:00"]


def test_days_of_a_week_are_those() -> None:
    made = recurrence(every="week", on=["sunday", "monday"])
    assert days(made, 3) == ["01-31 09:00", "02-01 09:00", "02-07 09:00"]
    assert made.words() == "every Monday and every Sunday at 09:00"


def test_a_day_of_a_month_that_has_none_is_its_last() -> None:
    assert days(recurrence(every="month", day=30), 3) == ["01-30 09:00", "02-28 09:00", "03-30 09:00"]
    assert recurrence(every="month", day=30).words() == "on day 30 of every month at 09:00"
    assert recurrence(every="month", day=31).words() == "on the last day of every month at 09:00"
    assert recurrence().words() == "every day at 09:00"


def test_it_ends_with_its_last_day() -> None:
    made = recurrence(until="2027-01-29")
    assert days(made, 9) == ["01-29 09:00"]
    assert made.over() == datetime(2027, 1, 30, tzinfo=UTC)
    assert made.next_time(datetime(2027, 1, 29, 9, tzinfo=UTC)) is None


def test_its_times_are_those_of_the_persons_clock() -> None:
    made = recurrence("America/New_York", at="02:30")
    before, spring, after = (made.next_time(datetime(2027, 3, day, 12, tzinfo=UTC)) for day in (12, 13, 14))
    assert (before, spring) == (datetime(2027, 3, 13, 7, 30, tzinfo=UTC), datetime(2027, 3, 14, 7, tzinfo=UTC))
    assert after == datetime(2027, 3, 15, 6, 30, tzinfo=UTC)


def test_dates_move_on_by_the_days_that_went_by() -> None:
    made = recurrence(moving=["since", "before"])
    args = {"since": "2027-01-21", "before": "2027-01-28T18:00:00", "words": "x"}
    assert made.moved(args, date(2027, 3, 1)) == {
        "since": "2027-02-22",
        "before": "2027-03-01T18:00:00",
        "words": "x",
    }
    assert made.ages(args) == ["from: 7 days earlier", "before: the day itself"]
    assert recurrence(moving=["due"]).ages({"due": "2027-01-29"}) == ["due: 1 day later"]


@pytest.mark.parametrize(
    "said",
    [
        {"every": "week"},
        {"every": "day", "on": ["sunday"]},
        {"every": "month"},
        {"every": "day", "day": 3},
        {"every": "day", "at": "09:00:30"},
        {"every": "day", "at": "09:00+01:00"},
        {"every": "hour"},
    ],
)
def test_what_says_no_time_is_refused(said: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Repeat.model_validate(said)


def test_nothing_is_asked_for_more_often_than_once_a_day() -> None:
    made = recurrence()
    times = [at for at, _ in zip(made.times(BEGAN), range(300), strict=False)]
    assert all(later - earlier >= timedelta(hours=23) for earlier, later in pairwise(times))
