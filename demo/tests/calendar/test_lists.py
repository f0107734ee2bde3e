"""What a list holds, and how it goes on from a sync token."""

import pytest
from googleapiclient.errors import HttpError

ANNA = "anna@friends.example"
ME = "me@home.example"


async def listing(client, **options):
    return await client(lambda api: api.events().list(calendarId="primary", **options))


async def summaries(client, **options):
    return [event.get("summary") for event in (await listing(client, **options))["items"]]


async def refusal(client, **options):
    with pytest.raises(HttpError) as refused:
        await listing(client, **options)
    return refused.value.status_code, refused.value.error_details[0]["reason"]


@pytest.fixture
def three(server, at):
    """Three events: on the 10th, 12th and 11th, in the order of their making."""
    events = [
        at(10, summary="Dentist", location="Main Street"),
        at(12, summary="Lunch with Anna", attendees=[{"email": "eve@else.example", "displayName": "Eve Else"}]),
        at(11, summary="Release", description="Version two"),
    ]
    return [server.add_event(ME, event) for event in events]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({}, ["Dentist", "Lunch with Anna", "Release"]),
        ({"singleEvents": True, "orderBy": "startTime"}, ["Dentist", "Release", "Lunch with Anna"]),
        ({"timeMin": "2026-03-10T10:00:00+01:00"}, ["Lunch with Anna", "Release"]),
        ({"timeMin": "2026-03-10T09:59:59+01:00"}, ["Dentist", "Lunch with Anna", "Release"]),
        ({"timeMax": "2026-03-11T09:00:00+01:00"}, ["Dentist"]),
        ({"timeMax": "2026-03-11T08:00:01Z"}, ["Dentist", "Release"]),
        ({"q": "anna"}, ["Lunch with Anna"]),
        ({"q": "street dentist"}, ["Dentist"]),
        ({"q": "eve"}, ["Lunch with Anna"]),
        ({"q": "version"}, ["Release"]),
        ({"q": "dent"}, []),
    ],
)
async def test_a_list_holds_what_was_asked_for(me, three, options, found):
    assert await summaries(me, **options) == found


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"orderBy": "startTime"}, "invalid"),
        ({"timeMin": "2026-03-10T10:00:00"}, "invalid"),
        ({"timeMin": "today"}, "badRequest"),
        ({"timeMin": "2026-03-11T00:00:00Z", "timeMax": "2026-03-10T00:00:00Z"}, "timeRangeEmpty"),
        ({"pageToken": "nonsense"}, "invalid"),
    ],
)
async def test_a_list_that_makes_no_sense_is_refused(me, three, options, reason):
    assert await refusal(me, **options) == (400, reason)


async def test_deleted_events_are_listed_only_where_asked(me, three):
    await me(lambda api: api.events().delete(calendarId="primary", eventId=three[0]["id"]))
    assert len(await summaries(me)) == 2
    assert len(await summaries(me, showDeleted=True)) == 3
    assert len(await summaries(me, updatedMin="2026-03-10T12:00:00Z")) == 3


async def test_only_the_last_page_has_a_sync_token_and_a_change_between_pages_is_not_lost(server, me, three, at):
    first = await listing(me, maxResults=2)
    assert "nextSyncToken" not in first
    await me(lambda api: api.events().patch(calendarId="primary", eventId=three[0]["id"], body={"summary": "Dentist!"}))
    last = await listing(me, maxResults=2, pageToken=first["nextPageToken"])
    assert [event["summary"] for event in last["items"]] == ["Release"]
    assert await summaries(me, syncToken=last["nextSyncToken"]) == ["Dentist!"]


@pytest.fixture
async def token(me, three):
    return (await listing(me))["nextSyncToken"]


async def test_a_sync_token_tells_what_changed_and_what_is_gone(server, me, three, token, at):
    assert (await listing(me, syncToken=token))["items"] == []
    server.add_event(ME, at(20, summary="New"))
    await me(lambda api: api.events().delete(calendarId="primary", eventId=three[1]["id"]))
    changes = await listing(me, syncToken=token)
    assert [(event["id"] == three[1]["id"], event["status"]) for event in changes["items"]] == [
        (True, "cancelled"),
        (False, "confirmed"),
    ]
    assert (await listing(me, syncToken=changes["nextSyncToken"]))["items"] == []


async def test_a_series_that_changed_is_told_by_its_occurrences_where_they_were_asked_for(server, me, at):
    made = server.add_event(ME, at(10, recurrence=["RRULE:FREQ=DAILY;COUNT=3"]))
    token = (await listing(me, singleEvents=True))["nextSyncToken"]
    body = {"recurrence": ["RRULE:FREQ=DAILY;COUNT=2"]}
    await me(lambda api: api.events().patch(calendarId="primary", eventId=made["id"], body=body))
    changes = (await listing(me, singleEvents=True, syncToken=token))["items"]
    assert {event["id"][-16:-8]: event["status"] for event in changes} == {
        "20260310": "confirmed",
        "20260311": "confirmed",
        "20260312": "cancelled",
    }


@pytest.mark.parametrize(
    "option",
    [
        {"q": "x"},
        {"orderBy": "startTime"},
        {"timeMin": "2026-03-10T00:00:00Z"},
        {"timeMax": "2026-03-10T00:00:00Z"},
        {"updatedMin": "2026-03-10T00:00:00Z"},
        {"showDeleted": False},
    ],
)
async def test_a_sync_token_stands_alone(me, token, option):
    assert await refusal(me, syncToken=token, **option) == (400, "invalid")


async def test_a_list_that_was_restricted_gives_no_sync_token(me, three):
    assert "nextSyncToken" not in await listing(me, q="lunch")
    assert "nextSyncToken" not in await listing(me, updatedMin="2026-03-01T00:00:00Z")
    assert "nextSyncToken" in await listing(me, timeMin="2026-03-11T00:00:00Z")


async def test_a_sync_token_expires_by_order_and_by_age(server, me, token, clock):
    server.forget_sync_tokens(ME)
    assert await refusal(me, syncToken=token) == (410, "fullSyncRequired")
    fresh = (await listing(me))["nextSyncToken"]
    assert (await listing(me, syncToken=fresh))["items"] == []
    clock.advance(days=28, seconds=1)
    assert await refusal(me, syncToken=fresh) == (410, "fullSyncRequired")


async def test_a_sync_token_of_another_calendar_or_of_nobody_is_refused(me, anna, token):
    assert await refusal(anna, syncToken=token) == (400, "invalid")
    assert await refusal(me, syncToken="CAESAA==") == (400, "invalid")
    assert await refusal(me, syncToken="%%") == (400, "invalid")
