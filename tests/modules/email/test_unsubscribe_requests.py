"""The one request that unsubscribes: what it says, to whom it may go, and what it never does."""

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from ipaddress import ip_address
from pathlib import Path

import pytest

from butler.contract.addresses import is_public, resolve_by_system
from butler.contract.errors import Effect, IntegrationErrorCode, Refuse
from butler.contract.integration import IntegrationCall, IntegrationError, IntegrationResult
from modules.email import integration_unsubscribe
from modules.email.integration_unsubscribe import ONE_CLICK, UnsubscribeIntegration
from modules.email.one_click_target import Reach, host_of
from tests.modules.email.list_server import HOST, LOOPBACK, ListServer, list_server

URL = f"https://{HOST}/u"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[ListServer]:
    async with list_server(tmp_path) as running:
        yield running


async def ask(integration: UnsubscribeIntegration, url: str) -> IntegrationResult:
    return await integration.call(IntegrationCall(trace_id="t", method_id=ONE_CLICK, args={"url": url}))


async def fault(integration: UnsubscribeIntegration, url: str) -> IntegrationError:
    result = await ask(integration, url)
    assert result.error is not None, result
    return result.error


def resolving(*answers: Sequence[str]) -> tuple[list[str], UnsubscribeIntegration]:
    """An integration whose DNS gives these answers in turn, the last one again and again; and what it was asked."""
    asked: list[str] = []

    async def resolve(host: str) -> Sequence[str]:
        asked.append(host)
        return answers[min(len(asked), len(answers)) - 1]

    return asked, UnsubscribeIntegration(resolve=resolve)


async def test_one_post_says_what_the_standard_asks_for_and_nothing_of_ours(server: ListServer) -> None:
    result = await ask(server.integration(), server.url)
    assert result.data == {"host": HOST, "status": 200}
    (request,) = server.requests
    head, _, body = request.partition(b"\r\n\r\n")
    line, *fields = head.decode().split("\r\n")
    assert line == "POST /u?who=me%40home.example&t=%C3%A9 HTTP/1.1"
    assert body == b"List-Unsubscribe=One-Click"
    sent = dict(one.lower().split(": ", 1) for one in fields)
    assert sent["host"] == f"{HOST}:{server.port}"
    assert sent["content-type"] == "application/x-www-form-urlencoded"
    told = {"host", "content-type", "content-length", "user-agent", "accept", "accept-encoding", "connection"}
    assert set(sent) == told
    assert server.asked_for == [HOST]
    assert server.resolved == [HOST]


async def test_a_name_may_be_written_in_capitals(server: ListServer) -> None:
    url = server.url.replace("https://lists", "HTTPS://Lists")
    assert (await ask(server.integration(), url)).data == {"host": HOST, "status": 200}


@pytest.mark.parametrize("status", ["200 OK", "202 Accepted", "204 No Content"])
async def test_any_yes_is_a_yes_and_what_follows_it_is_not_read(server: ListServer, status: str) -> None:
    server.answer = f"HTTP/1.1 {status}\r\nContent-Length: 99999999999\r\nSet-Cookie: a=b\r\n\r\n".encode()
    server.answer += b"x" * 200_000 * (not status.startswith("204"))
    integration = server.integration()
    for _ in range(2):
        assert (await ask(integration, server.url)).ok
    assert b"cookie" not in b"".join(server.requests).lower()


async def test_a_redirection_is_not_followed(server: ListServer) -> None:
    server.answer = f"HTTP/1.1 307 Elsewhere\r\nLocation: {server.url}\r\nContent-Length: 0\r\n\r\n".encode()
    error = await fault(server.integration(), server.url)
    assert (error.code, error.http_status, error.effect) == (IntegrationErrorCode.REJECTED, 307, Effect.NONE)
    assert "wants Butler to go elsewhere" in error.message
    assert len(server.requests) == 1


async def test_a_refusal_is_told_with_its_number(server: ListServer) -> None:
    server.answer = b"HTTP/1.1 404 Gone\r\nContent-Length: 0\r\n\r\n"
    error = await fault(server.integration(), server.url)
    assert error.message == f"{HOST} did not unsubscribe you (it answered 404); open the mail and use its link"


@pytest.mark.parametrize("answer", [b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000])
async def test_an_answer_that_cannot_be_read_leaves_it_unknown(server: ListServer, answer: bytes) -> None:
    server.answer = answer
    error = await fault(server.integration(), server.url)
    assert error.effect is Effect.UNKNOWN
    assert len(server.requests) == 1


