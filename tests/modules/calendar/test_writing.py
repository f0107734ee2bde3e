"""One event is made or changed: once, as it was shown, and only what was named."""

from typing import Any

import pytest
from pydantic import ValidationError

from approvals.reason_words import details_in_words
from butler.contract.errors import Effect
from butler.contract.tools import Settled
from modules.calendar import calls
from modules.calendar.args import ChangeEventArgs, CreateEventArgs
from tests.modules.calendar.calendar_account import ANNA, ME, TOM, Account

LUNCH = {"title": "Lunch", "start": "2027-03-08T12:30"}


def facts(preview: Any) -> dict[str, str]:
    return dict(preview.facts)


# A new event


async def test_an_event_is_made_in_the_persons_zone_and_takes_an_hour(me: Account) -> None:
    data = (await me.approved("create_event", **LUNCH)).data or {}
    assert (data["title"], data["start"], data["end"]) == ("Lunch", "2027-03-08T12:30", "2027-03-08T13:30")
    (event,) = me.book().values()
    assert event["start"] == {"dateTime": "2027-03-08T12:30:00+01:00", "timeZone": "Europe/Berlin"}


async def test_making_it_again_makes_nothing_more(me: Account) -> None:
    for _ in range(2):
        assert (await me.do("create_event", **LUNCH)).ok
    assert me.titles() == ["Lunch"]


async def test_an_answer_that_was_lost_is_found_again_by_the_events_own_id(me: Account) -> None:
    assert (await me.reconciled("create_event", **LUNCH)).settled is Settled.REPEAT
    me.server.fail("calendar.events.insert", 0, "", after_effect=True)
    result = await me.do("create_event", **LUNCH)
    assert result.error is not None
    assert result.error.effect is Effect.UNKNOWN
    found = await me.reconciled("create_event", **LUNCH)
    assert (found.settled, found.data["title"]) == (Settled.DONE, "Lunch")
    assert me.titles() == ["Lunch"]


async def test_what_was_made_and_deleted_since_is_not_made_again(me: Account) -> None:
    data = (await me.do("create_event", **LUNCH)).data or {}
    await me.bulk(action="delete", events=[data["event_id"]])
    assert details_in_words((await me.reconciled("create_event", **LUNCH)).detail) == "It was made, and deleted since."
    assert await me.failure("create_event", **LUNCH) == ("CONFLICT", "It was made, and deleted since.")
    assert me.titles() == []


async def test_nobody_can_say_while_google_is_away(me: Account) -> None:
    me.server.fail("calendar.events.get", 500, "backendError", times=3)
    assert (await me.reconciled("create_event", **LUNCH)).settled is Settled.UNKNOWN


async def test_google_that_does_not_answer_leaves_it_unknown(me: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "TIMEOUT_MS", 200)
    me.server.slow_down(0.6)
    result = await me.do("create_event", **LUNCH)
    assert result.error is not None
    assert (result.error.code, result.error.effect) == ("TIMEOUT", Effect.UNKNOWN)


async def test_a_token_that_expired_is_renewed_on_the_way(me: Account) -> None:
    assert (await me.do("list_events")).ok
    me.server.fail("calendar.events.insert", 401, "authError")
    assert (await me.do("create_event", **LUNCH)).ok


async def test_guests_are_shown_as_recipients_and_told_by_google(me: Account) -> None:
    guests = [ANNA, {"address": "mail:stranger@else.example", "name": "Sam"}]
    shown = await me.preview("create_event", **LUNCH, guests=guests)
    assert "invites its guests by mail" in shown.effect
    assert [one.address for one in shown.recipients] == [f"mail:{ANNA}", "mail:stranger@else.example"]
    await me.approved("create_event", **LUNCH, guests=guests)
    assert sorted(notice.to for notice in me.server.notices) == [ANNA, "stranger@else.example"]
    assert me.titles(ANNA) == ["Lunch"]


