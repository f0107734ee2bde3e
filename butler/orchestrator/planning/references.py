"""References that a planner may write in an argument instead of a value; all are bound outside of planners.

- `{"contact": ID}` or `{"address": "mail:..."}`: a recipient;
- `{"handle": "mail-3"}`: the id of a shown item;
- `{"step": 1, "fact": "forward.body"}`: a fact of an item that an earlier step found; a time may be moved by
  `"on": "2026-03-09"`, `"at": "16:00"`, `"days": -1` and `"minutes": 30`;
- `{"from": 1, "read": "date", "ask": "when is the viewing?"}`: one typed value that a reader extracts; a day may
  be moved by `"days": -1` and `"at": "09:00"`;
- `{"draft": {"from": [1], "ask": "what does it say about notice?"}}`: a text composed from it, for a card;
- `{"replied": "text"}`: the text of the message that the request replies to, if others had a hand in it;
- `{"select": "the one about the invoice"}`: the one item shown last that fits these words; in a list,
  `{"select": "about the invoice", "all": true}` stands for all that fit.

`from` names steps by number or items by handle, one or several. An object that an adapter's tool takes, such as a row
or a condition, is literal; within it only references to steps and texts are bound.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import time
from typing import Any, TypeVar, cast

from pydantic import Field, ValidationError, field_validator

from butler.contract.agents import ReadKind, When
from butler.contract.records import ClosedRecord

LONGEST_ASK = 500
MOST_SOURCES = 8

REPLIED_TEXT = {"replied": "text"}
Source = int | str
"""An earlier step by its number, or a shown item by its handle."""


class _Taking(ClosedRecord):
    """A reference that takes something out of texts."""

    sources: tuple[Source, ...] = Field(alias="from", min_length=1, max_length=MOST_SOURCES)
    ask: str = Field(default="", max_length=LONGEST_ASK)

    @field_validator("sources", mode="before")
    @classmethod
    def _several(cls, value: Any) -> list[Any]:
        return cast("list[Any]", value) if isinstance(value, list) else [value]


class ReadReference(_Taking):
    """One typed value out of texts."""

    read: ReadKind
    days: int = Field(default=0, ge=-3_650, le=3_650)
    """The number of days to add to the day."""
    hours: int = Field(default=0, ge=-240, le=240)
    at: time | None = None
    """The time on that day, whatever the text says."""


class DraftReference(_Taking):
    """A text composed of what others wrote."""


R = TypeVar("R", bound=_Taking)


def taken_out(value: Any) -> ReadReference | DraftReference | None:
    """Return the value as a reference to texts, or None if it is none; raise `ValueError` that says what is wrong."""
    match value:
        case {"from": _, "read": _}:
            return _valid(ReadReference, value)
        case {"draft": dict(), **rest} if not rest:
            return _valid(DraftReference, value["draft"])
        case _:
            return None


def _valid(kind: type[R], value: Any) -> R:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"{where}: {first['msg']}" if where else first["msg"]) from None


def read_of(when: When | None) -> ReadReference | None:
    """Return the reference of a condition on a text; None for a condition on a fact."""
    if when is None or when.read is None:
        return None
    return ReadReference.model_validate({"from": [when.step_id], "read": when.read, "ask": when.ask[:LONGEST_ASK]})


def every_taking(value: Any) -> Iterator[ReadReference | DraftReference]:
    """Yield all references to texts within a value, at any depth; raise `ValueError`."""
    if (taken := taken_out(value)) is not None:
        yield taken
    else:
        for inner in _inner(value):
            yield from every_taking(inner)


def steps_of(value: Any) -> Iterator[int]:
    """Yield the earlier steps that a value depends on, by a fact or by a text."""
    match value:
        case {"step": int(number)}:
            yield number
        case {"from": _}:
            yield from (one for one in sources_in(value) if isinstance(one, int))
        case _:
            for inner in _inner(value):
                yield from steps_of(inner)


def sources_in(value: Any) -> Iterator[Source]:
    """Yield the steps and handles whose texts a value uses, whether or not it is otherwise well-formed."""
    match value:
        case {"from": sources}:
            several = cast("list[Any]", sources) if isinstance(sources, list) else [sources]
            yield from (one for one in several if isinstance(one, int | str))
        case _:
            for inner in _inner(value):
                yield from sources_in(inner)


def handles_in(value: Any) -> Iterator[str]:
    """Yield the shown items that a value names one by one, at any depth."""
    match value:
        case {"handle": str(handle), **rest} if "select" not in rest:
            yield handle
        case _:
            for inner in _inner(value):
                yield from handles_in(inner)


def moved(value: Any, numbers: Mapping[Source, int]) -> Any:
    """Return a value with its steps, or the handles that steps read, renumbered."""
    match value:
        case {"step": int(number)}:
            return {**cast("dict[str, Any]", value), "step": numbers.get(number, number)}
        case {"from": list()}:
            several = [numbers.get(one, one) for one in cast("list[Source]", value["from"])]
            return {**cast("dict[str, Any]", value), "from": several}
        case {"from": int() | str() as source}:
            return {**cast("dict[str, Any]", value), "from": numbers.get(source, source)}
        case dict():
            return {name: moved(one, numbers) for name, one in cast("dict[str, Any]", value).items()}
        case list():
            return [moved(one, numbers) for one in cast("list[Any]", value)]
        case _:
            return value


def _inner(value: Any) -> Sequence[Any]:
    match value:
        case dict():
            return list(cast("dict[str, Any]", value).values())
        case list():
            return cast("list[Any]", value)
        case _:
            return []
