"""What the stand-in of a language model's provider is made of, whichever provider it is."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import jsonschema
from pydantic import BaseModel, ConfigDict

Json = dict[str, Any]
KEY = "sk-the-owners-secret-key"


class Strict(BaseModel):
    """A part of a request as its provider publishes it: what is unknown, missing or of another type is refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


@dataclass(frozen=True, slots=True)
class Fault:
    """An answer that is no answer: a status with the provider's own body."""

    status: int
    body: Json


@dataclass(frozen=True, slots=True)
class Raw:
    """A body as it stands, which may be broken off before its end."""

    text: str
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """A server-sent event: JSON or a word, with the name of its kind where the provider gives one."""

    data: Json | str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Broken:
    """An answer of whose stream only the first events come."""

    answer: Json
    after: int
    then: Literal["drop", "end", "hang", "fail"]
    """The connection is dropped, the stream ends as if it were whole, nothing more comes, or an event tells a fault."""


@dataclass(frozen=True, slots=True)
class Wire:
    """One provider's format."""

    model: str
    path: str
    """Appended to the server's URL, this is `[llm] base_url`."""
    endpoint: str
    call: Callable[[str, Any], Json]
    """An answer that calls a tool."""
    text: Callable[[str], Json]
    """An answer in words."""
    both: Callable[[str, str, Any], Json]
    """Words, and then a call of a tool."""
    refusals: tuple[Json, ...]
    """Answers that refuse for what was asked, in each form that the provider has for it."""
    cut: Json
    """A call of the form that ends in the middle, since the answer was too long."""
    error: Callable[[int, str], Json]
    quota: Fault | None
    """What says that the account is used up; None where there is no account."""
    overloaded: Fault
    tools: Callable[[Json], dict[str, Json]]
    """The tools that a request offers, with their schemas."""
    check: Callable[[Json], None]
    """Raises `ValueError` for a request that the provider would refuse."""
    stream: Callable[[Json], list[Event]]
    """The events that carry an answer where a stream is asked for."""
    fault: Event
    """The event that tells of a fault in the middle of a stream."""
    authorized: Callable[[Mapping[str, str]], bool]
    """Whether the headers carry the key where the provider looks for it."""
    needs: tuple[str, ...] = ()
    """Headers that every request has."""
    stream_endpoint: str = ""
    """Where streams are asked for, with the query; empty where the body says so at the same place."""
    media_type: str = "text/event-stream"
    """Of streams."""
    refusal_is_words: bool = False
    """True where a model refuses in plain words, and nothing else tells."""

    def refusal(self) -> Json:
        return self.refusals[0]


def known(body: Json, published: str) -> None:
    """Refuse fields that are not published at all; `published` has their names, with blanks between them."""
    if unknown := set(body) - set(published.split()):
        raise ValueError(f"unknown fields: {sorted(unknown)}")


def is_schema(schema: Any) -> None:
    """Refuse what is no JSON schema of an object."""
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise ValueError("a tool's parameters are the schema of an object")
    _is_schema(json.dumps(schema))


@cache
def _is_schema(written: str) -> None:
    try:
        jsonschema.Draft202012Validator.check_schema(json.loads(written))
    except jsonschema.SchemaError as error:
        raise ValueError(f"no JSON schema: {error.message}") from None


def as_text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)
