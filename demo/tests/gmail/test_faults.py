"""Faults by order, as Google's client library sees them."""

import pytest
from googleapiclient.errors import HttpError

from demo.tests.gmail.clients import send

ANNA = "anna@friends.example"
ME = "me@home.example"
SEND = "gmail.users.drafts.send"


async def test_a_rate_limit_says_how_long_to_wait_and_has_no_effect(server, me, encoded):
    server.fail(SEND, 429, "rateLimitExceeded", retry_after=7)
    with pytest.raises(HttpError) as limited:
        await send(me, encoded(To=ANNA))
    assert (limited.value.status_code, limited.value.resp["retry-after"]) == (429, "7")
    assert limited.value.error_details[0] == {
        "message": "Fault by order: rateLimitExceeded",
        "domain": "usageLimits",
        "reason": "rateLimitExceeded",
    }
    assert server.sent_by(ME) == ()
    await send(me, encoded(To=ANNA))
    assert len(server.sent_by(ME)) == 1


async def test_faults_come_as_often_as_ordered_and_only_to_their_operation(server, me):
    server.fail("gmail.users.labels.list", 503, "backendError", times=2)
    await me(lambda users: users.getProfile(userId="me"))
    for _ in range(2):
        with pytest.raises(HttpError) as failed:
            await me(lambda users: users.labels().list(userId="me"))
        assert failed.value.status_code == 503
    assert await me(lambda users: users.labels().list(userId="me"))


async def test_a_draft_whose_answer_is_lost_is_sent_once_in_spite_of_that(server, me, encoded):
    message = encoded(To=ANNA, Message_ID="<l1@home.example>")
    draft = await me(lambda users: users.drafts().create(userId="me", body={"message": message}))
    server.fail("gmail.users.drafts.send", 0, "", after_effect=True)
    with pytest.raises(HttpError) as refused:
        await me(lambda users: users.drafts().send(userId="me", body={"id": draft["id"]}))
    assert refused.value.status_code == 404
    assert len(server.sent_by(ME)) == 1


async def test_an_offline_server_answers_nobody_until_it_comes_back(server, me):
    await me(lambda users: users.getProfile(userId="me"))
    server.go_offline()
    with pytest.raises(ConnectionError):
        await me(lambda users: users.getProfile(userId="me"))
    assert len(server.calls) == 1
    server.come_back()
    assert await me(lambda users: users.getProfile(userId="me"))


async def test_the_token_endpoint_fails_by_order_too(server, me):
    server.fail("oauth2.token", 400, "invalid_grant")
    with pytest.raises(Exception, match="invalid_grant"):
        await me(lambda users: users.getProfile(userId="me"))
    assert await me(lambda users: users.getProfile(userId="me"))


def test_a_fault_for_an_operation_that_does_not_exist_is_refused(server):
    with pytest.raises(ValueError, match="no operation"):
        server.fail("gmail.users.messages.sent", 500, "backendError")


async def test_a_connection_that_drops_before_the_effect_leaves_nothing(server, me, encoded):
    server.fail(SEND, 0, "", times=2)
    with pytest.raises(ConnectionError):
        await send(me, encoded(To=ANNA))
    assert server.sent_by(ME) == ()


async def test_an_error_by_order_says_what_it_is_told_to_say(server, me):
    words = "User-rate limit exceeded.  Retry after 2026-03-10T12:05:00.000Z"
    server.fail("gmail.users.getProfile", 429, "rateLimitExceeded", message=words)
    with pytest.raises(HttpError, match="Retry after 2026-03-10T12:05"):
        await me(lambda users: users.getProfile(userId="me"))
