"""What may go wrong with a Qdrant server is told in a typed error and a clean sentence."""

import gzip
import logging
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.integration import IntegrationCall, IntegrationResult
from butler_demo.mailbox.tls import issue_certificate, server_context
from modules._remote import http
from tests.adapters.faulty import Drop, Hang, Status, Trouble
from tests.adapters.servers.qdrant.server import QdrantServer
from tests.modules.qdrant.harness import KEY, Harness, harness
from tests.support.nightly import all_but_the_first

CALLS: dict[str, dict[str, Any]] = {
    "search": {"collection": "notes", "text": "boiler"},
    "upsert": {"collection": "notes", "points": [{"text": "The boiler is serviced each May."}]},
    "create_collection": {"collection": "photos"},
    "health_check": {},
}
TROUBLES: dict[str, tuple[Trouble, IntegrationErrorCode, str]] = {
    "wrong key": (
        Status(401, b"Invalid API key or JWT"),
        IntegrationErrorCode.AUTH_REQUIRED,
        "the server does not take the key (Invalid API key or JWT)",
    ),
    "told to wait": (
        Status(429, {"status": {"error": "too many"}}, {"Retry-After": "31"}),
        IntegrationErrorCode.RATE_LIMITED,
        "the server asks to wait (too many)",
    ),
    "told to wait until a date": (
        Status(429, {}, {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}),
        IntegrationErrorCode.RATE_LIMITED,
        "the server asks to wait",
    ),
    "told to wait, not how long": (Status(429, b""), IntegrationErrorCode.RATE_LIMITED, "the server asks to wait"),
    "half an answer": (
        Status(200, b'{"result": {"poi'),
        IntegrationErrorCode.INVALID_OUTPUT,
        "the server's answer is no answer of Qdrant's",
    ),
    "nested without end": (
        Status(200, b"[" * 200_000),
        IntegrationErrorCode.INVALID_OUTPUT,
        "the server's answer is no answer of Qdrant's",
    ),
    "another's answer": (
        Status(200, {"hello": "world"}),
        IntegrationErrorCode.INVALID_OUTPUT,
        "the server's answer is no answer of Qdrant's",
    ),
    "no content": (Status(204, b""), IntegrationErrorCode.INVALID_OUTPUT, "the server's answer is no answer of"),
    "sent elsewhere": (
        Status(302, b"", {"Location": "http://127.0.0.1:9/"}),
        IntegrationErrorCode.REJECTED,
        "the server refused",
    ),
    "broken": (Status(503, b"starting"), IntegrationErrorCode.UNAVAILABLE, "the server is not available (starting)"),
    "no answer": (Hang(), IntegrationErrorCode.TIMEOUT, "no"),
    "cut off": (Drop(), IntegrationErrorCode.UNAVAILABLE, "the server cannot be reached: the connection broke"),
}
UNCLEAR = {
    IntegrationErrorCode.TIMEOUT,
    IntegrationErrorCode.UNAVAILABLE,
    IntegrationErrorCode.INVALID_OUTPUT,
}


