"""Grafana's JSON, as far as it is used. Other fields are untrusted and ignored."""

from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, RootModel, model_validator

Json = dict[str, Any]


class Wire(BaseModel):
    """A record of Grafana's; null counts as absent."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _said_only(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {name: one for name, one in cast("Json", value).items() if one is not None}


class Hit(Wire):
    """A dashboard that a search found."""

    uid: str
    title: str
    url: str = ""
    folderTitle: str = ""  # noqa: N815 - Grafana's names, here and below


class Hits(RootModel[list[Hit]]):
    """The results of a search."""


class Source(Wire):
    """A data source."""

    uid: str
    name: str
    type: str = ""
    isDefault: bool = False  # noqa: N815


class Sources(RootModel[list[Source]]):
    """All data sources."""


class Variable(Wire):
    """A variable of a dashboard: its current value, and its options as far as they are stored."""

    name: str = ""
    type: str = ""
    current: Json = Field(default_factory=dict[str, Any])
    options: list[Json] = Field(default_factory=list[Json])
    allValue: str = ""  # noqa: N815
    multi: bool = False
    includeAll: bool = False  # noqa: N815


class Templating(Wire):
    """The variables of a dashboard."""

    list_: list[Variable] = Field(default_factory=list[Variable], alias="list")


class Defaults(Wire):
    """How values are shown."""

    unit: str = ""


class FieldConfig(Wire):
    """How a panel's fields are shown."""

    defaults: Defaults = Defaults()


class PanelModel(Wire):
    """A stored panel; a row holds the panels folded into it."""

    id: int = 0
    title: str = ""
    type: str = ""
    datasource: Any = None
    targets: list[Json] = Field(default_factory=list[Json])
    options: Json = Field(default_factory=dict[str, Any])
    content: str = ""
    fieldConfig: FieldConfig = FieldConfig()  # noqa: N815
    panels: list["PanelModel"] = Field(default_factory=list["PanelModel"])


class TimeRange(Wire):
    """A time range in Grafana's own terms, such as `now-6h`."""

    from_: str = Field(default="now-6h", alias="from")
    to: str = "now"


class Dashboard(Wire):
    """A dashboard as it is stored."""

    uid: str
    title: str = ""
    time: TimeRange = TimeRange()
    templating: Templating = Templating()
    panels: list[PanelModel] = Field(default_factory=list[PanelModel])


class Meta(Wire):
    """Grafana's metadata of a dashboard."""

    url: str = ""
    folderTitle: str = ""  # noqa: N815


class Full(Wire):
    """A dashboard with its metadata."""

    dashboard: Dashboard
    meta: Meta = Meta()


class FieldModel(Wire):
    """A column of a frame."""

    name: str = ""
    type: str = ""
    labels: dict[str, str] = Field(default_factory=dict[str, str])
    config: Json = Field(default_factory=dict[str, Any])


class FrameMeta(Wire):
    """The metadata of a frame."""

    notices: list[Json] = Field(default_factory=list[Json])


class FrameSchema(Wire):
    """The name and columns of a frame."""

    name: str = ""
    fields: list[FieldModel] = Field(default_factory=list[FieldModel])
    meta: FrameMeta = FrameMeta()


class FrameData(Wire):
    """The values, column by column."""

    values: list[list[Any]] = Field(default_factory=list[list[Any]])


class Frame(Wire):
    """One frame of data."""

    schema_: FrameSchema = Field(default=FrameSchema(), alias="schema")
    data: FrameData = FrameData()


class Answered(Wire):
    """The result of one query of a panel; it may have both frames and an error."""

    frames: list[Frame] = Field(default_factory=list[Frame])
    error: str = ""


class Queried(Wire):
    """The results of all queries of a panel, by their letters."""

    results: dict[str, Answered]


class Health(Wire):
    """The state of the server."""

    version: str = ""


class FrontendSettings(Wire):
    """The settings of Grafana's page."""

    rendererAvailable: bool = False  # noqa: N815
