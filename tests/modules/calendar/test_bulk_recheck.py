"""What the person does themselves between a card and its run is theirs: told as it is, and not taken back by Undo."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from butler.store.store import Store
from modules.calendar.bulk import CalendarBulkAdapter
from tests.bulk.bulk_harness import BulkHarness
from tests.modules.calendar.calendar_account import ME, Account
from tests.support.tables import create_tables

YOGA: dict[str, Any] = {"words": "yoga"}


@pytest.fixture
async def room(me: Account) -> AsyncIterator[BulkHarness[CalendarBulkAdapter]]:
    store = Store("sqlite://")
    create_tables(store.engine)
    yield BulkHarness[CalendarBulkAdapter].of(store, me.adapter)
    await store.close()


def two(me: Account) -> tuple[str, str]:
    return me.add("Yoga A", "2027-03-12T09:00"), me.add("Yoga B", "2027-03-13T09:00")


async def by_hand(me: Account, **order: Any) -> None:
    context, items = await me.listed(**order)
    assert all(result.success for result in (await me.acted(items, context)).values())


async def undone(room: BulkHarness[CalendarBulkAdapter], run_id: str) -> None:
    await room.tap(run_id, "Undo")
    await room.worked_off()


async def test_what_the_person_deleted_is_told_as_gone_and_stays_deleted(
    me: Account, room: BulkHarness[CalendarBulkAdapter]
) -> None:
    a, _ = two(me)
    run_id = await room.begun(action="delete", **YOGA)
    await by_hand(me, action="delete", events=[a])
    await room.worked_off()
    text = await room.text(run_id)
    assert "Deleted: 1 of 2" in text
    assert "it is no longer there" in text
    await undone(room, run_id)
    assert me.titles() == ["Yoga B"]


async def test_events_that_were_named_are_looked_at_again_too(
    me: Account, room: BulkHarness[CalendarBulkAdapter]
) -> None:
    a, b = two(me)
    run_id = await room.begun(action="delete", events=[a, b])
    await by_hand(me, action="delete", events=[a])
    await room.worked_off()
    assert "Deleted: 1 of 2" in await room.text(run_id)
    await undone(room, run_id)
    assert me.titles() == ["Yoga B"]


async def test_a_single_event_of_a_series_that_the_person_deleted_stays_deleted(
    me: Account, room: BulkHarness[CalendarBulkAdapter]
) -> None:
    me.add("Yoga", "2027-03-12T09:00", recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    run_id = await room.begun(action="delete", **YOGA)
    rows = (await me.data("list_events", since="2027-03-12", before="2027-03-20"))["events"]
    await by_hand(me, action="delete", events=[rows[1]["event_id"]])
    await room.worked_off()
    assert "Deleted: 2 of 3" in await room.text(run_id)
    await undone(room, run_id)
    rows = (await me.data("list_events", since="2027-03-12", before="2027-03-20"))["events"]
    assert [row["start"][:10] for row in rows] == ["2027-03-12", "2027-03-14"]


@pytest.mark.parametrize(
    "window", [{}, {"since": "2027-03-12", "before": "2027-03-14"}], ids=["without a time", "in two days"]
)
async def test_what_the_person_moved_there_already_stays_there(
    me: Account, room: BulkHarness[CalendarBulkAdapter], window: dict[str, Any]
) -> None:
    a, _ = two(me)
    run_id = await room.begun(action="move", days=7, **YOGA, **window)
    await by_hand(me, action="move", events=[a], days=7)
    await room.worked_off()
    assert "Moved: 2 of 2" in await room.text(run_id)
    await undone(room, run_id)
    assert me.starts() == {"Yoga A": "2027-03-19T09:00:00+01:00", "Yoga B": "2027-03-13T09:00:00+01:00"}


@pytest.mark.parametrize("named", [True, False], ids=["named", "found"])
async def test_what_the_person_put_into_the_other_calendar_stays_there(
    me: Account, room: BulkHarness[CalendarBulkAdapter], *, named: bool
) -> None:
    club = me.server.add_calendar(ME, "Club")
    a, b = two(me)
    which: dict[str, Any] = {"events": [a, b]} if named else YOGA
    run_id = await room.begun(action="move", to_calendar="Club", **which)
    await by_hand(me, action="move", events=[a], to_calendar="Club")
    await room.worked_off()
    assert me.titles(club) == ["Yoga A", "Yoga B"]
    await undone(room, run_id)
    assert (me.titles(club), me.titles()) == (["Yoga A"], ["Yoga B"])


@pytest.mark.parametrize("by_the_person", ["tomato", "basil"])
async def test_a_colour_that_the_person_gave_is_what_undo_leaves_or_puts_back(
    me: Account, room: BulkHarness[CalendarBulkAdapter], by_the_person: str
) -> None:
    a, _ = two(me)
    run_id = await room.begun(action="colour", colour="tomato", **YOGA)
    await by_hand(me, action="colour", colour=by_the_person, events=[a])
    as_the_person_has_it = me.book()
    await room.worked_off()
    assert {event["colorId"] for event in me.book().values()} == {"11"}
    await undone(room, run_id)
    assert me.book() == as_the_person_has_it


async def test_one_event_of_a_series_that_the_person_coloured_as_a_whole_is_put_back_as_they_had_it(
    me: Account, room: BulkHarness[CalendarBulkAdapter]
) -> None:
    me.add("Yoga", "2027-03-12T09:00", recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    run_id = await room.begun(action="colour", colour="tomato", **YOGA)
    await by_hand(me, action="colour", colour="basil", series=True, **YOGA)
    await room.worked_off()
    await undone(room, run_id)
    rows = (await me.data("list_events", since="2027-03-12", before="2027-03-20"))["events"]
    assert {(await me.data("read_event", event=row["event_id"]))["colour"] for row in rows} == {"basil"}


async def test_what_the_person_declined_stays_declined(me: Account, room: BulkHarness[CalendarBulkAdapter]) -> None:
    a, b = me.invited("Yoga A", "2027-03-12T09:00"), me.invited("Yoga B", "2027-03-13T09:00")
    run_id = await room.begun(action="decline", **YOGA)
    await by_hand(me, action="decline", events=[a], comment="By hand")
    await room.worked_off()
    await undone(room, run_id)
    host = me.book("anna@friends.example")
    assert [host[one]["attendees"][0]["responseStatus"] for one in (a, b)] == ["declined", "needsAction"]
    assert host[a]["attendees"][0]["comment"] == "By hand"


async def test_where_google_no_longer_tells_what_was_changed_the_run_goes_on(
    me: Account, room: BulkHarness[CalendarBulkAdapter]
) -> None:
    two(me)
    run_id = await room.begun(action="delete", **YOGA)
    me.server.fail("calendar.events.list", 410, "updatedMinTooLongAgo", times=2)
    await room.worked_off()
    assert "Deleted: 2 of 2" in await room.text(run_id)
    await undone(room, run_id)
    assert me.titles() == ["Yoga A", "Yoga B"]
