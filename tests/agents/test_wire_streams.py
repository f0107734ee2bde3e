"""The events of the stand-ins are what the providers publish: the types of their clients are generated from these."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from tests.agents.forms import PLAN
from tests.agents.wire import WIRES, Wire
from tests.agents.wire_base import Event, Json
from tests.agents.wire_ollama import Line


@cache
def published(provider: str) -> TypeAdapter[Any]:
    if provider == "anthropic":
        from anthropic.types import RawMessageStreamEvent  # noqa: PLC0415

        return TypeAdapter(RawMessageStreamEvent)
    if provider == "google":
        from google.genai.types import GenerateContentResponse  # noqa: PLC0415

        return TypeAdapter(GenerateContentResponse)
    if provider == "ollama":
        return TypeAdapter(Line)
    if provider == "openai":
        from openai.types.responses import ResponseStreamEvent  # noqa: PLC0415

        return TypeAdapter(ResponseStreamEvent)
    from openai.types.chat import ChatCompletionChunk  # noqa: PLC0415

    return TypeAdapter(ChatCompletionChunk)


def unknown(value: Any, at: str = "") -> Iterator[str]:
    """The fields that are not published."""
    if isinstance(value, BaseModel):
        yield from (f"{at}.{name}" for name in value.model_extra or {})
        for name in type(value).model_fields:
            yield from unknown(getattr(value, name), f"{at}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from unknown(inner, at)


def answers(wire: Wire) -> list[Json]:
    return [wire.text("Paris, since 987."), wire.call("final_result", PLAN), *wire.refusals, wire.cut]


@pytest.mark.parametrize("provider", sorted(WIRES))
def test_every_event_is_of_a_published_shape(provider: str) -> None:
    wire = WIRES[provider]
    adapter, seen = published(provider), set[str]()
    for answer in answers(wire):
        for event in wire.stream(answer):
            if event.data == "[DONE]" or event.name == "ping":
                continue
            seen.add(event.name)
            assert list(unknown(adapter.validate_python(event.data))) == [], event
    assert len(seen) == {"anthropic": 6, "openai": 14}.get(provider, 1)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_name_of_an_event_is_its_type(provider: str) -> None:
    wire = WIRES[provider]
    events = [event for answer in answers(wire) for event in wire.stream(answer)]
    assert all(isinstance(event.data, dict) and event.data["type"] == event.name for event in [*events, wire.fault])


@pytest.mark.parametrize("provider", sorted(WIRES))
def test_an_event_of_another_shape_would_be_found(provider: str) -> None:
    (event, *_) = WIRES[provider].stream(WIRES[provider].text("Paris"))
    assert isinstance(event, Event)
    assert isinstance(event.data, dict)
    surprising = event.data | {"surprise": 1}
    if provider in ("google", "ollama"):
        with pytest.raises(ValidationError, match="surprise"):
            published(provider).validate_python(surprising)
        return
    assert list(unknown(published(provider).validate_python(surprising))) == [".surprise"]
