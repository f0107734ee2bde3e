"""Calendars, their sharing, push channels, and the common door."""

import json

import aiohttp
import pytest
from googleapiclient.errors import HttpError

from butler_demo.calendar.operations import OPERATIONS
from butler_demo.google.description import load_description

ANNA = "anna@friends.example"
ME = "me@home.example"
SCOPE = "https://www.googleapis.com/auth/calendar"


async def refusal(client, build):
    with pytest.raises(HttpError) as refused:
        await client(build)
    return refused.value.status_code, refused.value.error_details[0]["reason"]


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


def test_every_operation_is_in_the_description():
    assert set(OPERATIONS) <= set(load_description("calendar", "v3").operations)
