"""The tailor as other packages see it: its port and its messages (seed 2)."""

from typing import Literal, Protocol

from pydantic import BaseModel, Field

from butler.contract.agents import AgentFailure, RetrievedContext


class TailorInput(BaseModel):
    user_query: str
    context_chunks: list[RetrievedContext]
    persona: Literal["Technical", "Executive", "General"] = "General"
    formatting_instructions: str | None = None
    language: str = "en"
    """The language of the answer, as a two-letter code."""
    history: list[str] = Field(default_factory=list[str])
    """Earlier turns as a planner may see them, the oldest first."""


class SourceCitation(BaseModel):
    source_id: str
    chunk_id: str
    text_snippet: str
    """The source's own words, verbatim."""
    url: str | None
    title: str = ""
    page_number: int | None = None


class TailorOutput(BaseModel):
    content: str = Field(description="The synthesized response")
    citations: list[SourceCitation]
    tone_used: str
    follow_up_suggestions: list[str]
    confidence_score: float


class Tailor(Protocol):
    """Words an answer from search results, and quotes them word for word."""

    async def answer(self, given: TailorInput) -> TailorOutput | AgentFailure: ...
