# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false, reportUntypedBaseClass=false
# pyright: reportUnknownParameterType=false, reportAttributeAccessIssue=false, reportUnknownLambdaType=false
# The clients are not among our packages; they are there only while this runs.
# ruff: noqa: PLC0415, T201 - the clients are imported after Google's library has been pointed elsewhere; it prints
r"""Run public clients of Gmail and Calendar, which we did not write, against the stand-ins.

By hand, in an environment that is thrown away afterwards:

    uv run --no-sync --with simplegmail==5.0.0 --with gcsa==2.7.0 --with gcal-sync==8.0.0 \
        python -m scripts.public_clients

What came of it stands in docs/explanation/the-google-stand-in.md. Only the addresses are changed: `build` of Google's
library, which simplegmail and gcsa call, makes clients of the stand-ins.
"""

import asyncio
import json
import threading
from datetime import date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

import aiohttp
import googleapiclient.discovery
from google.oauth2.credentials import Credentials
from googleapiclient.discovery_cache import get_static_doc

from butler_demo.calendar.server import CalendarServer
from butler_demo.gmail.server import GmailServer

ANNA = "anna@friends.example"
ME = "me@home.example"
SETTINGS_SCOPE = "https://www.googleapis.com/auth/gmail.settings.basic"
MODIFY_SCOPE = "https://www.googleapis.com/auth/gmail.modify"


class Held:
    """The stand-ins, served by a thread of their own."""

    def __init__(self) -> None:
        self.gmail = GmailServer()
        self.calendar = CalendarServer(authority=self.gmail.authority)
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        for server in (self.gmail, self.calendar):
            asyncio.run_coroutine_threadsafe(server.start(), self.loop).result()
            server.add_account(ME, "Max Home")
            server.add_account(ANNA, "Anna Friend")
        self.gmail.add_alias(ME, "max@work.example", "Max", signature="<b>Max</b>")

    def build(self, api: str, version: str, **options: Any) -> Any:
        """Do what `googleapiclient.discovery.build` does, with the addresses of the stand-ins."""
        root = {"gmail": self.gmail.url, "calendar": self.calendar.url}[api]
        document = json.loads(get_static_doc(api, version) or "")
        document |= {"rootUrl": root, "baseUrl": root + document["servicePath"]}
        document.pop("mtlsRootUrl", None)
        return googleapiclient.discovery.build_from_document(json.dumps(document), credentials=options["credentials"])

    def credentials(self, text: str) -> Credentials:
        """Return google-auth's credentials that renew themselves at the stand-in."""
        info = json.loads(text)
        return Credentials.from_authorized_user_info(info).with_token_uri(info["token_uri"])


def told(what: str, result: object) -> None:
    """Print one finding."""
    print(f"{what}: {result}")


def run_simplegmail(held: Held, folder: Path) -> None:
    """Send, reply, search, label, archive, trash, and fetch an attachment, all by simplegmail."""
    import simplegmail
    from simplegmail.query import construct_query

    credentials = held.credentials(held.gmail.credentials_json(ME, [MODIFY_SCOPE, SETTINGS_SCOPE]))
    gmail = simplegmail.Gmail(credentials=credentials)
    theirs = simplegmail.Gmail(credentials=held.credentials(held.gmail.credentials_json(ANNA)))
    (folder / "invoice.pdf").write_bytes(b"%PDF-1.4 paid")
    attached = [str(folder / "invoice.pdf")]
    theirs.send_message(
        ANNA, ME, "Invoice", msg_plain="Please pay.", msg_html="<p>Please pay.</p>", attachments=attached
    )
    (invoice,) = gmail.get_unread_inbox()
    told("simplegmail reads", (invoice.sender, invoice.subject, invoice.plain.strip(), invoice.attachments[0].filename))
    invoice.attachments[0].save(str(folder / "saved.pdf"), overwrite=True)
    told("simplegmail fetches the file", (folder / "saved.pdf").read_bytes())
    sent = gmail.send_message(
        "max@work.example", ANNA, invoice.subject, msg_html="<p>Paid.</p>", signature=True, reply_to=invoice
    )
    told("simplegmail replies in the thread", sent.thread_id == invoice.thread_id)
    told("simplegmail sends as the alias, with its signature", "<b>Max</b>" in (sent.html or "") and sent.sender)
    label = gmail.create_label("Bills/Paid")
    invoice.add_label(label)
    invoice.mark_as_read()
    invoice.star()
    invoice.archive()
    told(
        "simplegmail searches",
        len(gmail.get_messages(query=construct_query(sender=ANNA, newer_than=(1, "day"), labels=["Bills/Paid"]))),
    )
    told("simplegmail finds the starred", [message.subject for message in gmail.get_starred_messages()])
    invoice.trash()
    told("simplegmail finds the trash", [message.subject for message in gmail.get_trash_messages()])
    invoice.untrash()
    gmail.create_draft(ME, ANNA, "Later", msg_plain="Soon.")
    told("simplegmail finds the draft", [message.subject for message in gmail.get_drafts()])
    gmail.delete_label(label)
    told("simplegmail lists labels", "Bills/Paid" in [entry.name for entry in gmail.list_labels()])


