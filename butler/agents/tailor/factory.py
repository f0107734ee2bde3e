"""Makes the tailor that the owner configured: a model, a model with a fallback, or quotes."""

from butler.agents.fallbacks import FallbackLlm
from butler.agents.llm import Llm
from butler.agents.redacting import Redact
from butler.agents.tailor.extractive_tailor import ExtractiveTailor, Scorer
from butler.agents.tailor.model_tailor import ModelTailor
from butler.agents.tailor.port import Tailor
from butler.guardrails.guard import Guard


def make_tailor(
    llm: Llm | None, *, redact: Redact | None = None, guard: Guard | None = None, scorer: Scorer | None = None
) -> Tailor:
    """Make the tailor with this model; without one, the tailor that quotes.

    Give `guard` only if nothing else checks an answer; `scorer` rates nearness in meaning without a model.
    """
    quoting = ExtractiveTailor(scorer)
    if llm is None:
        return quoting
    if isinstance(llm, FallbackLlm) and llm.embedded_last:
        return ModelTailor(llm, guard=guard, redact=redact, otherwise=quoting, answering=llm.answering)
    return ModelTailor(llm, guard=guard, redact=redact)
