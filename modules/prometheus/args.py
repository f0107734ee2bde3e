"""The arguments of `bot_prometheus_query_metrics`. Times are local times of the owner's."""

from typing import Annotated, Self

from pydantic import Field, NaiveDatetime, model_validator

from butler.contract.records import ClosedRecord
from butler.contract.speech import say
from butler.contract.tools import InZone, ToolMetadata
from modules.prometheus.config import LONGEST_QUERY

TOOL = "bot_prometheus_query_metrics"


class QueryMetricsArgs(ClosedRecord):
    """One signal by name, or a query. Without times, the last hour."""

    signal: Annotated[str, Field(max_length=30, description="A signal by its name, such as cpu.", examples=["cpu"])] = (
        ""
    )
    query: Annotated[
        str, Field(max_length=LONGEST_QUERY, description="A query in PromQL, where no signal is what is wanted.")
    ] = ""
    since: Annotated[NaiveDatetime | None, Field(description="Where the time begins; an hour before its end.")] = None
    before: Annotated[NaiveDatetime | None, Field(description="Where the time ends; now.")] = None
    step_s: Annotated[float | None, Field(gt=0, le=31_536_000, description="Seconds between two points.")] = None
    instant: Annotated[bool, Field(description="The values of one moment only, without a chart.")] = False
    in_zone: InZone = ""

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        if bool(self.signal) is bool(self.query.strip()):
            raise ValueError(say("give a signal or a query, one of them"))
        if self.instant and (self.since is not None or self.step_s is not None):
            raise ValueError(say("values of one moment have no span of time"))
        return self


ROLES = {TOOL: ToolMetadata.of(target="signal query", option="since before step_s instant in_zone")}
