"""What is read of the person's calendars."""

import pytest

from approvals.reason_words import details_in_words
from butler.contract.integration import IntegrationCall
from modules.calendar.records import CALENDARS
from tests.modules.calendar.calendar_account import ANNA, ME, Account


async def test_a_list_has_times_of_the_persons_own_and_people_and_where(me: Account) -> None:
    me.add("Dentist", "2027-03-08T09:30", 30, location="Main Street 1")
    me.invited("Review", "2027-03-08T14:00")
    data = await me.data("list_events", since="2027-03-08", before="2027-03-09")
    assert data["count"] == 2
    assert data["complete"] is True
    dentist, review = data["events"]
    assert dentist | {"url": ""} == {
        "event_id": dentist["event_id"],
        "title": "Dentist",
        "start": "2027-03-08T09:30",
        "end": "2027-03-08T10:00",
        "all_day": False,
        "calendar": ME,
        "location": "Main Street 1",
        "people": [],
        "series": False,
        "url": "",
    }
    assert (review["people"], review["response"]) == ([ANNA], "needsAction")


async def test_whole_days_end_with_their_last_day(me: Account) -> None:
    times = {"start": {"date": "2027-03-10"}, "end": {"date": "2027-03-13"}}
    me.server.add_event(ME, {"summary": "Trip"} | times)
    (trip,) = (await me.data("list_events"))["events"]
    assert (trip["start"], trip["end"], trip["all_day"]) == ("2027-03-10", "2027-03-12", True)


async def test_without_times_it_is_about_the_next_month_and_a_limit_is_told(me: Account) -> None:
    me.add("Past", "2027-03-01T09:00")
    me.add("Far", "2027-05-01T09:00")
    for day in range(6, 10):
        me.add(f"Near {day}", f"2027-03-{day:02}T09:00")
    data = await me.data("list_events", limit=3)
    assert [one["title"] for one in data["events"]] == ["Near 6", "Near 7", "Near 8"]
    assert data["complete"] is False


async def test_words_and_one_calendar_narrow_it_and_what_is_hidden_is_left_out(me: Account) -> None:
    club = me.server.add_calendar(ME, "Club")
    me.add("Yoga", "2027-03-08T09:00", calendar=club)
    me.add("Yoga at home", "2027-03-08T09:00")
    me.add("Work", "2027-03-08T09:00")
    hidden = me.server.add_calendar(ME, "Hidden", selected=False)
    me.add("Yoga once", "2027-03-08T09:00", calendar=hidden)
    assert (await me.data("list_events", words="yoga"))["count"] == 2
    assert len((await me.listed(action="delete", words="yoga"))[1]) == 2
    assert (await me.data("list_events", words="yoga", calendar="Hidden"))["count"] == 1
    (found,) = (await me.data("list_events", words="yoga", calendar="club"))["events"]
    assert (found["title"], found["calendar"]) == ("Yoga", "Club")
    assert found["event_id"].endswith(f"/{club}")
    one = await me.data("read_event", event=found["event_id"])
    assert one["title"] == "Yoga"


async def test_a_calendar_that_is_not_there_is_said_with_those_that_are(me: Account) -> None:
    code, why = await me.failure("list_events", calendar="Office")
    assert (code, f"there are {ME}" in why) == ("INVALID_INPUT", True)


async def test_an_empty_time_is_no_failure_and_says_so(me: Account) -> None:
    result = await me.do("list_events", since="2027-03-12", before="2027-03-13")
    looked = {"since": "2027-03-12T00:00", "before": "2027-03-13T00:00"}
    assert result.data == {"events": [], "count": 0, "complete": True, **looked}
    assert "Friday 12 March 2027 at 00:00" in details_in_words(result.meta.remark)


async def test_a_range_that_ends_before_it_begins_is_refused(me: Account) -> None:
    assert (await me.failure("list_events", since="2027-03-12", before="2027-03-10"))[0] == "INVALID_INPUT"
    assert (await me.failure("find_free_time", since="2027-03-12", before="2028-03-10"))[0] == "INVALID_INPUT"


async def test_one_event_is_read_whole(me: Account) -> None:
    guests = [{"email": ANNA, "displayName": "Anna"}, {"email": ME}]
    id_ = me.add(
        "Plan", "2027-03-08T09:00", description="Bring the map", attendees=guests, recurrence=["RRULE:FREQ=WEEKLY"]
    )
    one = await me.data("read_event", event=id_)
    assert (one["description"], one["mine"], one["series"]) == ("Bring the map", True, True)
    assert one["guests"][0] == {"address": ANNA, "name": "Anna", "response": "needsAction"}
    assert one["repeats"] == ["RRULE:FREQ=WEEKLY"]


