"""Ways to ask the guardrails."""

from typing import Any

from butler.guardrails.agent import Guardrails
from butler.guardrails.guard import GuardrailsInput, GuardrailsOutput
from config.agents import GuardrailsSettings

GUARD = Guardrails(GuardrailsSettings())


def incoming(text: str, **metadata: Any) -> GuardrailsOutput:
    return GUARD.check(GuardrailsInput(content=text, check_type="input_validation", metadata=metadata))


def outgoing(text: str, **metadata: Any) -> GuardrailsOutput:
    return GUARD.check(GuardrailsInput(content=text, check_type="output_safety", metadata=metadata))


def found(text: str, verdict: GuardrailsOutput) -> list[tuple[str, str]]:
    """The spans as (type, what stands there)."""
    return [(span.type, text[span.start : span.end]) for span in verdict.spans]


class Broken:
    """A guard that fails."""

    def check(self, given: GuardrailsInput) -> GuardrailsOutput:
        raise RuntimeError("the patterns are gone")
