"""The errors of asking a model, and the code by which an agent reports each."""

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
    """Return the error code for an agent whose model did not give a usable answer."""
    if isinstance(error, ModelTimeoutError | TurnTimeError):
        return AgentErrorCode.TIMEOUT
    if isinstance(error, ModelRefusedError | TurnLimitError):
        return AgentErrorCode.REFUSED
    return AgentErrorCode.UNAVAILABLE
