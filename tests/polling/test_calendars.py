"""What is kept of calendars: those in view, a year ahead, and what a person would call a change."""

from collections.abc import AsyncIterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from butler.contract.agenda import AgendaGuest
from butler.contract.integration import IntegrationCall
from butler.contract.polled import PolledKind, PolledQuery
from butler.follow_up.agenda_items import around, going_on, item_of
from butler_demo.calendar.server import CalendarServer
from modules.calendar.agenda import record_of
from modules.calendar.records import INSERT, CalendarEntry, Event, Fields, Time
from tests.polling.accounts import ANNA, ME, World, world

BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[World]:
    async with world("calendar", tmp_path) as made:
        yield made


def server_of(here: World) -> CalendarServer:
    server = here.account.server
    assert isinstance(server, CalendarServer)
    return server


def day(here: World, days: int) -> date:
    return (here.clock.now() + timedelta(days=days)).astimezone(BERLIN).date()


def whole(here: World, title: str, first: int, days: int = 1, calendar: str = ME, **fields: Any) -> str:
    """What takes whole days from so many days from now on."""
    times = {"start": {"date": f"{day(here, first)}"}, "end": {"date": f"{day(here, first + days)}"}}
    return str(server_of(here).add_event(calendar, {"summary": title, **times, **fields})["id"])


async def test_an_entry_says_when_where_with_whom_and_what_was_answered(here: World) -> None:
    server = server_of(here)
    server.add_account(ANNA, "Anna")
    at = here.clock.now().replace(microsecond=0) + timedelta(days=1)
    times = {"start": {"dateTime": at.isoformat()}, "end": {"dateTime": (at + timedelta(hours=1)).isoformat()}}
    guests = [{"email": ME, "responseStatus": "tentative"}, {"email": "tom@work.example", "displayName": "Tom"}]
    event = {"summary": "Budget", "location": "Room 4", "attendees": guests, **times}
    made = server.add_event(ANNA, event)
    await here.look()
    soon = at + timedelta(minutes=1)
    (item,) = going_on(await here.context.storage.polled.find(around(at, soon)), at, soon, BERLIN)
    entry = item.entry
    assert (entry.event_id, entry.title, entry.place, entry.organizer) == (made["id"], "Budget", "Room 4", ANNA)
    assert (entry.starts, entry.ends, entry.all_day, entry.mine) == (at, at + timedelta(hours=1), False, False)
    assert entry.answer == "tentative"
    assert entry.guests == (AgendaGuest(address="tom@work.example", name="Tom"),)
    assert item.subject == f"calendar/main/{made['id']}"


async def test_whole_days_are_those_of_where_the_person_is(here: World) -> None:
    whole(here, "Fair", 3, 2)
    await here.look()
    (record,) = await here.context.storage.polled.find(PolledQuery(PolledKind.EVENT))
    entry = item_of(record).entry
    assert (entry.first_day, entry.last_day) == (day(here, 3), day(here, 4))
    for zone in (BERLIN, NEW_YORK, ZoneInfo("Pacific/Auckland")):
        for days, there in ((2, 0), (3, 1), (4, 1), (5, 0)):
            on = day(here, days)
            since = datetime(on.year, on.month, on.day, tzinfo=zone)
            until = since + timedelta(days=1)
            found = going_on(await here.context.storage.polled.find(around(since, until)), since, until, zone)
            assert len(found) == there, (zone.key, days)


async def test_only_calendars_in_view_are_kept_and_what_leaves_the_view_is_let_go_in_silence(here: World) -> None:
    server = server_of(here)
    club = server.add_calendar(ME, "Club")
    hidden = server.add_calendar(ME, "Hidden", selected=False)
    whole(here, "Match", 2, calendar=club)
    whole(here, "Secret", 2, calendar=hidden)
    whole(here, "Home", 2)
    await here.look()
    assert await here.names() == ["Home", "Match"]
    found = await here.context.storage.polled.find(PolledQuery(PolledKind.EVENT))
    refs = {item_of(one).entry.title: one.ref for one in found}
    assert refs["Match"].endswith(f"/{club}")
    server.select(club, selected=False)
    await here.look()
    assert await here.names() == ["Home"]
    assert await here.told() == []


async def test_the_window_moves_on_and_what_comes_into_it_is_no_news(here: World) -> None:
    whole(here, "Far", 369)
    whole(here, "Long ago", -28)
    await here.look()
    assert await here.names() == ["Long ago"]
    here.turn(days=8)
    await here.look()
    assert await here.names() == ["Far"]
    assert await here.told() == []


async def test_of_a_series_one_change_is_told_for_all_its_events(here: World) -> None:
    await here.look()
    series = whole(here, "Yoga", 1, recurrence=["RRULE:FREQ=DAILY;COUNT=5"])
    await here.look()
    assert len(await here.names()) == 5
    assert [event.facts["change"] for event in await here.told()] == ["made"]
    await here.account.remove("Yoga", series)
    await here.look()
    assert await here.names() == []
    assert [event.facts["change"] for event in await here.told()] == ["made", "cancelled"]


async def test_what_butler_did_itself_is_told_as_that(here: World) -> None:
    await here.look()
    (integration,) = here.account.module.integrations()
    fields = Fields(title="Dentist", start=Time(day=f"{day(here, 2)}"), end=Time(day=f"{day(here, 3)}"))
    args = {"calendar": "primary", "id": "abc123", "fields": fields.model_dump(exclude_unset=True)}
    assert (await integration.call(IntegrationCall(trace_id="t", method_id=INSERT, args=args))).ok
    whole(here, "Lunch", 2)
    await here.look()
    assert {(event.facts["title"], event.facts["own"]) for event in await here.told()} == {
        ("Dentist", True),
        ("Lunch", False),
    }


def test_where_somebody_only_works_is_no_appointment() -> None:
    first, last = Time(day="2027-03-01"), Time(day="2027-03-02")
    event = Event(id="abc123", calendar=ME, etag="1", status="confirmed", title="Home", start=first, end=last)
    entry = CalendarEntry(id=ME, name="Mine", zone="Europe/Berlin", role="owner", primary=True)
    assert record_of(event, entry, "main", BERLIN) is not None
    assert record_of(event.model_copy(update={"kind": "workingLocation"}), entry, "main", BERLIN) is None
