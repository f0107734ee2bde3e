"""OpenAI's two formats, chat completions and responses."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from tests.agents import wire_streams
from tests.agents.wire_base import KEY, Event, Fault, Json, Strict, Wire, as_text, is_schema, known

# Chat completions

CHAT_FIELDS = (
    "audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages "
    "metadata modalities model n parallel_tool_calls prediction presence_penalty prompt_cache_key reasoning_effort "
    "response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice "
    "tools top_logprobs top_p user verbosity web_search_options"
)


class Called(Strict):
    name: str = Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")
    arguments: str


class ToolCall(Strict):
    id: str
    type: Literal["function"]
    function: Called


class Message(Strict):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[Json] | None = None
    name: str = ""
    refusal: str | None = None
    tool_calls: list[ToolCall] = Field(default_factory=list[ToolCall])
    tool_call_id: str = ""


class Function(Strict):
    name: str = Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")
    description: str = ""
    parameters: Json
    strict: bool | None = None


class ChatTool(Strict):
    type: Literal["function"]
    function: Function


class StreamOptions(Strict):
    include_usage: bool = False
    include_obfuscation: bool = False


class Chat(Strict):
    model: str = Field(min_length=1)
    messages: list[Message] = Field(min_length=1)
    tools: list[ChatTool] = Field(default_factory=list[ChatTool])
    tool_choice: Literal["none", "auto", "required"] | Json = "auto"
    stream: bool = False
    stream_options: StreamOptions | None = None
    max_completion_tokens: int | None = Field(default=None, gt=0)


def check_chat(body: Json) -> None:
    known(body, CHAT_FIELDS)
    chat = Chat.model_validate({key: value for key, value in body.items() if key in Chat.model_fields})
    for tool in chat.tools:
        is_schema(tool.function.parameters)
    if chat.stream_options and not chat.stream:
        raise ValueError("stream_options are for streams")
    open_calls: set[str] = set()
    for message in chat.messages:
        if message.role == "tool":
            if message.tool_call_id not in open_calls or not isinstance(message.content, str):
                raise ValueError("a tool's message answers a call before it")
            open_calls.discard(message.tool_call_id)
        elif open_calls:
            raise ValueError("calls are answered before anything else is said")
        elif message.role == "assistant":
            open_calls = {call.id for call in message.tool_calls}
        elif not message.content:
            raise ValueError("a message says something")


def chat(message: Json, finish: str = "stop") -> Json:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1772700000,
        "model": "a-model",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": None} | message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 900, "completion_tokens": 100, "total_tokens": 1000},
    }


def chat_call(name: str, arguments: Any, finish: str = "tool_calls", text: str | None = None) -> Json:
    function = {"name": name, "arguments": as_text(arguments)}
    return chat({"content": text, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}, finish)


def openai_error(status: int, text: str, kind: str = "error", code: str | None = None) -> Json:
    return {"error": {"message": text, "type": kind, "param": None, "code": code}}


def bearer(headers: Mapping[str, str]) -> bool:
    return headers.get("Authorization") == f"Bearer {KEY}"


# Responses

RESPONSE_FIELDS = (
    "background conversation include input instructions max_output_tokens max_tool_calls metadata model "
    "parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention "
    "reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools "
    "top_logprobs top_p truncation user"
)


class Item(Strict):
    """A message, a call or what came of it."""

    type: Literal["message", "function_call", "function_call_output"] = "message"
    role: Literal["user", "assistant", "system", "developer"] | None = None
    content: str | list[Json] | None = None
    id: str | None = None
    status: str | None = None
    name: str | None = None
    arguments: str | None = None
    call_id: str | None = None
    output: str | list[Json] | None = None


class ResponseTool(Strict):
    type: Literal["function"]
    name: str = Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")
    description: str | None = None
    parameters: Json
    strict: bool


class Response(Strict):
    model: str = Field(min_length=1)
    input: list[Item] = Field(min_length=1)
    instructions: str = ""
    tools: list[ResponseTool] = Field(default_factory=list[ResponseTool])
    tool_choice: Literal["none", "auto", "required"] | Json = "auto"
    stream: bool = False
    max_output_tokens: int | None = Field(default=None, ge=16)


NEEDED = {
    "message": {"role", "content"},
    "function_call": {"name", "arguments", "call_id"},
    "function_call_output": {"call_id", "output"},
}


def check_response(body: Json) -> None:
    known(body, RESPONSE_FIELDS)
    given = Response.model_validate({key: value for key, value in body.items() if key in Response.model_fields})
    for tool in given.tools:
        is_schema(tool.parameters)
    calls: set[str | None] = set()
    for item in given.input:
        said = {name for name, value in item if value is not None} - {"type", "id", "status"}
        if said != NEEDED[item.type]:
            raise ValueError(f"a {item.type} has {sorted(NEEDED[item.type])}, and not {sorted(said)}")
        if item.type == "function_call":
            calls.add(item.call_id)
        if item.type == "function_call_output" and item.call_id not in calls:
            raise ValueError("what came of a call follows the call")


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
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": 100,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 1000,
        },
    } | more


def response_call(name: str, arguments: Any, **more: Any) -> Json:
    return response(called(name, arguments), **more)


def called(name: str, arguments: Any) -> Json:
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name, "status": "completed"}
    return call | {"arguments": as_text(arguments)}


def said(part: Json) -> Json:
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}


def output_text(text: str) -> Json:
    return {"type": "output_text", "text": text, "annotations": []}


def chat_tools(request: Json) -> dict[str, Json]:
    return {tool["function"]["name"]: tool["function"]["parameters"] for tool in request.get("tools", [])}


USED_UP = Fault(429, openai_error(429, "You exceeded your quota", "insufficient_quota", "insufficient_quota"))
CHAT = Wire(
    model="openai-chat:some-model",
    path="/v1",
    endpoint="/v1/chat/completions",
    call=chat_call,
    text=lambda text: chat({"content": text}),
    both=lambda text, name, arguments: chat_call(name, arguments, text=text),
    refusals=(chat({"refusal": "I will not do that."}), chat({"content": ""}, "content_filter")),
    cut=chat_call("final_result", '{"steps": [{"tool": "bot_no', "length"),
    error=openai_error,
    quota=USED_UP,
    overloaded=Fault(503, openai_error(503, "The server is overloaded", "service_unavailable_error", "overloaded")),
    tools=chat_tools,
    check=check_chat,
    stream=wire_streams.chat,
    fault=Event(openai_error(503, "The server is overloaded", "service_unavailable_error", "overloaded")),
    authorized=bearer,
)
RESPONSES = Wire(
    model="openai:gpt-4o",
    path="/v1",
    endpoint="/v1/responses",
    call=response_call,
    text=lambda text: response(said(output_text(text))),
    both=lambda text, name, arguments: response(said(output_text(text)), called(name, arguments)),
    refusals=(
        response(said({"type": "refusal", "refusal": "I will not do that."})),
        response(status="incomplete", incomplete_details={"reason": "content_filter"}),
    ),
    cut=response_call(
        "final_result",
        '{"steps": [{"tool": "bot_no',
        status="incomplete",
        incomplete_details={"reason": "max_output_tokens"},
    ),
    error=openai_error,
    quota=USED_UP,
    overloaded=CHAT.overloaded,
    tools=lambda request: {tool["name"]: tool["parameters"] for tool in request.get("tools", [])},
    check=check_response,
    stream=wire_streams.responses,
    fault=Event(
        {"type": "error", "code": "server_error", "message": "Overloaded", "param": None, "sequence_number": 3}, "error"
    ),
    authorized=bearer,
)
