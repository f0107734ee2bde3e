"""A file goes up as its card showed it, replaces nothing, and is found again where an answer was lost."""

import asyncio
import hashlib
from datetime import datetime, timedelta
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from pydantic import ValidationError

from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.names import ApprovalDefault
from butler.contract.tools import Settled
from modules.r2.client import PART
from tests.adapters.faulty import Drop, FaultyProxy, Status
from tests.modules.r2.harness import Harness, here

PAPERS = b"%PDF-1.7 the papers"
LARGE = bytes(range(256)) * (2 * PART // 256) + b"the end"
"""Three parts."""


async def fetched(link: str) -> tuple[int, bytes]:
    async with aiohttp.ClientSession() as session, session.get(link) as answer:
        return answer.status, await answer.read()


async def test_a_file_is_in_the_bucket_as_it_is_and_its_link_fetches_it(on: Harness) -> None:
    result = await on.put(PAPERS, "papers/2026.pdf")
    assert result.data is not None, result.error
    assert set(result.data) == {"key", "size", "etag", "link", "link_expires_at"}
    assert (result.data["key"], result.data["size"]) == ("papers/2026.pdf", len(PAPERS))
    head = await asyncio.to_thread(on.bucket.head, "papers/2026.pdf")
    assert head["ContentType"] == "application/pdf"
    assert head["Metadata"] == {"sha256": hashlib.sha256(PAPERS).hexdigest()}
    assert await fetched(result.data["link"]) == (200, PAPERS)
    assert (await fetched(result.data["link"].partition("?")[0]))[0] == 403, "nobody sees it without the link"


@pytest.mark.parametrize(("minutes", "holds"), [(0, 60), (5, 5), (7 * 24 * 60, 7 * 24 * 60)])
async def test_a_link_holds_as_long_as_it_says(on: Harness, minutes: int, holds: int) -> None:
    before = on.clock.now().replace(microsecond=0)
    result = await on.put(PAPERS, "papers.pdf")
    again = await on.invoke("get_object", {"key": "papers.pdf", "link_only": True, "link_minutes": minutes})
    assert result.ok
    assert again.data is not None, again.error
    assert f"X-Amz-Expires={holds * 60}&" in again.data["link"]
    ends = datetime.fromisoformat(again.data["link_expires_at"])
    assert timedelta(0) <= ends - before - timedelta(minutes=holds) < timedelta(seconds=30)


async def test_a_link_for_more_than_a_week_is_refused(on: Harness) -> None:
    with pytest.raises(ValidationError):
        on.call("get_object", {"key": "k", "link_minutes": 7 * 24 * 60 + 1})


async def test_a_large_file_goes_up_in_parts(on: Harness) -> None:
    async with FaultyProxy(on.bucket.url) as proxy, here(proxy.url, on.bucket) as behind:
        result = await behind.put(LARGE, "large.bin")
        assert result.ok, result.error
        assert proxy.requests == 1 + 1 + 3 + 1 + 1, "looked at, begun, three parts, looked at again, completed"
    head = await asyncio.to_thread(on.bucket.head, "large.bin")
    assert (head["ContentLength"], head["Metadata"]["sha256"]) == (len(LARGE), hashlib.sha256(LARGE).hexdigest())
    assert await asyncio.to_thread(on.bucket.get, "large.bin") == LARGE


@pytest.mark.nightly
async def test_what_breaks_off_leaves_no_parts(on: Harness) -> None:
    def second_part(request: web.Request) -> bool:
        return request.query.get("partNumber") == "2"

    async with FaultyProxy(on.bucket.url) as proxy, here(proxy.url, on.bucket) as behind:
        with proxy.broken(Drop(), only=second_part):
            result = await behind.put(LARGE, "large.bin")
    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.UNAVAILABLE, Effect.NONE)
    assert await asyncio.to_thread(on.bucket.state) == ()
    assert await asyncio.to_thread(on.bucket.unfinished) == 0


