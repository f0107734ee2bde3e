"""Asks Ollama by its own API, since the one for OpenAI's clients cannot say how long the context is.

There, Ollama takes the length that the machine's memory suggests, 4,096 tokens below 24 GB, and silently cuts what is
longer from the beginning: the instructions. Here each request says the length, and that a longer one is to be refused.

A transport below OpenAI's client: it takes the client's request, asks `/api/chat`, and answers as the client expects.
"""

import json
from collections.abc import AsyncIterator, Iterator
from http import HTTPStatus
from typing import Any, cast

import httpx2

from config.settings import LlmSettings

Json = dict[str, Any]

ADDRESS = "http://localhost:11434"
_ASKED, _CHAT = "/v1/chat/completions", "/api/chat"
_NO_THINKING = "does not support thinking"
_ENDS = {"stop": "stop", "length": "length"}


def address_of(base_url: str) -> str:
    """Return the address of the server, which owners also give as that of its API for OpenAI's clients."""
    return (base_url or ADDRESS).rstrip("/").removesuffix("/v1").rstrip("/")


class OllamaTransport(httpx2.AsyncBaseTransport):
    """Sends chat completions to `/api/chat` of the same server."""

    def __init__(self, settings: LlmSettings) -> None:
        self._context = settings.context
        self._think: bool | str | None = False if settings.thinking in ("auto", "off") else settings.thinking
        # No connection stays open between the owner's messages.
        self._below = httpx2.AsyncHTTPTransport(limits=httpx2.Limits(max_keepalive_connections=0))

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        asked: Json = json.loads(await request.aread())
        response = await self._ask(request, asked)
        if response.status_code == HTTPStatus.BAD_REQUEST and self._think is not None:
            said = await response.aread()
            if _NO_THINKING in said.decode(errors="replace"):
                self._think = None
                response = await self._ask(request, asked)
        if response.status_code != HTTPStatus.OK:
            return _refused(response.status_code, await response.aread())
        if asked.get("stream"):
            return httpx2.Response(200, headers={"Content-Type": "text/event-stream"}, stream=_Events(response))
        return _answered(await response.aread())

    async def _ask(self, request: httpx2.Request, asked: Json) -> httpx2.Response:
        kept = {name: request.headers[name] for name in ("authorization", "user-agent") if name in request.headers}
        url = request.url.copy_with(path=request.url.path.removesuffix(_ASKED) + _CHAT)
        body = native_request(asked, self._context, self._think)
        return await self._below.handle_async_request(
            httpx2.Request("POST", url, headers=kept, json=body, extensions=request.extensions)
        )

    async def aclose(self) -> None:
        await self._below.aclose()


class _Events(httpx2.AsyncByteStream):
    """The lines of Ollama's answer as server-sent events."""

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for line in self._response.aiter_lines():
            if line.strip():
                for data in chunks(json.loads(line)):
                    yield f"data: {json.dumps(data) if isinstance(data, dict) else data}\n\n".encode()

    async def aclose(self) -> None:
        await self._response.aclose()


def native_request(asked: Json, context: int, think: bool | str | None) -> Json:
    """Return the body for `/api/chat`. Without `truncate` and `shift` what is too long is refused, not cut."""
    options: Json = {"num_ctx": context}
    if most := asked.get("max_completion_tokens") or asked.get("max_tokens"):
        options["num_predict"] = most
    body: Json = {
        "model": asked["model"],
        "messages": _messages(asked["messages"]),
        "options": options,
        "truncate": False,
        "shift": False,
        "stream": bool(asked.get("stream")),
    }
    if tools := asked.get("tools"):
        body["tools"] = [{"type": "function", "function": _function(tool["function"])} for tool in tools]
    if think is not None:
        body["think"] = think
    return body


def _function(function: Json) -> Json:
    return {name: function[name] for name in ("name", "description", "parameters") if name in function}


