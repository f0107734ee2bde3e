"""The arguments of `bot_loki_query_logs`. Times are local times of the owner's."""

from typing import Annotated, Self

from pydantic import Field, NaiveDatetime, model_validator

from butler.contract.records import ClosedRecord
from butler.contract.speech import say
from butler.contract.tools import InZone, ToolMetadata
from modules.loki.config import LONGEST_QUERY
from modules.loki.records import MOST_LINES, USUAL_LINES, Order

TOOL = "bot_loki_query_logs"
Word = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]
LabelName = Annotated[str, Field(pattern=r"^[a-zA-Z_][a-zA-Z0-9_]{0,99}$")]
LabelValue = Annotated[str, Field(max_length=500, pattern=r"^[^\x00-\x1f\x7f]*$")]


class QueryLogsArgs(ClosedRecord):
    """A signal by name, labels, words, or a query. Without times, the last hour."""

    signal: str = Field(
        default="", max_length=30, description="Name of a signal that the tool lists.", examples=["errors"]
    )
    words: tuple[Word, ...] = Field(
        default=(), max_length=10, description="Each stands in the line; case does not count.", examples=[["rsync"]]
    )
    labels: dict[LabelName, LabelValue] = Field(
        default={}, max_length=10, description="Who wrote it.", examples=[{"unit": "backup.service"}]
    )
    query: str = Field(
        default="",
        max_length=LONGEST_QUERY,
        description="LogQL instead, where none of the others will do.",
        examples=['{job="nginx"} |= " 500 "'],
    )
    since: NaiveDatetime | None = Field(
        default=None, description="Local time; left out: an hour before `before`.", examples=["2026-11-28T21:00"]
    )
    before: NaiveDatetime | None = Field(
        default=None, description="Local time; left out: now.", examples=["2026-11-28T22:00"]
    )
    limit: int = Field(default=USUAL_LINES, ge=1, le=MOST_LINES, description="How many lines at most.", examples=[20])
    direction: Order = Field(
        default=Order.BACKWARD,
        description="`backward`: the newest lines; `forward`: the oldest, as for how something began.",
        examples=["forward"],
    )
    in_zone: InZone = ""

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        if self.query.strip() and (self.signal or self.words or self.labels):
            raise ValueError(say("a query stands alone; leave out signal, words and labels"))
        if self.signal and self.labels:
            raise ValueError(say("give a signal or labels, one of them"))
        if not (self.query.strip() or self.signal or self.words or self.labels):
            raise ValueError(say("give a signal, words, labels or a query"))
        return self


ROLES = {TOOL: ToolMetadata.of(target="signal words labels query", option="since before limit direction in_zone")}