@pytest.mark.parametrize("operation", all_but_the_first(list(CALLS)))
@pytest.mark.parametrize("trouble", TROUBLES)
async def test_every_trouble_has_its_code_and_a_sentence_without_the_key(
    operation: str, trouble: str, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    met, code, said = TROUBLES[trouble]
    async with harness(timeout_s=0.3 if isinstance(met, Hang) else 20) as there:
        await ready(there)
        with there.proxy.broken(met):
            result = await once(there, operation)

    assert result.error is not None
    assert (result.error.code, result.data) == (code, None)
    assert said in result.error.message
    assert KEY not in result.model_dump_json()
    assert KEY not in caplog.text
    writes = operation in {"upsert", "create_collection"}
    assert result.error.effect is (Effect.UNKNOWN if writes and code in UNCLEAR else Effect.NONE)
    assert result.error.retry_after_s == (31 if trouble == "told to wait" else None)


@pytest.mark.parametrize("operation", ["search", "upsert"])
async def test_a_collection_that_is_not_there_is_said_by_its_name(operation: str):
    async with harness() as there:
        result = await there.call(operation, CALLS[operation])
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.NOT_FOUND
    assert result.error.message == "the server does not have it (Not found: Collection `notes` doesn't exist!)"


async def test_a_wrong_key_is_refused_by_the_server_itself():
    async with harness(key="qd-another-key") as there:
        result = await there.call("health_check", {})
        status = await there.integration.auth_status()
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.AUTH_REQUIRED
    assert (status["ok"], status["todo"]) == (False, "see docs/how-to/connect-qdrant.md")
    assert "qd-another-key" not in repr(status)


async def test_a_reason_that_repeats_the_key_is_left_out():
    async with harness() as there:
        with there.proxy.broken(Status(401, f"the key {KEY} is unknown".encode())):
            result = await there.call("health_check", {})
    assert result.error is not None
    assert result.error.message == "the server does not take the key"


async def test_a_server_with_a_certificate_of_the_persons_own_is_reached_by_its_ca_file(tmp_path: Path):
    ca, cert, key = issue_certificate(tmp_path)
    server = QdrantServer(key=KEY)
    server.tls = server_context(cert, key)
    async with server:
        async with harness(url=server.url, tls_ca=str(ca)) as there:
            known = await once(there, "health_check")
        async with harness(url=server.url) as there:
            unknown = await once(there, "health_check")
        async with harness(url=server.url, tls_ca=str(tmp_path / "gone.pem")) as there:
            gone = await once(there, "health_check")
    assert known.ok, known.error
    assert unknown.error is not None
    assert gone.error is not None
    assert unknown.error.message.endswith("nobody known has signed its certificate; name yours as tls_ca")
    assert gone.error.message.endswith("gone.pem cannot be read; look at tls_ca")


async def test_a_server_that_is_not_there_is_told_as_that():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        async with harness(url=f"http://127.0.0.1:{held.getsockname()[1]}") as there:
            result = await once(there, "search")
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.UNAVAILABLE
    assert result.error.message == "the server cannot be reached: nothing answers there"


async def test_a_search_is_tried_again_after_a_short_trouble():
    async with harness() as there:
        await ready(there)
        troubled = iter([True, False])
        with there.proxy.broken(Status(503, b"starting"), only=lambda _: next(troubled, False)):
            assert (await there.done("search", CALLS["search"]))["count"] == 0


async def test_somebody_who_makes_the_same_collection_meanwhile_is_no_trouble():
    async with harness() as there:
        await there.done("create_collection", {"collection": "photos"})
        asked = iter([True, False])
        # The first look finds nothing: so it is when the other one is quicker by a moment.
        missing = Status(404, {"status": {"error": "Not found: Collection `photos` doesn't exist!"}, "time": 0.1})
        with there.proxy.broken(missing, only=lambda _: next(asked, False)):
            made = await there.done("create_collection", {"collection": "photos"})
    assert made == {"collection": "photos", "created": False}


def test_the_client_is_not_loaded_until_it_is_used():
    told = (
        "import sys, modules.qdrant.module\n"
        "print(*(name for name in ('qdrant_client', 'grpc', 'httpx', 'numpy') if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", told], check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == []


async def ready(there: Harness) -> None:
    """Make the collection with patience: the client has to be loaded, which takes a while."""
    async with harness(url=there.server.url) as slow:
        await slow.done("create_collection", {"collection": "notes"})


async def once(there: Harness, operation: str) -> IntegrationResult:
    """The integration's own call, without the second try that a tool makes."""
    method_id = there.integration.operations[operation].method_id
    call = IntegrationCall(trace_id="t-1", method_id=method_id, args=CALLS[operation], timeout_ms=10_000)
    return await there.integration.call(call)


async def test_nobody_is_made_to_wait_for_more_than_a_day():
    async with harness() as there:
        with there.proxy.broken(Status(429, {}, {"Retry-After": "9" * 400})):
            result = await there.call("health_check", {})
    assert result.error is not None
    assert (result.error.code, result.error.retry_after_s) == (IntegrationErrorCode.RATE_LIMITED, 86_400)


async def test_an_answer_that_is_too_long_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(http, "MOST_BYTES", 100_000)
    long = b'{"result": ["' + b"x" * 200_000 + b'"]}'
    async with harness() as there:
        with there.proxy.broken(Status(200, long)):
            result = await once(there, "search")
        with there.proxy.broken(Status(200, gzip.compress(long), {"Content-Encoding": "gzip"})):
            packed = await once(there, "search")
    assert result.error is not None
    assert (result.error.code, result.error.message) == (IntegrationErrorCode.INVALID_OUTPUT, http.TOO_LONG)
    assert packed.error is not None
    assert packed.error.code is IntegrationErrorCode.INVALID_OUTPUT
