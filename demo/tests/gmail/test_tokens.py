"""Google's credentials against the stand-in's token endpoint and scope checks."""

import json
from urllib.parse import parse_qsl, urlencode, urlsplit

import aiohttp
import pytest
from google_auth_oauthlib.flow import InstalledAppFlow
from googleapiclient.errors import HttpError

from butler_demo.gmail.oauth import CLIENT_ID, CLIENT_SECRET, PUBLIC_CLIENT_ID

ANNA = "anna@friends.example"
ME = "me@home.example"
SCOPE = "https://www.googleapis.com/auth/gmail."


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


async def test_another_users_mailbox_is_closed(me):
    assert await me(lambda users: users.getProfile(userId=ME))
    with pytest.raises(HttpError, match="Delegation denied"):
        await me(lambda users: users.getProfile(userId=ANNA))


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


def query_of(address):
    return dict(parse_qsl(urlsplit(address).query))


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


async def test_giving_a_token_back_ends_the_consent(server):
    _, answer = await token(server, **await a_code(server))
    async with aiohttp.ClientSession() as session:
        for status in (200, 400):
            async with session.post(f"{server.url}revoke", data={"token": answer["refresh_token"]}) as given_back:
                assert given_back.status == status
    assert server.authority.check(answer["access_token"], server._now()) is None
