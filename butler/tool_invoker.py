"""The registered tools as other packages see them, and the accounts that they act through."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from pydantic import BaseModel

from butler.contract.integration import IntegrationResult
from butler.contract.tools import Reconciled, ToolCall, ToolMetadata, ToolSpec
from config.errors import Refuse


class UnknownToolError(Refuse):
    """No tool of this name is registered."""


class UnknownAccountError(Refuse):
    """No account has this name."""


class ToolSpecError(Refuse):
    """This tool cannot be registered."""


ACCOUNT = "account"
"""The argument by which a tool with accounts takes the one to act through; empty for its first one."""


def account_of(spec: ToolSpec, args: BaseModel) -> str:
    """Return the account that a call acts through; empty for a tool without accounts. Raises `UnknownAccountError`."""
    if not spec.accounts:
        return ""
    named = str(getattr(args, ACCOUNT, ""))
    return known_account(spec, named) if named else spec.accounts[0]


def known_account(spec: ToolSpec, name: str) -> str:
    """Return the name if it is one of the tool's accounts. Raises `UnknownAccountError` that lists those."""
    if name not in spec.accounts:
        raise UnknownAccountError(f"there is no account {name!r}; there are {', '.join(spec.accounts)}")
    return name


class ToolInvoker(Protocol):
    """The registry, as other packages see it."""

    def spec(self, name: str) -> ToolSpec:
        """Return the tool of this name; raises `UnknownToolError`."""
        ...

    def specs(self) -> Sequence[ToolSpec]:
        """Return all registered tools, by name."""
        ...

    def refused(self) -> Mapping[str, str]:
        """Return the tools that are set up and were refused at registration, by name, with the reason."""
        ...

    def metadata(self, name: str) -> ToolMetadata:
        """Return the argument roles of a tool; raises `UnknownToolError`."""
        ...

    async def invoke(self, call: ToolCall) -> IntegrationResult:
        """Run a tool. Failures are results."""
        ...

    async def reconcile(self, call: ToolCall) -> Reconciled:
        """Find out the outcome of an attempt that ended without an answer."""
        ...