async def test_a_card_shows_day_time_zone_and_what_is_there_already(me: Account) -> None:
    me.add("Dentist", "2027-03-08T13:00", 30)
    me.add("Holiday", "2027-03-08")
    me.add("Reading", "2027-03-08T12:00", transparency="transparent")
    shown = facts(await me.preview("create_event", **LUNCH, location="Roma", repeat="weekly", until="2027-04-30"))
    assert shown == {
        "When": "Monday 8 March 2027 at 12:30 to 13:30 (Europe/Berlin)",
        "Repeats": "every week until 30 April 2027",
        "Where": "Roma",
        "At that time": "Dentist (13:00 to 13:30)",
    }


async def test_the_past_is_told_and_asks_nothing(me: Account) -> None:
    shown = await me.preview("create_event", title="Lunch", start="2027-03-01T12:00")
    assert shown.passing == (("Worth knowing", "It is in the past."),)
    assert "Worth knowing" not in facts(shown), "a card that waits is not another one when its time has passed"
    assert (await me.approved("create_event", title="Lunch", start="2027-03-01T12:00")).ok


async def test_a_time_that_the_clocks_skip_is_the_first_one_after_it_and_told(me: Account) -> None:
    args = {"title": "Night", "start": "2027-03-28T02:30"}
    shown = facts(await me.preview("create_event", **args))
    assert shown["Worth knowing"] == "The clocks go forward then; it is taken as 03:00."
    await me.approved("create_event", **args)
    assert me.starts() == {"Night": "2027-03-28T03:00:00+02:00"}


async def test_a_time_that_comes_twice_is_the_first_one_and_told(me: Account) -> None:
    args = {"title": "Night", "start": "2027-10-31T02:30", "minutes": 60}
    assert "the first of the two" in facts(await me.preview("create_event", **args))["Worth knowing"]
    data = (await me.approved("create_event", **args)).data or {}
    assert me.starts() == {"Night": "2027-10-31T02:30:00+02:00"}
    assert data["end"] == "2027-10-31T02:30", "an hour later it is half past two once more"


async def test_whole_days_are_dates_and_repeat_by_date(me: Account) -> None:
    await me.approved("create_event", title="Anna", start="1990-03-08", repeat="yearly")
    (event,) = me.book().values()
    assert (event["start"], event["end"]) == ({"date": "1990-03-08"}, {"date": "1990-03-09"})
    assert event["recurrence"] == ["RRULE:FREQ=YEARLY"]
    rows = (await me.data("list_events", since="2027-03-08", before="2027-03-09"))["events"]
    assert [(row["title"], row["start"]) for row in rows] == [("Anna", "2027-03-08")]


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ({"start": "2027-03-08T09:00", "repeat": "daily", "until": "2027-03-10"}, "FREQ=DAILY;UNTIL=20270310T225900Z"),
        ({"start": "2027-03-08", "repeat": "monthly", "until": "2027-06-08"}, "FREQ=MONTHLY;UNTIL=20270608"),
    ],
)
async def test_the_last_day_of_a_series_is_part_of_it(me: Account, said: dict[str, Any], rule: str) -> None:
    await me.approved("create_event", title="Course", **said)
    (event,) = me.book().values()
    assert event["recurrence"] == [f"RRULE:{rule}"]
    rows = (await me.data("list_events", since="2027-03-01", before="2027-12-01"))["events"]
    assert rows[-1]["start"].startswith(said["until"])


async def test_a_day_that_not_every_month_has_is_told(me: Account) -> None:
    shown = facts(await me.preview("create_event", title="Rent", start="2027-01-31", repeat="monthly"))
    assert "Where there is no such day, it is left out." in shown["Repeats"]


async def test_reminder_length_and_calendar_are_as_said(me: Account) -> None:
    club = me.server.add_calendar(ME, "Club")
    args = {"title": "Game", "start": "2027-03-08T19:00", "minutes": 90, "calendar": "club", "remind_minutes": 120}
    shown = facts(await me.preview("create_event", **args))
    assert (shown["Reminder"], shown["Calendar"]) == ("120 minutes before", "club")
    await me.approved("create_event", **args)
    (event,) = me.book(club).values()
    assert event["reminders"] == {"useDefault": False, "overrides": [{"method": "popup", "minutes": 120}]}
    assert (await me.reconciled("create_event", **args)).settled is Settled.DONE


