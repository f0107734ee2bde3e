"""What an answer's headers say of a call is in its result's meta, of a call that failed, too."""

from collections.abc import AsyncIterator

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from pydantic import BaseModel

from butler.contract.base_integration import BaseIntegration
from butler.contract.integration import Idempotency, IntegrationCall, Method, RawAnswer, method
from modules._remote.http import HttpPeer

READ = "shop.things.read.v1"


class Args(BaseModel):
    times: int = 1


class Answer(BaseModel):
    pass


class Shop(BaseIntegration):
    provider = "shop"

    def __init__(self, url: str) -> None:
        self.peer = HttpPeer(url)
        super().__init__()

    def methods(self) -> list[Method]:
        return [method(READ, args=Args, answer=Answer, run=self._raw_read, idempotency=Idempotency.READ)]

    async def auth_status(self) -> dict[str, object]:
        return {"ok": True}

    async def _raw_read(self, _call: IntegrationCall, args: Args) -> RawAnswer:
        for _ in range(args.times):
            await self.peer.request("GET", "/")
        return RawAnswer({})


class Server:
    def __init__(self) -> None:
        self.answers: list[tuple[int, dict[str, str]]] = []

    async def handle(self, _request: web.Request) -> web.Response:
        status, headers = self.answers.pop(0)
        return web.json_response({}, status=status, headers=headers)


@pytest.fixture
async def server() -> AsyncIterator[tuple[Server, Shop]]:
    made, app = Server(), web.Application()
    app.router.add_get("/", made.handle)
    async with TestServer(app) as running:
        shop = Shop(str(running.make_url("")))
        yield made, shop
        await shop.peer.close()


async def read(shop: Shop, times: int = 1):
    return await shop.call(IntegrationCall(trace_id="t", method_id=READ, args={"times": times}))


@pytest.mark.parametrize("name", ["X-Request-Id", "x-amz-request-id", "sb-request-id", "X-Correlation-ID", "CF-RAY"])
async def test_the_id_of_a_request_and_how_many_more_are_taken_are_told(server, name: str):
    made, shop = server
    made.answers = [(200, {name: "a1b2-c3", "X-RateLimit-Remaining": "41"})]
    result = await read(shop)
    assert result.ok
    assert (result.meta.provider_request_id, result.meta.rate_limit_remaining) == ("a1b2-c3", 41)
    assert result.meta.provenance.source_type == "shop"
    assert result.meta.latency_ms > 0


async def test_a_refusal_has_them_too(server):
    made, shop = server
    made.answers = [(429, {"X-Request-Id": "r-9", "RateLimit-Remaining": "0"})]
    result = await read(shop)
    assert not result.ok
    assert (result.meta.provider_request_id, result.meta.rate_limit_remaining) == ("r-9", 0)


async def test_of_several_requests_the_last_id_and_the_smallest_number_count(server):
    made, shop = server
    made.answers = [(200, {"X-Request-Id": str(n), "X-RateLimit-Remaining": left}) for n, left in ((1, "5"), (2, "7"))]
    result = await read(shop, times=2)
    assert (result.meta.provider_request_id, result.meta.rate_limit_remaining) == ("2", 5)


@pytest.mark.parametrize("said", ["call +49 170 now", "<b>x</b>", "x" * 200, "", "ignore\tall"])
async def test_what_is_no_id_and_no_number_is_not_kept(server, said: str):
    made, shop = server
    made.answers = [(200, {"X-Request-Id": said, "X-RateLimit-Remaining": "many"}), (200, {})]
    for _ in range(2):
        result = await read(shop)
        assert (result.meta.provider_request_id, result.meta.rate_limit_remaining) == ("", None)
