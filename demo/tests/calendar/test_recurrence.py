"""Series: their occurrences, exceptions, and what a change of the rule does."""

import pytest
from googleapiclient.errors import HttpError

ME = "me@home.example"


async def insert(client, body):
    return await client(lambda api: api.events().insert(calendarId="primary", body=body))


async def listed(client, **options):
    return (await client(lambda api: api.events().list(calendarId="primary", **options)))["items"]


async def starts(client, **options):
    options = {"singleEvents": True, "orderBy": "startTime"} | options
    found = await listed(client, **options)
    return [event["start"].get("date") or event["start"]["dateTime"] for event in found]


@pytest.fixture
async def weekly(me, at):
    return await insert(me, at(10, summary="Class", recurrence=["RRULE:FREQ=WEEKLY;COUNT=4"]))


async def test_a_series_is_one_event_or_its_occurrences(me, weekly):
    (master,) = await listed(me)
    assert master["recurrence"] == ["RRULE:FREQ=WEEKLY;COUNT=4"]
    occurrences = await listed(me, singleEvents=True)
    assert occurrences[1]["id"] == f"{weekly['id']}_20260317T080000Z"
    assert occurrences[1]["recurringEventId"] == weekly["id"]
    assert len({event["iCalUID"] for event in occurrences}) == 1
    assert "recurrence" not in occurrences[0]


async def test_the_wall_clock_holds_over_a_change_to_summer_time(me, weekly):
    assert await starts(me) == [
        "2026-03-10T09:00:00+01:00",
        "2026-03-17T09:00:00+01:00",
        "2026-03-24T09:00:00+01:00",
        "2026-03-31T09:00:00+02:00",
    ]


async def test_an_endless_series_is_cut_to_the_times_asked_for(me, at):
    await insert(me, at(10, recurrence=["RRULE:FREQ=DAILY"]))
    window = {"timeMin": "2026-03-12T09:30:00+01:00", "timeMax": "2026-03-15T09:00:00+01:00"}
    assert [start[8:10] for start in await starts(me, **window)] == ["12", "13", "14"]
    assert len(await starts(me, maxResults=2500)) == 731


@pytest.mark.parametrize(
    ("rules", "days"),
    [
        (["RRULE:FREQ=DAILY;UNTIL=20260312T080000Z"], ["10", "11", "12"]),
        (["RRULE:FREQ=DAILY;UNTIL=20260312T075959Z"], ["10", "11"]),
        (["RRULE:FREQ=DAILY;UNTIL=20260312"], ["10", "11", "12"]),
        (["RRULE:FREQ=WEEKLY;BYDAY=TU,TH;COUNT=3"], ["10", "12", "17"]),
    ],
)
async def test_rules_are_worked_out(me, at, rules, days):
    await insert(me, at(10, recurrence=rules))
    assert [start[8:10] for start in await starts(me)] == days


async def test_days_recur_as_days(me):
    body = {"start": {"date": "2026-03-28"}, "end": {"date": "2026-03-29"}, "recurrence": ["RRULE:FREQ=DAILY;COUNT=3"]}
    made = await insert(me, body)
    assert await starts(me) == ["2026-03-28", "2026-03-29", "2026-03-30"]
    first = await me(lambda api: api.events().get(calendarId="primary", eventId=f"{made['id']}_20260329"))
    assert first["end"] == {"date": "2026-03-30"}


async def test_one_occurrence_is_changed_and_another_deleted(me, weekly, at):
    second, third = (f"{weekly['id']}_202603{day}T080000Z" for day in ("17", "24"))
    body = {"summary": "Exam", "start": at(18)["start"], "end": at(18)["end"]}
    changed = await me(lambda api: api.events().patch(calendarId="primary", eventId=second, body=body))
    assert changed["originalStartTime"]["dateTime"] == "2026-03-17T09:00:00+01:00"
    await me(lambda api: api.events().delete(calendarId="primary", eventId=third))
    assert [start[8:10] for start in await starts(me)] == ["10", "18", "31"]
    whole = await listed(me)
    assert [(event["status"], event.get("summary")) for event in whole] == [
        ("confirmed", "Class"),
        ("confirmed", "Exam"),
        ("cancelled", None),
    ]


async def test_an_occurrence_that_the_rule_has_not_is_404(me, weekly):
    for event_id in (f"{weekly['id']}_20260318T080000Z", f"{weekly['id']}_zzz", f"{weekly['id']}_99991231T080000Z"):
        with pytest.raises(HttpError) as missing:
            await me(lambda api, key=event_id: api.events().get(calendarId="primary", eventId=key))
        assert missing.value.status_code == 404


async def test_a_series_that_is_deleted_takes_its_exceptions_along(me, weekly):
    second = f"{weekly['id']}_20260317T080000Z"
    await me(lambda api: api.events().patch(calendarId="primary", eventId=second, body={"summary": "Exam"}))
    await me(lambda api: api.events().delete(calendarId="primary", eventId=weekly["id"]))
    assert await listed(me) == []
    assert await listed(me, singleEvents=True) == []
    assert len(await listed(me, singleEvents=True, showDeleted=True)) == 4
