"""Language models on loopback: what each provider's server takes and answers, as the published APIs describe it."""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Json = dict[str, Any]
KEY = "sk-the-owners-secret-key"


@dataclass(frozen=True, slots=True)
class Wire:
    """One provider's format. `call` is an answer that calls a tool, `text` one in words, `refusal` one of neither."""

    model: str
    path: str
    """Appended to the server's URL, this is `[llm] base_url`."""
    endpoint: str
    call: Callable[[str, Any], Json]
    text: Callable[[str], Json]
    refusal: Callable[[], Json]
    error: Callable[[int, str], Json]
    tools: Callable[[Json], dict[str, Json]]
    """The tools that a request offers, with their schemas."""


# OpenAI, chat completions (also Ollama's and everybody's who is compatible)


def chat(message: Json, finish: str = "stop") -> Json:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1772700000,
        "model": "a-model",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": None} | message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 900, "completion_tokens": 100, "total_tokens": 1000},
    }


def chat_call(name: str, arguments: Any) -> Json:
    function = {"name": name, "arguments": as_text(arguments)}
    return chat({"tool_calls": [{"id": "call_1", "type": "function", "function": function}]}, "tool_calls")


def chat_tools(request: Json) -> dict[str, Json]:
    return {tool["function"]["name"]: tool["function"]["parameters"] for tool in request.get("tools", [])}


def openai_error(status: int, text: str) -> Json:
    return {"error": {"message": text, "type": "error", "param": None, "code": None}}


# OpenAI, responses


def response(*output: Json, **more: Any) -> Json:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1772700000,
        "status": "completed",
        "model": "gpt-4o",
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 900,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 100,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 1000,
        },
    } | more


def response_call(name: str, arguments: Any) -> Json:
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name, "status": "completed"}
    return response(call | {"arguments": as_text(arguments)})


def response_message(part: Json) -> Json:
    return response({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]})


# Anthropic


def anthropic(content: list[Json], stop: str) -> Json:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5",
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 900, "output_tokens": 100},
    }


def anthropic_call(name: str, arguments: Any) -> Json:
    given = arguments if isinstance(arguments, dict) else {"answer": arguments}
    return anthropic([{"type": "tool_use", "id": "toolu_1", "name": name, "input": given}], "tool_use")


def anthropic_events(message: Json) -> Iterator[Json]:
    """The same answer as a stream, which the client asks for where an answer may be long."""
    yield {"type": "message_start", "message": message | {"content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        empty = {"text": {"text": ""}, "tool_use": {"input": {}}}[block["type"]]
        yield {"type": "content_block_start", "index": index, "content_block": block | empty}
        if block["type"] == "text":
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": message["usage"]}
    yield {"type": "message_stop"}


def anthropic_error(status: int, text: str) -> Json:
    kinds = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error"}
    return {"type": "error", "error": {"type": kinds.get(status, "api_error"), "message": text}}


# Google


def google(parts: list[Json], finish: str = "STOP") -> Json:
    content = {"content": {"role": "model", "parts": parts}} if parts else {}
    return {
        "candidates": [content | {"finishReason": finish, "index": 0}],
        "usageMetadata": {"promptTokenCount": 900, "candidatesTokenCount": 100, "totalTokenCount": 1000},
        "modelVersion": "gemini-2.5-flash",
        "responseId": "response-1",
    }


def google_call(name: str, arguments: Any) -> Json:
    given = arguments if isinstance(arguments, dict) else {"answer": arguments}
    return google([{"functionCall": {"name": name, "args": given}}])


def google_tools(request: Json) -> dict[str, Json]:
    declared = [one for tool in request.get("tools", []) for one in tool["functionDeclarations"]]
    return {one["name"]: one["parameters_json_schema"] for one in declared}


def google_error(status: int, text: str) -> Json:
    kinds = {401: "UNAUTHENTICATED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED"}
    return {"error": {"code": status, "message": text, "status": kinds.get(status, "INTERNAL")}}


def as_text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


CHAT = Wire(
    model="openai-chat:some-model",
    path="/v1",
    endpoint="/v1/chat/completions",
    call=chat_call,
    text=lambda text: chat({"content": text}),
    refusal=lambda: chat({"refusal": "I will not do that."}),
    error=openai_error,
    tools=chat_tools,
)
WIRES: Mapping[str, Wire] = {
    "openai-chat": CHAT,
    "ollama": Wire(
        model="ollama:llama3.2",
        path="/v1",
        endpoint="/v1/chat/completions",
        call=chat_call,
        text=lambda text: chat({"content": text}),
        refusal=lambda: chat({"refusal": "I will not do that."}),
        error=openai_error,
        tools=chat_tools,
    ),
    "openai": Wire(
        model="openai:gpt-4o",
        path="/v1",
        endpoint="/v1/responses",
        call=response_call,
        text=lambda text: response_message({"type": "output_text", "text": text, "annotations": []}),
        refusal=lambda: response_message({"type": "refusal", "refusal": "I will not do that."}),
        error=openai_error,
        tools=lambda request: {tool["name"]: tool["parameters"] for tool in request.get("tools", [])},
    ),
    "anthropic": Wire(
        model="anthropic:claude-sonnet-5",
        path="",
        endpoint="/v1/messages",
        call=anthropic_call,
        text=lambda text: anthropic([{"type": "text", "text": text}], "end_turn"),
        refusal=lambda: anthropic([], "refusal"),
        error=anthropic_error,
        tools=lambda request: {tool["name"]: tool["input_schema"] for tool in request.get("tools", [])},
    ),
    "google": Wire(
        model="google:gemini-2.5-flash",
        path="",
        endpoint="/v1beta/models/gemini-2.5-flash:generateContent",
        call=google_call,
        text=lambda text: google([{"text": text}]),
        refusal=lambda: google([], "SAFETY"),
        error=google_error,
        tools=google_tools,
    ),
}


@dataclass
class ModelServer:
    """Answers each request with the next of `answers`; the last one is repeated."""

    wire: Wire
    answers: list[Json | int] = field(default_factory=list[Any])
    """Bodies; a number is an HTTP status, and 0 is silence."""
    requests: list[Json] = field(default_factory=list[Json])
    headers: list[str] = field(default_factory=list[str])
    url: str = ""

    async def start(self) -> None:
        app = web.Application()
        app.router.add_post(self.wire.endpoint, self._answer)
        self._closing = asyncio.Event()
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        assert site._server is not None
        port: int = site._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"

    async def stop(self) -> None:
        self._closing.set()
        await self._runner.cleanup()

    @property
    def base_url(self) -> str:
        return self.url + self.wire.path

    def offered(self) -> dict[str, Json]:
        """The tools of the newest request."""
        return self.wire.tools(self.requests[-1])

    def plan(self, form: Any) -> None:
        """The next answer fills the form with this."""
        self.answers.append(self.wire.call("final_result", form))

    async def _answer(self, request: web.Request) -> web.Response:
        self.requests.append(await request.json())
        self.headers.append(" ".join(request.headers.values()))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if answer == 0:
            await self._closing.wait()
        if isinstance(answer, int):
            body = self.wire.error(answer, f"your key {KEY} and your request are not to my liking")
            return web.json_response(body, status=answer or 503)
        if self.requests[-1].get("stream"):
            lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in anthropic_events(answer)]
            return web.Response(text="".join(lines), content_type="text/event-stream")
        return web.json_response(answer)


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
