"""Calendars, their sharing, push channels, and the common door."""

import json

import aiohttp
import pytest
from googleapiclient.errors import HttpError

from butler_demo.calendar.operations import OPERATIONS
from butler_demo.gmail.server import GmailServer
from butler_demo.google.description import load_description

ANNA = "anna@friends.example"
ME = "me@home.example"
SCOPE = "https://www.googleapis.com/auth/calendar"


async def refusal(client, build):
    with pytest.raises(HttpError) as refused:
        await client(build)
    return refused.value.status_code, refused.value.error_details[0]["reason"]


async def test_the_list_has_the_own_calendars_and_the_shared_ones(server, me, anna):
    team = server.add_calendar(ANNA, "Team", shared_with={ME: "writer"})
    entries = (await me(lambda api: api.calendarList().list()))["items"]
    assert [(entry["id"], entry["accessRole"], entry.get("primary")) for entry in entries] == [
        (ME, "owner", True),
        (team, "writer", None),
    ]


async def test_a_role_is_all_that_one_may_do(server, me, at):
    read = server.add_calendar(ANNA, "Read", shared_with={ME: "reader"})
    hidden = server.add_calendar(ANNA, "Hidden")
    assert await refusal(me, lambda api: api.events().insert(calendarId=read, body=at(10))) == (
        403,
        "requiredAccessLevel",
    )
    assert await refusal(me, lambda api: api.events().list(calendarId=hidden)) == (404, "notFound")


async def test_a_channel_is_told_of_changes_until_it_is_stopped(server, me, at):
    heard = []
    server.on_push(heard.append)
    body = {"id": "c-1", "type": "web_hook", "address": "https://butler.example/hook", "token": "t"}
    channel = await me(lambda api: api.events().watch(calendarId="primary", body=body))
    server.add_event(ME, at(10))
    assert [(push.state, push.number, push.token) for push in heard] == [("sync", 1, "t"), ("exists", 2, "t")]
    assert await refusal(me, lambda api: api.events().watch(calendarId="primary", body=body)) == (
        400,
        "channelIdNotUnique",
    )
    stop = {"id": channel["id"], "resourceId": channel["resourceId"]}
    assert not await me(lambda api: api.channels().stop(body=stop))
    server.add_event(ME, at(11))
    assert len(heard) == 2
    assert await refusal(me, lambda api: api.channels().stop(body=stop)) == (404, "notFound")
    plain = body | {"address": "http://butler.example/hook"}
    assert (await refusal(me, lambda api: api.events().watch(calendarId="primary", body=plain)))[0] == 400


async def test_reading_needs_a_scope_for_it_and_writing_another(server, connect, at):
    reader = connect(server, ME, scopes=[f"{SCOPE}.readonly"])
    assert (await reader(lambda api: api.events().list(calendarId="primary")))["items"] == []
    with pytest.raises(HttpError) as refused:
        await reader(lambda api: api.events().insert(calendarId="primary", body=at(10)))
    error = json.loads(refused.value.content)["error"]
    assert (error["code"], error["errors"][0]["reason"]) == (403, "insufficientPermissions")
    assert error["details"][0]["reason"] == "ACCESS_TOKEN_SCOPE_INSUFFICIENT"
    assert error["details"][0]["metadata"]["method"] == "calendar.events.insert"


async def test_a_wrong_token_is_401_in_the_older_words(server):
    headers = {"Authorization": "Bearer wrong"}
    address = f"{server.url}calendar/v3/users/me/calendarList"
    async with aiohttp.ClientSession(headers=headers) as session, session.get(address) as answer:
        error = (await answer.json())["error"]
        assert (answer.status, error["errors"][0]["reason"], "status" in error) == (401, "authError", False)


async def test_one_consent_is_good_for_mail_and_calendar(server, clock, connect):
    gmail = GmailServer(now=clock, authority=server.authority)
    gmail.add_account(ME, "Max Home")
    await gmail.start()
    client = connect(server, ME, scopes=[SCOPE, "https://mail.google.com/"])
    await client(lambda api: api.calendarList().list())
    headers = {"Authorization": f"Bearer {client.credentials.token}"}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.get(f"{gmail.url}gmail/v1/users/me/profile") as answer,
    ):
        assert answer.status == 200
    await gmail.stop()


async def test_faults_and_quota_are_as_with_gmail(server, me):
    server.fail("calendar.events.list", 403, "rateLimitExceeded")
    assert await refusal(me, lambda api: api.events().list(calendarId="primary")) == (403, "rateLimitExceeded")
    await me(lambda api: api.events().list(calendarId="primary"))
    assert server.spent(ME) == 2


async def test_a_batch_reads_and_writes_events(server, me, at):
    await me.in_thread(me.refresh)
    answers = []
    batch = me.service.new_batch_http_request(lambda key, answer, error: answers.append((key, answer, error)))
    for day in (10, 11):
        batch.add(me.service.events().insert(calendarId="primary", body=at(day)), request_id=str(day))
    await me.in_thread(batch.execute)
    assert [(key, error) for key, _, error in answers] == [("10", None), ("11", None)]
    assert len(server.events(ME)) == 2


def test_every_operation_is_in_the_description():
    assert set(OPERATIONS) <= set(load_description("calendar", "v3").operations)
