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

    signal: str = Field(
        default="", max_length=30, description="Name of a signal that the tool lists.", examples=["cpu"]
    )
    query: str = Field(
        default="", max_length=LONGEST_QUERY, description="PromQL instead, where no signal will do.", examples=["up"]
    )
    since: NaiveDatetime | None = Field(
        default=None, description="Local time; left out: an hour before `before`.", examples=["2026-11-28T14:00"]
    )
    before: NaiveDatetime | None = Field(
        default=None, description="Local time; left out: now.", examples=["2026-11-28T16:00"]
    )
    step_s: Annotated[float, Field(gt=0, le=31_536_000)] | None = Field(
        default=None, description="Seconds between two points; left out: what fits a chart.", examples=[60]
    )
    instant: bool = Field(
        default=False, description="Whether only the values of one moment are wanted.", examples=[True]
    )
    in_zone: InZone = ""

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        if bool(self.signal) is bool(self.query.strip()):
            raise ValueError(say("give a signal or a query, one of them"))
        if self.instant and (self.since is not None or self.step_s is not None):
            raise ValueError(say("values of one moment have no span of time"))
        return self


ROLES = {TOOL: ToolMetadata.of(target="signal query", option="since before step_s instant in_zone")}
