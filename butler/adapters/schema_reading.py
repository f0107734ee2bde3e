"""Prepares JSON Schemas for comparison: references resolved, alternatives side by side, descriptions separated."""

from typing import Any, TypeGuard, cast

from butler.contract.adapters import canonical_json
from butler.contract.integration import Json

WORDS = frozenset({"title", "description", "examples", "deprecated", "$comment", "$schema", "$id"})
"""Keywords that only inform people."""
DEFINITIONS = frozenset({"$defs", "definitions"})
"""The places of schemas that others refer to."""
NAMED = DEFINITIONS | {"properties", "patternProperties", "dependentSchemas"}
"""Keywords that map names to schemas."""
VALUES = frozenset({"default", "const", "enum", "required"})
"""Keywords that hold values, and no schemas."""
UNORDERED = frozenset({"anyOf", "oneOf", "allOf", "enum", "required"})
"""Keywords whose order has no meaning."""
NEVER: Json = {"not": {}}


def is_object(value: Any) -> TypeGuard[Json]:
    """Return whether a JSON value is an object."""
    return isinstance(value, dict)


def resolved(root: Json, schema: Any, seen: frozenset[str] = frozenset()) -> Json:
    """Return a schema with its own reference, and an `allOf` of one, replaced by the target; parts are unchanged."""
    if not is_object(schema):
        return NEVER if schema is False else {}
    ref, parts = schema.get("$ref"), schema.get("allOf")
    if isinstance(ref, str) and ref not in seen and (target := _named(root, ref)) is not None:
        return resolved(root, _both(target, without(schema, "$ref")), seen | {ref})
    if isinstance(parts, list) and len(cast("list[Any]", parts)) == 1 and is_object(parts[0]):
        return resolved(root, _both(parts[0], without(schema, "allOf")), seen)
    return schema


def _both(schema: Json, beside: Json) -> Json:
    """Merge two schemas that both apply; descriptions beside a reference take precedence."""
    clash = {key for key in schema.keys() & beside.keys() - WORDS - {"default"} if schema[key] != beside[key]}
    return {"allOf": [schema, beside]} if clash else {**schema, **beside}


def _named(root: Json, ref: str) -> Json | None:
    """Return the target of a local reference; None if it does not exist in this schema."""
    part: Any = root
    for name in ref.removeprefix("#/").split("/") if ref.startswith("#/") else (ref,):
        if not is_object(part) or name not in part:
            return None
        part = part[name]
    return part if is_object(part) else None


def without(schema: Json, *keys: str) -> Json:
    """Return a schema without some of its keywords."""
    return {key: value for key, value in schema.items() if key not in keys}


def alternatives(root: Json, schema: Json) -> list[Json]:
    """Return a resolved schema's alternatives as schemas of at most one type each; references are kept."""
    for choice in ("anyOf", "oneOf"):
        if isinstance(parts := schema.get(choice), list):
            beside = without(schema, choice, "discriminator")
            return [one for part in cast("list[Any]", parts) for one in _spread(root, part, beside)]
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return [{**schema, "type": kind} for kind in cast("list[Any]", kinds)]
    return [schema]


def only_one_fits(root: Json, schema: Json) -> bool:
    """Return whether a resolved schema, or one of its alternatives, offers alternatives of which only one may fit."""
    parts = schema.get("anyOf")
    offered = cast("list[Any]", parts) if isinstance(parts, list) else []
    return "oneOf" in schema or any(only_one_fits(root, resolved(root, part)) for part in offered)


def unordered(value: Any) -> Any:
    """Return a schema with alternatives, names and values sorted, since their order has no meaning."""
    if isinstance(value, list):
        return [unordered(part) for part in cast("list[Any]", value)]
    if not is_object(value):
        return value
    made = {key: unordered(part) for key, part in value.items()}
    for key in UNORDERED & made.keys():
        if isinstance(made[key], list):
            made[key] = sorted(made[key], key=canonical_json)
    return made


def _spread(root: Json, part: Any, beside: Json) -> list[Json]:
    """Combine one part of an `anyOf` with its surroundings, as alternatives."""
    whole = resolved(root, part)
    plain = not {"anyOf", "oneOf"} & whole.keys() and not isinstance(whole.get("type"), list)
    if plain and not beside and is_object(part):
        return [part]
    whole = _both(whole, beside)
    return [whole] if "allOf" in whole else alternatives(root, whole)


def meaning(root: Json, schema: Any) -> Any:
    """Return a schema with every reference replaced and without descriptions, for direct comparison."""
    return _meant(root, structure(schema), ())


def _meant(root: Json, value: Any, inside: tuple[str, ...]) -> Any:
    if isinstance(value, list):
        return [_meant(root, part, inside) for part in cast("list[Any]", value)]
    if not is_object(value):
        return value
    ref = value.get("$ref")
    if isinstance(ref, str) and (target := _named(root, ref)) is not None:
        beside = without(value, "$ref")
        if ref in inside:
            return {"again": inside.index(ref), **beside}
        return _meant(root, _both(structure(target), beside), (*inside, ref))
    return {key: _meant(root, part, inside) for key, part in value.items()}


def structure(schema: Any) -> Any:
    """Return a schema without what only informs people."""
    if isinstance(schema, list):
        return [structure(part) for part in cast("list[Any]", schema)]
    if not is_object(schema):
        return schema
    kept: Json = {}
    for key, part in without(schema, *WORDS).items():
        if key in NAMED and is_object(part):
            kept[key] = {name: structure(one) for name, one in part.items()}
        else:
            kept[key] = part if key in VALUES else structure(part)
    return kept
