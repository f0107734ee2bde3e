"""Ollama's own format: chat, as https://github.com/ollama/ollama/blob/main/docs/openapi.yaml describes it.

Two fields stand in its source only (`ChatRequest` in api/types.go, since 0.12.6): `truncate` and `shift`. Without them
what is longer than the context is cut from the beginning and nobody is told, and so it is here.
"""

import json
import re
from typing import Any, Literal

from pydantic import Field

from tests.agents.wire_base import KEY, Event, Fault, Json, Strict, Wire, is_schema
from tests.agents.wire_streams import pieces

CONTEXT = 4_096
"""Tokens that it keeps room for where a request says nothing and the machine has little memory."""
CHARACTERS = 4
"""Of a token, as the stand-in counts them."""


class Called(Strict):
    name: str = Field(min_length=1)
    description: str = ""
    arguments: Json
    index: int = 0


class ToolCall(Strict):
    id: str = ""
    function: Called


class Message(Strict):
    role: Literal["system", "user", "assistant", "tool"]
    content: str
    thinking: str = ""
    images: list[str] = Field(default_factory=list[str])
    tool_calls: list[ToolCall] = Field(default_factory=list[ToolCall])
    tool_name: str = ""
    tool_call_id: str = ""


class Function(Strict):
    name: str = Field(min_length=1)
    description: str = ""
    parameters: Json


class Tool(Strict):
    type: Literal["function"]
    function: Function


class Options(Strict):
    seed: int | None = None
    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    stop: str | list[str] | None = None
    num_ctx: int | None = Field(default=None, gt=0)
    num_predict: int | None = None


class Request(Strict):
    model: str = Field(min_length=1)
    messages: list[Message] = Field(min_length=1)
    tools: list[Tool] = Field(default_factory=list[Tool])
    format: Literal["json"] | Json | None = None
    options: Options = Options()
    stream: bool = True
    think: bool | Literal["low", "medium", "high", "max"] | None = None
    keep_alive: str | float | None = None
    logprobs: bool = False
    top_logprobs: int = 0
    truncate: bool = True
    shift: bool = True


class Line(Strict):
    """An answer, or a part of one."""

    model: str
    created_at: str
    message: Message
    done: bool
    done_reason: str = ""
    total_duration: int = 0
    load_duration: int = 0
    prompt_eval_count: int = 0
    prompt_eval_duration: int = 0
    eval_count: int = 0
    eval_duration: int = 0


def check(body: Json) -> None:
    request = Request.model_validate(body)
    for tool in request.tools:
        is_schema(tool.function.parameters)
    if re.search(r'"\$(?:ref|defs)"', json.dumps(body.get("tools", []))):
        raise ValueError("its templates know no references in schemas")
    called: set[str] = set()
    for message in request.messages:
        called |= {call.function.name for call in message.tool_calls}
        if message.role == "tool" and message.tool_name not in called:
            raise ValueError("what came of a tool names a tool that was called")
    if not (request.truncate and request.shift) and len(rendered(body)) > room(body):
        raise ValueError("the prompt is longer than the context length currently available to the model")


def room(body: Json) -> int:
    """Characters that fit into the context."""
    return (body.get("options", {}).get("num_ctx") or CONTEXT) * CHARACTERS


def rendered(body: Json) -> str:
    """The prompt as the model's template writes it: what it is and has comes before what is said."""
    said = [f"{message['role']}: {message['content']}" for message in body["messages"]]
    return "\n".join([json.dumps(body.get("tools", [])), *said])


def seen(body: Json) -> str:
    """What the model is given to read; where all does not fit, half of the room is filled, from the end."""
    prompt, most = rendered(body), room(body)
    return prompt if len(prompt) <= most else prompt[-most // 2 :]


def answer(message: Json, end: str = "stop") -> Json:
    return {
        "model": "qwen3",
        "created_at": "2026-03-05T12:00:00.000000Z",
        "message": {"role": "assistant", "content": ""} | message,
        "done": True,
        "done_reason": end,
        "total_duration": 4_883_583_458,
        "load_duration": 1_334_875,
        "prompt_eval_count": 900,
        "prompt_eval_duration": 342_546_000,
        "eval_count": 100,
        "eval_duration": 4_535_599_000,
    }


def call(name: str, arguments: Any, text: str = "") -> Json:
    given = arguments if isinstance(arguments, dict) else {"answer": arguments}
    return answer({"content": text, "tool_calls": [{"function": {"name": name, "arguments": given}}]})


def stream(whole: Json) -> list[Event]:
    """Words come in pieces, a call in one; the last line has no words, and says how it ended."""
    message = whole["message"]
    begun = {name: whole[name] for name in ("model", "created_at")} | {"done": False}
    parts: list[Json] = [{"thinking": message["thinking"]}] if "thinking" in message else []
    parts += [{"content": piece} for piece in pieces(message["content"])]
    parts += [{"tool_calls": message["tool_calls"]}] if "tool_calls" in message else []
    empty = {"role": "assistant", "content": ""}
    lines = [begun | {"message": empty | part} for part in parts]
    return [Event(line) for line in (*lines, whole | {"message": empty})]


OLLAMA = Wire(
    model="ollama:qwen3",
    path="",
    endpoint="/api/chat",
    call=call,
    text=lambda text: answer({"content": text}),
    both=lambda text, name, arguments: call(name, arguments, text),
    refusals=(answer({"content": "I'm sorry, but I can't help with that."}),),
    refusal_is_words=True,
    cut=answer({"content": '{"steps": [{"tool": "bot_no'}, "length"),
    error=lambda status, text: {"error": text},
    quota=None,
    overloaded=Fault(503, {"error": "server busy, please try again.  maximum pending requests exceeded"}),
    tools=lambda request: {tool["function"]["name"]: tool["function"]["parameters"] for tool in request["tools"]},
    check=check,
    stream=stream,
    fault=Event({"error": "an error was encountered while running the model"}),
    media_type="application/x-ndjson",
    authorized=lambda headers: headers.get("Authorization", "Bearer none") in {f"Bearer {KEY}", "Bearer none"},
)