@pytest.mark.parametrize("content", [PAPERS, LARGE], ids=["small", "large"])
async def test_another_file_of_the_name_is_never_replaced(on: Harness, content: bytes) -> None:
    await asyncio.to_thread(on.bucket.put, "papers.pdf", b"somebody else's")
    result = await on.put(content, "papers.pdf")
    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.CONFLICT, Effect.NONE)
    assert result.error.message == (
        "there is another file papers.pdf in the bucket already; give this one another name"
    )
    assert await asyncio.to_thread(on.bucket.get, "papers.pdf") == b"somebody else's"


async def test_who_is_faster_is_not_replaced_either(on: Harness) -> None:
    nothing = "<Error><Code>NoSuchKey</Code><Message>not yet</Message></Error>"
    refusal = Status(404, nothing.encode(), {"Content-Type": "application/xml"})
    await asyncio.to_thread(on.bucket.put, "papers.pdf", b"somebody else's")
    async with FaultyProxy(on.bucket.url) as proxy, here(proxy.url, on.bucket) as behind:
        looks: list[web.Request] = []

        def first_look(request: web.Request) -> bool:
            looks.extend([request] if request.method == "GET" else [])
            return request.method == "GET" and len(looks) == 1

        with proxy.broken(refusal, only=first_look):
            result = await behind.put(PAPERS, "papers.pdf")
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.CONFLICT
    assert await asyncio.to_thread(on.bucket.get, "papers.pdf") == b"somebody else's"


async def test_the_same_file_put_twice_is_there_once(on: Harness) -> None:
    first, again = await on.put(PAPERS, "papers.pdf"), await on.put(PAPERS, "papers.pdf")
    assert first.data is not None
    assert again.data is not None, again.error
    assert first.data["etag"] == again.data["etag"]


async def test_what_became_of_a_lost_attempt_is_found_in_the_bucket(on: Harness) -> None:
    call = on.call("put_object", {"file": await on.file(PAPERS), "key": "papers.pdf"})
    assert (await on.registry.reconcile(call)).settled is Settled.REPEAT
    assert (await on.registry.invoke(call)).ok
    assert (await on.registry.reconcile(call)).settled is Settled.DONE
    await asyncio.to_thread(on.bucket.put, "papers.pdf", b"somebody else's")
    assert (await on.registry.reconcile(call)).settled is Settled.FAILED
    on.secrets["BUTLER_R2_SECRET_KEY"] = "wrong"
    assert (await on.registry.reconcile(call)).settled is Settled.UNKNOWN


@pytest.mark.parametrize("content", [PAPERS, LARGE], ids=["small", "large"])
async def test_a_file_that_is_not_what_the_card_showed_does_not_go_up(on: Harness, content: bytes) -> None:
    file = await on.file(content)
    on.blobs.data[file["sha256"]] = content[:-1] + b"!"
    result = await on.invoke("put_object", {"file": file, "key": "papers.pdf"})
    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.INVALID_INPUT, Effect.NONE)
    assert await asyncio.to_thread(on.bucket.state) == ()
    assert await asyncio.to_thread(on.bucket.unfinished) == 0


async def test_a_file_that_is_gone_is_told(on: Harness) -> None:
    file = await on.file(PAPERS)
    on.blobs.data.clear()
    result = await on.invoke("put_object", {"file": file})
    assert result.error is not None
    assert result.error.message == "the file 'papers.pdf' is not there any more"


async def test_a_file_that_is_too_large_does_not_go_up() -> None:
    async with here(largest_mb=1) as on:
        result = await on.put(bytes(1024 * 1024 + 1), "large.bin")
        assert result.error is not None
        assert result.error.message == "the file is larger than 1 MB, the most your settings allow"


async def test_a_dry_run_puts_nothing_there(on: Harness) -> None:
    assert (await on.put(PAPERS, "papers.pdf", dry_run=True)).ok
    assert await asyncio.to_thread(on.bucket.state) == ()


