"""How asking a model may end besides an answer, and the code by which an agent reports it."""

from butler.contract.errors import AgentErrorCode
from config.errors import Retryable


class ModelUnavailableError(Retryable):
    """The language model did not answer."""


class ModelTimeoutError(ModelUnavailableError):
    """The language model did not answer in time."""


class ModelOutputError(Retryable):
    """The language model answered something unusable."""


class TurnLimitError(ModelUnavailableError):
    """I stopped thinking about this."""


class TurnTimeError(TurnLimitError):
    """I stopped thinking about this, because it took too long."""


class ModelRefusedError(ModelOutputError):
    """The language model does not want to answer this."""


def code_of(error: ModelUnavailableError | ModelOutputError) -> AgentErrorCode:
    """Return the error code for an agent that asked a model in vain."""
    if isinstance(error, ModelTimeoutError | TurnTimeError):
        return AgentErrorCode.TIMEOUT
    if isinstance(error, ModelRefusedError | TurnLimitError):
        return AgentErrorCode.REFUSED
    return AgentErrorCode.UNAVAILABLE
