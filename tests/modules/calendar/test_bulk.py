"""Many events at once: exactly those that were meant, each once, and put back as they were."""

from typing import Any

import pytest

from butler.contract.bulk import BatchLaterError, BatchUnclearError, BulkItem
from butler.contract.errors import AuthRequiredError, Reconfigure
from modules.calendar import calls
from tests.modules.calendar.calendar_account import ANNA, ME, TOM, Account

FRIDAY = {"since": "2027-03-12", "before": "2027-03-13"}


@pytest.fixture
def club(me: Account) -> str:
    return me.server.add_calendar(ME, "Club")


def a_week(me: Account) -> None:
    """Events on two days, with guests, of others, of whole days, and one of a series."""
    me.add("Stand-up", "2027-03-12T09:00", 15, recurrence=["RRULE:FREQ=DAILY;COUNT=5"])
    me.add("Lunch", "2027-03-12T12:00", attendees=[{"email": ANNA, "responseStatus": "accepted"}], colorId="4")
    me.add("Holiday", "2027-03-12")
    me.invited("Review", "2027-03-12T15:00")
    me.add(
        "Dentist", "2027-03-15T09:00", reminders={"useDefault": False, "overrides": [{"method": "email", "minutes": 5}]}
    )


async def shown(me: Account) -> list[tuple[Any, ...]]:
    """All that is in the calendar, occurrence by occurrence, as the person sees it."""
    since, before = "2027-03-01", "2027-05-01"
    rows = (await me.data("list_events", since=since, before=before, limit=250))["events"]
    whole = [await me.data("read_event", event=row["event_id"]) for row in rows]
    return [tuple(sorted((key, str(value)) for key, value in one.items())) for one in whole]


ORDERS: list[dict[str, Any]] = [
    {"action": "delete", **FRIDAY},
    {"action": "move", "days": 3, **FRIDAY},
    {"action": "move", "minutes": -90, **FRIDAY},
    {"action": "move", "to_calendar": "Club", **FRIDAY},
    {"action": "decline", **FRIDAY},
    {"action": "remind", "remind_minutes": 30, "since": "2027-03-12"},
    {"action": "remind", "since": "2027-03-12"},
    {"action": "remind", "off": True, "since": "2027-03-12"},
    {"action": "colour", "colour": "tomato", "since": "2027-03-12"},
    {"action": "colour", "colour": "calendar", "since": "2027-03-12"},
]


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: "-".join(map(str, order.values()))[:40])
async def test_what_was_done_is_put_back_exactly(me: Account, order: dict[str, Any]) -> None:
    me.server.add_calendar(ME, "Club")
    a_week(me)
    before, of_anna = await shown(me), me.book(ANNA)
    context, items = await me.bulk(**order)
    assert items
    assert await shown(me) != before
    again, left = await me.listed(**order)
    assert left == [] or "days" in order or "minutes" in order, "what is done is no longer listed"
    assert again.action == order["action"]
    await me.undo(context, items)
    assert await shown(me) == before
    assert me.book(ANNA) == of_anna


async def test_a_friday_is_cleared_and_what_is_on_other_days_stays(me: Account) -> None:
    a_week(me)
    context, items = await me.bulk(action="delete", **FRIDAY)
    assert sorted(item.display_name for item in items) == ["Holiday", "Lunch", "Review", "Stand-up"]
    rows = (await me.data("list_events", since="2027-03-12", before="2027-04-01"))["events"]
    assert [row["title"] for row in rows] == ["Stand-up", "Stand-up", "Stand-up", "Dentist", "Stand-up"]
    words = me.adapter.words(context)
    assert words.does == "Deletes events from your calendar"
    assert "1 is somebody else's" in words.beside
    assert "the guests of 1 event by mail" in words.beside


async def test_reminders_are_turned_off_and_put_back_as_they_were(me: Account) -> None:
    own = {"useDefault": False, "overrides": [{"method": "popup", "minutes": 60}]}
    a, b = me.add("Yoga A", "2027-03-12T09:00", reminders=own), me.add("Yoga B", "2027-03-13T09:00")
    none = {"useDefault": False, "overrides": []}
    me.add("Yoga without", "2027-03-14T09:00", reminders=none)
    before = me.book()
    context, items = await me.bulk(action="remind", off=True, words="yoga")
    assert {item.id for item in items} == {a, b}
    assert [me.book()[one]["reminders"].get("overrides", []) for one in (a, b)] == [[], []]
    assert [me.book()[one]["reminders"]["useDefault"] for one in (a, b)] == [False, False]
    await me.undo(context, items)
    assert me.book() == before


