"""What a server's answers, refusals and silences mean to whoever talks to it over HTTP."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from aiohttp import web
from pydantic import BaseModel

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler_demo.serving import Port
from modules._remote import http
from modules._remote.http import HttpPeer, as_code, fault_of, read_as, with_reason
from tests.adapters.faulty import Drop, FaultyProxy, Hang, Status

KEY = "key-that-nobody-may-see"
LONG = "x" * 3_000_000


async def _answer(request: web.Request) -> web.StreamResponse:
    if request.path == "/long":
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        for piece in (b'"', *(LONG[at : at + 100_000].encode() for at in range(0, len(LONG), 100_000)), b'"'):
            await response.write(piece)
        return response
    seen = {"path": request.path, "query": dict(request.query), "key": request.headers.get("Authorization", "")}
    return web.json_response(seen)


@pytest.fixture
async def proxy() -> AsyncIterator[FaultyProxy]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", _answer)
    port = Port()
    await port.open(app)
    async with FaultyProxy(port.root) as proxy:
        yield proxy
    await port.close()


@pytest.fixture
async def peer(proxy: FaultyProxy) -> AsyncIterator[HttpPeer]:
    peer = HttpPeer(
        f"{proxy.url}/api/",
        headers={"Authorization": f"Bearer {KEY}"},
        secrets=(KEY,),
        said=lambda body: str(body.get("message", "")),
    )
    yield peer
    await peer.close()


async def refused(peer: HttpPeer, path: str = "/x") -> IntegrationFault:
    with pytest.raises(IntegrationFault) as caught:
        await peer.request("GET", path)
    return caught.value


async def test_a_request_goes_below_the_root_with_its_headers(peer: HttpPeer) -> None:
    answer = await peer.request("GET", "/x", params={"a": "1"})
    assert answer.json == {"path": "/api/x", "query": {"a": "1"}, "key": f"Bearer {KEY}"}


async def test_an_answer_in_many_pieces_comes_whole(proxy: FaultyProxy) -> None:
    peer = HttpPeer(proxy.url)
    assert (await peer.request("GET", "/long")).json == LONG
    await peer.close()


async def test_an_answer_without_an_end_is_cut_and_refused(proxy: FaultyProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MOST_BYTES", 1_000_000)
    peer = HttpPeer(proxy.url)
    fault = await refused(peer, "/long")
    await peer.close()
    assert (fault.code, fault.message) == (
        IntegrationErrorCode.INVALID_OUTPUT,
        "the answer is too long; ask for less at a time",
    )


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (302, IntegrationErrorCode.REJECTED),
        (400, IntegrationErrorCode.INVALID_INPUT),
        (401, IntegrationErrorCode.AUTH_REQUIRED),
        (403, IntegrationErrorCode.FORBIDDEN),
        (404, IntegrationErrorCode.NOT_FOUND),
        (409, IntegrationErrorCode.CONFLICT),
        (418, IntegrationErrorCode.REJECTED),
        (422, IntegrationErrorCode.INVALID_INPUT),
        (429, IntegrationErrorCode.RATE_LIMITED),
        (500, IntegrationErrorCode.UNAVAILABLE),
        (503, IntegrationErrorCode.UNAVAILABLE),
    ],
)
async def test_each_status_has_its_code(
    proxy: FaultyProxy, peer: HttpPeer, status: int, code: IntegrationErrorCode
) -> None:
    with proxy.broken(Status(status, {"message": "said\nby the server"}, {"Location": "http://elsewhere.example/"})):
        fault = await refused(peer)
    assert (fault.code, fault.http_status) == (code, status)
    assert fault.message.endswith("(said by the server)")


async def test_a_servers_line_with_the_key_in_it_is_not_repeated(proxy: FaultyProxy, peer: HttpPeer) -> None:
    with proxy.broken(Status(401, {"message": f"bad token {KEY}"})):
        assert (await refused(peer)).message == "the server does not take the key"
    with proxy.broken(Status(401, f"<html>{KEY}</html>".encode())):
        assert (await refused(peer)).message == "the server does not take the key"


async def test_how_long_to_wait_is_read_from_a_number_or_a_date() -> None:
    assert fault_of(429, retry_after="12").retry_after_s == 12
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    assert 55 < (fault_of(429, retry_after=at).retry_after_s or 0) <= 60
    assert fault_of(429, retry_after="Thu, 01 Jan 1970 00:00:00 -0000").retry_after_s in {None, 0.0}
    assert fault_of(429, retry_after="soon").retry_after_s is None
    assert fault_of(429).retry_after_s is None


@pytest.mark.parametrize("said", ["9" * 400, "9" * 5_000, "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_nobody_is_made_to_wait_for_more_than_a_day(said: str) -> None:
    assert fault_of(429, retry_after=said).retry_after_s == 86_400


@pytest.mark.parametrize("said", ["²", "-5", "Wed, 21 Oct 2015 07:28:00", "1e9"])
def test_a_wait_of_no_form_is_none(said: str) -> None:
    assert fault_of(429, retry_after=said).retry_after_s is None


async def test_json_that_is_nested_without_end_is_an_unusable_answer(proxy: FaultyProxy, peer: HttpPeer) -> None:
    for body in (b"[" * 200_000, b"[" * 100_000 + b"]" * 100_000):
        with proxy.broken(Status(200, body)):
            fault = await refused(peer)
        assert (fault.code, fault.message) == (IntegrationErrorCode.INVALID_OUTPUT, "the server's answer is no JSON")
        with proxy.broken(Status(404, body)):
            assert (await refused(peer)).code is IntegrationErrorCode.NOT_FOUND


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("\x00bad\x1b[31m red\x1b[0m", "bad red"),
        ("\x1b]0;your bank\x07gone", "gone"),
        ("\x9b2Jclear", "clear"),
        ("user\u202etxt.exe\u200b", "usertxt.exe"),
        ("half\ud800 a pair", "half a pair"),
    ],
)
def test_what_a_terminal_obeys_or_nobody_sees_is_left_out_of_a_servers_line(said: str, left: str) -> None:
    assert with_reason("the server refused", said) == f"the server refused ({left})"


def test_a_key_with_invisible_letters_in_it_is_not_repeated_either() -> None:
    assert with_reason("the server refused", f"{KEY[:4]}\x00\u200b{KEY[4:]}", (KEY,)) == "the server refused"


async def test_half_a_character_is_put_right_and_a_whole_one_stays(proxy: FaultyProxy, peer: HttpPeer) -> None:
    body = rb'["\uD800 half", "\ud83d\ude00", "caf\u00e9"]'
    with proxy.broken(Status(200, body)):
        assert (await peer.request("GET", "/x")).json == ["? half", "😀", "café"]


async def test_what_is_no_json_is_an_unusable_answer(proxy: FaultyProxy, peer: HttpPeer) -> None:
    with proxy.broken(Status(200, b"<html>Sign in</html>")):
        fault = await refused(peer)
        assert (await peer.request("GET", "/x", as_json=False)).body == b"<html>Sign in</html>"
    assert (fault.code, fault.message) == (IntegrationErrorCode.INVALID_OUTPUT, "the server's answer is no JSON")


async def test_a_broken_connection_is_told_without_the_clients_words(proxy: FaultyProxy, peer: HttpPeer) -> None:
    with proxy.broken(Drop()):
        fault = await refused(peer)
    assert fault.code is IntegrationErrorCode.UNAVAILABLE
    assert fault.message == "the server cannot be reached: the connection broke"


async def test_where_nothing_listens_is_told() -> None:
    async with FaultyProxy("http://127.0.0.1:9") as gone:
        url = gone.url
    peer = HttpPeer(url)
    fault = await refused(peer)
    await peer.close()
    assert (fault.code, fault.message) == (
        IntegrationErrorCode.UNAVAILABLE,
        "the server cannot be reached: nothing answers there",
    )


async def test_a_request_that_is_given_up_leaves_no_connection(proxy: FaultyProxy, peer: HttpPeer) -> None:
    with proxy.broken(Hang()), pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await peer.request("GET", "/x")
    assert (await peer.request("GET", "/x")).status == 200


async def test_certificates_that_are_not_there_are_named(tmp_path: Path) -> None:
    peer = HttpPeer("https://127.0.0.1:9", tls_ca=str(tmp_path / "ca.pem"))
    fault = await refused(peer)
    assert fault.message.endswith("cannot be read; look at tls_ca")


def test_a_code_is_a_code_or_nothing() -> None:
    assert as_code("resource_exhausted") == "resource_exhausted"
    assert as_code(42501) == "42501"
    for said in ("no key here", "", f"bad-{KEY}", "x" * 100, "two\nlines"):
        assert as_code(said, (KEY,)) == ""


def test_a_long_reason_is_shortened() -> None:
    said = with_reason("the server refused", "y" * 1_000)
    assert len(said) < 230
    assert said.endswith("…)")


def test_json_of_another_shape_is_an_unusable_answer_and_its_text_stays_out() -> None:
    class Wanted(BaseModel):
        count: int

    assert read_as(Wanted, json.loads('{"count": 1}'), "count").count == 1
    with pytest.raises(IntegrationFault) as caught:
        read_as(Wanted, {"count": KEY}, "count")
    assert (caught.value.code, caught.value.message) == (
        IntegrationErrorCode.INVALID_OUTPUT,
        "the server's answer is no count",
    )
