"""What may go wrong with a Meilisearch server is told in a typed error and a clean sentence."""

import asyncio
import gzip
import logging
import socket
from pathlib import Path

import pytest

from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.integration import IntegrationCall, IntegrationResult
from butler_demo.mailbox.tls import issue_certificate, server_context
from modules._remote import http
from modules.meilisearch.records import SEARCH
from tests.adapters.faulty import Drop, Hang, Status, Trouble
from tests.adapters.servers.described import Asked, DescribedServer, Reply
from tests.adapters.servers.meilisearch.description import published
from tests.adapters.servers.meilisearch.documents import Index
from tests.adapters.servers.meilisearch.server import MeilisearchServer
from tests.modules.meilisearch.harness import KEY, PAPERS, Harness, harness

UNUSABLE = "the server's answer is no answer of Meilisearch's"
TROUBLES: dict[str, tuple[Trouble, IntegrationErrorCode, str]] = {
    "refused": (Status(401, {"message": "no"}), IntegrationErrorCode.AUTH_REQUIRED, "does not take the key (no)"),
    "refused by what is before it": (
        Status(403, b"<html>Forbidden</html>", {"Content-Type": "text/html"}),
        IntegrationErrorCode.FORBIDDEN,
        "the key does not allow this",
    ),
    "not there": (Status(404, b""), IntegrationErrorCode.NOT_FOUND, "the server does not have it"),
    "told to wait": (
        Status(429, {"message": "slow down"}, {"Retry-After": "31"}),
        IntegrationErrorCode.RATE_LIMITED,
        "the server asks to wait (slow down)",
    ),
    "half an answer": (Status(200, b'{"hits": [{"ti'), IntegrationErrorCode.INVALID_OUTPUT, UNUSABLE),
    "another's answer": (Status(200, {"hello": "world"}), IntegrationErrorCode.INVALID_OUTPUT, UNUSABLE),
    "hits that are none": (Status(200, {"hits": [1]}), IntegrationErrorCode.INVALID_OUTPUT, UNUSABLE),
    "nested without end": (Status(200, b"[" * 200_000), IntegrationErrorCode.INVALID_OUTPUT, UNUSABLE),
    "a list": (Status(200, []), IntegrationErrorCode.INVALID_OUTPUT, UNUSABLE),
    "nothing": (Status(200, b""), IntegrationErrorCode.INVALID_OUTPUT, UNUSABLE),
    "sent elsewhere": (
        Status(302, b"", {"Location": "/indexes/papers/search"}),
        IntegrationErrorCode.REJECTED,
        "the server refused",
    ),
    "broken": (Status(502, b"bad gateway"), IntegrationErrorCode.UNAVAILABLE, "the server is not available"),
    "no answer": (Hang(), IntegrationErrorCode.TIMEOUT, "the server has not answered within 0.3 s"),
    "cut off": (Drop(), IntegrationErrorCode.UNAVAILABLE, "the server cannot be reached: the connection broke"),
}


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_every_trouble_has_its_code_and_a_sentence_without_the_key(
    trouble: str, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    met, code, said = TROUBLES[trouble]
    async with harness(timeout_s=0.3 if isinstance(met, Hang) else 20) as there:
        with there.proxy.broken(met):
            result = await once(there)

    assert result.error is not None
    assert (result.error.code, result.error.effect, result.data) == (code, Effect.NONE, None)
    assert said in result.error.message
    assert "http" not in result.error.message
    assert KEY not in result.model_dump_json()
    assert KEY not in caplog.text
    assert result.error.retry_after_s == (31 if trouble == "told to wait" else None)


async def test_a_wrong_key_is_told_as_that_although_the_server_says_forbidden():
    async with harness(key="ms-another-key") as there:
        result = await once(there)
        status = await there.integration.auth_status()
    assert result.error is not None
    assert (result.error.code, result.error.http_status) == (IntegrationErrorCode.AUTH_REQUIRED, 403)
    assert result.error.message == "the server does not take the key (The provided API key is invalid.)"
    assert (status["ok"], status["todo"]) == (False, "see docs/how-to/connect-meilisearch.md")
    assert "ms-another-key" not in repr(status)


async def test_a_server_with_too_many_searches_is_waited_for_as_long_as_it_asks():
    async with harness() as there:
        there.server.busy = True
        result = await once(there)
    assert result.error is not None
    assert (result.error.code, result.error.retry_after_s) == (IntegrationErrorCode.RATE_LIMITED, 10)
    assert result.error.provider_code == "too_many_search_requests"


async def test_a_reason_that_repeats_the_key_is_left_out():
    async with harness() as there:
        with there.proxy.broken(Status(401, {"message": f"the key {KEY} is unknown"})):
            result = await once(there)
    assert result.error is not None
    assert result.error.message == "the server does not take the key"


async def test_a_server_with_a_certificate_of_the_persons_own_is_reached_by_its_ca_file(tmp_path: Path):
    ca, cert, key = issue_certificate(tmp_path)
    server = MeilisearchServer({KEY: "*"})
    server.indexes["papers"] = Index(PAPERS)
    server.tls = server_context(cert, key)
    async with server:
        async with harness(url=server.url, tls_ca=str(ca)) as there:
            known = await once(there)
        async with harness(url=server.url) as there:
            unknown = await once(there)
        async with harness(url=server.url, tls_ca=str(tmp_path / "gone.pem")) as there:
            gone = await once(there)
    assert known.ok, known.error
    assert unknown.error is not None
    assert gone.error is not None
    assert unknown.error.message.endswith("nobody known has signed its certificate; name yours as tls_ca")
    assert gone.error.message.endswith("gone.pem cannot be read; look at tls_ca")


async def test_a_server_that_is_not_there_is_told_as_that():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        async with harness(url=f"http://127.0.0.1:{held.getsockname()[1]}") as there:
            result = await once(there)
    assert result.error is not None
    assert result.error.message == "the server cannot be reached: nothing answers there"


async def test_the_key_does_not_follow_where_a_server_sends_the_butler():
    elsewhere = Elsewhere()
    async with elsewhere, harness() as there:
        away = Status(307, b"", {"Location": f"{elsewhere.url}/indexes/papers/search"})
        with there.proxy.broken(away):
            result = await once(there)
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.REJECTED
    assert elsewhere.requests == 0


async def test_a_search_that_hangs_holds_nobody_else_up():
    async with harness() as there:
        hung = iter([True, False])
        with there.proxy.broken(Hang(), only=lambda _: next(hung, False)):
            waiting = asyncio.create_task(once(there))
            async with asyncio.timeout(60):
                while there.proxy.requests == 0:  # noqa: ASYNC110 - the proxy sets no event
                    await asyncio.sleep(0.01)
            assert (await once(there)).ok
            assert not waiting.done()
        assert (await waiting).ok is False


class Elsewhere(DescribedServer):
    """Another server, which nobody should come to."""

    def __init__(self) -> None:
        super().__init__(published())

    def answer(self, asked: Asked) -> Reply:
        return Reply({"hits": [], "query": "", "processingTimeMs": 1, "limit": 1, "offset": 0, "estimatedTotalHits": 0})


async def once(there: Harness) -> IntegrationResult:
    """The integration's own call, without the second try that a tool makes."""
    call = IntegrationCall(trace_id="t-1", method_id=SEARCH, args={"query": "boiler"}, timeout_ms=10_000)
    return await there.integration.call(call)


@pytest.mark.parametrize("packed", [False, True])
async def test_an_answer_that_is_too_long_is_not_read_to_its_end(packed: bool, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(http, "MOST_BYTES", 100_000)
    long = b'{"hits": ["' + b"x" * 200_000 + b'"]}'
    sent = Status(200, gzip.compress(long), {"Content-Encoding": "gzip"}) if packed else Status(200, long)
    async with harness() as there:
        with there.proxy.broken(sent):
            result = await once(there)
    assert result.error is not None
    assert (result.error.code, result.error.message) == (IntegrationErrorCode.INVALID_OUTPUT, http.TOO_LONG)
