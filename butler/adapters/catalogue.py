"""The adapters that tools may use: every contract that is unchanged since it was locked, by adapter and version."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from butler.adapters.errors import ContractFileError
from butler.adapters.files import Files, read_contract
from butler.adapters.lock import Lock, read_lock, read_locked, refuse_changed
from butler.adapters.version import Version
from butler.contract.adapters import AdapterContract


@dataclass(frozen=True, slots=True)
class Adapter:
    """One served adapter: its current contract, and the older ones kept for tools made for them."""

    adapter_id: str
    version: Version
    contracts: Mapping[Version, AdapterContract]
    channel: str = ""
    """The module that it is locked for; empty if nothing is locked."""

    def serving(self, wanted: Version) -> AdapterContract | None:
        """Return the newest contract that works for a tool made for `wanted`."""
        return next((self.contracts[v] for v in sorted(self.contracts, reverse=True) if v.serves(wanted)), None)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Answers the gates' queries. `broken` says why none of an adapter's tools may be used."""

    adapters: Mapping[str, Adapter] = field(default_factory=lambda: MappingProxyType(dict[str, Adapter]()))
    broken: Mapping[str, str] = field(default_factory=lambda: MappingProxyType(dict[str, str]()))

    @property
    def known(self) -> frozenset[str]:
        """Return the locked ids."""
        return frozenset(self.adapters) | frozenset(self.broken)


def load_catalogue(files: Files | None = None) -> Catalogue:
    """Load what is locked and unchanged. A damaged lock only breaks every adapter, so that Butler still starts."""
    files = files or Files()
    try:
        lock = read_lock(files)
    except ContractFileError as error:
        ids = _ids_on_disk(files)
        return Catalogue(broken=MappingProxyType(dict.fromkeys(ids, error.detail)))
    adapters: dict[str, Adapter] = {}
    broken: dict[str, str] = {}
    for adapter_id in lock.adapters:
        try:
            adapters[adapter_id] = _adapter(files, lock, adapter_id)
        except ContractFileError as error:
            broken[adapter_id] = error.detail
    return Catalogue(MappingProxyType(adapters), MappingProxyType(broken))


def catalogue_of(*contracts: AdapterContract) -> Catalogue:
    """Build a catalogue of these contracts, regardless of the lock: for contracts in development, and for tests."""
    adapters: dict[str, Adapter] = {}
    for contract in contracts:
        version = Version.parse(contract.version)
        before = adapters.get(contract.adapter_id)
        served = {**(before.contracts if before else {}), version: contract}
        adapters[contract.adapter_id] = Adapter(contract.adapter_id, max(served), MappingProxyType(served))
    return Catalogue(MappingProxyType(adapters))


def _ids_on_disk(files: Files) -> list[str]:
    ids: list[str] = []
    for channel in files.channels():
        try:
            ids.append(read_contract(files.current(channel)).adapter_id)
        except ContractFileError:
            continue
    return ids


def _adapter(files: Files, lock: Lock, adapter_id: str) -> Adapter:
    """Load an adapter; raise `ContractFileError` if the current contract or a kept one is not what was locked."""
    locked = lock.adapters[adapter_id]
    path = files.current(locked.channel)
    current = read_contract(path)
    refuse_changed(current, adapter_id, locked, locked.version, path)
    contracts = {Version.parse(current.version): current}
    for version in locked.digests:
        if version != locked.version:
            contracts[Version.parse(version)] = read_locked(files, adapter_id, locked, version)
    return Adapter(adapter_id, Version.parse(locked.version), MappingProxyType(contracts), locked.channel)
