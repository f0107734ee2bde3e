"""A series that is moved keeps as many events as it had, or is said not to move."""

from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr

from modules.calendar.recurring import moved_rules
from tests.modules.calendar.calendar_account import Account

ZONE = ZoneInfo("Europe/Berlin")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZONE)


@pytest.mark.parametrize("by", [timedelta(minutes=60), timedelta(minutes=-90), timedelta(days=3, minutes=30)], ids=str)
@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=WEEKLY;BYDAY=FR;UNTIL=20270326T090000Z",
        "FREQ=WEEKLY;UNTIL=20270402T080000Z",
        "FREQ=DAILY;INTERVAL=2;UNTIL=20270404T080000Z",
        "FREQ=DAILY;COUNT=9",
    ],
)
def test_no_event_is_lost_and_none_is_added(rule: str, by: timedelta) -> None:
    before = at("2027-03-05T10:00")
    rules = moved_rules([f"RRULE:{rule}"], before, before + by)
    assert rules is not None
    was = list(rrulestr(rule, dtstart=before))
    assert list(rrulestr(rules[0], dtstart=before + by)) == [one + by for one in was]


def test_an_end_of_the_wall_clock_and_one_that_is_a_day_move_along() -> None:
    before = at("2027-03-05T10:00")
    after = before + timedelta(days=1, minutes=30)
    assert moved_rules(["RRULE:FREQ=DAILY;UNTIL=20270310T100000"], before, after) == [
        "RRULE:FREQ=DAILY;UNTIL=20270311T103000"
    ]
    assert moved_rules(["RRULE:FREQ=DAILY;UNTIL=20270310"], date(2027, 3, 5), date(2027, 3, 6)) == [
        "RRULE:FREQ=DAILY;UNTIL=20270311"
    ]
    assert moved_rules(["RRULE:FREQ=MONTHLY;BYMONTHDAY=5"], before, after) == ["RRULE:FREQ=MONTHLY;BYMONTHDAY=6"]
    assert moved_rules(["RRULE:FREQ=YEARLY"], at("2027-03-31T10:00"), at("2027-04-01T10:00")) == ["RRULE:FREQ=YEARLY"]


@pytest.mark.parametrize(
    ("rules", "before", "after"),
    [
        (["RRULE:FREQ=MONTHLY;BYMONTHDAY=30"], "2027-03-30T10:00", "2027-03-31T10:00"),
        (["RRULE:FREQ=MONTHLY;BYMONTHDAY=28"], "2027-03-28T10:00", "2027-03-29T10:00"),
        (["RRULE:FREQ=MONTHLY;BYMONTHDAY=31"], "2027-03-31T10:00", "2027-03-20T10:00"),
        (["RRULE:FREQ=MONTHLY;BYMONTHDAY=1"], "2027-03-01T10:00", "2027-02-28T10:00"),
        (["RRULE:FREQ=MONTHLY"], "2027-03-30T10:00", "2027-03-31T10:00"),
        (["RRULE:FREQ=MONTHLY"], "2027-03-25T10:00", "2027-04-02T10:00"),
        (["RRULE:FREQ=MONTHLY;BYDAY=FR"], "2027-03-05T10:00", "2027-03-06T10:00"),
        (["RRULE:FREQ=YEARLY"], "2028-02-28T10:00", "2028-02-29T10:00"),
        (["RRULE:FREQ=DAILY;BYHOUR=10"], "2027-03-05T10:00", "2027-03-05T11:00"),
        (["RRULE:FREQ=DAILY", "EXDATE:20270306T090000Z"], "2027-03-05T10:00", "2027-03-05T11:00"),
        (["RRULE:FREQ=DAILY;UNTIL=99991231T000000Z"], "2027-03-05T10:00", "2027-03-15T10:00"),
        (["RRULE:FREQ=DAILY;UNTIL=never"], "2027-03-05T10:00", "2027-03-15T10:00"),
    ],
)
def test_what_would_lose_or_add_events_does_not_simply_move(rules: list[str], before: str, after: str) -> None:
    assert moved_rules(rules, at(before), at(after)) is None


async def test_the_last_event_of_a_series_that_is_moved_by_minutes_stays(me: Account) -> None:
    me.add("Yoga", "2027-03-12T10:00", recurrence=["RRULE:FREQ=WEEKLY;UNTIL=20270402T080000Z"])
    await me.bulk(action="move", words="yoga", minutes=60, series=True)
    rows = (await me.data("list_events", since="2027-03-01", before="2027-05-01"))["events"]
    assert [row["start"][5:] for row in rows] == ["03-12T11:00", "03-19T11:00", "03-26T11:00", "04-02T11:00"]


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        ({"recurrence": ["RRULE:FREQ=WEEKLY;UNTIL=99991231T000000Z"]}, "cannot simply be moved"),
        ({"start": {"dateTime": "2027-03-12T09:00:00+01:00", "timeZone": "Mars/Olympus"}}, "cannot be reckoned with"),
    ],
)
async def test_an_event_that_cannot_be_reckoned_with_fails_alone(me: Account, odd: dict[str, Any], why: str) -> None:
    id_ = me.add("Yoga", "2027-03-12T09:00")
    other = me.add("Yoga other", "2027-03-13T09:00")
    context, items = await me.listed(action="move", words="yoga", days=7, series=True)
    (data,) = (item.raw_data for item in items if item.id == id_)
    assert data is not None
    data |= {"rules": odd["recurrence"]} if "recurrence" in odd else {}
    data["start"] |= {"zone": odd["start"]["timeZone"]} if "start" in odd else {}
    results = await me.acted(items, context)
    assert (results[id_].success, results[other].success) == (False, True)
    assert why in (results[id_].error or "")
