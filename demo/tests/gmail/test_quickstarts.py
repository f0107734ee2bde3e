"""Google's own samples, call by call and by hand: nobody's client library, and one consent for all three APIs."""

import json
from base64 import urlsafe_b64encode

import aiohttp
import pytest

from butler_demo.calendar.server import CalendarServer
from butler_demo.drive.server import DriveServer

ANNA = "anna@friends.example"
ME = "me@home.example"
AUTH = "https://www.googleapis.com/auth/"
SCOPES = [f"{AUTH}gmail.modify", f"{AUTH}calendar", f"{AUTH}drive"]


@pytest.fixture
async def apis(server, clock):
    """A session with a token of the one consent, and a function that calls an API and returns its answer."""
    others = [kind(now=clock, authority=server.authority) for kind in (CalendarServer, DriveServer)]
    for other in others:
        await other.start()
        other.add_account(ME, "Max Home")
        other.add_account(ANNA, "Anna Friend")
    roots = {"gmail": server.url, "calendar": others[0].url, "drive": others[1].url, "upload": others[1].url}
    headers = {"Authorization": f"Bearer {server.token_for(ME, SCOPES)}"}
    async with aiohttp.ClientSession(headers=headers) as session:

        async def call(method, path, **options):
            async with session.request(method, roots[path.partition("/")[0]] + path, **options) as answer:
                text = await answer.read()
                assert answer.status in (200, 204), text
                return json.loads(text) if answer.content_type == "application/json" else text

        yield call
    for other in others:
        await other.stop()


async def test_gmails_quickstart_and_guides(server, apis, mail):
    server.deliver(ME, mail("Hello.", From=ANNA, To=ME, Subject="Automated draft"))
    labels = await apis("GET", "gmail/v1/users/me/labels")
    assert {"INBOX", "SENT"} <= {label["name"] for label in labels["labels"]}
    raw = urlsafe_b64encode(mail("This is automated draft mail", To=ANNA, From=ME, Subject="Automated draft")).decode()
    draft = await apis("POST", "gmail/v1/users/me/drafts", json={"message": {"raw": raw}})
    sent = await apis("POST", "gmail/v1/users/me/drafts/send", json={"id": draft["id"]})
    assert sent["labelIds"] == ["SENT"]
    await apis("POST", "gmail/v1/users/me/messages/send", json={"raw": raw})
    found = await apis("GET", "gmail/v1/users/me/threads", params={"q": 'subject:"Automated draft" in:sent'})
    thread = await apis("GET", f"gmail/v1/users/me/threads/{found['threads'][0]['id']}")
    assert {header["name"] for header in thread["messages"][0]["payload"]["headers"]} >= {"From", "To", "Subject"}
    assert len(server.sent_by(ME)) == 2


async def test_calendars_quickstart_and_guides(apis):
    now = {"timeMin": "2026-03-10T12:00:00Z", "maxResults": 10, "singleEvents": "true", "orderBy": "startTime"}
    assert (await apis("GET", "calendar/v3/calendars/primary/events", params=now))["items"] == []
    body = {
        "summary": "Google I/O 2026",
        "location": "800 Howard St., San Francisco, CA 94103",
        "description": "A chance to hear more.",
        "start": {"dateTime": "2026-05-28T09:00:00-07:00", "timeZone": "America/Los_Angeles"},
        "end": {"dateTime": "2026-05-28T17:00:00-07:00", "timeZone": "America/Los_Angeles"},
        "recurrence": ["RRULE:FREQ=DAILY;COUNT=2"],
        "attendees": [{"email": ANNA}, {"email": "sbrin@example.com"}],
        "reminders": {"useDefault": False, "overrides": [{"method": "email", "minutes": 24 * 60}]},
    }
    made = await apis("POST", "calendar/v3/calendars/primary/events", json=body)
    assert made["htmlLink"]
    upcoming = await apis("GET", "calendar/v3/calendars/primary/events", params=now)
    assert [event["start"].get("dateTime", event["start"].get("date")) for event in upcoming["items"]] == [
        "2026-05-28T16:00:00Z",
        "2026-05-29T16:00:00Z",
    ]
    instances = await apis("GET", f"calendar/v3/calendars/primary/events/{made['id']}/instances")
    instance = instances["items"][0] | {"status": "cancelled"}
    changed = await apis("PUT", f"calendar/v3/calendars/primary/events/{instance['id']}", json=instance)
    assert changed["status"] == "cancelled"
    assert len((await apis("GET", "calendar/v3/calendars/primary/events", params=now))["items"]) == 1


async def test_drives_quickstart_and_guides(apis):
    ten = {"pageSize": 10, "fields": "nextPageToken, files(id, name)"}
    assert await apis("GET", "drive/v3/files", params=ten) == {"files": []}
    start = await apis("GET", "drive/v3/changes/startPageToken")
    folder = {"name": "Invoices", "mimeType": "application/vnd.google-apps.folder"}
    made = await apis("POST", "drive/v3/files", params={"fields": "id"}, json=folder)
    parts = "--b\r\nContent-Type: application/json\r\n\r\n{}\r\n--b\r\nContent-Type: image/jpeg\r\n\r\n{}\r\n--b--"
    body = parts.replace("{}", json.dumps({"name": "photo.jpg", "parents": [made["id"]]}), 1).replace("{}", "JFIF", 1)
    photo = await apis(
        "POST",
        "upload/drive/v3/files",
        params={"uploadType": "multipart", "fields": "id"},
        data=body,
        headers={"Content-Type": "multipart/related; boundary=b"},
    )
    query = {"q": "mimeType='image/jpeg'", "spaces": "drive", "fields": "nextPageToken, files(id, name)"}
    assert (await apis("GET", "drive/v3/files", params=query))["files"] == [{"id": photo["id"], "name": "photo.jpg"}]
    permission = {"type": "user", "role": "writer", "emailAddress": ANNA}
    assert await apis("POST", f"drive/v3/files/{photo['id']}/permissions", params={"fields": "id"}, json=permission)
    assert await apis("GET", f"drive/v3/files/{photo['id']}", params={"alt": "media"}) == b"JFIF"
    changes = await apis("GET", "drive/v3/changes", params={"pageToken": start["startPageToken"], "spaces": "drive"})
    assert {change["fileId"] for change in changes["changes"]} == {made["id"], photo["id"]}
    assert "newStartPageToken" in changes
