"""Asks the gates for the registry: of a tool, of the integration that does it, and of the tools it stands on.

The files are looked at before each call. The code is compared with them once, and again when they have changed: an
integration does not change while it runs.
"""

from collections.abc import Iterable

from butler.adapters.catalogue import Adapter, Catalogue
from butler.adapters.changes import ChangeKind, operation_changes
from butler.adapters.gates import CONTRACT_FROZEN, pass_gates
from butler.adapters.watching import WatchedCatalogue
from butler.contract.adapters import RemoteIntegration, Version
from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import GateError
from butler.contract.tools import ExecutionMode, ToolSpec

NOTHING = Catalogue()
"""What a local tool stands on."""


class Gatekeeper:
    """Every tool that is admitted, with the integration behind it."""

    def __init__(self, catalogue: Catalogue | None = None) -> None:
        """`catalogue` holds the adapters that remote tools stand on; by default this house's, as the files are now."""
        self._catalogue = (lambda: catalogue) if catalogue else WatchedCatalogue().current
        self._integrations: dict[str, RemoteIntegration] = {}
        self._compared: dict[str, Catalogue] = {}
        """The catalogue that a tool's code was last compared with."""

    def reload(self, catalogue: Catalogue) -> None:
        """From now on, every tool has to pass the gates on these contracts."""
        self._catalogue = lambda: catalogue

    def catalogue(self) -> Catalogue:
        """What is locked now."""
        return self._catalogue()

    def admit(self, spec: ToolSpec, integrations: Iterable[BaseIntegration]) -> None:
        """Ask every gate of a tool whose module has these integrations; raises `GateError`."""
        if spec.execution_mode is ExecutionMode.REMOTE:
            for one in integrations:
                if isinstance(one, RemoteIntegration) and one.adapter_id == spec.adapter_id:
                    self._integrations[spec.tool_name] = one
        self.check(spec)

    def check(self, spec: ToolSpec) -> None:
        """Ask them again, before a call; raises `GateError`."""
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
    """How the code of a tool's operation is not what its contract says; empty where it is.

    The version that is current says what the code is, to the word. An older one is served while nothing breaks.
    """
    name = spec.adapter_operation or ""
    serving = adapter.serving(Version.parse(spec.adapter_contract_version or ""))
    assert serving is not None, "the gates have found it"
    said = f"the code of {adapter.adapter_id} is not what {serving.version} says"
    coded = integration.operation(name, spec.adapter_method_id) if integration else None
    if coded is None:
        return f"{said} (it cannot do {name})"
    least = ChangeKind.PATCH if serving.version == str(adapter.version) else ChangeKind.BREAKING
    changes = [one for one in operation_changes(name, serving.operations[name], coded) if one.kind >= least]
    return f"{said} ({'; '.join(map(str, changes))})" if changes else ""
