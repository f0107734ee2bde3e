"""Language models on loopback: what each provider's server takes and answers, as the published APIs describe it.

A request that a provider would refuse is refused here, with its own error; `refused` says why, and a test that did not
mean it fails.
"""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from butler_demo.serving import Port
from tests.agents.wire_anthropic import ANTHROPIC
from tests.agents.wire_base import KEY, Broken, Fault, Json, Raw, Wire
from tests.agents.wire_google import GOOGLE
from tests.agents.wire_ollama import OLLAMA
from tests.agents.wire_openai import CHAT, RESPONSES, chat
from tests.agents.wire_streams import written

__all__ = ["CHAT", "KEY", "WIRES", "Broken", "Fault", "Json", "ModelServer", "Raw", "Wire", "chat", "texts"]

WIRES: Mapping[str, Wire] = {
    "openai-chat": CHAT,
    "ollama": OLLAMA,
    "openai": RESPONSES,
    "anthropic": ANTHROPIC,
    "google": GOOGLE,
}


@dataclass
class ModelServer:
    """Answers each request with the next of `answers`; the last one is repeated."""

    wire: Wire
    answers: list[Json | int | Fault | Raw | Broken] = field(default_factory=list[Any])
    """Bodies; a number is an HTTP status, and 0 is silence."""
    requests: list[Json] = field(default_factory=list[Json])
    headers: list[str] = field(default_factory=list[str])
    refused: list[str] = field(default_factory=list[str])
    """What was wrong with requests that the provider would not have taken."""
    url: str = ""

    streamed: int = 0
    """How many streams were begun."""
    left: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a client has closed the connection of a stream that hung."""

    async def start(self) -> None:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._take)
        self._closing = asyncio.Event()
        self._port = Port()
        await self._port.open(app, handler_cancellation=True)
        self.url = self._port.root

    async def stop(self) -> None:
        self._closing.set()
        await self._port.close()

    @property
    def base_url(self) -> str:
        return self.url + self.wire.path

    def offered(self) -> dict[str, Json]:
        """The tools of the newest request."""
        return self.wire.tools(self.requests[-1])

    def plan(self, form: Any) -> None:
        """The next answer fills the form with this."""
        self.answers.append(self.wire.call("final_result", form))

    async def _take(self, request: web.Request) -> web.StreamResponse:
        wrong = await self._wrong_with(request)
        if wrong is not None:
            self.refused.append(f"{wrong[0]}: {wrong[1]}")
            return web.json_response(self.wire.error(*wrong), status=wrong[0])
        return await self._answer(request)

    async def _wrong_with(self, request: web.Request) -> tuple[int, str] | None:
        """The status and the reason with which the provider would refuse a request."""
        if request.method != "POST" or request.path_qs not in {self.wire.endpoint, self.wire.stream_endpoint}:
            return 404, f"{request.method} {request.path_qs}"
        if not self.wire.authorized(request.headers):
            return 401, "the key is not where it belongs"
        if missing := [name for name in self.wire.needs if name not in request.headers]:
            return 400, f"headers are missing: {missing}"
        if request.content_type != "application/json":
            return 400, f"a body of type {request.content_type}"
        try:
            self.wire.check(await request.json())
        except ValueError as error:
            return 400, str(error)
        return None

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(await request.json())
        self.headers.append(" ".join(request.headers.values()))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if answer == 0:
            await self._closing.wait()
        match answer:
            case int():
                body = self.wire.error(answer, f"your key {KEY} and your request are not to my liking")
                return web.json_response(body, status=answer or 503)
            case Fault(status=status, body=body):
                return web.json_response(body, status=status)
            case Raw():
                return await self._raw(request, answer)
            case Broken():
                return await self._stream(request, answer)
            case _ if self.requests[-1].get("stream") or request.path_qs == self.wire.stream_endpoint:
                return await self._stream(request, Broken(answer, len(self.wire.stream(answer)), "end"))
            case _:
                return web.json_response(answer)

    async def _stream(self, request: web.Request, answer: Broken) -> web.StreamResponse:
        self.streamed += 1
        response = web.StreamResponse(headers={"Content-Type": self.wire.media_type})
        await response.prepare(request)
        events = self.wire.stream(answer.answer)[: answer.after]
        for line in written([*events, self.wire.fault] if answer.then == "fail" else events, self.wire.media_type):
            await response.write(line)
        if answer.then == "hang":
            try:
                await self._closing.wait()
            except asyncio.CancelledError:
                self.left.set()
                raise
        if answer.then == "drop" and request.transport is not None:
            request.transport.close()
        return response

    async def _raw(self, request: web.Request, answer: Raw) -> web.StreamResponse:
        """A body as it stands; one that is cut ends with the connection before all that was promised has come."""
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        response.content_length = len(answer.text.encode()) * (2 if answer.cut else 1)
        await response.prepare(request)
        await response.write(answer.text.encode())
        if answer.cut and request.transport is not None:
            request.transport.close()
        return response


def texts(value: Any) -> Iterator[str]:
    """Every string in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)