def run_gcsa(held: Held) -> None:
    """Add, list, search, change, move and delete events, and ask who is busy, all by gcsa."""
    from gcsa.calendar import Calendar
    from gcsa.event import Event
    from gcsa.google_calendar import GoogleCalendar
    from gcsa.recurrence import DAILY, Recurrence

    calendar = GoogleCalendar(credentials=held.credentials(held.calendar.credentials_json(ME)))
    zone = ZoneInfo("Europe/Berlin")
    start = datetime.now(zone).replace(hour=9, minute=0, second=0, microsecond=0) + timedelta(days=7)
    rule = Recurrence.rule(freq=DAILY, count=3)
    lunch = calendar.add_event(Event("Lunch", start, attendees=ANNA, timezone="Europe/Berlin", location="Café"))
    calendar.add_event(Event("Class", start, recurrence=rule, timezone="Europe/Berlin"))
    calendar.add_event(Event("Holiday", (start + timedelta(days=1)).date()))
    listed = list(calendar.get_events(single_events=True, order_by="startTime"))
    told("gcsa spreads a series out, in order", [event.summary for event in listed])
    told("gcsa searches", [event.summary for event in calendar.get_events(query="café")])
    lunch.location = "At home"
    told("gcsa changes", calendar.update_event(lunch).location)
    other = calendar.add_calendar(Calendar("Trips"))
    told("gcsa moves", calendar.move_event(lunch, destination_calendar_id=other.calendar_id).event_id == lunch.event_id)
    told("gcsa lists calendars", [entry.summary for entry in calendar.get_calendar_list()])
    busy = calendar.get_free_busy(time_min=start.date(), time_max=start.date() + timedelta(days=2), timezone="UTC")
    told("gcsa asks who is busy", {name: len(times) for name, times in busy.calendars.items()})
    holiday = next(event for event in listed if event.summary == "Holiday")
    told("gcsa reads a day as a day", isinstance(holiday.start, date) and not isinstance(holiday.start, datetime))
    calendar.delete_event(holiday)
    told("gcsa deletes", [event.summary for event in calendar.get_events(query="holiday")])


async def run_gcal_sync(held: Held) -> None:
    """Sync, sync on, lose the token, and sync anew, by the client that Home Assistant uses."""
    from gcal_sync.api import GoogleCalendarService
    from gcal_sync.auth import AbstractAuth
    from gcal_sync.sync import CalendarEventSyncManager, CalendarListSyncManager

    class Auth(AbstractAuth):
        async def async_get_access_token(self) -> str:
            return held.calendar.token_for(ANNA)

    async with aiohttp.ClientSession() as session:
        service = GoogleCalendarService(Auth(session, f"{held.calendar.url}calendar/v3"))
        calendars = CalendarListSyncManager(service)
        await calendars.run()
        await calendars.run()
        listed = await calendars.store_service.async_list_calendars()
        told("gcal-sync keeps the list of calendars", [entry.summary for entry in listed.calendars])
        events = CalendarEventSyncManager(service, ANNA)
        await events.run()
        times = {name: {"dateTime": f"2027-05-01T{hour}:00:00Z"} for name, hour in (("start", "10"), ("end", "11"))}
        made = held.calendar.add_event(ANNA, {"summary": "Dentist", **times})
        await events.run()
        timeline = await events.store_service.async_get_timeline()
        told("gcal-sync hears of a new event", [event.summary for event in timeline])
        await service.async_delete_event(ANNA, made["id"])
        await events.run()
        timeline = await events.store_service.async_get_timeline()
        told("gcal-sync hears of a deletion", [event.summary for event in timeline])
        held.calendar.forget_sync_tokens(ANNA)
        calls = len(held.calendar.calls)
        await events.run()
        told("gcal-sync starts anew after 410", len(held.calendar.calls) - calls)


def main() -> None:
    """Run all three."""
    held = Held()
    googleapiclient.discovery.build = held.build
    with TemporaryDirectory() as folder:
        run_simplegmail(held, Path(folder))
    run_gcsa(held)
    asyncio.run(run_gcal_sync(held))


if __name__ == "__main__":
    main()
