"""Classifies the changes between two contracts of an adapter, and determines the version that they need.

Breaking: a tool made for the old contract may fail. Additive: it works, and there is more. Patch: only words. See
`docs/decisions/0025-frozen-contracts.md` for the classes and the reasons.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from butler.adapters.schema_changes import Difference, Direction, SchemaChange, differences
from butler.adapters.version import Version
from butler.contract.adapters import AdapterContract, AdapterOperation, canonical_json
from butler.contract.integration import Json


class ChangeKind(IntEnum):
    """The severity of a change, the worst last."""

    PATCH = 1
    ADDITIVE = 2
    BREAKING = 3

    @property
    def part(self) -> str:
        """Return the part of a version that it raises."""
        return {ChangeKind.PATCH: "PATCH", ChangeKind.ADDITIVE: "MINOR", ChangeKind.BREAKING: "MAJOR"}[self]


@dataclass(frozen=True, slots=True)
class Change:
    """One change, in one plain sentence."""

    kind: ChangeKind
    sentence: str

    def __str__(self) -> str:
        return f"{self.kind.name.lower()}: {self.sentence}"


KINDS: dict[Direction, dict[SchemaChange, ChangeKind]] = {
    Direction.INPUT: {
        SchemaChange.WORDS: ChangeKind.PATCH,
        SchemaChange.WIDER: ChangeKind.ADDITIVE,
        SchemaChange.FIELD_ADDED: ChangeKind.ADDITIVE,
        SchemaChange.NARROWER: ChangeKind.BREAKING,
        SchemaChange.FIELD_NEEDED: ChangeKind.BREAKING,
        SchemaChange.FIELD_REMOVED: ChangeKind.BREAKING,
        SchemaChange.OTHER: ChangeKind.BREAKING,
    },
    Direction.OUTPUT: {
        SchemaChange.WORDS: ChangeKind.PATCH,
        SchemaChange.NARROWER: ChangeKind.ADDITIVE,
        SchemaChange.FIELD_ADDED: ChangeKind.ADDITIVE,
        SchemaChange.WIDER: ChangeKind.BREAKING,
        SchemaChange.FIELD_NEEDED: ChangeKind.BREAKING,
        SchemaChange.FIELD_REMOVED: ChangeKind.BREAKING,
        SchemaChange.OTHER: ChangeKind.BREAKING,
    },
}
"""The kind of each difference for users of the old schema: the table that everything here is based on."""


def changes_between(old: AdapterContract, new: AdapterContract | None) -> list[Change]:
    """Return every change from one contract of an adapter to another, in any versions; None stands for no adapter."""
    if new is None:
        return [Change(ChangeKind.BREAKING, f"the adapter {old.adapter_id} is gone")]
    return list(_changes(old, new)) or _rewritten(old, new)


def kind_of(changes: Sequence[Change]) -> ChangeKind | None:
    """Return the most severe kind; None if nothing changed."""
    return max((change.kind for change in changes), default=None)


def next_version(version: Version, kind: ChangeKind | None) -> Version:
    """Return the version that a change of this kind needs."""
    match kind:
        case ChangeKind.BREAKING:
            return Version(version.major + 1, 0, 0)
        case ChangeKind.ADDITIVE:
            return Version(version.major, version.minor + 1, 0)
        case ChangeKind.PATCH:
            return Version(version.major, version.minor, version.patch + 1)
        case None:
            return version


def schema_changes(name: str, old: Json, new: Json, flow: Direction) -> Iterator[Change]:
    """Yield the changes of a named object's schema."""
    if canonical_json(old) == canonical_json(new):
        return
    for difference in differences(old, new, flow):
        yield Change(KINDS[flow][difference.turn], f"{name} {flow.value}{_at(difference)}: {difference.what}")


def method_changes(name: str, old: AdapterOperation, new: AdapterOperation) -> Iterator[Change]:
    """Yield the changes of a method's input and output."""
    yield from schema_changes(name, old.input, new.input, Direction.INPUT)
    yield from schema_changes(name, old.output, new.output, Direction.OUTPUT)


def operation_changes(name: str, old: AdapterOperation, new: AdapterOperation) -> Iterator[Change]:
    """Yield the changes of one operation's declaration."""
    if old.method_id != new.method_id:
        yield Change(ChangeKind.BREAKING, f"{name} is done by {new.method_id} instead of {old.method_id}")
    if old.effect is not new.effect:
        yield Change(ChangeKind.BREAKING, f"{name} was a {old.effect.value} and is a {new.effect.value} now")
    if old.description != new.description:
        yield Change(ChangeKind.PATCH, f"{name} is described anew")
    yield from method_changes(name, old, new)


def _at(difference: Difference) -> str:
    return f", {difference.where}" if difference.where else ""


def _changes(old: AdapterContract, new: AdapterContract) -> Iterator[Change]:
    if old.adapter_id != new.adapter_id:
        yield Change(ChangeKind.BREAKING, f"the adapter {old.adapter_id} is called {new.adapter_id} now")
    if old.description != new.description:
        yield Change(ChangeKind.PATCH, "the adapter is described anew")
    for name in sorted(old.operations.keys() - new.operations.keys()):
        yield Change(ChangeKind.BREAKING, f"the operation {name} was removed")
    for name in sorted(new.operations.keys() - old.operations.keys()):
        yield Change(ChangeKind.ADDITIVE, f"the operation {name} is new")
    for name in sorted(old.operations.keys() & new.operations.keys()):
        yield from operation_changes(name, old.operations[name], new.operations[name])


def _rewritten(old: AdapterContract, new: AdapterContract) -> list[Change]:
    """Return changes without a meaning: unused definitions, or another order."""
    if old.model_copy(update={"version": new.version}).digest == new.digest:
        return []
    return [Change(ChangeKind.PATCH, "it is written in another way and says the same")]
