"""Anthropic's format: messages."""

import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from tests.agents import wire_streams
from tests.agents.wire_base import KEY, Event, Fault, Json, Strict, Wire, is_schema, known

FIELDS = (
    "cache_control container context_management inference_geo max_tokens mcp_servers messages metadata model "
    "output_config service_tier stop_sequences stream system temperature thinking tool_choice tools top_k top_p"
)


class Mark(Strict):
    """Up to here is kept in the cache."""

    type: Literal["ephemeral"]
    ttl: Literal["5m", "1h"] = "5m"


class Block(Strict):
    """A part of a message."""

    type: Literal["text", "tool_use", "tool_result"]
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Json | None = None
    tool_use_id: str | None = None
    content: str | list["Block"] | None = None
    is_error: bool | None = None
    cache_control: Mark | None = None


class Message(Strict):
    role: Literal["user", "assistant"]
    content: str | list[Block]


class Tool(Strict):
    name: str = Field(pattern=r"^[a-zA-Z0-9_-]{1,128}$")
    description: str = ""
    input_schema: Json
    cache_control: Mark | None = None
    type: Literal["custom"] = "custom"


class Choice(Strict):
    type: Literal["auto", "any", "tool", "none"]
    name: str = ""
    disable_parallel_tool_use: bool = False


class Thinking(Strict):
    type: Literal["enabled", "disabled", "adaptive"]
    budget_tokens: int | None = Field(default=None, ge=1024)
    display: str = ""


class Request(Strict):
    model: str = Field(min_length=1)
    max_tokens: int = Field(gt=0)
    messages: list[Message] = Field(min_length=1)
    system: str | list[Block] = ""
    tools: list[Tool] = Field(default_factory=list[Tool])
    tool_choice: Choice | None = None
    thinking: Thinking | None = None
    stream: bool = False


NEEDED = {"text": {"text"}, "tool_use": {"id", "name", "input"}, "tool_result": {"tool_use_id"}}


MOST_MARKS = 4


def check(body: Json) -> None:
    known(body, FIELDS)
    if json.dumps(body).count('"cache_control"') > MOST_MARKS:
        raise ValueError(f"at most {MOST_MARKS} blocks are marked for the cache")
    request = Request.model_validate({key: value for key, value in body.items() if key in Request.model_fields})
    for tool in request.tools:
        is_schema(tool.input_schema)
    if request.thinking and request.thinking.type == "enabled":
        if (request.thinking.budget_tokens or 0) >= request.max_tokens:
            raise ValueError("max_tokens is greater than thinking.budget_tokens")
        if request.tool_choice and request.tool_choice.type in ("any", "tool"):
            raise ValueError("thinking may not be enabled when tool_choice forces tool use")
    if request.messages[0].role != "user":
        raise ValueError("messages: the first one is the user's")
    calls: set[str | None] = set()
    for message in request.messages:
        blocks = message.content if isinstance(message.content, list) else []
        for block in blocks:
            said = {name for name, value in block if value is not None}
            if not NEEDED[block.type] <= said or block.text == "":
                raise ValueError(f"messages: a block {block.type} has {sorted(NEEDED[block.type])}")
        answered = {block.tool_use_id for block in blocks if block.type == "tool_result"}
        if answered != calls:
            raise ValueError("messages: each tool_use has its tool_result in the next message, and no other")
        calls = {block.id for block in blocks if block.type == "tool_use"}


def message(content: list[Json], stop: str) -> Json:
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


def call(name: str, arguments: Any, *before: Json) -> Json:
    given = arguments if isinstance(arguments, dict) else {"answer": arguments}
    return message([*before, {"type": "tool_use", "id": "toolu_1", "name": name, "input": given}], "tool_use")


def error(status: int, text: str) -> Json:
    kinds = {400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error"}
    return {"type": "error", "error": {"type": kinds.get(status, "api_error"), "message": text}, "request_id": "req_1"}


def authorized(headers: Mapping[str, str]) -> bool:
    """The key goes into either of the two headers that the API takes."""
    return headers.get("X-Api-Key") == KEY or headers.get("Authorization") == f"Bearer {KEY}"


ANTHROPIC = Wire(
    model="anthropic:claude-sonnet-5",
    path="",
    endpoint="/v1/messages",
    call=call,
    text=lambda text: message([{"type": "text", "text": text}], "end_turn"),
    both=lambda text, name, arguments: call(name, arguments, {"type": "text", "text": text}),
    refusals=(message([], "refusal"), message([{"type": "text", "text": "I will not."}], "refusal")),
    cut=message([{"type": "tool_use", "id": "toolu_1", "name": "final_result", "input": {"steps": 1}}], "max_tokens"),
    error=error,
    quota=Fault(400, error(400, "Your credit balance is too low to access the Anthropic API.")),
    overloaded=Fault(529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    tools=lambda request: {tool["name"]: tool["input_schema"] for tool in request.get("tools", [])},
    check=check,
    stream=wire_streams.anthropic,
    fault=Event({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "error"),
    authorized=authorized,
    needs=("anthropic-version",),
)
