"""Guests: their copies, their answers, and who is told of what."""

import pytest
from googleapiclient.errors import HttpError

from butler_demo.calendar.guests import NoticeKind

ANNA = "anna@friends.example"
EVE = "eve@else.example"
ME = "me@home.example"


@pytest.fixture
async def dinner(me, at):
    body = at(10, summary="Dinner", attendees=[{"email": ANNA, "responseStatus": "accepted"}, {"email": EVE}])
    return await me(lambda api: api.events().insert(calendarId="primary", body=body, sendUpdates="all"))


async def get(client, event):
    return await client(lambda api: api.events().get(calendarId="primary", eventId=event["id"]))


async def patch(client, event, **body):
    return await client(
        lambda api: api.events().patch(calendarId="primary", eventId=event["id"], body=body, sendUpdates="all")
    )


def answers(event):
    return {guest["email"]: guest["responseStatus"] for guest in event["attendees"]}


async def test_an_invitation_is_in_the_guests_calendar_unanswered(server, anna, dinner):
    copy = await get(anna, dinner)
    assert (copy["summary"], copy["iCalUID"]) == ("Dinner", dinner["iCalUID"])
    assert (copy["organizer"]["email"], "self" in copy["organizer"]) == (ME, False)
    assert [guest.get("self", False) for guest in copy["attendees"]] == [True, False]
    assert answers(copy) == {ANNA: "needsAction", EVE: "needsAction"}
    assert copy["start"]["dateTime"] == "2026-03-10T04:00:00-04:00"
    assert [(notice.kind, notice.to) for notice in server.notices] == [
        (NoticeKind.INVITATION, ANNA),
        (NoticeKind.INVITATION, EVE),
    ]


@pytest.mark.parametrize(("send_updates", "told"), [("all", [ANNA, EVE]), ("none", []), (None, [])])
async def test_only_those_are_told_who_are_to_be_told(server, me, anna, at, send_updates, told):
    body = at(10, attendees=[{"email": ANNA}, {"email": EVE}])
    options = {"sendUpdates": send_updates} if send_updates else {}
    made = await me(lambda api: api.events().insert(calendarId="primary", body=body, **options))
    assert [notice.to for notice in server.notices] == told
    assert await get(anna, made)


async def test_a_guests_answer_reaches_the_organizer(server, me, anna, dinner):
    copy = await get(anna, dinner)
    guests = [guest | ({"responseStatus": "tentative"} if guest.get("self") else {}) for guest in copy["attendees"]]
    await patch(anna, dinner, attendees=guests)
    assert answers(await get(me, dinner)) == {ANNA: "tentative", EVE: "needsAction"}
    assert server.notices[-1].kind is NoticeKind.RESPONSE
    assert server.notices[-1].to == ME


async def test_a_guest_changes_nothing_that_is_the_organizers(anna, dinner):
    for body in ({"summary": "Mine"}, {"attendees": [{"email": ANNA}]}):
        with pytest.raises(HttpError) as refused:
            await patch(anna, dinner, **body)
        assert (refused.value.status_code, refused.value.error_details[0]["reason"]) == (
            403,
            "forbiddenForNonOrganizer",
        )
    private = await patch(anna, dinner, colorId="5", transparency="transparent")
    assert private["colorId"] == "5"


async def test_a_change_reaches_the_guests_and_leaves_what_is_theirs(me, anna, dinner, at):
    await patch(anna, dinner, colorId="5")
    await patch(me, dinner, start=at(11)["start"], end=at(11)["end"])
    copy = await get(anna, dinner)
    assert (copy["start"]["dateTime"][:10], copy["colorId"]) == ("2026-03-11", "5")


async def test_who_is_no_longer_invited_has_the_event_cancelled(server, me, anna, dinner):
    await patch(me, dinner, attendees=[{"email": EVE}])
    assert (await get(anna, dinner))["status"] == "cancelled"
    kinds = {notice.to: notice.kind for notice in server.notices}
    assert kinds == {ANNA: NoticeKind.CANCELLATION, EVE: NoticeKind.UPDATE}


async def test_deleting_cancels_for_everybody_and_a_guest_declines_by_it(server, me, anna, dinner):
    await anna(lambda api: api.events().delete(calendarId="primary", eventId=dinner["id"]))
    assert answers(await get(me, dinner))[ANNA] == "declined"
    await me(lambda api: api.events().delete(calendarId="primary", eventId=dinner["id"], sendUpdates="all"))
    assert server.notices[-1].kind is NoticeKind.CANCELLATION


async def test_an_invitation_from_elsewhere_is_answered_by_mail(server, me, at):
    event = server.add_event(ME, at(10, attendees=[{"email": ME}]), organizer=EVE)
    guests = [{"email": ME, "responseStatus": "accepted"}]
    await patch(me, event, attendees=guests)
    assert [(notice.kind, notice.to) for notice in server.notices] == [(NoticeKind.RESPONSE, EVE)]


async def test_a_guest_answers_for_themselves_alone_where_the_others_are_left_out(me, anna, dinner):
    await patch(anna, dinner, attendeesOmitted=True, attendees=[{"email": ANNA, "responseStatus": "declined"}])
    assert answers(await get(me, dinner)) == {ANNA: "declined", EVE: "needsAction"}


async def test_what_a_guest_removed_is_declined_and_may_be_brought_back(me, anna, dinner):
    await anna(lambda api: api.events().delete(calendarId="primary", eventId=dinner["id"]))
    assert answers(await get(me, dinner))[ANNA] == "declined"
    mine = [{"email": ANNA, "responseStatus": "accepted"}]
    await patch(anna, dinner, status="confirmed", attendeesOmitted=True, attendees=mine)
    assert (await get(anna, dinner))["status"] == "confirmed"
    assert answers(await get(me, dinner)) == {ANNA: "accepted", EVE: "needsAction"}


async def test_what_the_organizer_deleted_no_guest_brings_back(me, anna, dinner):
    await me(lambda api: api.events().delete(calendarId="primary", eventId=dinner["id"]))
    with pytest.raises(HttpError) as refused:
        await patch(anna, dinner, status="confirmed")
    assert refused.value.status_code == 403
