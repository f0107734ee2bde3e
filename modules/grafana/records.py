"""The arguments and answers of the methods at Grafana: the adapter's published schemas."""

from typing import Annotated, Self

from pydantic import AwareDatetime, Field, model_validator

from butler.contract.records import ClosedRecord, Record

QUERY = "grafana.dashboard.query.v1"
RENDER = "grafana.panel.render.v1"
STATUS = "grafana.server.status.v1"

Uid = Annotated[str, Field(max_length=40, pattern=r"^[A-Za-z0-9_-]*$")]
VariableName = Annotated[str, Field(max_length=60, pattern=r"^\w+$")]
VariableValue = Annotated[str, Field(max_length=200, pattern=r"^[\w .:/@-]+$")]
"""No quotes, brackets or other symbols: a value is inserted into the text of queries."""


class Span(ClosedRecord):
    """A stretch of time; the dashboard's own where nothing is said."""

    since: AwareDatetime | None = Field(default=None, description="The first moment; the dashboard's own, if left out.")
    before: AwareDatetime | None = Field(default=None, description="The end, which is excluded; now, if left out.")

    @model_validator(mode="after")
    def _runs_forward(self) -> Self:
        if self.since is None and self.before is not None:
            raise ValueError("with `before`, say `since`, too")
        if self.since is not None and self.before is not None and self.since >= self.before:
            raise ValueError("`since` must be earlier than `before`")
        return self


class DashboardArgs(Span):
    """Which dashboard, which of its panels, over which time."""

    dashboard: str = Field(default="", max_length=200, description="Words of the dashboard's title; empty for a list.")
    uid: Uid = Field(default="", description="The dashboard itself, as a list has it; its title is not asked then.")
    panel: str = Field(default="", max_length=200, description="Words of the panel's title; all panels, if left out.")
    variables: dict[VariableName, VariableValue] = Field(
        default_factory=dict[str, str],
        max_length=20,
        description="Values of the dashboard's variables by name; the stored ones, if left out.",
    )
    max_points: int = Field(default=240, ge=10, le=1_000, description="Points of a series at most.")


class Found(Record):
    """A dashboard in a list."""

    uid: str
    title: str
    folder: str
    url: str


class Shown(Record):
    """The dashboard that was read."""

    uid: str
    title: str
    url: str


class Series(Record):
    """Values over time; null where there is none, or none that is a number."""

    name: str
    labels: dict[str, str]
    points: list[tuple[AwareDatetime, Annotated[float, Field(allow_inf_nan=False)] | None]]


class Panel(Record):
    """One panel: its series, or what it says as text."""

    panel_id: int
    title: str
    kind: str
    unit: str
    series: list[Series]
    text: str


class DashboardAnswer(Record):
    """One dashboard with its panels; or a list, where several fit, or none does."""

    dashboards: list[Found] = Field(description="Filled where several fit, or none.")
    dashboard: Shown | None
    panels: list[Panel]
    complete: bool = Field(description="False where something was left out, or a panel could not be read.")


class RenderArgs(Span):
    """Which panel is drawn, or the whole dashboard."""

    uid: str = Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")
    slug: str = Field(default="-", max_length=200, pattern=r"^[\w.~-]+$")
    panel_id: int | None = Field(default=None, description="The whole dashboard, if left out.")
    variables: dict[VariableName, VariableValue] = Field(default_factory=dict[str, str], max_length=20)
    width: int = Field(default=1_000, ge=100, le=3_000)
    height: int = Field(default=500, ge=100, le=3_000)


class RenderAnswer(Record):
    """A picture, whose bytes are the raw answer."""

    size: int
    media_type: str


class StatusArgs(ClosedRecord):
    """Nothing to say."""


class StatusAnswer(Record):
    """A server that takes the token."""

    version: str
