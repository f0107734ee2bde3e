"""`modules/ADAPTER_CONTRACTS.md`: every locked contract for people to read; it is locked too."""

import hashlib
from collections.abc import Iterator
from typing import Any, cast

from butler.adapters.files import Files
from butler.adapters.lock import Lock, read_locked
from butler.contract.adapters import AdapterContract, AdapterOperation

HEAD = """# Adapter contracts

<!-- Written by `butler contracts bump` out of the locked contracts; a change made here is refused. -->

A tool of a remote adapter stands on the contract below, in the version that it is made for. A contract changes only
with a new version of it: `butler contracts check` says what changed and which version that needs.
"""


def document(files: Files, lock: Lock) -> str:
    """Return the page; raise `ContractFileError` if a kept copy is not what was locked."""
    parts = [HEAD]
    for adapter_id, locked in sorted(lock.adapters.items()):
        contract = read_locked(files, adapter_id, locked, locked.version)
        older = [version for version in locked.digests if version != locked.version]
        parts.append("\n".join(_adapter(adapter_id, contract, older)))
    parts.append("\n".join(_retired(lock)))
    return "\n".join(parts)


def _retired(lock: Lock) -> Iterator[str]:
    """Yield the ids that must never be used again, so that their removal from the lock would show here."""
    if lock.retired:
        yield "## Retired methods"
        yield ""
        yield "Their ids are never used for anything else."
        yield ""
        for method_id, digest in sorted(lock.retired.items()):
            yield f"- `{method_id}` (`{digest[:16]}`)"
        yield ""


def text_digest(text: str) -> str:
    """Return the SHA-256 of a text, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def _adapter(adapter_id: str, contract: AdapterContract, older: list[str]) -> Iterator[str]:
    yield f"## {adapter_id}"
    yield ""
    yield contract.description
    yield ""
    yield f"- Version: {contract.version}"
    if older:
        yield f"- Also served: {', '.join(sorted(older))}"
    yield f"- Digest: `{contract.digest}`"
    yield ""
    for name, operation in sorted(contract.operations.items()):
        yield from _operation(name, operation)


def _operation(name: str, operation: AdapterOperation) -> Iterator[str]:
    yield f"### {name} ({operation.effect.value})"
    yield ""
    yield operation.description
    yield ""
    yield f"Method: `{operation.method_id}`"
    yield ""
    for title, schema in (("Takes", operation.input), ("Gives", operation.output)):
        yield from _fields(title, schema)


def _fields(title: str, schema: dict[str, Any]) -> Iterator[str]:
    fields: dict[str, dict[str, Any]] = schema.get("properties", {})
    if not fields:
        return
    needed: list[str] = schema.get("required", [])
    yield f"| {title} | type | needed | meaning |"
    yield "| --- | --- | --- | --- |"
    for name, part in fields.items():
        meaning = str(part.get("description", "")).replace("\n", " ").replace("|", "\\|")
        yield f"| `{name}` | {_type(part)} | {'yes' if name in needed else 'no'} | {meaning} |"
    yield ""


def _type(schema: dict[str, Any]) -> str:
    """Return a schema's type in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in cast("list[Any]", schema["enum"]))
    if "const" in schema:
        return f"`{schema['const']}`"
    if any(key in schema for key in ("anyOf", "oneOf")):
        return " or ".join(_type(part) for part in cast("list[Any]", schema.get("anyOf") or schema.get("oneOf")))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("format") or schema.get("type") or "any")
