"""How asking a model may end besides not answering: both are final for the request, whoever else could be asked."""

from butler.contract.errors import ModelOutputError, ModelUnavailableError


class TurnLimitError(ModelUnavailableError):
    """I stopped thinking about this."""


class ModelRefusedError(ModelOutputError):
    """The language model does not want to answer this."""
