"""Google's credentials against the stand-in's token endpoint and scope checks."""

import json
from urllib.parse import urlencode

import aiohttp
import pytest
from google.auth.exceptions import RefreshError
from googleapiclient.errors import HttpError

ANNA = "anna@friends.example"
ME = "me@home.example"
SCOPE = "https://www.googleapis.com/auth/gmail."


async def test_a_client_refreshes_by_itself_when_its_token_has_expired(me, clock):
    await me(lambda users: users.getProfile(userId="me"))
    first = me.credentials.token
    clock.advance(hours=2)
    await me(lambda users: users.getProfile(userId="me"))
    assert me.credentials.token != first


async def test_a_bare_access_token_works_until_it_expires(server, clock):
    headers = {"Authorization": f"Bearer {server.token_for(ME)}"}
    address = f"{server.url}gmail/v1/users/me/profile"
    async with aiohttp.ClientSession(headers=headers) as session:
        async with session.get(address) as answer:
            assert (await answer.json())["emailAddress"] == ME
        clock.advance(minutes=61)
        async with session.get(address) as answer:
            error = (await answer.json())["error"]
            assert (answer.status, error["status"]) == (401, "UNAUTHENTICATED")
            assert error["errors"][0]["reason"] == "authError"


async def test_a_revoked_account_gets_invalid_grant_and_others_live_on(server, me, anna):
    await me(lambda users: users.getProfile(userId="me"))
    server.revoke(ME)
    with pytest.raises(RefreshError, match="invalid_grant"):
        await me(lambda users: users.getProfile(userId="me"))
    await anna(lambda users: users.getProfile(userId="me"))


async def test_a_new_consent_ends_a_revocation(server, connect):
    server.revoke(ME)
    await connect(server)(lambda users: users.getProfile(userId="me"))


@pytest.mark.parametrize(
    ("change", "status", "error"),
    [
        ({"client_secret": "wrong"}, 401, "invalid_client"),
        ({"refresh_token": "wrong"}, 400, "invalid_grant"),
        ({"grant_type": "password"}, 400, "unsupported_grant_type"),
        ({"scope": f"{SCOPE}send"}, 400, "invalid_scope"),
    ],
)
async def test_the_token_endpoint_refuses_what_is_not_granted(server, change, status, error):
    credentials = json.loads(server.credentials_json(ME, scopes=[f"{SCOPE}readonly"]))
    form = {key: credentials[key] for key in ("client_id", "client_secret", "refresh_token")}
    body = urlencode(form | {"grant_type": "refresh_token"} | change)
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{server.url}token", data=body, headers=headers) as answer,
    ):
        assert (answer.status, (await answer.json())["error"]) == (status, error)


async def test_a_send_only_token_sends_and_cannot_list(server, connect, encoded):
    client = connect(server, scopes=[f"{SCOPE}send"])
    await client(lambda users: users.messages().send(userId="me", body=encoded(To=ANNA)))
    with pytest.raises(HttpError, match="insufficient authentication scopes") as refused:
        await client(lambda users: users.messages().list(userId="me"))
    assert refused.value.status_code == 403
    error = json.loads(refused.value.content)["error"]
    assert (error["status"], error["errors"][0]["reason"]) == ("PERMISSION_DENIED", "insufficientPermissions")


async def test_a_metadata_token_neither_searches_nor_reads_bodies(server, connect, mail):
    message = server.deliver(ME, mail(To=ME))
    client = connect(server, scopes=[f"{SCOPE}metadata"])
    assert await client(lambda users: users.messages().list(userId="me"))
    assert await client(lambda users: users.messages().get(userId="me", id=message.id, format="metadata"))
    with pytest.raises(HttpError, match="does not support 'q'"):
        await client(lambda users: users.messages().list(userId="me", q="x"))
    with pytest.raises(HttpError, match="doesn't allow format FULL"):
        await client(lambda users: users.messages().get(userId="me", id=message.id))


async def test_another_users_mailbox_is_closed(me):
    assert await me(lambda users: users.getProfile(userId=ME))
    with pytest.raises(HttpError, match="Delegation denied"):
        await me(lambda users: users.getProfile(userId=ANNA))


def test_an_unknown_scope_is_refused_at_once(server):
    with pytest.raises(ValueError, match="Google has no scope"):
        server.token_for(ME, scopes=["gmail.modify"])
