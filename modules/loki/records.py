"""The arguments and answers of the adapter `loki`: a log query, and its lines."""

from enum import StrEnum
from typing import Annotated

from pydantic import AwareDatetime, Field

from butler.contract.records import ClosedRecord, Record
from modules.loki.config import LONGEST_QUERY

QUERY = "loki.logs.query.v1"
MOST_LINES = 1_000
USUAL_LINES = 100
LONGEST_LINE = 2_000
"""Most characters returned of a line."""


class Order(StrEnum):
    """Which lines are given, and which of them first: `backward` is the newest."""

    BACKWARD = "backward"
    FORWARD = "forward"


class QueryArgs(ClosedRecord):
    """A log query over a span of time."""

    query: Annotated[
        str, Field(min_length=2, max_length=LONGEST_QUERY, description="A query in LogQL that gives lines.")
    ]
    since: Annotated[
        AwareDatetime | None, Field(description="Where the time begins; an hour before its end, when left out.")
    ] = None
    before: Annotated[AwareDatetime | None, Field(description="Where the time ends; now, when left out.")] = None
    limit: Annotated[int, Field(ge=1, le=MOST_LINES, description="How many lines at most.")] = USUAL_LINES
    direction: Annotated[
        Order, Field(description="`backward` gives the newest lines, newest first; `forward` the oldest, oldest first.")
    ] = Order.BACKWARD


class LogLine(Record):
    """One line, as some program wrote it: nobody vouches for what it says."""

    at: Annotated[AwareDatetime, Field(description="When it was written.")]
    text: Annotated[str, Field(description="The line, without colours and control characters.")]
    labels: Annotated[dict[str, str], Field(description="What is known of who wrote it.")]
    clipped: Annotated[bool, Field(description="Whether the line is longer than its text here.")]


class QueryAnswer(Record):
    """The lines that were found."""

    query: Annotated[str, Field(description="The query as it was asked.")]
    lines: Annotated[list[LogLine], Field(description="The lines, in the order that was asked for.")]
    count: Annotated[int, Field(description="How many they are.")]
    since: Annotated[AwareDatetime, Field(description="Where the time begins.")]
    before: Annotated[AwareDatetime, Field(description="Where the time ends.")]
    complete: Annotated[bool, Field(description="False where there are more lines, or one is clipped.")]
    warnings: Annotated[list[str], Field(description="What the server remarks on the answer.")]
