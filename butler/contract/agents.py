"""The messages between agents (seed 2): the schemas as written, with aware times and added fields."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, Field

from butler.contract.provenance import Origin
from config.agents import MIN_RELEVANCE


def utcnow() -> datetime:
    """Return the present moment, aware, in UTC."""
    return datetime.now(UTC)


class ConnectorInput(BaseModel):
    source_type: Literal["gdrive", "web", "local"]
    source_identifier: str = Field(description="URL, File Path, or GDrive File ID")
    credentials_id: str | None = None
    recursive: bool = False


class ConnectorOutput(BaseModel):
    file_path: str = Field(description="Local absolute path to the downloaded file")
    file_size_bytes: int
    source_metadata: dict[str, Any] = Field(description="Original metadata (GDrive author, URL headers)")
    checksum: str = Field(description="SHA-256 in hex")
    media_type: str = ""
    name: str = ""
    """The name at its source: data, never a path."""
    source_id: str = ""
    """The id in memory, such as `web:https://...`, `gdrive:<id>`, `local:<path>`."""
    children: list["ConnectorOutput"] = Field(default_factory=list["ConnectorOutput"])
    """What else was fetched with it, if the fetch was `recursive`."""
    skipped: list[str] = Field(default_factory=list[str])
    """A sentence for each part that was not fetched, with the reason."""


class ParsedChunk(BaseModel):
    chunk_id: str
    content: str = Field(description="The text content or serialized table markdown")
    chunk_index: int
    page_number: int | None
    layout_type: Literal["text", "table", "image", "header", "notes"]
    bbox: list[float] | None = Field(None, description="[x1, y1, x2, y2] coordinates if applicable")
    headings: list[str] = Field(default_factory=list[str])
    """The headings above the chunk, the outermost first."""


class ParserOutput(BaseModel):
    document_id: str
    metadata: dict[str, Any]
    chunks: list[ParsedChunk]
    total_pages: int
    processing_time_ms: float
    problems: list[str] = Field(default_factory=list[str])
    """A sentence for each part that is missing or was left out, with the reason."""


class MemoryQuery(BaseModel):
    query_text: str
    top_k: int = 5
    min_relevance_score: float = MIN_RELEVANCE
    filters: dict[str, Any] | None = Field(None, description="Metadata filters (source_type='gdrive')")


class RetrievedContext(BaseModel):
    chunk_id: str
    content: str
    source_id: str
    source_url: str | None
    relevance_score: float
    metadata: dict[str, Any]
    title: str = ""
    kind: str = ""
    """A `MemoryKind`."""
    page_number: int | None = None
    at: AwareDatetime | None = None
    origins: list[Origin] = Field(default_factory=list[Origin])
    """The origins of the text. A source's own words keep them on their way through the agents."""


class MemoryOutput(BaseModel):
    results: list[RetrievedContext]
    total_found: int


class ReadKind(StrEnum):
    """What a reader takes out of a text."""

    AMOUNT = "amount"
    DATE = "date"
    YES_NO = "yes_no"
    CONTACT = "contact"


class When(BaseModel):
    """A typed condition on an earlier step's fact, or on what a reader takes out of what that step found."""

    step_id: int
    fact: str = ""
    read: ReadKind | None = None
    ask: str = ""
    """The question for the reader."""
    is_: Literal["equal", "not_equal", "more", "less", "empty", "not_empty"] = "not_empty"
    """`more` and `less` compare numbers, amounts and times (later, earlier)."""
    value: str | int | float | bool | None = None


class PlanStep(BaseModel):
    """One step of a plan.

    `args` hold literals, or what stands in place of one: `{"contact": id}`, `{"handle": id}`, `{"step": n}`,
    `{"from": n, "read": kind}`, `{"draft": {...}}`, `{"select": words}`.
    """

    step_id: int
    description: str
    tool_call: str
    status: Literal["pending", "in_progress", "completed", "failed"] = "pending"
    args: dict[str, Any] = Field(default_factory=dict[str, Any])
    depends_on: list[int] = Field(default_factory=list[int])
    when: When | None = None
    not_before: AwareDatetime | None = None
    """The execution time; None for immediate execution. Only a call that sends or changes something can wait."""
    ask: str = ""
    """A question of the owner's that is answered from what this step finds."""
    waiting_on: str | None = None
    """The approval this step waits for."""
    outcome: dict[str, Any] | None = None


class AgentFailure(BaseModel):
    agent_id: str
    error_code: str
    """An `AgentErrorCode`."""
    message: str
    recoverable: bool = False
    details: dict[str, Any] | None = None
    """May hold `cause`, a `FailureCause`."""
    timestamp: AwareDatetime = Field(default_factory=utcnow)