def a_holiday(me: Account, first: str, after: str) -> None:
    times = {"start": {"date": first}, "end": {"date": after}}
    me.server.add_event(ME, {"summary": f"Away {first}", **times})


@pytest.mark.parametrize(
    "action", [{"action": "delete"}, {"action": "move", "days": 3}, {"action": "colour", "colour": "sage"}], ids=str
)
async def test_what_only_spans_a_day_is_left_as_it_is_and_that_is_told(me: Account, action: dict[str, Any]) -> None:
    me.add("Lunch", "2027-03-12T12:00")
    me.add("Night train", "2027-03-11T22:00", 10 * 60)
    a_holiday(me, "2027-03-08", "2027-03-20")
    a_holiday(me, "2027-03-12", "2027-03-14")
    a_holiday(me, "2027-03-12", "2027-03-13")
    context, items = await me.listed(**action, **FRIDAY)
    assert [item.display_name for item in items] == ["Night train", "Away 2027-03-12", "Lunch"]
    assert "2 longer ones that go on outside this time are left as they are." in me.adapter.words(context).beside
    _, items = await me.listed(**action, since="2027-03-08", before="2027-03-20")
    assert len(items) == 5
    _, items = await me.listed(**action, words="away")
    assert len(items) == 3, "where no time is said, nothing goes on outside it"


async def test_guests_are_told_unless_it_is_done_quietly(me: Account) -> None:
    me.add("Loud", "2027-03-12T12:00", attendees=[{"email": ANNA}])
    me.add("Quiet", "2027-03-12T13:00", attendees=[{"email": ANNA}])
    start = len(me.server.notices)
    await me.bulk(action="delete", words="loud")
    assert [(notice.to, notice.kind) for notice in me.server.notices[start:]] == [(ANNA, "cancellation")]
    context, _ = await me.bulk(action="delete", words="quiet", quietly=True)
    assert len(me.server.notices) == start + 1
    assert "The guests of 1 event are not told." in me.adapter.words(context).beside


async def test_deleting_what_others_organise_declines_it_and_leaves_theirs(me: Account) -> None:
    id_ = me.invited("Review", "2027-03-12T15:00")
    await me.bulk(action="delete", events=[id_])
    assert me.titles() == []
    assert me.book(ANNA)[id_]["attendees"][0]["responseStatus"] == "declined"


async def test_only_what_somebody_else_asks_to_is_declined_with_a_comment(me: Account) -> None:
    a_week(me)
    context, (item,) = await me.bulk(action="decline", comment="On holiday", **FRIDAY)
    (mine,) = me.book(ANNA)[item.id]["attendees"]
    assert (mine["responseStatus"], mine["comment"]) == ("declined", "On holiday")
    assert "who invites" in me.adapter.words(context).does
    await me.undo(context, [item])
    (mine,) = me.book(ANNA)[item.id]["attendees"]
    assert (mine["responseStatus"], mine.get("comment")) == ("needsAction", None)


async def test_declining_leaves_the_other_guests_as_they_are(me: Account) -> None:
    guests = [{"email": ME}, {"email": TOM, "responseStatus": "accepted"}]
    id_ = me.add("Review", "2027-03-12T15:00", calendar=ANNA, attendees=guests)
    await me.bulk(action="decline", events=[id_])
    answers = {guest["email"]: guest["responseStatus"] for guest in me.book(ANNA)[id_]["attendees"]}
    assert answers == {ME: "declined", TOM: "accepted"}


async def test_a_move_goes_by_the_clock_on_the_wall_over_summer_time(me: Account) -> None:
    me.add("Shift", "2027-03-26T09:00", 60)
    context, items = await me.bulk(action="move", days=3, words="shift")
    assert me.starts() == {"Shift": "2027-03-29T09:00:00+02:00"}
    await me.undo(context, items)
    assert me.starts() == {"Shift": "2027-03-26T09:00:00+01:00"}


