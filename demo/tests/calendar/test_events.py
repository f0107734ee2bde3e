"""Making, reading, changing and deleting events."""

import pytest
from googleapiclient.errors import HttpError

ANNA = "anna@friends.example"
ME = "me@home.example"


async def insert(client, body, **options):
    return await client(lambda api: api.events().insert(calendarId="primary", body=body, **options))


async def get(client, event_id, **options):
    return await client(lambda api: api.events().get(calendarId="primary", eventId=event_id, **options))


async def refusal(client, build):
    with pytest.raises(HttpError) as refused:
        await client(build)
    details = refused.value.error_details
    return refused.value.status_code, details[0]["reason"] if isinstance(details, list) else ""


async def test_an_event_is_kept_and_shown_in_the_calendars_zone(me, at):
    made = await insert(me, at(10, summary="Lunch", location="Café"))
    assert made["start"] == {"dateTime": "2026-03-10T09:00:00+01:00", "timeZone": "Europe/Berlin"}
    assert (made["status"], made["organizer"]["self"], made["creator"]["email"]) == ("confirmed", True, ME)
    assert made["iCalUID"] == f"{made['id']}@google.com"
    assert await get(me, made["id"]) == made


async def test_a_day_stays_a_day_whatever_the_zone(me):
    """SC-15."""
    body = {"summary": "Trip", "start": {"date": "2026-12-29"}, "end": {"date": "2026-12-30"}}
    made = await insert(me, body)
    assert (await get(me, made["id"]))["start"] == {"date": "2026-12-29"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"end": None}, "required"),
        ({"start": {}}, "required"),
        ({"start": {"dateTime": "2026-03-10T09:00:00"}}, "required"),
        ({"start": {"dateTime": "2026-03-10T09:00:00", "timeZone": "Mars/Base"}}, "invalid"),
        ({"end": {"date": "2026-03-10"}}, "invalid"),
        ({"end": {"dateTime": "2026-03-10T08:00:00+01:00"}}, "timeRangeEmpty"),
        ({"start": {"date": "2026-03-10"}, "end": {"date": "2026-03-10"}}, "timeRangeEmpty"),
        ({"id": "UPPER"}, "invalid"),
        ({"id": "abc"}, "invalid"),
        ({"attendees": [{"displayName": "Anna"}]}, "required"),
        ({"attendees": [{"email": "anna"}]}, "invalid"),
        ({"attendees": [{"email": ANNA, "responseStatus": "perhaps"}]}, "invalid"),
        ({"recurrence": ["RRULE:FREQ=SOMETIMES"]}, "invalid"),
    ],
)
async def test_an_event_that_cannot_be_is_refused(server, me, at, change, reason):
    body = {name: value for name, value in (at(10) | change).items() if value is not None}
    assert await refusal(me, lambda api: api.events().insert(calendarId="primary", body=body)) == (400, reason)
    assert server.events(ME) == []


async def test_an_own_id_is_taken_once_even_if_the_event_is_deleted(server, me, at):
    body = at(10, id="lunch0310")
    await insert(me, body)
    again = (409, "duplicate")
    assert await refusal(me, lambda api: api.events().insert(calendarId="primary", body=body)) == again
    assert not await me(lambda api: api.events().delete(calendarId="primary", eventId="lunch0310"))
    assert await refusal(me, lambda api: api.events().insert(calendarId="primary", body=body)) == again
    assert len(server.events(ME)) == 1


async def test_a_deleted_event_is_still_told_and_deleted_once(me, at):
    made = await insert(me, at(10))

    def delete(api):
        return api.events().delete(calendarId="primary", eventId=made["id"])

    await me(delete)
    assert (await get(me, made["id"]))["status"] == "cancelled"
    assert await refusal(me, delete) == (410, "deleted")
    assert await refusal(me, lambda api: api.events().get(calendarId="primary", eventId="nothere")) == (404, "notFound")


async def test_a_patch_changes_what_it_names(me, at):
    made = await insert(me, at(10, description="About"))
    body = {"summary": "New", "description": None}
    patched = await me(lambda api: api.events().patch(calendarId="primary", eventId=made["id"], body=body))
    assert (patched["summary"], "description" in patched) == ("New", False)
    assert patched["start"] == made["start"]


async def test_a_change_of_an_older_state_is_refused(me, at):
    made = await insert(me, at(10))

    def patch(api, tag):
        request = api.events().patch(calendarId="primary", eventId=made["id"], body={"summary": "New"})
        request.headers["If-Match"] = tag
        return request

    changed = await me(lambda api: patch(api, made["etag"]))
    assert changed["etag"] != made["etag"]
    assert await refusal(me, lambda api: patch(api, made["etag"])) == (412, "conditionNotMet")
    await me(lambda api: patch(api, "*"))


async def test_an_event_moves_to_another_calendar_and_leaves_a_deleted_one(server, me, at):
    team = server.add_calendar(ME, "Team")
    made = await insert(me, at(10))
    moved = await me(lambda api: api.events().move(calendarId="primary", eventId=made["id"], destination=team))
    assert (moved["id"], moved["organizer"]["email"]) == (made["id"], team)
    assert (await get(me, made["id"]))["status"] == "cancelled"
    assert [event["summary"] for event in server.events(team)] == ["Event"]
