"""How asking a model may end besides not answering, and by which code an agent tells of each end."""

from butler.contract.errors import AgentErrorCode, ModelOutputError, ModelTimeoutError, ModelUnavailableError


class TurnLimitError(ModelUnavailableError):
    """I stopped thinking about this."""


class TurnTimeError(TurnLimitError):
    """I stopped thinking about this, because it took too long."""


class ModelRefusedError(ModelOutputError):
    """The language model does not want to answer this."""


def code_of(error: ModelUnavailableError | ModelOutputError) -> AgentErrorCode:
    """What an agent says that asked a model in vain."""
    if isinstance(error, ModelTimeoutError | TurnTimeError):
        return AgentErrorCode.TIMEOUT
    if isinstance(error, ModelRefusedError | TurnLimitError):
        return AgentErrorCode.REFUSED
    return AgentErrorCode.UNAVAILABLE