async def test_a_move_into_the_hour_that_is_skipped_takes_the_first_one_after_it(me: Account) -> None:
    me.add("Backup", "2027-03-27T02:30", 30)
    context, items = await me.bulk(action="move", days=1, words="backup")
    assert me.starts() == {"Backup": "2027-03-28T03:00:00+02:00"}
    for _ in range(2):
        await me.acted(items, context)
    assert me.starts() == {"Backup": "2027-03-28T03:00:00+02:00"}, "the same at each try"
    await me.undo(context, items)
    assert me.starts() == {"Backup": "2027-03-27T02:30:00+01:00"}


async def test_whole_days_and_what_others_organise_stay_and_that_is_told(me: Account) -> None:
    a_week(me)
    context, items = await me.listed(action="move", minutes=60, **FRIDAY)
    assert sorted(item.display_name for item in items) == ["Lunch", "Stand-up"]
    assert "2 more stay" in me.adapter.words(context).beside


async def test_a_whole_series_is_moved_deleted_and_brought_back(me: Account) -> None:
    me.add("Yoga", "2027-03-09T18:00", recurrence=["RRULE:FREQ=WEEKLY;BYDAY=TU;UNTIL=20270420T215900Z"])
    before = await shown(me)
    for order in ({"action": "move", "days": 1}, {"action": "delete"}, {"action": "colour", "colour": "sage"}):
        context, items = await me.bulk(**order, words="yoga", series=True, since="2027-03-20")
        assert len(items) == 1
        assert await shown(me) != before
        if order["action"] != "colour":
            assert "single events that were changed" in me.adapter.words(context).for_good
        if "days" in order:
            rows = (await me.data("list_events", since="2027-03-01", before="2027-05-01"))["events"]
            assert [row["start"][5:10] for row in rows] == [
                "03-10",
                "03-17",
                "03-24",
                "03-31",
                "04-07",
                "04-14",
                "04-21",
            ]
        await me.undo(context, items)
        assert await shown(me) == before


async def test_one_named_event_stands_for_its_series_where_all_of_it_is_meant(me: Account) -> None:
    master = me.add("Yoga", "2027-03-09T18:00", recurrence=["RRULE:FREQ=WEEKLY;COUNT=4"])
    rows = (await me.data("list_events", since="2027-03-01", before="2027-05-01"))["events"]
    _, items = await me.listed(action="delete", events=[row["event_id"] for row in rows[:2]], series=True)
    assert [item.id for item in items] == [master]


async def test_a_changed_event_of_a_series_stands_for_it_once(me: Account) -> None:
    me.add("Yoga", "2027-03-09T18:00", recurrence=["RRULE:FREQ=WEEKLY;COUNT=4"])
    rows = (await me.data("list_events", since="2027-03-01", before="2027-05-01"))["events"]
    await me.approved("change_event", event=rows[3]["event_id"], title="Yoga outside", start="2027-06-01T18:00")
    _, items = await me.listed(action="delete", words="outside", series=True, since="2027-05-20")
    assert len(items) == 1


async def test_a_series_on_several_days_is_said_not_to_move(me: Account) -> None:
    me.add("Yoga", "2027-03-09T18:00", recurrence=["RRULE:FREQ=WEEKLY;BYDAY=TU,TH"])
    context, items = await me.listed(action="move", days=1, words="yoga", series=True)
    (result,) = (await me.acted(items, context)).values()
    assert (result.success, "cannot simply be moved" in (result.error or "")) == (False, True)


