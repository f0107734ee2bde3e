"""Why something was not fetched, as it goes up inside of the connector and as it leaves it."""

from butler.contract.agents import AgentFailure
from butler.contract.errors import AgentErrorCode, ButlerError
from butler.contract.speech import say

AGENT = "connector"


class NotFetchedError(ButlerError):
    """It was not fetched."""

    def __init__(self, code: AgentErrorCode, message: str, why: str = "") -> None:
        """`message` is one sentence for the owner; `why` a word for programs, such as `private`."""
        super().__init__(message)
        self.code, self.message, self.why = code, message, why

    def failure(self) -> AgentFailure:
        """As the connector gives it."""
        details = {"why": self.why} if self.why else None
        return AgentFailure(agent_id=AGENT, error_code=self.code, message=self.message, details=details)


def missing(message: str, why: str = "") -> NotFetchedError:
    """It is not there."""
    return NotFetchedError(AgentErrorCode.CONNECTOR_NOT_FOUND, message, why)


def refused(message: str, why: str = "") -> NotFetchedError:
    """It may not be asked for, whether or not it is there, or is asked for in a way that nobody here follows."""
    return NotFetchedError(AgentErrorCode.REFUSED, message, why)


def locked(message: str, why: str = "") -> NotFetchedError:
    """Whoever keeps it does not let Butler in."""
    return NotFetchedError(AgentErrorCode.CONNECTOR_AUTH, message, why)


def unreadable(message: str, why: str = "") -> NotFetchedError:
    """It is of a kind that nobody here reads."""
    return NotFetchedError(AgentErrorCode.PARSER_UNSUPPORTED, message, why)


def too_late(message: str) -> AgentFailure:
    """It took too long; it may be worth trying again."""
    return AgentFailure(agent_id=AGENT, error_code=AgentErrorCode.TIMEOUT, message=message, recoverable=True)


def out_of_reach(message: str) -> AgentFailure:
    """It cannot be had now; it may be worth trying again."""
    return AgentFailure(agent_id=AGENT, error_code=AgentErrorCode.UNAVAILABLE, message=message, recoverable=True)


def not_kept(error: OSError) -> AgentFailure:
    """There is no place for it while it is read, such as on a full disk."""
    return out_of_reach(say("it cannot be kept while it is read ({why})", why=error.strerror or type(error).__name__))
