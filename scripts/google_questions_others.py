# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportUnknownLambdaType=false, reportRedeclaration=false
# Google's client builds its methods at run time; the questions are all called `_`, as they are told by their words.
"""The questions about Calendar and Drive."""

from typing import Any

from googleapiclient.http import MediaInMemoryUpload

from scripts.google_questions import Side, asks, status

# Calendar


def event(day: int, **fields: Any) -> dict[str, Any]:
    """Return an hour on a day of March 2027."""
    times = {name: {"dateTime": f"2027-03-{day:02d}T{hour}:00:00Z"} for name, hour in (("start", "09"), ("end", "10"))}
    return {"summary": f"On the {day}th", **times, **fields}


@asks("calendar: an own id twice")
def _(side: Side) -> Any:
    events = side.calendar.events()
    made = events.insert(calendarId="primary", body=event(12, id="lunch0312")).execute()
    body = event(12, id="lunch0312")
    return made["id"], status(lambda: events.insert(calendarId="primary", body=body).execute())


@asks("calendar: ordered by start, between two moments")
def _(side: Side) -> Any:
    for day in (11, 10):
        side.calendar.events().insert(calendarId="primary", body=event(day)).execute()
    options = {"singleEvents": True, "orderBy": "startTime", "timeMin": "2027-03-10T09:30:00Z"}
    listed = side.calendar.events().list(calendarId="primary", timeMax="2027-03-12T09:00:00Z", **options).execute()
    return [event["summary"] for event in listed["items"]]


@asks("calendar: ordered by start without single events")
def _(side: Side) -> Any:
    return len(side.calendar.events().list(calendarId="primary", orderBy="startTime").execute()["items"])


@asks("calendar: an event without an end")
def _(side: Side) -> Any:
    body = event(13)
    del body["end"]
    return side.calendar.events().insert(calendarId="primary", body=body).execute()["status"]


@asks("calendar: a series spread out")
def _(side: Side) -> Any:
    rule = {"recurrence": ["RRULE:FREQ=DAILY;COUNT=3"]}
    body = event(20, **rule)
    for name in ("start", "end"):
        body[name]["timeZone"] = "UTC"
    side.calendar.events().insert(calendarId="primary", body=body).execute()
    listed = side.calendar.events().list(calendarId="primary", singleEvents=True, timeMin="2027-03-20T00:00:00Z")
    return len(listed.execute()["items"])


@asks("calendar: a sync token, and what it tells after a deletion")
def _(side: Side) -> Any:
    token = side.calendar.events().list(calendarId="primary").execute().get("nextSyncToken")
    side.calendar.events().delete(calendarId="primary", eventId="lunch0312").execute()
    if token is None:
        return "no token"
    told = side.calendar.events().list(calendarId="primary", syncToken=token).execute()["items"]
    return [event["status"] for event in told]


@asks("calendar: deleting again")
def _(side: Side) -> Any:
    return side.calendar.events().delete(calendarId="primary", eventId="lunch0312").execute()


@asks("calendar: who is busy")
def _(side: Side) -> Any:
    body = {"timeMin": "2027-03-10T00:00:00Z", "timeMax": "2027-03-11T00:00:00Z", "items": [{"id": "primary"}]}
    busy = side.calendar.freebusy().query(body=body).execute()["calendars"]["primary"]["busy"]
    return [(time["start"][:16], time["end"][:16]) for time in busy]


@asks("calendar: a patch of the title")
def _(side: Side) -> Any:
    made = side.calendar.events().insert(calendarId="primary", body=event(25)).execute()
    patched = side.calendar.events().patch(calendarId="primary", eventId=made["id"], body={"summary": "New"}).execute()
    return patched["summary"]


# Drive


@asks("drive: a folder, a file in it by upload, and its content")
def _(side: Side) -> Any:
    folder = (
        side.drive.files().create(body={"name": "Taxes", "mimeType": "application/vnd.google-apps.folder"}).execute()
    )
    media = MediaInMemoryUpload(b"hello", mimetype="text/plain")
    body = {"name": "note.txt", "parents": [folder["id"]]}
    made = side.drive.files().create(body=body, media_body=media).execute()
    side.kept |= {"folder": folder["id"], "file": made["id"]}
    return made["mimeType"], side.drive.files().get_media(fileId=made["id"]).execute()


for _query in (
    "name contains 'not'",
    "name contains 'ote'",
    "name = 'note.txt' and trashed = false",
    "'FOLDER' in parents",
    "mimeType = 'application/vnd.google-apps.folder'",
    "mimeType != 'text/plain' or name = 'note.txt'",
    "not name contains 'note'",
    "modifiedTime > '2020-01-01T00:00:00'",
    "name likes 'x'",
):

    @asks(f"drive: q={_query!r}")
    def _(side: Side, query: str = _query) -> Any:
        listed = side.drive.files().list(q=query.replace("FOLDER", side.kept["folder"])).execute()["files"]
        return sorted(file["name"] for file in listed)


@asks("drive: the fields of a file where none are named")
def _(side: Side) -> Any:
    return sorted(side.drive.files().get(fileId=side.kept["file"]).execute())


@asks("drive: a new name, then into the trash")
def _(side: Side) -> Any:
    files = side.drive.files()
    named = files.update(fileId=side.kept["file"], body={"name": "b.txt"}).execute()["name"]
    files.update(fileId=side.kept["file"], body={"trashed": True}).execute()
    return named, len(files.list(q="trashed = true").execute()["files"])


@asks("drive: a file that is not there")
def _(side: Side) -> Any:
    return side.drive.files().get(fileId="nothere").execute()


@asks("drive: changes from a start token")
def _(side: Side) -> Any:
    token = side.drive.changes().getStartPageToken().execute()["startPageToken"]
    side.drive.files().update(fileId=side.kept["file"], body={"name": "c.txt"}).execute()
    return len(side.drive.changes().list(pageToken=token).execute()["changes"])
