"""The one error tree (its root is in `config.errors`), and the one table from integration codes to agent codes."""

from datetime import timedelta
from enum import StrEnum

from config.errors import Bug, ButlerError, ConfigError, Reconfigure, Refuse, Retryable

__all__ = ["Bug", "ButlerError", "ConfigError", "Reconfigure", "Refuse", "Retryable"]


class ToolNameError(Refuse):
    """A tool is named user_<channel>_<action> or bot_<channel>_<action>."""


class ChatClosedError(Refuse):
    """The owner's chat takes no messages of the butler until the owner writes there."""


class AuthRequiredError(Reconfigure):
    """The account has to be signed in again."""


class LoginRefusedError(AuthRequiredError):
    """The login was refused, and is tried again every five minutes."""

    AGAIN_AFTER = timedelta(minutes=5)
    """A password may come back by itself: after a provider's fault, or when the owner has changed it there."""


class SealedError(Reconfigure):
    """A sealed credential cannot be used."""


class BlobDamagedError(Reconfigure):
    """A stored file was damaged; restore it from a backup."""


class IntegrationErrorCode(StrEnum):
    """Why a provider call did not work; the only codes a tool ever sees."""

    AUTH_REQUIRED = "AUTH_REQUIRED"
    FORBIDDEN = "FORBIDDEN"
    NOT_FOUND = "NOT_FOUND"
    INVALID_INPUT = "INVALID_INPUT"
    INVALID_OUTPUT = "INVALID_OUTPUT"
    UNKNOWN_METHOD = "UNKNOWN_METHOD"
    RATE_LIMITED = "RATE_LIMITED"
    TIMEOUT = "TIMEOUT"
    UNAVAILABLE = "UNAVAILABLE"
    CONFLICT = "CONFLICT"
    REJECTED = "REJECTED"
    CONTRACT = "CONTRACT"
    """The tool no longer matches its adapter's contract; nothing was called."""
    INTERNAL = "INTERNAL"


class AgentErrorCode(StrEnum):
    """The nine codes of seed 2, each for one thing only, and two for everything else."""

    GUARDRAIL_INJECTION = "ERR_GUARDRAIL_INJECTION"
    GUARDRAIL_UNSAFE = "ERR_GUARDRAIL_UNSAFE"
    CONNECTOR_AUTH = "ERR_CONNECTOR_AUTH"
    CONNECTOR_NOT_FOUND = "ERR_CONNECTOR_NOT_FOUND"
    PARSER_ENCRYPTED = "ERR_PARSER_ENCRYPTED"
    PARSER_UNSUPPORTED = "ERR_PARSER_UNSUPPORTED"
    MEMORY_NO_RESULTS = "ERR_MEMORY_NO_RESULTS"
    TAILOR_HALLUCINATION = "ERR_TAILOR_HALLUCINATION"
    TIMEOUT = "ERR_TIMEOUT"
    """A time limit was exceeded, and nothing else."""
    UNAVAILABLE = "ERR_UNAVAILABLE"
    """A required service is not available now: it is unreachable, full, or asks to be called later."""
    REFUSED = "ERR_REFUSED"
    """The call was refused for good: by a setting, a limit, or a model that declines."""


AGENT_CODE_OF: dict[IntegrationErrorCode, AgentErrorCode] = {
    IntegrationErrorCode.AUTH_REQUIRED: AgentErrorCode.CONNECTOR_AUTH,
    IntegrationErrorCode.FORBIDDEN: AgentErrorCode.CONNECTOR_AUTH,
    IntegrationErrorCode.NOT_FOUND: AgentErrorCode.CONNECTOR_NOT_FOUND,
    IntegrationErrorCode.TIMEOUT: AgentErrorCode.TIMEOUT,
    IntegrationErrorCode.UNAVAILABLE: AgentErrorCode.UNAVAILABLE,
    IntegrationErrorCode.RATE_LIMITED: AgentErrorCode.UNAVAILABLE,
}
"""All other codes are bugs or refusals and reach no agent as a code."""


class IntegrationFault(ButlerError):
    """A provider call did not work.

    Raised by `_raw_*` methods, caught at the one door, never seen outside.
    """

    def __init__(
        self,
        code: IntegrationErrorCode,
        message: str,
        *,
        effect: "Effect | None" = None,
        provider_code: str = "",
        http_status: int | None = None,
        retry_after_s: float | None = None,
        deferred: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.effect = effect
        self.provider_code = provider_code
        self.http_status = http_status
        self.retry_after_s = retry_after_s
        self.deferred = deferred


class Effect(StrEnum):
    """What is known about the effect of a failed call: it surely did not happen, it did, or nobody knows."""

    NONE = "none"
    DONE = "done"
    UNKNOWN = "unknown"