def _messages(messages: list[Json]) -> list[Json]:
    names: dict[str, str] = {}
    native: list[Json] = []
    for message in messages:
        role, one = message["role"], {"role": message["role"], "content": _text(message.get("content"))}
        if role == "developer":
            one["role"] = "system"
        if calls := message.get("tool_calls"):
            names |= {call["id"]: call["function"]["name"] for call in calls}
            one["tool_calls"] = [{"id": call["id"], "function": _called(call["function"])} for call in calls]
        if role == "tool":
            one |= {"tool_name": names.get(message["tool_call_id"], ""), "tool_call_id": message["tool_call_id"]}
        native.append(one)
    return native


def _called(function: Json) -> Json:
    """Return a call that the model made; malformed arguments, which it is told of, go back as a text."""
    try:
        given = json.loads(function["arguments"])
    except ValueError:
        given = None
    arguments = cast("Json", given) if isinstance(given, dict) else {"arguments": function["arguments"]}
    return {"name": function["name"], "arguments": arguments}


def _text(content: str | list[Json] | None) -> str:
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content or ""


def completion(answer: Json) -> Json:
    """Return the chat completion of a whole answer."""
    finish = _finish(answer, calls=bool(_calls(answer)))
    message = {"role": "assistant", **_said(answer), "tool_calls": _calls(answer)}
    return _envelope(answer, "chat.completion") | {
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": _usage(answer),
    }


def chunks(line: Json) -> Iterator[Json | str]:
    """Return the events of a line of a streamed answer; without the last line the stream has no end."""
    if "error" in line:
        yield {"error": {"message": str(line["error"]), "type": "server_error", "param": None, "code": None}}
        return
    envelope = _envelope(line, "chat.completion.chunk")
    delta = {"role": "assistant", **_said(line)}
    if calls := _calls(line):
        delta["tool_calls"] = calls
    yield envelope | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    if line.get("done"):
        yield envelope | {"choices": [{"index": 0, "delta": {}, "finish_reason": _finish(line, calls=False)}]}
        yield envelope | {"choices": [], "usage": _usage(line)}
        yield "[DONE]"


def _message(answer: Json) -> Json:
    return answer.get("message") or {}


def _said(answer: Json) -> Json:
    message = _message(answer)
    said: Json = {"content": message.get("content") or ""}
    return said | ({"reasoning": message["thinking"]} if message.get("thinking") else {})


def _calls(answer: Json) -> list[Json]:
    made: list[Json] = _message(answer).get("tool_calls") or []
    return [
        {
            "index": at,
            "id": call.get("id") or f"call_{at}",
            "type": "function",
            "function": {
                "name": call["function"]["name"],
                "arguments": json.dumps(call["function"].get("arguments") or {}),
            },
        }
        for at, call in enumerate(made)
    ]


def _finish(answer: Json, *, calls: bool) -> str | None:
    if not answer.get("done"):
        return None
    end = _ENDS.get(str(answer.get("done_reason", "stop")), "stop")
    return "tool_calls" if calls and end == "stop" else end


def _usage(answer: Json) -> Json:
    prompt, new = int(answer.get("prompt_eval_count") or 0), int(answer.get("eval_count") or 0)
    return {"prompt_tokens": prompt, "completion_tokens": new, "total_tokens": prompt + new}


def _envelope(answer: Json, kind: str) -> Json:
    return {"id": "chatcmpl-ollama", "object": kind, "created": 0, "model": str(answer.get("model", ""))}


def _answered(said: bytes) -> httpx2.Response:
    """Return a whole answer; one that makes no sense as it is, for the client to say so."""
    try:
        return httpx2.Response(200, json=completion(json.loads(said)))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return httpx2.Response(200, headers={"Content-Type": "application/json"}, content=said)


def _refused(status: int, said: bytes) -> httpx2.Response:
    """Return an error of Ollama's as one of OpenAI's."""
    try:
        message = str(json.loads(said)["error"])
    except (ValueError, KeyError, TypeError):
        message = ""
    return httpx2.Response(status, json={"error": {"message": message, "type": "error", "param": None, "code": None}})