async def test_who_is_with_it_who_organises_and_whole_days_narrow_it(me: Account) -> None:
    a_week(me)
    me.add("Beer", "2027-03-12T20:00", attendees=[{"email": TOM, "displayName": "Tom Work"}])

    async def titles(**said: Any) -> list[str]:
        return sorted(item.display_name for item in (await me.listed(action="delete", **said, **FRIDAY))[1])

    assert await titles(people=["tom work"]) == ["Beer"]
    assert await titles(people=["Tom", "nobody"]) == ["Beer"]
    assert await titles(people=[ANNA]) == ["Lunch", "Review"]
    assert await titles(people=["friends.example"]) == ["Lunch", "Review"]
    assert await titles(people=["om"]) == []
    assert await titles(organiser="others") == ["Review"]
    assert await titles(organiser="me", all_day=True) == ["Holiday"]
    assert "Holiday" not in await titles(all_day=False)
    every = await titles()
    assert await titles(keep=["unch"]) == every
    assert await titles(keep=["lunch"]) == [one for one in every if one != "Lunch"]
    assert await titles(keep=[ANNA, "tom work"]) == [one for one in every if one not in {"Beer", "Lunch", "Review"}]


async def test_events_of_another_calendar_of_the_persons_own_are_theirs(me: Account, club: str) -> None:
    me.add("Game", "2027-03-12T19:00", calendar=club)
    context, _ = await me.bulk(action="move", days=1, words="game")
    assert me.starts(club) == {"Game": "2027-03-13T19:00:00+01:00"}
    assert me.adapter.words(context).stays == ""


async def test_calendars_of_others_are_meant_by_name_only(me: Account) -> None:
    family = me.server.add_calendar(ANNA, "Family", shared_with={ME: "writer"})
    me.add("Party", "2027-03-12T20:00", calendar=family)
    assert (await me.listed(action="delete", words="party"))[1] == []
    _, (item,) = await me.listed(action="delete", words="party", calendar="Family")
    assert item.id.endswith(f"/{family}")
    me.server.share(family, {ME: "reader"})
    with pytest.raises(ValueError, match="may not change anything"):
        await me.listed(action="delete", words="party", calendar="Family")


async def test_without_a_time_it_is_about_the_year_from_today_on(me: Account) -> None:
    for day in ("2027-03-04", "2027-03-05", "2028-03-04", "2028-03-20"):
        me.add(f"Yoga {day}", f"{day}T09:00")
    _, items = await me.listed(action="delete", words="yoga")
    assert [item.display_name for item in items] == ["Yoga 2027-03-05", "Yoga 2028-03-04"]
    _, items = await me.listed(action="delete", words="yoga", before="2027-03-05")
    assert [item.display_name for item in items] == ["Yoga 2027-03-04"]


async def test_what_was_changed_meanwhile_is_left_alone_and_told(me: Account) -> None:
    for action in ({"action": "delete"}, {"action": "move", "days": 1}):
        id_ = me.add("Dentist", "2027-03-08T09:00")
        other = me.add("Other dentist", "2027-03-08T11:00")
        context, items = await me.listed(**action, words="dentist")
        await me.approved("change_event", event=id_, start="2027-03-08T10:00")
        results = await me.acted(items, context)
        assert (results[id_].success, results[id_].error) == (
            False,
            "it was changed meanwhile, so it is left as it is",
        )
        assert results[other].success
        await me.bulk(action="delete", events=[id_])
        await me.acted([item for item in items if item.id == other], context)


async def test_an_answer_of_a_guest_meanwhile_hinders_nothing(me: Account) -> None:
    id_ = me.add("Lunch", "2027-03-12T12:00", attendees=[{"email": ANNA}])
    context, items = await me.listed(action="move", days=1, events=[id_])
    await me.approved("change_event", event=id_, description="Anna cannot eat nuts")
    assert (await me.acted(items, context))[id_].success
    assert me.starts() == {"Lunch": "2027-03-13T12:00:00+01:00"}


async def test_what_went_away_meanwhile_is_told_for_each_and_deleting_counts_as_done(me: Account, club: str) -> None:
    del club
    id_ = me.add("Dentist", "2027-03-08T09:00")
    for order in ORDERS[1:]:
        named = {key: value for key, value in order.items() if key not in FRIDAY and key != "since"}
        context = await me.adapter.prepare({**named, "events": [id_]})
        (result,) = await me.adapter.execute_batch([BulkItem("nothing", "gone")], context)
        assert (result.success, result.error) == (False, "it is no longer there")
    context, items = await me.listed(action="colour", colour="sage", events=[id_])
    moved, to_move = await me.listed(action="move", days=1, events=[id_])
    deleting, to_delete = await me.listed(action="delete", events=[id_])
    await me.acted(to_delete, deleting)
    assert (await me.acted(to_delete, deleting))[id_].success
    assert (await me.acted(items, context))[id_].error == "it is no longer there"
    assert (await me.acted(to_move, moved))[id_].error == "it is no longer there"


