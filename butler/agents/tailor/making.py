"""Which tailor words answers, by what the owner set: a model, a model with a stand-in, or none."""

from butler.agents.fallbacks import FallbackLlm
from butler.agents.redacting import Redact
from butler.agents.tailor.extractive import ExtractiveTailor, Scorer
from butler.agents.tailor.worded import ModelTailor
from butler.contract.agent_ports import Guard, Tailor
from butler.contract.ports import Llm


def make_tailor(
    llm: Llm | None, *, redact: Redact | None = None, guard: Guard | None = None, scorer: Scorer | None = None
) -> Tailor:
    """The tailor with this model behind it; without one, the one that quotes.

    `guard` only where nobody else looks at an answer; `scorer` tells what is near in meaning where no model does.
    """
    quoting = ExtractiveTailor(scorer)
    if llm is None:
        return quoting
    if isinstance(llm, FallbackLlm) and llm.embedded_last:
        return ModelTailor(llm, guard=guard, redact=redact, otherwise=quoting, answering=llm.answering)
    return ModelTailor(llm, guard=guard, redact=redact)
