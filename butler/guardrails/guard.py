"""The guardrails as other packages see them: their port and its messages (seed 2)."""

from typing import Any, Literal, Protocol

from pydantic import BaseModel, Field

from butler.contract.reasons import Reason, in_own_words


class GuardrailsInput(BaseModel):
    content: str
    check_type: Literal["input_validation", "output_safety"]
    metadata: dict[str, Any] | None = None


class GuardSpan(BaseModel):
    """The place of a finding, in code points, and its type: `EMAIL_ADDRESS`, `API_KEY`, `INJECTION`, ..."""

    start: int
    end: int
    type: str


class GuardrailsOutput(BaseModel):
    is_safe: bool
    sanitized_content: str
    risk_category: Literal["injection", "pii", "hate_speech", "malicious_code", "none"] | None
    reasoning: str
    spans: list[GuardSpan] = Field(default_factory=list[GuardSpan])
    """Places in the content as it was given."""
    reasons: list[Reason] = Field(default_factory=list[Reason], exclude=True)
    """The reasons in `reasoning`, as codes."""

    @property
    def found(self) -> tuple[Reason, ...]:
        """Return the reasons in the form in which they are stored."""
        return tuple(self.reasons) or ((in_own_words(self.reasoning),) if self.reasoning else ())


class Guard(Protocol):
    """The guardrails agent. Its answer is a hint: no safety guarantee depends on it."""

    def check(self, given: GuardrailsInput) -> GuardrailsOutput:
        """Check a text in bounded time. Never raise because of its content."""
        ...
