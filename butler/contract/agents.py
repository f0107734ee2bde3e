"""The messages between agents (seed 2): the schemas as written, with aware times and added fields."""

from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import StrEnum
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, Field, SecretStr

from butler.contract.errors import AgentErrorCode
from butler.contract.inbound import Inbound
from butler.contract.provenance import Labelled, Origin
from butler.contract.reasons import Reason, in_own_words
from butler.contract.records import Record
from config.agents import MIN_RELEVANCE


def utcnow() -> datetime:
    """Return the present moment, aware, in UTC."""
    return datetime.now(UTC)


class AgentMetadata(BaseModel):
    """Who made something, when, and by which model."""

    agent_id: str
    timestamp: AwareDatetime = Field(default_factory=utcnow)
    model_version: str


class GuardrailsInput(BaseModel):
    content: str
    check_type: Literal["input_validation", "output_safety"]
    metadata: dict[str, Any] | None = None


class GuardSpan(BaseModel):
    """Where something was found, in code points, and what: `EMAIL_ADDRESS`, `API_KEY`, `INJECTION`, ..."""

    start: int
    end: int
    type: str


class GuardrailsOutput(BaseModel):
    is_safe: bool
    sanitized_content: str
    risk_category: Literal["injection", "pii", "hate_speech", "malicious_code", "none"] | None
    reasoning: str
    spans: list[GuardSpan] = Field(default_factory=list[GuardSpan])
    """Of the content as it was given."""
    reasons: list[Reason] = Field(default_factory=list[Reason], exclude=True)
    """What `reasoning` says, as codes."""

    @property
    def found(self) -> tuple[Reason, ...]:
        """What was found, to be stored."""
        return tuple(self.reasons) or ((in_own_words(self.reasoning),) if self.reasoning else ())


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
    """What its source calls it: data, never a path."""
    source_id: str = ""
    """What memory knows it by, such as `web:https://...`, `gdrive:<id>`, `local:<path>`."""
    children: list["ConnectorOutput"] = Field(default_factory=list["ConnectorOutput"])
    """What else came with it, where it was fetched `recursive`."""
    skipped: list[str] = Field(default_factory=list[str])
    """What was not fetched, and why, a sentence each."""


FileType = Literal["pdf", "html", "docx", "pptx", "txt", "xlsx", "csv", "md", "eml", "ics", "image"]


class ParserInput(BaseModel):
    file_path: str = Field(description="Local path or temp URL to the file")
    file_type: FileType
    ingestion_source: Literal["gdrive", "local", "web_scrape", "mail", "chat"]
    force_ocr: bool = False
    password: SecretStr | None = None
    """Used once, never stored."""
    name: str = ""
    """What the file is called where it came from."""


class ParsedChunk(BaseModel):
    chunk_id: str
    content: str = Field(description="The text content or serialized table markdown")
    chunk_index: int
    page_number: int | None
    layout_type: Literal["text", "table", "image", "header", "notes"]
    bbox: list[float] | None = Field(None, description="[x1, y1, x2, y2] coordinates if applicable")
    headings: list[str] = Field(default_factory=list[str])
    """The headings it stands under, the outermost first."""


class ParserOutput(BaseModel):
    document_id: str
    metadata: dict[str, Any]
    chunks: list[ParsedChunk]
    total_pages: int
    processing_time_ms: float
    problems: list[str] = Field(default_factory=list[str])
    """What is missing or was left out of it, and why, a sentence each."""


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
    """Who stands behind the text. A source's own words never lose this on their way."""


class MemoryOutput(BaseModel):
    results: list[RetrievedContext]
    total_found: int


class TailorInput(BaseModel):
    user_query: str
    context_chunks: list[RetrievedContext]
    persona: Literal["Technical", "Executive", "General"] = "General"
    formatting_instructions: str | None = None
    language: str = "en"
    """Of the answer, as a two-letter code."""
    history: list[str] = Field(default_factory=list[str])
    """Earlier turns as a planner may see them, the oldest first."""


class SourceCitation(BaseModel):
    source_id: str
    chunk_id: str
    text_snippet: str
    """Word for word what the source says."""
    url: str | None
    title: str = ""
    page_number: int | None = None


class TailorOutput(BaseModel):
    content: str = Field(description="The synthesized response")
    citations: list[SourceCitation]
    tone_used: str
    follow_up_suggestions: list[str]
    confidence_score: float


class ReadKind(StrEnum):
    """What a reader takes out of a text."""

    AMOUNT = "amount"
    DATE = "date"
    YES_NO = "yes_no"
    CONTACT = "contact"


class KnownPerson(BaseModel):
    """One of the owner's confirmed contacts, as a text may name them."""

    contact_id: str
    aliases: list[str]
    addresses: list[str] = Field(default_factory=list[str])
    """As they are written in texts, such as `anna@friends.example`."""


class Amount(BaseModel):
    """An amount of money."""

    value: Decimal
    currency: str
    """As ISO 4217 has it, such as `EUR`."""