async def test_a_calendar_of_others_that_may_only_be_read_is_refused_before_anybody_is_asked(me: Account) -> None:
    me.server.add_calendar(ANNA, "Office", shared_with={ME: "reader"})
    for tool in ("create_event",):
        complete = me.registry.spec(f"user_calendar_{tool}").complete
        assert complete is not None
        result = await complete(me.call(tool, **LUNCH, calendar="Office"))
        assert result.error is not None
        assert "may not change anything in the calendar Office" in result.error.message
    assert (await me.failure("create_event", **LUNCH, calendar="Office"))[0] == "INVALID_INPUT"
    assert (await me.failure("create_event", **LUNCH, calendar="Nowhere"))[0] == "INVALID_INPUT"


@pytest.mark.parametrize(
    "wrong",
    [
        {"start": "2027-03-08T12:30", "end": "2027-03-08T12:00"},
        {"start": "2027-03-08T12:30", "end": "2027-03-09"},
        {"start": "2027-03-08T12:30", "end": "2027-03-08T13:00", "minutes": 30},
        {"start": "2027-03-08", "minutes": 30},
        {"start": "2027-03-08T12:30+01:00"},
        {"start": "tomorrow"},
        {"start": "0001-01-01"},
        {"start": 7},
        {"start": "2027-03-08", "until": "2027-05-01"},
        {"start": "2027-03-08", "until": "2027-03-01", "repeat": "daily"},
        {"start": "2027-03-08", "guests": ["nobody"]},
        {"start": "2027-03-08", "title": "two\nlines"},
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=r"\S"):
        CreateEventArgs.model_validate({"title": "Lunch"} | wrong)


# A change


async def test_only_what_was_named_is_changed_and_the_card_shows_what_was(me: Account) -> None:
    id_ = me.add("Dentist", "2027-03-08T09:00", 45, location="Main Street", description="Bring the card")
    args = {"event": id_, "start": "2027-03-09T10:00"}
    shown = await me.preview("change_event", **args)
    assert facts(shown) == {
        "Event": "Dentist",
        "When": "Tuesday 9 March 2027 at 10:00 to 10:45 (Europe/Berlin)",
        "It was": "Monday 8 March 2027 at 09:00 to 09:45 (Europe/Berlin)",
        "Calendar": ME,
    }
    before = me.book()[id_]
    assert (await me.approved("change_event", **args)).ok
    after = me.book()[id_]
    assert {key for key in after if after[key] != before[key]} == {"start", "end"}


@pytest.mark.parametrize(
    ("said", "field", "value"),
    [
        ({"title": "Doctor"}, "summary", "Doctor"),
        ({"location": "Elsewhere"}, "location", "Elsewhere"),
        ({"location": ""}, "location", ""),
        ({"description": ""}, "description", ""),
        ({"description": "New"}, "description", "New"),
    ],
)
async def test_texts_are_changed_or_taken_away(me: Account, said: dict[str, Any], field: str, value: str) -> None:
    id_ = me.add("Dentist", "2027-03-08T09:00", location="Main Street", description="Bring the card")
    shown = await me.preview("change_event", event=id_, **said)
    assert value in (*facts(shown).values(), shown.body) or "taken away" in facts(shown).values()
    await me.approved("change_event", event=id_, **said)
    assert me.book()[id_].get(field, "") == value


@pytest.mark.parametrize(
    ("said", "end"),
    [({"minutes": 20}, "09:20"), ({"end": "2027-03-08T11:00"}, "11:00"), ({"start": "2027-03-08T08:30"}, "09:30")],
)
async def test_it_ends_as_said_or_stays_as_long_as_it_was(me: Account, said: dict[str, Any], end: str) -> None:
    id_ = me.add("Dentist", "2027-03-08T09:00")
    data = (await me.approved("change_event", event=id_, **said)).data or {}
    assert data["end"].endswith(end)


async def test_whole_days_move_and_become_a_time_and_back(me: Account) -> None:
    id_ = me.add("Trip", "2027-03-10")
    assert (await me.approved("change_event", event=id_, start="2027-03-12")).ok
    assert me.book()[id_]["end"] == {"date": "2027-03-13"}
    assert (await me.approved("change_event", event=id_, end="2027-03-14")).ok
    assert me.book()[id_]["end"] == {"date": "2027-03-15"}
    assert (await me.approved("change_event", event=id_, start="2027-03-12T08:00")).ok
    assert me.starts() == {"Trip": "2027-03-12T08:00:00+01:00"}
    assert (await me.approved("change_event", event=id_, start="2027-03-12")).ok
    assert me.book()[id_]["start"] == {"date": "2027-03-12"}


async def test_one_of_a_series_is_changed_alone_or_all_of_it_with_it(me: Account) -> None:
    me.add("Yoga", "2027-03-09T18:00", recurrence=["RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=4"])
    rows = (await me.data("list_events", since="2027-03-01", before="2027-04-15"))["events"]
    await me.approved("change_event", event=rows[1]["event_id"], start="2027-03-16T19:00")
    rows = (await me.data("list_events", since="2027-03-01", before="2027-04-15"))["events"]
    assert [row["start"][5:] for row in rows] == ["03-09T18:00", "03-16T19:00", "03-23T18:00", "03-30T18:00"]
    moved = {"event": rows[2]["event_id"], "start": "2027-03-24T17:00", "series": True}
    shown = await me.preview("change_event", **moved)
    assert shown.effect == "Changes a whole series in your calendar"
    result = await me.approved("change_event", **moved)
    assert details_in_words(result.meta.remark) == "The whole series is changed."
    rows = (await me.data("list_events", since="2027-03-01", before="2027-04-15"))["events"]
    # It stays at five by the clock, also after summer time has begun.
    assert [row["start"][5:] for row in rows] == ["03-10T17:00", "03-17T17:00", "03-24T17:00", "03-31T17:00"]


async def test_a_series_on_several_days_is_not_moved_to_another_one(me: Account) -> None:
    me.add("Yoga", "2027-03-09T18:00", recurrence=["RRULE:FREQ=WEEKLY;BYDAY=TU,TH"])
    rows = (await me.data("list_events", since="2027-03-01", before="2027-03-20"))["events"]
    code, why = await me.failure("change_event", event=rows[0]["event_id"], start="2027-03-10T18:00", series=True)
    assert (code, "cannot simply be moved" in why) == ("INVALID_INPUT", True)
    code, _ = await me.failure("change_event", event=rows[0]["event_id"], start="2027-03-09", series=True)
    assert code == "INVALID_INPUT"
    assert (await me.approved("change_event", event=rows[0]["event_id"], start="2027-03-09T19:00", series=True)).ok


async def test_a_series_itself_is_not_taken_for_one_of_its_events(me: Account) -> None:
    id_ = me.add("Yoga", "2027-03-09T18:00", recurrence=["RRULE:FREQ=WEEKLY"])
    assert "this is a whole series" in (await me.failure("change_event", event=id_, title="Run"))[1]


async def test_guests_come_and_go_and_the_others_keep_their_answers(me: Account) -> None:
    guests = [{"email": ANNA, "responseStatus": "accepted"}, {"email": "out@else.example"}]
    id_ = me.add("Plan", "2027-03-08T09:00", attendees=guests)
    args = {"event": id_, "add_guests": [TOM], "remove_guests": ["out@else.example"]}
    shown = await me.preview("change_event", **args)
    assert (facts(shown)["Invites"], facts(shown)["No longer invites"]) == (TOM, "out@else.example")
    assert {one.address for one in shown.recipients} == {f"mail:{ANNA}", f"mail:{TOM}", "mail:out@else.example"}
    assert "tells its guests by mail" in shown.effect
    assert (await me.approved("change_event", **args)).ok
    after = {guest["email"]: guest["responseStatus"] for guest in me.book()[id_]["attendees"]}
    assert after == {ANNA: "accepted", TOM: "needsAction"}


async def test_what_others_organise_is_refused_before_anybody_is_asked(me: Account) -> None:
    id_ = me.invited("Review", "2027-03-08T14:00")
    assert await me.failure("change_event", event=id_, title="Mine") == (
        "REJECTED",
        f"{ANNA} organises this event, and only they can change it",
    )


async def test_what_was_changed_after_it_was_shown_is_left_alone(me: Account) -> None:
    id_ = me.add("Dentist", "2027-03-08T09:00")
    shown = await me.completed("change_event", event=id_, title="Doctor")
    await me.approved("change_event", event=id_, start="2027-03-08T11:00")
    code, why = await me.failure("change_event", **shown)
    assert (code, "changed since it was shown" in why) == ("CONFLICT", True)
    assert me.titles() == ["Dentist"]


async def test_a_change_that_was_lost_is_found_and_done_once(me: Account) -> None:
    id_ = me.add("Dentist", "2027-03-08T09:00")
    shown = await me.completed("change_event", event=id_, title="Doctor", start="2027-03-09T09:00")
    assert (await me.reconciled("change_event", **shown)).settled is Settled.REPEAT
    me.server.fail("calendar.events.patch", 0, "", after_effect=True)
    assert not (await me.do("change_event", **shown)).ok
    assert (await me.reconciled("change_event", **shown)).settled is Settled.DONE
    assert (await me.do("change_event", **shown)).ok, "doing it again finds it done"
    await me.approved("change_event", event=id_, title="Somebody")
    assert (await me.reconciled("change_event", **shown)).settled is Settled.UNKNOWN
    assert (await me.reconciled("change_event", event=id_, title="x")).settled is Settled.UNKNOWN
    me.server.fail("calendar.events.get", 404, "notFound")
    assert (await me.reconciled("change_event", **shown)).settled is Settled.UNKNOWN


async def test_a_change_meanwhile_that_google_sees_itself_is_told(me: Account) -> None:
    id_ = me.add("Dentist", "2027-03-08T09:00")
    shown = await me.completed("change_event", event=id_, title="Doctor")
    me.server.fail("calendar.events.patch", 412, "conditionNotMet")
    assert await me.failure("change_event", **shown) == ("CONFLICT", "this event was changed meanwhile")


async def test_a_deleted_event_cannot_be_changed(me: Account) -> None:
    id_ = me.add("Dentist", "2027-03-08T09:00")
    shown = await me.completed("change_event", event=id_, title="Doctor")
    await me.bulk(action="delete", events=[id_])
    for args in (shown, {"event": id_, "title": "Doctor"}):
        assert (await me.failure("change_event", **args))[0] == "NOT_FOUND"


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"series": True},
        {"end": "2027-03-08T13:00", "minutes": 30},
        {"start": "2027-03-08T14:00", "end": "2027-03-08T13:00"},
        {"add_guests": [ANNA], "remove_guests": [ANNA]},
    ],
)
def test_a_change_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=r"\S"):
        ChangeEventArgs.model_validate({"event": "e1"} | wrong)


