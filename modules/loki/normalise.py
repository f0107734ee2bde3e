"""Maps Loki's wire format to our records: one list of lines out of its streams, cleaned and cut to length."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from modules._remote.http import read_as, unusable
from modules.loki.records import LONGEST_LINE, LogLine, Order

WHAT = "answer of Loki to a query"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


class WireData(BaseModel):
    """`data` of a query's answer."""

    kind: Annotated[Literal["streams", "matrix", "vector", "scalar"], Field(alias="resultType")]
    result: list[Any]


class WireAnswer(BaseModel):
    """A query's answer."""

    status: Literal["success"]
    data: WireData
    warnings: list[str] = []


class _WireStream(BaseModel):
    stream: dict[str, str]
    values: list[tuple[str, str] | tuple[str, str, Any]]


_streams = TypeAdapter(list[_WireStream])


def answer_of(json: Any) -> WireAnswer:
    """Parse an answer. Raise `IntegrationFault` if it is malformed."""
    return read_as(WireAnswer, json, WHAT)


def lines_of(data: WireData, order: Order) -> list[LogLine]:
    """Return the lines of all streams, by time. Raise `IntegrationFault`."""
    try:
        streams = _streams.validate_python(data.result)
        found = [(int(value[0]), value[1], one.stream) for one in streams for value in one.values]
        found.sort(key=lambda line: line[0], reverse=order is Order.BACKWARD)
        return [_line(at, text, labels) for at, text, labels in found]
    except (ValidationError, ValueError, OverflowError):
        raise unusable(WHAT) from None


def _line(nanoseconds: int, text: str, labels: dict[str, str]) -> LogLine:
    clean = clean_line(text)
    return LogLine(
        at=_EPOCH + timedelta(microseconds=nanoseconds // 1000),
        text=clean[:LONGEST_LINE],
        labels=labels,
        clipped=len(clean) > LONGEST_LINE,
    )


def clean_line(text: str) -> str:
    """Return a line without terminal colours, control characters and bidirectional controls."""
    return _CONTROL.sub(" ", _COLOUR.sub("", text)).strip()
