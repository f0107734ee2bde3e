"""How the contracts of adapters can fail."""

from butler.tool_invoker import ToolSpecError
from config.errors import Reconfigure


class GateError(ToolSpecError):
    """A tool does not stand under its adapter's contract as it says."""

    def __init__(self, gate: str, detail: str) -> None:
        super().__init__(detail)
        self.gate = gate


class ContractFileError(Reconfigure):
    """A contract of an adapter, or the lock of contracts, cannot be used."""
