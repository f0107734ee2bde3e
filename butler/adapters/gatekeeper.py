"""Asks the gates for the registry: about a tool, its integration, and the tools it builds on.

The files are checked before each call. The code is compared with them once, and again when they have changed: an
integration does not change while it runs.
"""

from collections.abc import Iterable

from butler.adapters.catalogue import Adapter, Catalogue
from butler.adapters.changes import ChangeKind, operation_changes
from butler.adapters.errors import GateError
from butler.adapters.gates import CONTRACT_FROZEN, pass_gates
from butler.adapters.version import Version
from butler.adapters.watching import WatchedCatalogue
from butler.contract.adapters import RemoteIntegration
from butler.contract.base_integration import BaseIntegration
from butler.contract.tools import ExecutionMode, ToolSpec

NOTHING = Catalogue()
"""The catalogue for a local tool, which needs no adapters."""


class Gatekeeper:
    """Every admitted tool, with its integration."""

    def __init__(self, catalogue: Catalogue | None = None) -> None:
        """`catalogue` holds the adapters for remote tools; by default the installed ones, as the files are now."""
        self._catalogue = (lambda: catalogue) if catalogue else self._installed
        self._integrations: dict[str, RemoteIntegration] = {}
        self._compared: dict[str, Catalogue] = {}
        """The catalogue that a tool's code was last compared with."""

    def reload(self, catalogue: Catalogue) -> None:
        """Have every tool pass the gates on these contracts from now on."""
        self._catalogue = lambda: catalogue

    def catalogue(self) -> Catalogue:
        """Return what is locked now."""
        return self._catalogue()

    def _installed(self) -> Catalogue:
        # Read with the first remote tool: most processes and tests have none.
        self._catalogue = WatchedCatalogue().current
        return self._catalogue()

    def admit(self, spec: ToolSpec, integrations: Iterable[BaseIntegration]) -> None:
        """Ask every gate about a tool whose module has these integrations; raise `GateError`."""
        if spec.execution_mode is ExecutionMode.REMOTE:
            for one in integrations:
                if isinstance(one, RemoteIntegration) and one.adapter_id == spec.adapter_id:
                    self._integrations[spec.tool_name] = one
        self.check(spec)

    def check(self, spec: ToolSpec) -> None:
        """Ask every gate about a tool again before a call; raise `GateError`."""
        if spec.execution_mode is ExecutionMode.LOCAL:
            pass_gates(spec, NOTHING)
            return
        catalogue = self._catalogue()
        pass_gates(spec, catalogue)
        if self._compared.get(spec.tool_name) is not catalogue:
            why = _other_code(spec, self._integrations.get(spec.tool_name), catalogue.adapters[spec.adapter_id or ""])
            if why:
                raise GateError(CONTRACT_FROZEN.name, f"{spec.tool_name}: {why}")
            self._compared[spec.tool_name] = catalogue


def _other_code(spec: ToolSpec, integration: RemoteIntegration | None, adapter: Adapter) -> str:
    """Return how the code of a tool's operation differs from its contract; empty if it does not.

    The code must equal the current version exactly. An older one is served as long as nothing breaks.
    """
    name = spec.adapter_operation or ""
    serving = adapter.serving(Version.parse(spec.adapter_contract_version or ""))
    assert serving is not None, "the gates have found it"
    text = f"the code of {adapter.adapter_id} is not what {serving.version} says"
    coded = integration.operation(name, spec.adapter_method_id) if integration else None
    if coded is None:
        return f"{text} (it cannot do {name})"
    least = ChangeKind.PATCH if serving.version == str(adapter.version) else ChangeKind.BREAKING
    changes = [one for one in operation_changes(name, serving.operations[name], coded) if one.kind >= least]
    return f"{text} ({'; '.join(map(str, changes))})" if changes else ""