async def test_an_event_that_is_deleted_or_never_was_is_said_to_be_gone(me: Account) -> None:
    id_ = me.add("Dentist", "2027-03-08T09:00")
    await me.bulk(action="delete", events=[id_])
    assert (await me.failure("read_event", event=id_))[0] == "NOT_FOUND"
    assert (await me.failure("read_event", event="nothing"))[0] == "NOT_FOUND"


async def test_calendars_are_listed_by_name(me: Account) -> None:
    me.server.add_calendar(ANNA, "Family", shared_with={ME: "writer"})
    rows = (await me.data("list_calendars"))["calendars"]
    assert [(row["name"], row["primary"], row["role"]) for row in rows] == [
        (ME, True, "owner"),
        ("Family", False, "writer"),
    ]


async def test_free_time_lies_between_events_by_day_and_leaves_out_what_takes_nobody(me: Account) -> None:
    me.add("Meeting", "2027-03-08T09:00", 120)
    me.add("Overlap", "2027-03-08T10:30", 60)
    me.add("Free for all", "2027-03-08T15:00", transparency="transparent")
    me.add("Not mine", "2027-03-08T16:00", calendar=ANNA)
    data = await me.data("find_free_time", since="2027-03-08", before="2027-03-09", minutes=60)
    assert [(row["start"], row["end"]) for row in data["free"]] == [
        ("2027-03-08T08:00", "2027-03-08T09:00"),
        ("2027-03-08T11:30", "2027-03-08T20:00"),
    ]


async def test_free_time_at_night_is_looked_for_where_only_that_is_asked(me: Account) -> None:
    data = await me.data("find_free_time", since="2027-03-08T21:00", before="2027-03-08T23:00")
    assert data["free"] == [{"start": "2027-03-08T21:00", "end": "2027-03-08T23:00", "minutes": 120}]


async def test_a_full_day_has_no_free_time_and_says_so(me: Account) -> None:
    me.add("All day long", "2027-03-08")
    result = await me.do("find_free_time", since="2027-03-08", before="2027-03-09")
    assert (result.data or {})["count"] == 0
    assert "no time of 60 minutes" in details_in_words(result.meta.remark)


async def test_a_declined_event_leaves_the_person_free(me: Account) -> None:
    me.invited("Review", "2027-03-08T08:00")
    await me.bulk(action="decline", words="review")
    (free,) = (await me.data("find_free_time", since="2027-03-08", before="2027-03-09"))["free"]
    assert free["minutes"] == 12 * 60


@pytest.mark.parametrize(("status", "reason"), [(500, "backendError"), (429, "rateLimitExceeded")])
async def test_a_read_is_tried_again_where_google_is_away_for_a_moment(me: Account, status: int, reason: str) -> None:
    me.add("Dentist", "2027-03-08T09:00")
    me.server.fail("calendar.events.list", status, reason, retry_after=0)
    assert (await me.data("list_events"))["count"] == 1


async def test_a_revoked_consent_says_what_to_run(me: Account) -> None:
    me.server.revoke(ME)
    code, why = await me.failure("list_events")
    assert (code, "butler login calendar" in why) == ("AUTH_REQUIRED", True)
    (check,) = await me.module.checks()
    assert (check.ok, "butler login calendar" in check.todo) == (False, True)


async def test_doctor_says_whose_calendar_it_is(me: Account) -> None:
    me.server.add_calendar(ME, "Club")
    (check,) = await me.module.checks()
    assert (check.ok, check.detail) == (True, f"{ME}, with 1 more calendar")
    status = await me.module.integrations()[0].auth_status()
    assert (status["ok"], status["account"]) == (True, ME)


async def test_what_is_left_of_the_minute_is_told_of_each_call(me: Account) -> None:
    (integration,) = me.module.integrations()
    call = IntegrationCall(trace_id="t", method_id=CALENDARS, args={})
    first, second = await integration.call(call), await integration.call(call)
    assert first.meta.rate_limit_remaining is not None
    assert second.meta.rate_limit_remaining == first.meta.rate_limit_remaining - 1
    assert first.meta.provenance.source_type == "calendar"