class ReaderInput(BaseModel):
    """What is to be taken out of which texts."""

    kind: ReadKind
    ask: str
    """What is to be found out, in words."""
    context_chunks: list[RetrievedContext]
    people: list[KnownPerson] = Field(default_factory=list[KnownPerson])
    """Who may be meant, where a contact is asked for."""
    zone: str = "UTC"
    """The IANA zone in which texts mean their days."""


class Reading(Record):
    """One value, and the words that say it; of the values, only the one of its kind is set."""

    kind: ReadKind
    amount: Amount | None = None
    day: date | None = None
    clock: time | None = None
    """The time on that day, where the text says one."""
    yes: bool | None = None
    contact_id: str = ""
    quote: str
    """Word for word what the text says."""
    chunk_id: str


class ReaderOutput(BaseModel):
    """What was read; nothing where the texts do not say it, or say several things."""

    reading: Reading | None = None
    several: list[Reading] = Field(default_factory=list[Reading])
    """What the texts say instead of one thing."""
    model_used: bool = False
    """Whether a language model had a hand in it."""


class When(BaseModel):
    """A typed condition on an earlier step's fact, or on what a reader takes out of what that step found."""

    step_id: int
    fact: str = ""
    read: ReadKind | None = None
    ask: str = ""
    """Of the reader."""
    is_: Literal["equal", "not_equal", "empty", "not_empty"] = "not_empty"
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
    """When it shall be done; None at once. Only what is sent or changed can wait so."""
    waiting_on: str | None = None
    """The approval this step waits for."""
    outcome: dict[str, Any] | None = None


class OrchestratorInput(Record):
    """One request of the owner: what `Turns.take` takes, however it came in."""

    user_message: str
    session_id: str
    """The chat in which it is answered, which a mail or a tap may not have come from."""
    user_id: str
    """Who asks, as the channel knows them."""
    request: Inbound
    origins: frozenset[Origin]
    """Who had a hand in the message."""
    about: str = ""
    """The handle of what it is about, where the message was a mail or a button."""

    @property
    def words(self) -> Labelled[str]:
        """The message with whose words it is."""
        return Labelled(value=self.user_message, origins=self.origins)


class OrchestratorOutput(BaseModel):
    """What a request came to: what `Runner.advance` gives once its plan has ended."""

    final_response: TailorOutput
    """What the owner is shown; its citations where it was worded from sources."""
    execution_plan: list[PlanStep]
    """The steps with their outcomes."""
    processing_time_total_ms: float
    """Since the plan was made, what it waited for the owner included."""
    metadata: AgentMetadata


class AgentFailure(BaseModel):
    agent_id: str
    error_code: str
    """An `AgentErrorCode`."""
    message: str
    recoverable: bool = False
    details: dict[str, Any] | None = None
    """With `cause`, a `FailureCause`, where there is one."""
    timestamp: AwareDatetime = Field(default_factory=utcnow)


class FailureCause(StrEnum):
    """What a failure's code does not say, and what follows depends on."""

    MEMORY_EMPTY = "memory_empty"
    """Nothing is remembered, so a wider search finds nothing either."""


class ExpectedAction(StrEnum):
    """Seed 2's table, and what is added to it: what the orchestrator does about a code."""

    BLOCK_AND_WARN = "block_and_warn"
    RETRY_STRICTER = "retry_stricter"
    ASK_CREDENTIALS = "ask_credentials"
    NOTIFY_AND_SKIP = "notify_and_skip"
    ASK_PASSWORD = "ask_password"  # noqa: S105 - an action, not a password
    BROADEN_OR_ASK = "broaden_or_ask"
    RETRY_OR_DONT_KNOW = "retry_or_dont_know"
    RETRY_ONCE = "retry_once"
    TRY_LATER = "try_later"


EXPECTED_ACTION: dict[AgentErrorCode, ExpectedAction] = {
    AgentErrorCode.GUARDRAIL_INJECTION: ExpectedAction.BLOCK_AND_WARN,
    AgentErrorCode.GUARDRAIL_UNSAFE: ExpectedAction.RETRY_STRICTER,
    AgentErrorCode.CONNECTOR_AUTH: ExpectedAction.ASK_CREDENTIALS,
    AgentErrorCode.CONNECTOR_NOT_FOUND: ExpectedAction.NOTIFY_AND_SKIP,
    AgentErrorCode.PARSER_ENCRYPTED: ExpectedAction.ASK_PASSWORD,
    AgentErrorCode.PARSER_UNSUPPORTED: ExpectedAction.NOTIFY_AND_SKIP,
    AgentErrorCode.MEMORY_NO_RESULTS: ExpectedAction.BROADEN_OR_ASK,
    AgentErrorCode.TAILOR_HALLUCINATION: ExpectedAction.RETRY_OR_DONT_KNOW,
    AgentErrorCode.TIMEOUT: ExpectedAction.RETRY_ONCE,
    AgentErrorCode.UNAVAILABLE: ExpectedAction.TRY_LATER,
    AgentErrorCode.REFUSED: ExpectedAction.NOTIFY_AND_SKIP,
}
