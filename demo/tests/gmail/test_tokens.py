"""Google's credentials against the stand-in's token endpoint and scope checks."""

import asyncio
import json
from urllib.parse import parse_qsl, urlencode, urlsplit

import aiohttp
import pytest
from google.auth.exceptions import RefreshError
from google_auth_oauthlib.flow import InstalledAppFlow
from googleapiclient.errors import HttpError

from butler_demo.gmail.oauth import CLIENT_ID, CLIENT_SECRET, PUBLIC_CLIENT_ID
from demo.tests.gmail.clients import send

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


async def test_a_composing_token_sends_and_cannot_list(server, connect, encoded):
    client = connect(server, scopes=[f"{SCOPE}compose"])
    await send(client, encoded(To=ANNA))
    with pytest.raises(HttpError, match="insufficient authentication scopes") as refused:
        await client(lambda users: users.messages().list(userId="me"))
    assert refused.value.status_code == 403
    error = json.loads(refused.value.content)["error"]
    assert (error["status"], error["errors"][0]["reason"]) == ("PERMISSION_DENIED", "insufficientPermissions")


async def test_another_users_mailbox_is_closed(me):
    assert await me(lambda users: users.getProfile(userId=ME))
    with pytest.raises(HttpError, match="Delegation denied"):
        await me(lambda users: users.getProfile(userId=ANNA))


def test_an_unknown_scope_is_refused_at_once(server):
    with pytest.raises(ValueError, match="Google has no scope"):
        server.token_for(ME, scopes=["gmail.modify"])


# The consent page, as Google's own library for installed apps uses it


@pytest.fixture(autouse=True)
def insecure(monkeypatch):
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")  # the stand-in speaks HTTP, on loopback


def app_flow(server, *scopes):
    flow = InstalledAppFlow.from_client_config(
        json.loads(server.client_json()), scopes or [f"{SCOPE}modify"], redirect_uri="http://127.0.0.1:9/"
    )
    return flow, flow.authorization_url(prompt="consent")[0]


async def visited(page):
    """Where the browser ends up."""
    async with aiohttp.ClientSession() as session, session.get(page, allow_redirects=False) as answer:
        return answer.headers.get("Location") or await answer.text()


def answered(address):
    """The answer as the library wants it: it takes no HTTP address for one."""
    return address.replace("http:", "https:", 1)


def query_of(address):
    return dict(parse_qsl(urlsplit(address).query))


async def test_googles_own_flow_gets_a_consent_that_refreshes(server):
    flow, page = app_flow(server)
    server.decide(ME)
    address = await visited(page)
    await asyncio.to_thread(flow.fetch_token, authorization_response=answered(address))
    assert flow.credentials.refresh_token
    assert flow.credentials.granted_scopes == [f"{SCOPE}modify"]
    info = json.loads(flow.credentials.to_json())
    form = {key: info[key] for key in ("client_id", "client_secret", "refresh_token")}
    assert (await token(server, grant_type="refresh_token", **form))[0] == 200


async def test_a_scope_that_was_not_ticked_is_not_granted(server):
    flow, page = app_flow(server, f"{SCOPE}modify", f"{SCOPE}settings.basic")
    server.decide(ME, [f"{SCOPE}modify"])
    with pytest.raises(Warning, match="Scope has changed") as changed:
        await asyncio.to_thread(flow.fetch_token, authorization_response=answered(await visited(page)))
    assert changed.value.new_scope == [f"{SCOPE}modify"]


async def test_somebody_who_refuses_sends_the_client_an_error_and_its_state(server):
    _flow, page = app_flow(server)
    server.decide(ME, refuses=True)
    query = query_of(await visited(page))
    assert (query["error"], query["state"]) == ("access_denied", query_of(page)["state"])


async def test_without_a_person_the_page_waits(server):
    assert "Choose an account" in await visited(app_flow(server)[1])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"client_id": "somebody-else"}, "invalid_client"),
        ({"redirect_uri": "https://evil.example/"}, "redirect_uri_mismatch"),
        ({"redirect_uri": "http://127.0.0.1.evil.example/"}, "redirect_uri_mismatch"),
        ({"response_type": "token"}, "response_type=code"),
        ({"code_challenge_method": "plain"}, "code_challenge by S256"),
        ({"code_challenge": ""}, "code_challenge by S256"),
        ({"state": "short"}, "state that nobody can guess"),
        ({"scope": f"{SCOPE}everything"}, "invalid_scope"),
        ({"scope": ""}, "invalid_scope"),
    ],
)
async def test_a_request_that_is_not_in_order_gets_no_consent_page(server, change, said):
    base, _, _ = app_flow(server)[1].partition("?")
    server.decide(ME)
    assert said in await visited(f"{base}?{urlencode(query_of(app_flow(server)[1]) | change)}")


