"""Agents that read and remember, as doubles that say what they were told to; and what reading tools really give."""

from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel, ConfigDict

from butler.agents.tailor.port import SourceCitation, TailorInput, TailorOutput
from butler.contract.agents import AgentFailure, MemoryOutput, MemoryQuery, ParsedChunk, RetrievedContext
from butler.contract.door import failed
from butler.contract.errors import AgentErrorCode, IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.provenance import Origin, Trust
from butler.contract.tools import ArgRole, ToolMetadata, input_tool
from butler.guardrails.guard import GuardrailsInput, GuardrailsOutput
from modules.memory.module import MemoryModule
from tests.orchestrator.builders import NOON
from tests.orchestrator.harness import Harness

SEARCH, SOURCE, LIST = "bot_memory_search", "bot_memory_read", "bot_memory_list"
READ_FILE, READ_PAGE = "bot_documents_read", "bot_web_read_page"
RENT = "The rent is 840 euros a month, due on the first."
LANDLORD = Origin(trust=Trust.UNTRUSTED, source="mail:<rent@home>", shown_as="a mail by landlord@flats.example")


class Search(BaseModel):
    model_config = ConfigDict(extra="forbid")

    question: str
    source: str = ""
    kind: str = ""
    person: str = ""
    after: str = ""
    before: str = ""
    limit: int = 5
    broad: bool = False


class Source(BaseModel):
    model_config = ConfigDict(extra="forbid")

    source: str


class Words(BaseModel):
    model_config = ConfigDict(extra="forbid")

    words: str = ""
    kind: str = ""


def remember(harness: Harness) -> None:
    """Give the butler the tools of memory, where it has none; their handlers say what the butler was told."""
    for name, args in ((SEARCH, Search), (SOURCE, Source), (LIST, Words)):
        harness.registry._tools.pop(name, None)
        spec = replace(input_tool(name, "Look into memory.", args, harness._handle), about=MemoryModule.about)
        harness.registry._tools[name] = spec
        roles = dict.fromkeys(args.model_fields, ArgRole.TARGET)
        harness.registry._metadata[name] = ToolMetadata(roles)


def passage(content: str = RENT, chunk_id: str = "c-1", **more: Any) -> RetrievedContext:
    values: dict[str, Any] = {
        "source_id": "mail:<rent@home>",
        "source_url": None,
        "relevance_score": 0.9,
        "metadata": {},
        "title": "Your flat",
        "kind": "mail",
        "at": NOON,
        "origins": [LANDLORD],
    }
    return RetrievedContext(chunk_id=chunk_id, content=content, **(values | more))


def found(*passages: RetrievedContext, question: str = "the rent") -> IntegrationResult:
    """What `bot_memory_search` gives."""
    results = [one.model_dump(mode="json") for one in passages]
    return IntegrationResult(ok=True, data={"results": results, "total_found": len(results), "question": question})


def nothing_found() -> IntegrationResult:
    return agent_failed(AgentErrorCode.MEMORY_NO_RESULTS, "nothing that I remember fits well enough")


def agent_failed(
    code: AgentErrorCode, message: str, of: IntegrationErrorCode = IntegrationErrorCode.REJECTED, *, cause: str = ""
) -> Any:
    return failed(of, message, provider_code=code.value, cause=cause)


def document(text: str = RENT, **more: Any) -> IntegrationResult:
    """What a tool that reads gives."""
    record = {
        "source_id": f"file:{'a' * 64}",
        "title": "bill.pdf",
        "url": None,
        "media_type": "application/pdf",
        "pages": 3,
        "chunks": 1,
        "problems": [],
        "skipped": [],
        "text": text,
        "clipped": False,
        "origin": LANDLORD.model_dump(mode="json"),
        "at": NOON.isoformat(),
        "remembered": True,
        "children": [],
    }
    return IntegrationResult(ok=True, data={"document": record | more})


def worded(content: str = "It is 840 euros [1].", **more: Any) -> TailorOutput:
    cited = SourceCitation(source_id="mail:<rent@home>", chunk_id="c-1", text_snippet="840 euros a month", url=None)
    values: dict[str, Any] = {
        "citations": [cited],
        "tone_used": "General",
        "follow_up_suggestions": [],
        "confidence_score": 0.9,
    }
    return TailorOutput(content=content, **(values | more))


def cite_all(content: str, chunk_id: str = "c-1") -> list[SourceCitation]:
    """A citation of a whole passage."""
    return [SourceCitation(source_id="?", chunk_id=chunk_id, text_snippet=content, url=None)]


@dataclass
class Wording:
    """A tailor that says what it was told to, the last of it over and over."""

    outputs: list[TailorOutput | AgentFailure] = field(default_factory=lambda: [worded()])
    asked: list[TailorInput] = field(default_factory=list)

    async def answer(self, given: TailorInput) -> TailorOutput | AgentFailure:
        self.asked.append(given)
        return self.outputs.pop(0) if len(self.outputs) > 1 else self.outputs[0]


@dataclass
class StubMemory:
    """A memory of these passages, whatever is asked."""

    passages: list[RetrievedContext] = field(default_factory=list)
    queries: list[MemoryQuery] = field(default_factory=list)

    async def search(self, query: MemoryQuery) -> MemoryOutput | AgentFailure:
        self.queries.append(query)
        return MemoryOutput(results=self.passages[: query.top_k], total_found=len(self.passages))

    async def read(self, source_id: str, limit: int = 200) -> list[ParsedChunk]:
        return [
            ParsedChunk(
                chunk_id=one.chunk_id, content=one.content, chunk_index=number, page_number=None, layout_type="text"
            )
            for number, one in enumerate(self.passages)
            if one.source_id == source_id
        ]


@dataclass
class Strict:
    """A guard that finds these words unsafe."""

    words: str

    def check(self, given: GuardrailsInput) -> GuardrailsOutput:
        unsafe = self.words in given.content
        return GuardrailsOutput(is_safe=not unsafe, sanitized_content="", risk_category="none", reasoning="")


def wired(
    harness: Harness, *outputs: TailorOutput | AgentFailure, shelf: StubMemory | None = None, guard: Any = None
) -> Wording:
    """Start the butler anew with a tailor, and a memory where one is given."""
    tailor = Wording(list(outputs) or [worded()])
    harness.tailor, harness.memory, harness.guard = tailor, shelf, guard  # pyright: ignore[reportAttributeAccessIssue]
    remember(harness)
    harness.start()
    return tailor