async def test_named_events_that_are_not_there_are_left_out(me: Account) -> None:
    id_ = me.add("Dentist", "2027-03-08T09:00")
    _, items = await me.listed(action="delete", events=[id_, "nothing", id_])
    assert [item.id for item in items] == [id_]


async def test_single_events_of_a_series_do_not_go_to_another_calendar(me: Account, club: str) -> None:
    me.add("Yoga", "2027-03-09T18:00", recurrence=["RRULE:FREQ=WEEKLY;COUNT=3"])
    me.add("Yoga alone", "2027-03-10T18:00")
    me.add("Yoga there already", "2027-03-10T18:00", calendar=club)
    order = {"action": "move", "to_calendar": "Club", "words": "yoga"}
    context, items = await me.listed(**order)
    assert [item.display_name for item in items] == ["Yoga alone"]
    assert "3 more stay" in me.adapter.words(context).beside
    context, items = await me.bulk(**order, series=True)
    assert me.titles(club) == ["Yoga", "Yoga alone", "Yoga there already"]
    for _ in range(2):
        assert all(one.success for one in (await me.acted(items, context)).values())
    await me.undo(context, items)
    assert (me.titles(club), me.titles()) == (["Yoga there already"], ["Yoga", "Yoga alone"])


# What Google does to it


@pytest.mark.nightly
async def test_a_quota_that_is_spent_waits_and_nothing_is_refused(me: Account) -> None:
    me.server.enforce_quota()
    for at in range(700):
        me.add("Yoga", f"2027-{3 + at // 300:02}-{10 + at % 20:02}T{at % 10 + 8:02}:00")
    started = me.clock.now()
    context, items = await me.listed(action="colour", colour="sage", words="yoga")
    assert len(items) == 700
    for at in range(0, 700, 20):
        await me.acted(items[at : at + 20], context)
    assert me.server.refused_calls == 0
    assert 60 <= (me.clock.now() - started).total_seconds() <= 125


async def test_a_rate_limit_all_the_same_waits_with_nothing_done(me: Account) -> None:
    id_ = me.add("Dentist", "2027-03-08T09:00")
    context, items = await me.listed(action="delete", events=[id_])
    me.server.fail("calendar.events.delete", 403, "rateLimitExceeded", retry_after=200)
    with pytest.raises(BatchLaterError):
        await me.acted(items, context)
    assert me.titles() == ["Dentist"]


async def test_a_batch_of_which_a_part_was_done_is_sent_again_whole(me: Account) -> None:
    for at in range(3):
        me.add("Dentist", f"2027-03-{10 + at}T09:00")
    context, items = await me.listed(action="delete", words="dentist")
    me.server.fail("calendar.events.delete", 503, "backendError")
    with pytest.raises(BatchUnclearError):
        await me.acted(items, context)
    assert all(result.success for result in (await me.acted(items, context)).values())
    assert me.titles() == []


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: "-".join(map(str, order.values()))[:40])
async def test_an_answer_that_was_lost_is_no_second_time(me: Account, order: dict[str, Any], club: str) -> None:
    del club
    a_week(me)
    before = await shown(me)
    context, items = await me.listed(**order)
    operation = {"delete": "delete", "move": "move" if "to_calendar" in order else "patch"}.get(
        order["action"], "patch"
    )
    me.server.fail(f"calendar.events.{operation}", 0, "", after_effect=True)
    with pytest.raises(BatchUnclearError):
        await me.acted(items, context)
    results = await me.acted(items, context)
    assert all(result.success for result in results.values()), results
    after = [BulkItem(one.id, one.display_name, results[one.id].data) for one in items]
    await me.undo(context, after)
    assert await shown(me) == before