async def token(server, **form):
    """Status and answer of the token endpoint."""
    async with aiohttp.ClientSession() as session, session.post(f"{server.url}token", data=form) as answer:
        return answer.status, await answer.json()


async def a_code(server, **change):
    """A form that exchanges a fresh code."""
    flow, page = app_flow(server)
    server.decide(ME)
    form = {
        "grant_type": "authorization_code",
        "code": query_of(await visited(page))["code"],
        "redirect_uri": "http://127.0.0.1:9/",
        "code_verifier": flow.code_verifier,
        "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET,
    }
    return form | change


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"code_verifier": "x" * 43}, "invalid_grant"),
        ({"code_verifier": ""}, "invalid_grant"),
        ({"redirect_uri": "http://127.0.0.1:10/"}, "redirect_uri_mismatch"),
        ({"code": "4/0made-up"}, "invalid_grant"),
        ({"client_secret": "wrong"}, "invalid_client"),
        ({"client_id": PUBLIC_CLIENT_ID}, "invalid_client"),
    ],
)
async def test_a_code_is_exchanged_by_whom_it_was_made_for_only(server, change, error):
    assert (await token(server, **await a_code(server, **change)))[1]["error"] == error


async def test_a_code_is_good_once_and_a_second_use_ends_what_the_first_one_got(server):
    form = await a_code(server)
    status, first = await token(server, **form)
    assert status == 200
    assert (await token(server, **form))[1]["error"] == "invalid_grant"
    assert server.authority.check(first["access_token"], server._now()) is None


async def test_a_code_is_good_for_ten_minutes(server, clock):
    form = await a_code(server)
    clock.advance(minutes=10)
    assert (await token(server, **form))[1]["error"] == "invalid_grant"


async def test_a_refresh_token_comes_again_only_where_the_page_was_asked_for_again(server):
    assert "refresh_token" in (await token(server, **await a_code(server)))[1]
    flow = InstalledAppFlow.from_client_config(
        json.loads(server.client_json()), [f"{SCOPE}modify"], redirect_uri="http://127.0.0.1:9/"
    )
    server.decide(ME)
    query = query_of(await visited(flow.authorization_url()[0]))
    form = await a_code(server, code=query["code"], code_verifier=flow.code_verifier)
    assert "refresh_token" not in (await token(server, **form))[1]


async def test_a_consent_of_a_project_in_testing_mode_ends_after_seven_days(server, clock):
    server.authority.testing = True
    _, answer = await token(server, **await a_code(server))
    assert answer["refresh_token_expires_in"] == 7 * 24 * 3600
    form = {"grant_type": "refresh_token", "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET}
    clock.advance(days=6, hours=23)
    assert (await token(server, refresh_token=answer["refresh_token"], **form))[0] == 200
    clock.advance(hours=1)
    assert (await token(server, refresh_token=answer["refresh_token"], **form))[1]["error"] == "invalid_grant"


async def test_a_refresh_token_that_was_replaced_is_void(server):
    server.authority.rotates = True
    old = json.loads(server.credentials_json(ME))["refresh_token"]
    form = {"grant_type": "refresh_token", "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET}
    _, answer = await token(server, refresh_token=old, **form)
    assert (await token(server, refresh_token=old, **form))[1]["error"] == "invalid_grant"
    assert (await token(server, refresh_token=answer["refresh_token"], **form))[0] == 200


async def test_a_public_client_sends_no_secret(server):
    refresh = server.authority.grant(ME, [f"{SCOPE}modify"], server._now(), PUBLIC_CLIENT_ID)
    form = {"grant_type": "refresh_token", "refresh_token": refresh, "client_id": PUBLIC_CLIENT_ID}
    assert (await token(server, **form))[0] == 200
    assert (await token(server, client_secret="", **form))[1]["error"] == "invalid_client"


async def test_giving_a_token_back_ends_the_consent(server):
    _, answer = await token(server, **await a_code(server))
    async with aiohttp.ClientSession() as session:
        for status in (200, 400):
            async with session.post(f"{server.url}revoke", data={"token": answer["refresh_token"]}) as given_back:
                assert given_back.status == status
    assert server.authority.check(answer["access_token"], server._now()) is None
