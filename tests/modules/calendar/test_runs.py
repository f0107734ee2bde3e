"""A bulk order over the calendar, from what its card shows to what Undo puts back, with restarts in between."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from butler.contract.bulk import BatchUnclearError, BulkOrder
from butler.store.store import Store
from modules.calendar.bulk import CalendarBulkAdapter
from tests.bulk.bulk_harness import BulkHarness
from tests.modules.calendar.calendar_account import ANNA, Account
from tests.support.tables import create_tables

CLEAR: dict[str, Any] = {"action": "delete", "words": "yoga"}


@pytest.fixture
async def room(me: Account) -> AsyncIterator[BulkHarness[CalendarBulkAdapter]]:
    store = Store("sqlite://")
    create_tables(store.engine)
    yield BulkHarness[CalendarBulkAdapter].of(store, me.adapter)
    await store.close()


def fill(me: Account, count: int = 50) -> None:
    for at in range(count):
        guests = [{"email": ANNA, "responseStatus": "accepted"}] if at % 10 == 0 else []
        me.add(f"Yoga {at}", f"2027-04-{at % 28 + 1:02}T{at // 28 + 8:02}:00", attendees=guests)


async def test_a_card_shows_how_many_the_ends_and_who_is_told(
    me: Account, room: BulkHarness[CalendarBulkAdapter]
) -> None:
    fill(me)
    shown = await room.shown(BulkOrder("calendar", "", CLEAR))
    assert shown.count == 50
    facts = dict(shown.facts)
    assert facts["How many"] == "50"
    assert (facts["Newest"], facts["Oldest"]) == ("Yoga 27, 08:00 · 28 April 2027", "Yoga 0, 08:00 · 1 April 2027")
    assert "Google tells the guests of 5 events by mail." in facts["Worth knowing"]
    tool = me.registry.spec("user_calendar_delete_event")
    assert tool.preview is not None
    preview = tool.preview(tool.args.model_validate({"words": "yoga", "snapshot": shown.model_dump()}))
    assert dict(preview.facts)["When"] == "from today on, for a year"


async def test_a_run_that_is_restarted_in_the_middle_does_each_once_and_undo_is_exact(
    me: Account, room: BulkHarness[CalendarBulkAdapter]
) -> None:
    fill(me)
    before, of_anna = me.book(), me.book(ANNA)
    run_id = await room.begun(**CLEAR)
    me.server.fail("calendar.events.delete", 0, "", after_effect=True)
    for _ in range(3):
        try:
            assert await room.step()
        except BatchUnclearError:
            room = room.again()
    await room.worked_off()
    assert me.book() == {}
    assert "Deleted: 50 of 50" in await room.text(run_id)
    deletions = sum(call.operation == "calendar.events.delete" for call in me.server.calls)
    assert 50 <= deletions <= 70, "at most one batch is sent again"
    await room.tap(run_id, "Undo")
    await room.worked_off()
    assert me.book() == before
    assert me.book(ANNA) == of_anna


async def test_what_came_and_what_was_changed_meanwhile_is_told(
    me: Account, room: BulkHarness[CalendarBulkAdapter]
) -> None:
    fill(me, 5)
    run_id = await room.begun(**CLEAR)
    me.add("Yoga too late", "2027-04-20T20:00")
    changed = next(one["id"] for one in me.book().values() if one["summary"] == "Yoga 3")
    await me.approved("change_event", event=changed, start="2027-04-21T20:00")
    await room.worked_off()
    text = await room.text(run_id)
    assert "Deleted: 4 of 5" in text
    assert "Yoga 3: it was changed meanwhile, so it is left as it is" in text
    assert "1 more of that kind came meanwhile" in text
    assert me.titles() == ["Yoga 3", "Yoga too late"]


async def test_a_consent_that_ends_in_the_middle_pauses_and_goes_on_after_a_new_one(
    me: Account, room: BulkHarness[CalendarBulkAdapter]
) -> None:
    fill(me)
    run_id = await room.begun(**CLEAR)
    assert await room.step()
    me.server.revoke("me@home.example")
    await room.worked_off()
    assert "butler login calendar" in await room.text(run_id)
    me.context.vault.put("USER_CALENDAR_OAUTH_JSON", me.server.credentials_json("me@home.example"))
    await me.module.signed_in()
    await room.tap(run_id, "Resume")
    await room.worked_off()
    assert me.book() == {}
