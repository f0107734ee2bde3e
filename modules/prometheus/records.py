"""The arguments and answers of the adapter `prometheus`: a query, and its series with their points."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from butler.contract.records import ClosedRecord, Record
from modules.prometheus.config import LONGEST_QUERY

QUERY = "prometheus.metrics.query.v1"
MOST_SERIES = 50
MOST_POINTS = 1_000
"""Per series; Prometheus itself would return 11,000."""
USUAL_POINTS = 400
"""The default resolution; a chart could not show more."""

Kind = Literal["instant", "range"]
Point = tuple[AwareDatetime, float | None]


class QueryArgs(ClosedRecord):
    """A query at a moment, or with `since` over a span of time."""

    query: Annotated[str, Field(min_length=1, max_length=LONGEST_QUERY, description="A query in PromQL.")]
    since: Annotated[
        AwareDatetime | None, Field(description="Where the span of time begins; left out for the values of one moment.")
    ] = None
    before: Annotated[
        AwareDatetime | None, Field(description="Where the span of time ends, or the one moment; now, when left out.")
    ] = None
    step_s: Annotated[
        float | None,
        Field(gt=0, le=31_536_000, description="Seconds between two points; about 400 points, when left out."),
    ] = None
    max_series: Annotated[int, Field(ge=1, le=MOST_SERIES, description="How many series at most.")] = MOST_SERIES


class Series(Record):
    """What one query gives of one thing that is measured."""

    name: Annotated[str, Field(description="What tells it from the others, of its labels.")]
    labels: Annotated[dict[str, str], Field(description="All its labels; `__name__` is the metric's.")]
    points: Annotated[
        list[Point],
        Field(
            description="Moments and values, in the order of time; null where there is no value, or an infinite one."
        ),
    ]


class QueryAnswer(Record):
    """What the query gave."""

    query: Annotated[str, Field(description="The query as it was asked.")]
    kind: Annotated[Kind, Field(description="Whether it is of one moment, or over a span of time.")]
    series: Annotated[list[Series], Field(description="The series, in the server's order.")]
    since: Annotated[AwareDatetime | None, Field(description="Where the span of time begins.")]
    before: Annotated[AwareDatetime, Field(description="Where it ends, or the one moment.")]
    step_s: Annotated[float | None, Field(description="Seconds between two points of a span.")]
    complete: Annotated[bool, Field(description="False where more series were found than are given.")]
    warnings: Annotated[list[str], Field(description="What the server, or the butler, remarks on the answer.")]