async def test_files_that_were_sent_come_as_lists_and_one_goes_up_at_a_time(on: Harness) -> None:
    file = await on.file(PAPERS)
    assert (await on.invoke("put_object", {"file": [file]})).ok
    with pytest.raises(ValidationError, match="one file at a time"):
        on.call("put_object", {"file": [file, file]})


async def test_a_card_says_where_it_goes_and_who_sees_it(on: Harness) -> None:
    spec = on.registry.spec("bot_r2_put_object")
    assert spec.approval_default is ApprovalDefault.ALWAYS
    assert spec.preview is not None
    args: dict[str, Any] = {"file": await on.file(PAPERS, "../my papers?.pdf"), "link_minutes": 1}
    preview = spec.preview(spec.args.model_validate(args))
    assert preview.attachments[0].sha256 == args["file"]["sha256"]
    assert dict(preview.facts) == {
        "Bucket": on.bucket.name,
        "Name there": "my papers-.pdf",
        "Size": "19 bytes",
        "Who sees it": "Who may read the bucket, and who gets the link; you get it.",
        "The link holds": "1 minute",
        "If the name is taken": "nothing is replaced",
    }


async def test_who_is_faster_while_a_large_file_goes_up_is_not_replaced(on: Harness) -> None:
    """Somebody puts another file there when all has been looked at and only the completion is left."""
    taken: list[str] = []

    def completion(request: web.Request) -> bool:
        if request.method == "POST" and "uploadId" in request.query and not taken:
            taken.append(request.headers.get("If-None-Match", ""))
            on.bucket.put("large.bin", b"somebody else's")
        return False

    async with FaultyProxy(on.bucket.url) as proxy, here(proxy.url, on.bucket) as behind:
        with proxy.broken(Drop(), only=completion):
            result = await behind.put(LARGE, "large.bin")
    assert taken == ["*"]
    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.CONFLICT, Effect.NONE)
    assert await asyncio.to_thread(on.bucket.get, "large.bin") == b"somebody else's"
    assert await asyncio.to_thread(on.bucket.unfinished) == 0


async def test_a_large_file_is_not_completed_where_its_name_was_taken_meanwhile(on: Harness) -> None:
    completed: list[str] = []

    def second_part(request: web.Request) -> bool:
        if request.query.get("partNumber") == "2":
            on.bucket.put("large.bin", b"somebody else's")
        completed.extend(["completed"] if request.method == "POST" and "uploadId" in request.query else [])
        return False

    async with FaultyProxy(on.bucket.url) as proxy, here(proxy.url, on.bucket) as behind:
        with proxy.broken(Drop(), only=second_part):
            result = await behind.put(LARGE, "large.bin")
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.CONFLICT
    assert completed == [], "a server that does not heed the condition is not asked to"
    assert await asyncio.to_thread(on.bucket.get, "large.bin") == b"somebody else's"
    assert await asyncio.to_thread(on.bucket.unfinished) == 0


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_server_that_sends_elsewhere_is_asked_once_and_told_as_refusing(on: Harness, status: int) -> None:
    async with FaultyProxy(on.bucket.url) as proxy, here(proxy.url, on.bucket) as behind:
        with proxy.broken(Status(status, b"", {"Location": f"{on.bucket.url}/elsewhere"})):
            result = await behind.invoke("get_object", {"key": "papers.pdf"})
    assert result.error is not None
    assert (result.error.code, result.error.http_status) == (IntegrationErrorCode.REJECTED, status)
    assert proxy.requests == 1


async def test_a_server_that_names_another_region_is_asked_once(on: Harness) -> None:
    said = b"<Error><Code>AuthorizationHeaderMalformed</Code><Message>no</Message><Region>eu-west-3</Region></Error>"
    async with FaultyProxy(on.bucket.url) as proxy, here(proxy.url, on.bucket) as behind:
        with proxy.broken(Status(400, said, {"Content-Type": "application/xml", "Retry-After": "9" * 400})):
            result = await behind.invoke("get_object", {"key": "papers.pdf"})
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.INVALID_INPUT
    assert result.error.retry_after_s == 86_400
    assert proxy.requests == 1
