"""The risk of a call: it determines which cards may share a message, and which need the PIN."""

from collections.abc import Iterable
from enum import StrEnum

from approvals.policy import PolicyQuery
from butler.contract.tools import ArgRole, ToolMetadata
from butler.provenance import is_tainted
from butler.tool_invoker import ACCOUNT

MANY = 10
"""More recipients than this count as many."""
_MEANS = frozenset({ArgRole.CONTENT, ArgRole.OPTION})


class Risk(StrEnum):
    """The risk classes; an approval's row stores one."""

    LOW = "low"
    """Reads, and acts of the butler in its own name in which nothing and nobody is unknown."""
    HIGH = "high"
    """Acts as the owner, or with somebody or something unknown."""
    HIGHEST = "highest"
    """Acts as the owner towards people who are not confirmed, not chosen by the owner, or many."""


def risk_of(question: PolicyQuery) -> Risk:
    """Return the class of a call."""
    if not question.is_output:
        return Risk.LOW
    tainted = {name for name, labels in question.origins.items() if is_tainted(labels)}
    strangers = not all(map(question.is_known, question.addresses))
    if not question.as_user:
        return Risk.HIGH if tainted or strangers else Risk.LOW
    steered = bool(choosing(question.metadata, tainted))
    return Risk.HIGHEST if strangers or steered or len(question.addresses) > MANY else Risk.HIGH


def choosing(metadata: ToolMetadata, arguments: Iterable[str]) -> frozenset[str]:
    """Return the arguments that choose whom or what a call reaches, or through which account.

    An argument without a known role counts as one of these.
    """
    roles = metadata.args
    return frozenset(name for name in arguments if name == ACCOUNT or roles.get(name) not in _MEANS)