async def test_a_hang_is_unclear_and_the_same_again_is_harmless(me: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    id_ = me.add("Dentist", "2027-03-08T09:00")
    context, items = await me.listed(action="move", days=1, events=[id_])
    with monkeypatch.context() as patched:
        patched.setattr(calls, "TIMEOUT_MS", 150)
        me.server.slow_down(0.5)
        with pytest.raises(BatchUnclearError):
            await me.acted(items, context)
    me.server.slow_down(0)
    assert (await me.acted(items, context))[id_].success
    assert me.starts() == {"Dentist": "2027-03-09T09:00:00+01:00"}


async def test_a_token_that_expires_in_the_middle_is_renewed_and_a_revoked_one_is_told(me: Account) -> None:
    for at in range(3):
        me.add("Dentist", f"2027-03-{10 + at}T09:00")
    context, items = await me.listed(action="delete", words="dentist")
    me.server.fail("calendar.events.delete", 401, "authError")
    assert all(result.success for result in (await me.acted(items[:1], context)).values())
    me.server.revoke(ME)
    with pytest.raises(AuthRequiredError, match="butler login calendar"):
        await me.acted(items[1:], context)


async def test_a_refusal_of_one_event_is_its_own(me: Account) -> None:
    ids = [me.add("Dentist", f"2027-03-{10 + at}T09:00") for at in range(3)]
    context, items = await me.listed(action="colour", colour="sage", events=ids)
    me.server.fail("calendar.events.patch", 400, "invalid")
    results = await me.acted(items, context)
    assert sorted(result.success for result in results.values()) == [False, True, True]
    me.server.fail("calendar.events.patch", 403, "forbiddenForNonOrganizer")
    (result,) = (await me.acted(items[:1], context)).values()
    assert "only whoever organises this event" in (result.error or "")


async def test_an_event_that_changes_again_and_again_is_left_alone(me: Account) -> None:
    id_ = me.add("Dentist", "2027-03-08T09:00")
    context, items = await me.listed(action="delete", events=[id_])
    me.server.fail("calendar.events.delete", 412, "conditionNotMet", times=3)
    assert (await me.acted(items, context))[id_].error == "it was changed meanwhile, so it is left as it is"


async def test_google_that_forgot_an_event_says_it_is_gone(me: Account) -> None:
    id_ = me.add("Dentist", "2027-03-08T09:00")
    context, items = await me.listed(action="delete", events=[id_])
    me.server.fail("calendar.events.delete", 412, "conditionNotMet")
    me.server.fail("calendar.events.get", 404, "notFound")
    assert (await me.acted(items, context))[id_].error == "it is no longer there"


async def test_an_account_that_was_taken_out_holds_up_its_run(me: Account) -> None:
    me.add("Dentist", "2027-03-08T09:00")
    context, items = await me.listed(action="delete", words="dentist")
    assert context.metadata is not None
    context.metadata["account"] = "gone"
    with pytest.raises(Reconfigure):
        await me.acted(items, context)
    with pytest.raises(ValueError, match="there is no account work"):
        await me.adapter.prepare({"action": "delete", "words": "x", "account": "work"})


async def test_a_listing_goes_over_all_own_calendars_page_by_page(me: Account, club: str) -> None:
    for at in range(7):
        me.add("Yoga", f"2027-03-{10 + at}T09:00", calendar=club if at % 2 else ME)
    context = await me.adapter.prepare({"action": "delete", "words": "yoga"})
    pages = [len(await me.adapter.get_next_batch(context, 2, offset)) for offset in (0, 2, 4, 6, 7)]
    assert pages == [2, 2, 2, 1, 0]
    assert await me.adapter.get_total_count(context) == 7
    assert len(await me.adapter.get_next_batch(context, 2, 5)) == 2
    items = (await me.listed(action="delete", words="yoga"))[1]
    first, *_, last = await me.adapter.sample(items, context)
    assert (first.name, first.who, last.who) == ("Yoga, 09:00", "", "Club")
    limits = me.adapter.limits(context)
    assert (limits.page, limits.batch, limits.listed_while_open) == (2_500, 20, True)


async def test_an_event_without_a_title_and_of_whole_days_is_shown(me: Account) -> None:
    me.add("", "2027-03-12")
    context, items = await me.listed(action="delete", **FRIDAY)
    (detail,) = await me.adapter.sample(items, context)
    assert detail.name == "an event without a title"
