"""What the code says of itself, to be held against what is locked: adapters, methods, and tools made for adapters."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from butler.contract.adapters import AdapterContract, RemoteIntegration
from butler.contract.integration import BaseIntegration, MethodSpec
from butler.contract.tools import ToolSpec

NO_VERSION = "0.0.0"
"""Of a contract as code has it: only the lock says which version that is."""


@dataclass(frozen=True, slots=True)
class CodedAdapter:
    """An adapter as its integration has it."""

    channel: str
    contract: AdapterContract
    methods: Mapping[str, MethodSpec]
    """All of the integration's methods, those behind no operation too, by id."""


@dataclass(frozen=True, slots=True)
class Code:
    """All that the modules say. `unread` says of a module why it could not be asked."""

    adapters: Mapping[str, CodedAdapter]
    methods: Mapping[str, MethodSpec]
    tools: tuple[ToolSpec, ...] = ()
    unread: Mapping[str, str] = field(default_factory=lambda: MappingProxyType(dict[str, str]()))

    def made_for(self, adapter_id: str) -> list[ToolSpec]:
        """The tools that are made for an adapter."""
        return [tool for tool in self.tools if tool.adapter_id == adapter_id]


def code_of(
    integrations: Iterable[tuple[str, BaseIntegration]],
    tools: Iterable[ToolSpec] = (),
    unread: Mapping[str, str] = MappingProxyType({}),
) -> Code:
    """What these integrations say, each with the channel that it belongs to."""
    adapters: dict[str, CodedAdapter] = {}
    methods: dict[str, MethodSpec] = {}
    for channel, integration in integrations:
        own = {spec.method_id: spec for spec in integration.describe_methods()}
        methods |= own
        if isinstance(integration, RemoteIntegration):
            contract = integration.contract(NO_VERSION)
            adapters[contract.adapter_id] = CodedAdapter(channel, contract, own)
    return Code(adapters, methods, tuple(tools), unread)
