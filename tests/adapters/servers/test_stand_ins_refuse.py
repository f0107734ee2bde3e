"""Each stand-in is really held to its description: a request or an answer that passed is refused once it is changed."""

import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from importlib import import_module
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from butler.contract.integration import IntegrationCall
from butler_demo.serving import Port
from tests.adapters.faulty import FaultyProxy
from tests.adapters.servers.described import Asked, Reply
from tests.adapters.servers.grafana.server import API as GRAFANA
from tests.adapters.servers.livekit.twirp import TWIRP
from tests.adapters.servers.loki.description import LOKI
from tests.adapters.servers.meilisearch.description import published
from tests.adapters.servers.openapi import OpenApi
from tests.adapters.servers.postgrest.description import POSTGREST
from tests.adapters.servers.qdrant.server import DESCRIPTION, QdrantServer
from tests.adapters.servers.wire import Answer, Description, Judge, NotAsDescribedError, Request
from tests.adapters.subject import Drive

SERVERS: dict[str, Description] = {
    "grafana": GRAFANA,
    "livekit": TWIRP,
    "loki": LOKI,
    "meilisearch": published(),
    "postgres_rest": POSTGREST,
    "qdrant": OpenApi.load(DESCRIPTION),
}
ANY_BODY = "/rpc/"
"""PostgREST's functions take and give whatever their owner wrote them for."""
PAST_THE_END = b"\xfa\x3f\x01x"
"""A field that no message of LiveKit's has."""


@asynccontextmanager
async def opened(name: str) -> AsyncGenerator[Any]:
    make: AbstractAsyncContextManager[Any] = import_module(f"tests.adapters.subjects.{name}").subject()
    async with make as subject:
        yield subject


def judge_of(subject: Any) -> Judge:
    """Who holds the subject's traffic against its description."""
    judge = subject.proxy.judge or subject.server.judge
    assert isinstance(judge, Judge)
    return judge


async def driven(subject: Any, drive: Drive) -> None:
    """Call an operation, with arguments that work."""
    method_id = type(subject.integration).operations[drive.operation].method_id
    call = IntegrationCall(trace_id="t", method_id=method_id, args=drive.args, timeout_ms=10_000)
    result = await subject.integration.call(call)
    assert result.ok, result.error


@pytest.fixture(params=SERVERS)
async def traffic(request: pytest.FixtureRequest) -> tuple[Description, list[tuple[Request, Answer]]]:
    """What goes over the wire when each operation of an adapter is called."""
    async with opened(request.param) as subject:
        for drive in subject.drives:
            await driven(subject, drive)
        exchanges = judge_of(subject).exchanges
    assert exchanges
    return SERVERS[request.param], exchanges


def test_every_change_of_a_request_is_refused(traffic: tuple[Description, list[tuple[Request, Answer]]]) -> None:
    description, exchanges = traffic
    for request, _ in exchanges:
        description.request(request)
        for what, other in changed_requests(request):
            with pytest.raises(NotAsDescribedError):
                pytest.fail(f"{what}: {description.request(other)}")


def test_every_change_of_an_answer_is_refused(traffic: tuple[Description, list[tuple[Request, Answer]]]) -> None:
    description, exchanges = traffic
    for request, answer in exchanges:
        asked = description.request(request)
        description.answer(asked, answer)
        for what, other in changed_answers(request, answer):
            with pytest.raises(NotAsDescribedError):
                pytest.fail(f"{what}: {description.answer(asked, other)}")


def changed_requests(request: Request) -> Iterator[tuple[str, Request]]:
    yield "method", replace(request, method="PATCH")
    yield "path", replace(request, path=f"{request.path}/no/such/place")
    if ANY_BODY not in request.path or request.method == "POST":
        yield "query", replace(request, query=(*request.query, ("surprise", "1")))
    yield "credentials", replace(request, headers={**request.headers, "authorization": "Digest 1"})
    if request.body:
        yield "media type", replace(request, headers={**request.headers, "content-type": "text/csv"})
        yield "half a body", replace(request, body=request.body[:-1])
        if ANY_BODY not in request.path:
            yield "a further field", replace(request, body=with_more(request.body))
    elif request.method == "GET":
        yield "a body", replace(request, body=b"{}")


def changed_answers(request: Request, answer: Answer) -> Iterator[tuple[str, Answer]]:
    yield "status", replace(answer, status=299)
    if request.method == "HEAD":
        yield "a body", replace(answer, body=b"{}")
        return
    yield "media type", replace(answer, headers={**answer.headers, "content-type": "text/html"})
    if not answer.media_type.startswith(("text/", "image/")):
        yield "half a body", replace(answer, body=answer.body[:-1] or b"\x08")
        if ANY_BODY not in request.path:
            yield "a further field", replace(answer, body=with_more(answer.body))


def with_more(body: bytes) -> bytes:
    """The same message with a field that none has."""
    try:
        read = json.loads(body)
    except ValueError:
        return body + PAST_THE_END
    return json.dumps({**read, "surprise": 1} if isinstance(read, dict) else {"surprise": read}).encode()


@pytest.mark.parametrize("name", SERVERS)
async def test_a_request_that_is_not_described_fails_the_test_that_made_it(name: str) -> None:
    with pytest.raises(NotAsDescribedError, match="surprise"):
        await asked_for_a_surprise(name)


@pytest.mark.parametrize("name", SERVERS)
async def test_an_answer_that_is_not_described_fails_the_test_that_got_it(name: str) -> None:
    async with opened(name) as subject:
        await driven(subject, subject.drives[0])
        request, _ = judge_of(subject).exchanges[0]
    with pytest.raises(NotAsDescribedError, match="answer"):
        await answered_with_nonsense(request, SERVERS[name])


async def asked_for_a_surprise(name: str) -> None:
    async with opened(name) as subject, aiohttp.ClientSession() as client:
        url = subject.proxy.url if subject.proxy.judge is not None else subject.server.url
        async with client.get(f"{url}/no/such/surprise") as answer:
            assert answer.status == 500


async def answered_with_nonsense(request: Request, description: Description) -> None:
    headers = {key: value for key, value in request.headers.items() if key not in {"host", "content-length"}}
    async with nonsense() as url, FaultyProxy(url, description) as proxy, aiohttp.ClientSession() as client:
        sent = {"params": list(request.query), "headers": headers, "data": request.body or None}
        async with client.request(request.method, proxy.url + request.path, **sent) as answer:
            assert answer.status == 500


async def test_a_stand_in_that_answers_what_no_server_would_fails_its_test() -> None:
    class Strange(QdrantServer):
        def answer(self, asked: Asked) -> Reply:
            return Reply({"hello": asked.name})

    with pytest.raises(NotAsDescribedError, match="'hello' was unexpected"):
        async with Strange() as server, aiohttp.ClientSession() as client, client.get(f"{server.url}/collections"):
            pass


@asynccontextmanager
async def nonsense() -> AsyncGenerator[str]:
    """A server that answers everything with a record that nobody describes."""

    async def answer(_: web.Request) -> web.Response:
        return web.json_response({"surprise": 1})

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    port = Port()
    await port.open(app)
    try:
        yield port.root
    finally:
        await port.close()
