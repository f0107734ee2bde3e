"""The proxy that conformance is proven with does what it says."""

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web

from butler_demo.serving import Port
from tests.adapters.faulty import RETRY_AFTER_S, FaultyProxy, Hang, Status
from tests.adapters.subject import Fault


async def _echo(request: web.Request) -> web.Response:
    seen = {"method": request.method, "path": request.raw_path, "host": request.host, "body": await request.text()}
    return web.json_response(seen, headers={"X-Served-By": "echo"}, status=201)


@pytest.fixture
async def proxy() -> AsyncIterator[FaultyProxy]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", _echo)
    port = Port()
    await port.open(app)
    async with FaultyProxy(port.root) as proxy:
        yield proxy
    await port.close()


@pytest.fixture
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as client:
        yield client


async def test_everything_passes_as_it_was_sent(proxy: FaultyProxy, client: aiohttp.ClientSession) -> None:
    async with client.put(f"{proxy.url}/a%2Fb?x=1%202", data=b"body") as answer:
        seen = await answer.json()
    assert (answer.status, answer.headers["X-Served-By"]) == (201, "echo")
    assert seen == {
        "method": "PUT",
        "path": "/a%2Fb?x=1%202",
        "host": proxy.url.removeprefix("http://"),
        "body": "body",
    }
    assert proxy.requests == 1


async def test_a_fault_is_met_while_it_is_open_and_not_after(proxy: FaultyProxy, client: aiohttp.ClientSession) -> None:
    async with proxy.fault(Fault.RATE_LIMITED), client.get(proxy.url) as answer:
        assert (answer.status, answer.headers["Retry-After"]) == (429, str(RETRY_AFTER_S))
    async with proxy.fault(Fault.MALFORMED), client.get(proxy.url) as answer:
        assert answer.status == 200
        with pytest.raises(ValueError, match="Expecting"):
            await answer.json()
    async with proxy.fault(Fault.DOWN):
        with pytest.raises(aiohttp.ClientConnectionError):
            await client.get(proxy.url)
    async with client.get(proxy.url) as answer:
        assert answer.status == 201
    assert proxy.requests >= 4, "aiohttp asks once more where a connection that it had kept breaks"


async def test_a_hanging_request_ends_with_its_fault(proxy: FaultyProxy, client: aiohttp.ClientSession) -> None:
    with proxy.broken(Hang()):
        asking = asyncio.create_task(client.post(proxy.url))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await asyncio.shield(asking)
    with pytest.raises(aiohttp.ClientConnectionError):
        await asking


async def test_trouble_may_be_for_some_requests_only(proxy: FaultyProxy, client: aiohttp.ClientSession) -> None:
    with proxy.broken(Status(501), only=lambda request: request.path.startswith("/render")):
        async with client.get(f"{proxy.url}/render/d-solo/x") as refused, client.get(f"{proxy.url}/api") as passed:
            assert (refused.status, passed.status) == (501, 201)
