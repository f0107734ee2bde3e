"""The declarations of the code, to be compared with the lock: adapters, methods, and tools made for adapters."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from butler.adapters.lock import method_digest
from butler.contract.adapters import AdapterContract, RemoteIntegration
from butler.contract.base_integration import BaseIntegration
from butler.contract.integration import MethodSpec
from butler.contract.tools import ToolSpec

NO_VERSION = "0.0.0"
"""The version of a contract in the code: only the lock tells the version."""


@dataclass(frozen=True, slots=True)
class CodedAdapter:
    """An adapter as its integration declares it."""

    channel: str
    contract: AdapterContract
    methods: Mapping[str, MethodSpec]
    """All of the integration's methods, including those behind no operation, by id."""


@dataclass(frozen=True, slots=True)
class Code:
    """The declarations of all modules."""

    adapters: Mapping[str, CodedAdapter]
    methods: Mapping[str, MethodSpec]
    tools: tuple[ToolSpec, ...] = ()
    unread: Mapping[str, str] = field(default_factory=lambda: MappingProxyType(dict[str, str]()))
    """Why a module could not be read, by channel."""
    clashes: frozenset[str] = frozenset()
    """The ids of methods that two integrations have with different schemas."""
    duplicates: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: MappingProxyType(dict[str, tuple[str, ...]]())
    )
    """The modules of each adapter that more than one has."""

    def made_for(self, adapter_id: str) -> list[ToolSpec]:
        """Return the tools that are made for an adapter."""
        return [tool for tool in self.tools if tool.adapter_id == adapter_id]

    def duplicates_of(self, adapter_id: str) -> str:
        """Return a fault for an adapter that more than one module has; empty for a single module."""
        folders = [f"modules/{channel}" for channel in self.duplicates.get(adapter_id, ())]
        return f"{' and '.join(folders)} both are {adapter_id}; give one of them another id" if folders else ""

    def place_of(self, modules: Path, tool: ToolSpec) -> str:
        """Return the module's file that says which version a tool is made for, or else the module's folder."""
        folder = modules / tool.channel
        for path in sorted(folder.glob("*.py")):
            text = path.read_text(encoding="utf-8")
            if "contract_version" in text and f'"{tool.adapter_operation}"' in text:
                return str(path.relative_to(modules.parent))
        return str(folder.relative_to(modules.parent))


def code_of(
    integrations: Iterable[tuple[str, BaseIntegration]],
    tools: Iterable[ToolSpec] = (),
    unread: Mapping[str, str] = MappingProxyType({}),
) -> Code:
    """Return the declarations of these integrations, each with its channel."""
    adapters: dict[str, CodedAdapter] = {}
    methods: dict[str, MethodSpec] = {}
    clashes: set[str] = set()
    owners: dict[str, set[str]] = {}
    for channel, integration in integrations:
        own = {spec.method_id: spec for spec in integration.describe_methods()}
        clashes |= {
            one for one in own.keys() & methods.keys() if method_digest(own[one]) != method_digest(methods[one])
        }
        methods |= own
        if isinstance(integration, RemoteIntegration):
            contract = integration.contract(NO_VERSION)
            adapters[contract.adapter_id] = CodedAdapter(channel, contract, own)
            owners.setdefault(contract.adapter_id, set()).add(channel)
    duplicates = {adapter_id: tuple(sorted(channels)) for adapter_id, channels in owners.items() if len(channels) > 1}
    return Code(adapters, methods, tuple(tools), unread, frozenset(clashes), duplicates)
