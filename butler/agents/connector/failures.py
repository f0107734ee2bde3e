"""Failures to fetch: the exception inside the connector, and the failure that the connector returns."""

from butler.contract.agents import AgentFailure
from butler.contract.errors import AgentErrorCode, ButlerError
from butler.contract.speech import say

AGENT = "connector"


class NotFetchedError(ButlerError):
    """It was not fetched."""

    def __init__(self, code: AgentErrorCode, message: str, why: str = "") -> None:
        """`message` is one sentence for the owner; `why` a code, such as `private`."""
        super().__init__(message)
        self.code, self.message, self.why = code, message, why

    def failure(self) -> AgentFailure:
        """Return the error as the connector's failure."""
        details = {"why": self.why} if self.why else None
        return AgentFailure(agent_id=AGENT, error_code=self.code, message=self.message, details=details)


def missing(message: str, why: str = "") -> NotFetchedError:
    """Build the error for a source that does not exist."""
    return NotFetchedError(AgentErrorCode.CONNECTOR_NOT_FOUND, message, why)


def refused(message: str, why: str = "") -> NotFetchedError:
    """Build the error for a request that is not allowed, whether or not the source exists, or not supported."""
    return NotFetchedError(AgentErrorCode.REFUSED, message, why)


def locked(message: str, why: str = "") -> NotFetchedError:
    """Build the error for a source that denies access to Butler."""
    return NotFetchedError(AgentErrorCode.CONNECTOR_AUTH, message, why)


def unreadable(message: str, why: str = "") -> NotFetchedError:
    """Build the error for a file of an unsupported kind."""
    return NotFetchedError(AgentErrorCode.PARSER_UNSUPPORTED, message, why)


def too_late(message: str) -> AgentFailure:
    """Build the error for a time-out; a retry may help."""
    return AgentFailure(agent_id=AGENT, error_code=AgentErrorCode.TIMEOUT, message=message, recoverable=True)


def out_of_reach(message: str) -> AgentFailure:
    """Build the error for a source that is unreachable now; a retry may help."""
    return AgentFailure(agent_id=AGENT, error_code=AgentErrorCode.UNAVAILABLE, message=message, recoverable=True)


def not_kept(error: OSError) -> AgentFailure:
    """Build the error for a file that cannot be stored while it is read, such as on a full disk."""
    return out_of_reach(say("it cannot be kept while it is read ({why})", why=error.strerror or type(error).__name__))
