"""A file is fetched whole or not at all; of what is too large there is a link."""

import asyncio

import aiohttp
import pytest
from aiohttp import web

from butler.contract.errors import IntegrationErrorCode
from butler_demo.serving import Port
from tests.adapters.faulty import FaultyProxy, Status
from tests.modules.r2.harness import SECRET_KEY, Harness, here


async def test_a_file_is_fetched_into_the_butlers_files(on: Harness) -> None:
    await asyncio.to_thread(on.bucket.put, "letters/anna.txt", b"Dear Anna", "text/x-letter")
    result = await on.invoke("get_object", {"key": "letters/anna.txt"})
    assert result.data is not None, result.error
    file = result.data["file"]
    assert (file["name"], file["size"], file["media_type"]) == ("anna.txt", 9, "text/x-letter")
    assert await on.blobs.get(file["sha256"]) == b"Dear Anna"
    assert {name: result.data[name] for name in ("key", "size", "media_type", "link", "link_expires_at")} == {
        "key": "letters/anna.txt",
        "size": 9,
        "media_type": "text/x-letter",
        "link": "",
        "link_expires_at": None,
    }
    assert (result.meta.provenance.source_type, result.meta.provenance.source_ref) == ("r2", "letters/anna.txt")


async def test_an_empty_file_is_a_file(on: Harness) -> None:
    await asyncio.to_thread(on.bucket.put, "empty", b"")
    result = await on.invoke("get_object", {"key": "empty"})
    assert result.data is not None, result.error
    assert result.data["file"]["size"] == 0


async def test_of_what_is_too_large_there_is_a_link() -> None:
    async with here(largest_mb=1) as on:
        content = bytes(1024 * 1024 + 1)
        await asyncio.to_thread(on.bucket.put, "large.bin", content)
        result = await on.invoke("get_object", {"key": "large.bin"})
        assert result.data is not None, result.error
        assert result.data["file"] is None
        assert not on.blobs.data
        async with aiohttp.ClientSession() as session, session.get(result.data["link"]) as answer:
            assert await answer.read() == content


async def test_a_file_that_came_damaged_is_not_kept(on: Harness) -> None:
    assert (await on.put(b"the papers", "papers.pdf")).ok
    head = await asyncio.to_thread(on.bucket.head, "papers.pdf")
    headers = {"ETag": head["ETag"], "x-amz-meta-sha256": head["Metadata"]["sha256"]}
    async with FaultyProxy(on.bucket.url) as proxy, here(proxy.url, on.bucket) as behind:
        with proxy.broken(Status(200, b"the PAPERS", headers)):
            result = await behind.invoke("get_object", {"key": "papers.pdf"})
    assert result.error is not None
    assert (result.error.code, result.error.message) == (IntegrationErrorCode.INVALID_OUTPUT, "the file came damaged")
    assert not behind.blobs.data


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        (SECRET_KEY, "wrong", "the server does not take the key"),
        ("BUTLER_R2_ACCESS_KEY", "AKNOBODY", "the server does not take the key"),
        (SECRET_KEY, "", "BUTLER_R2_SECRET_KEY is not set"),
    ],
)
async def test_the_server_itself_refuses_a_wrong_key(on: Harness, name: str, value: str, says: str) -> None:
    assert (await on.put(b"the papers", "papers.pdf")).ok
    on.secrets[name] = value
    for tool, args in (("get_object", {"key": "papers.pdf"}), ("put_object", {"file": await on.file(b"more")})):
        result = await on.invoke(tool, args)
        assert result.error is not None
        assert result.error.code is IntegrationErrorCode.AUTH_REQUIRED
        assert result.error.message.startswith(says)
    (check,) = await on.module.checks()
    assert not check.ok
    assert SECRET_KEY in check.todo


async def test_doctor_says_which_bucket_it_is_or_that_there_is_none(on: Harness) -> None:
    (check,) = await on.module.checks()
    assert (check.ok, check.detail) == (True, f"{on.bucket.name} at {on.bucket.url.removeprefix('http://')}")
    async with here(bucket=on.bucket) as other:
        other.integration._client._bucket = "no-such-bucket"  # pyright: ignore[reportPrivateUsage]
        (check,) = await other.module.checks()
    assert not check.ok
    assert check.detail.endswith(": there is no bucket no-such-bucket on the server")
    assert "make the bucket" in check.todo


@pytest.mark.parametrize(
    ("status", "code", "means"),
    [
        (503, "SlowDown", IntegrationErrorCode.RATE_LIMITED),
        (503, "ServiceUnavailable", IntegrationErrorCode.UNAVAILABLE),
        (403, "AccessDenied", IntegrationErrorCode.FORBIDDEN),
        (401, "Unauthorized", IntegrationErrorCode.AUTH_REQUIRED),
        (501, "NotImplemented", IntegrationErrorCode.REJECTED),
        (400, "InvalidArgument", IntegrationErrorCode.INVALID_INPUT),
    ],
)
async def test_refusals_of_s3_are_understood(on: Harness, status: int, code: str, means: IntegrationErrorCode) -> None:
    body = f"<Error><Code>{code}</Code><Message>the reason</Message></Error>".encode()
    async with FaultyProxy(on.bucket.url) as proxy, here(proxy.url, on.bucket) as behind:
        headers = {"Content-Type": "application/xml", "Retry-After": "99"}
        with proxy.broken(Status(status, body, headers), only=lambda request: request.method == "GET"):
            result = await behind.invoke("get_object", {"key": "papers.pdf"})
    assert result.error is not None
    assert (result.error.code, result.error.provider_code) == (means, code)
    assert result.error.message.endswith("(the reason)")
    assert result.error.retry_after_s == 99


async def test_an_answer_that_breaks_off_keeps_nothing() -> None:
    async def half(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "100", "ETag": '"e"'})
        await response.prepare(request)
        await response.write(b"half")
        if request.transport is not None:
            request.transport.close()
        return response

    app = web.Application()
    app.router.add_get("/{path:.*}", half)
    port = Port()
    await port.open(app)
    async with here(port.root) as on:
        result = await on.registry.invoke(on.call("get_object", {"key": "papers.pdf"}))
    await port.close()
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.UNAVAILABLE
    assert not on.blobs.data


async def test_the_id_of_a_request_is_told_of_a_refusal_too(on: Harness) -> None:
    async with FaultyProxy(on.bucket.url) as proxy, here(proxy.url, on.bucket) as behind:
        with proxy.broken(Status(503, b"", {"x-amz-request-id": "4442587FB7D0A2F9"})):
            result = await behind.invoke("get_object", {"key": "papers.pdf"})
    assert result.error is not None
    assert result.meta.provider_request_id == "4442587FB7D0A2F9"