@pytest.mark.parametrize(
    ("when", "said"),
    [
        ("2027-03-08T09:00", {"end": "2027-03-08T08:00"}),
        ("2027-03-08T09:00", {"end": "2027-03-09"}),
        ("2027-03-08", {"minutes": 30}),
        ("2027-03-08", {"end": "2027-03-07"}),
    ],
)
async def test_an_end_that_does_not_fit_the_event_is_refused(me: Account, when: str, said: dict[str, Any]) -> None:
    id_ = me.add("Dentist", when)
    assert (await me.failure("change_event", event=id_, **said))[0] == "INVALID_INPUT"


async def test_an_event_over_the_end_of_summer_time_is_as_long_as_it_was(me: Account) -> None:
    id_ = me.add("Night shift", "2027-10-30T22:00", 600)
    shown = facts(await me.preview("change_event", event=id_, start="2027-11-02T22:00"))
    assert shown["It was"].startswith("Saturday 30 October 2027 at 22:00 to Sunday 31 October 2027 at 08:00")
    data = (await me.approved("change_event", event=id_, start="2027-11-02T22:00")).data or {}
    assert data["end"] == "2027-11-03T09:00", "eleven hours, since the clocks went back in between"
    assert "Wednesday 3 November 2027 at 09:00" in shown["When"]