async def test_a_server_that_says_nothing_is_not_waited_for_and_it_stays_unknown(
    server: ListServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(integration_unsubscribe, "_ANSWER_S", 0.3)
    server.answer = b""
    error = await fault(server.integration(), server.url)
    assert (error.effect, len(server.requests)) == (Effect.UNKNOWN, 1)


async def test_a_server_that_is_away_was_not_asked(server: ListServer) -> None:
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        port = taken.getsockname()[1]
        away = server.integration(reach=Reach(port, frozenset({LOOPBACK})))
        error = await fault(away, f"https://{HOST}:{port}/u")
    assert (error.code, error.effect) == (IntegrationErrorCode.UNAVAILABLE, Effect.NONE)


async def test_a_server_that_is_somebody_else_gets_nothing(tmp_path: Path) -> None:
    async with list_server(tmp_path, "other.shop.example") as server:
        error = await fault(server.integration(), server.url)
        assert "does not prove that it is" in error.message
        stranger = await fault(server.integration(tls=None), server.url)
        assert (stranger.code, stranger.effect) == (IntegrationErrorCode.REJECTED, Effect.NONE)
        assert server.requests == []


async def test_a_proxy_of_the_environment_is_not_used(server: ListServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    assert (await ask(server.integration(), server.url)).ok


@pytest.mark.parametrize(
    "url",
    [
        "http://lists.shop.example/u",
        "HTTP://lists.shop.example/u",
        "ftp://lists.shop.example/u",
        "//lists.shop.example/u",
        "https:lists.shop.example",
        "https://me:secret@lists.shop.example/u",
        "https://lists.shop.example@127.0.0.1/u",
        "https://127.0.0.1/u",
        "https://127.1/u",
        "https://2130706433/u",
        "https://0x7f000001/u",
        "https://0x7f.0.0.1/u",
        "https://0177.0.0.1/u",
        "https://127.0.0.0x1/u",
        "https://lists.shop.0x1/u",
        "https://[::1]/u",
        "https://[::1/u",
        "https://lists.shop.example:0/u",
        "https://[::ffff:127.0.0.1]/u",
        "https://[fe80::1%25eth0]/u",
        "https://169.254.169.254/latest/meta-data/",
        "https://localhost/u",
        "https://router/u",
        "https://router./u",
        "https://lists.shop.example:22/u",
        "https://lists.shop.example:99999/u",
        "https://lists.shop.example:x/u",
        "https://lists.shop.example\\@127.0.0.1/u",
        "https://lists.shop.example%2f@127.0.0.1/u",
        "https://lists.shop.example%00.evil.example/u",
        "https://lists..example/u",
        "https://-a.example/u",
        "https://①②⑦.⓪.⓪.①/u",
        "https://lists.shop.example/a b",
        "https://lists.shop.example/\r\nX: y",
        "https:///u",
        "",
    ],
)
async def test_an_address_that_is_not_plainly_a_server_of_the_internet_is_not_asked(url: str) -> None:
    asked, integration = resolving([LOOPBACK])
    error = await fault(integration, url)
    assert (error.code, error.effect) == (IntegrationErrorCode.REJECTED, Effect.NONE)
    assert asked == []


@pytest.mark.parametrize(
    "url", [URL, "HTTPS://Lists.Shop.Example:443/u", "https://lists.shop.example./u", "https://xn--bcher-kva.example/u"]
)
def test_an_ordinary_address_is_taken(url: str) -> None:
    assert host_of(url, Reach()).endswith(".example")


def test_another_port_is_open_only_to_a_test() -> None:
    assert host_of("https://lists.shop.example:8443/u", Reach(8443)) == HOST
    with pytest.raises(Refuse):
        host_of("https://lists.shop.example:8443/u", Reach())


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "10.0.0.1",
        "100.64.0.1",
        "127.0.0.1",
        "127.9.9.9",
        "169.254.169.254",
        "172.16.0.1",
        "192.168.1.1",
        "192.0.2.1",
        "198.18.0.1",
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::7f00:1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a00:1",
        "64:ff9b:1::a00:1",
        "2002:7f00:1::1",
        "2002:c0a8:101::1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "2001:db8::1",
        "100::1",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "fe80::1%eth0",
        "fec0::1",
        "ff02::1",
    ],
)
async def test_a_name_that_leads_to_a_neighbour_is_not_asked(address: str) -> None:
    assert not is_public(ip_address(address))
    asked, integration = resolving(["8.8.8.8", address])
    error = await fault(integration, URL)
    assert (error.code, error.effect) == (IntegrationErrorCode.REJECTED, Effect.NONE)
    assert "leads into a private network" in error.message
    assert asked == [HOST]


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(ip_address(address))


async def test_a_name_that_changes_its_address_is_reached_at_the_one_that_was_looked_at(server: ListServer) -> None:
    asked: list[str] = []

    async def rebinding(host: str) -> Sequence[str]:
        asked.append(host)
        return [LOOPBACK] if len(asked) == 1 else ["169.254.169.254"]

    integration = server.integration(resolve=rebinding)
    assert (await ask(integration, server.url)).ok
    assert asked == [HOST]
    assert "private network" in (await fault(integration, server.url)).message
    assert len(server.requests) == 1


async def test_only_the_address_that_a_test_named_is_let_through(server: ListServer) -> None:
    async def neighbour(_host: str) -> Sequence[str]:
        return [LOOPBACK, "127.0.0.2"]

    assert "private network" in (await fault(server.integration(resolve=neighbour), server.url)).message
    assert "private network" in (await fault(server.integration(reach=Reach(server.port)), server.url)).message
    assert server.requests == []


async def test_a_name_that_is_nobodys_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async def unknown(*_: object, **__: object) -> list[object]:
        raise socket.gaierror(socket.EAI_NONAME, "nobody")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", unknown)
    error = await fault(UnsubscribeIntegration(resolve=resolve_by_system), URL)
    assert (error.code, error.effect) == (IntegrationErrorCode.UNAVAILABLE, Effect.NONE)
    assert error.message.startswith(f"there is no server {HOST} now")


async def test_nothing_is_asked_in_a_dry_run() -> None:
    asked, integration = resolving([LOOPBACK])
    call = IntegrationCall(trace_id="t", method_id=ONE_CLICK, args={"url": URL}, dry_run=True)
    assert (await integration.call(call)).ok
    assert asked == []
