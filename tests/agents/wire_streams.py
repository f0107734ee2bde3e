"""What each provider's server sends, event by event, where a request asks for a stream.

Each function takes a whole answer and returns the events that carry it. The shapes are those of the providers' own API
descriptions; test_wire_streams.py holds every event against the types that their clients generate from these.
"""

import json
from collections.abc import Iterator, Sequence

from tests.agents.wire_base import Event, Json

PIECES = 4
"""A text comes in about as many pieces."""


def pieces(text: str) -> list[str]:
    size = max(1, -(-len(text) // PIECES))
    return [text[at : at + size] for at in range(0, len(text), size)]


# Anthropic: https://platform.claude.com/docs/en/build-with-claude/streaming


def anthropic(message: Json) -> list[Event]:
    usage = message["usage"]
    start = message | {"content": [], "stop_reason": None, "usage": usage | {"output_tokens": 1}}
    events: list[Json] = [{"type": "message_start", "message": start}, {"type": "ping"}]
    for index, block in enumerate(message["content"]):
        events += _block(index, block)
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events += [
        {"type": "message_delta", "delta": ended, "usage": {"output_tokens": usage["output_tokens"]}},
        {"type": "message_stop"},
    ]
    return [Event(event, event["type"]) for event in events]


def _block(index: int, block: Json) -> Iterator[Json]:
    words = block["type"] == "text"
    empty = block | ({"text": ""} if words else {"input": {}})
    yield {"type": "content_block_start", "index": index, "content_block": empty}
    for piece in pieces(block["text"] if words else json.dumps(block["input"])):
        kind, key = ("text_delta", "text") if words else ("input_json_delta", "partial_json")
        yield {"type": "content_block_delta", "index": index, "delta": {"type": kind, key: piece}}
    yield {"type": "content_block_stop", "index": index}


# OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat-streaming


def chat(completion: Json) -> list[Event]:
    message, finish = completion["choices"][0]["message"], completion["choices"][0]["finish_reason"]
    envelope = {name: completion[name] for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}

    def chunk(delta: Json, finish: str | None = None) -> Event:
        return Event(envelope | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    events = [chunk({"role": "assistant", "content": ""})]
    for key in ("content", "refusal"):
        events += [chunk({key: piece}) for piece in pieces(message.get(key) or "")]
    for index, call in enumerate(message.get("tool_calls", [])):
        function = call["function"]
        begun = call | {"index": index, "function": function | {"arguments": ""}}
        events.append(chunk({"tool_calls": [begun]}))
        events += [
            chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
            for piece in pieces(function["arguments"])
        ]
    usage = Event(envelope | {"choices": [], "usage": completion["usage"]})
    return [*events, chunk({}, finish), usage, Event("[DONE]")]


# OpenAI's responses: https://platform.openai.com/docs/api-reference/responses-streaming


def responses(response: Json) -> list[Event]:
    begun = response | {"status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
    events: list[Json] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
    ]
    for index, item in enumerate(response["output"]):
        at = {"output_index": index, "item_id": item["id"]}
        empty = item | {"status": "in_progress"} | ({"arguments": ""} if "arguments" in item else {"content": []})
        events.append({"type": "response.output_item.added", "output_index": index, "item": empty})
        events += _arguments(item, at) if "arguments" in item else _content(item, at)
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    events.append({"type": f"response.{response['status']}", "response": response})
    return [Event(event | {"sequence_number": number}, event["type"]) for number, event in enumerate(events)]


def _arguments(item: Json, at: Json) -> Iterator[Json]:
    for piece in pieces(item["arguments"]):
        yield at | {"type": "response.function_call_arguments.delta", "delta": piece}
    yield at | {"type": "response.function_call_arguments.done", "arguments": item["arguments"]}


def _content(item: Json, at: Json) -> Iterator[Json]:
    for index, part in enumerate(item["content"]):
        kind = part["type"]
        key = "text" if kind == "output_text" else kind
        here, more = at | {"content_index": index}, {"logprobs": []} if kind == "output_text" else {}
        yield here | {"type": "response.content_part.added", "part": part | {key: ""}}
        for piece in pieces(part[key]):
            yield here | more | {"type": f"response.{kind}.delta", "delta": piece}
        yield here | more | {"type": f"response.{kind}.done", key: part[key]}
        yield here | {"type": "response.content_part.done", "part": part}


# Google: https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent


def google(answer: Json) -> list[Event]:
    """Chunks are whole answers themselves; a call comes in one piece, and the last one says how it ended."""
    more = {name: value for name, value in answer.items() if name != "candidates"}
    if "candidates" not in answer:
        return [Event(more)]
    (candidate,) = answer["candidates"]
    parts = candidate.get("content", {}).get("parts", [])
    split: list[Json] = []
    for part in parts:
        split += [{"text": piece} for piece in pieces(part["text"])] if "text" in part else [part]
    chunks = [{"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]} | more for part in split]
    if not chunks:
        return [Event(answer)]
    chunks[-1]["candidates"][0]["finishReason"] = candidate["finishReason"]
    return [Event(chunk) for chunk in chunks]


def written(events: Sequence[Event], media_type: str) -> Iterator[bytes]:
    """Events as they are on the wire: server-sent events, or lines of JSON."""
    for event in events:
        data = event.data if isinstance(event.data, str) else json.dumps(event.data)
        if media_type == "application/x-ndjson":
            yield f"{data}\n".encode()
        else:
            name = f"event: {event.name}\n" if event.name else ""
            yield f"{name}data: {data}\n\n".encode()
