"""Makes the reader that the owner configured: a model, a model with a fallback, or rules."""

from butler.agents.fallbacks import FallbackLlm
from butler.agents.llm import Llm
from butler.agents.reader.model_reader import ModelReader
from butler.agents.reader.port import Reader
from butler.agents.reader.rule_reader import RuleReader
from butler.agents.redacting import Redact


def make_reader(llm: Llm | None, *, redact: Redact | None = None) -> Reader:
    """Make the reader with this model; without one, the reader by rules."""
    if llm is None:
        return RuleReader()
    if isinstance(llm, FallbackLlm) and llm.embedded_last:
        return ModelReader(llm, redact=redact, otherwise=RuleReader(), answering=llm.answering)
    return ModelReader(llm, redact=redact)
