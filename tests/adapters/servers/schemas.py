"""OpenAPI's schemas as JSON Schema has them, taken as complete."""

from collections.abc import Iterator
from typing import Any, cast

Json = dict[str, Any]
REF = "#/components/schemas/"
TEXTUAL = ("description", "example", "examples", "summary", "externalDocs", "tags", "operationId", "x-example")
_HERE = "urn:openapi"


def as_json_schema(schema: Any, *, closed: bool) -> Any:
    """OpenAPI 3.0's own words as JSON Schema has them; `closed` records take no unknown field."""
    if isinstance(schema, list):
        return [as_json_schema(one, closed=closed) for one in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    given = cast("Json", schema)
    if given.get("nullable") is True and not given.keys() & {"type", "$ref", "allOf", "anyOf", "oneOf", "enum"}:
        return {"type": "null"}
    together = "allOf" in given and len(given["allOf"]) > 1
    inner = closed and not together
    made = {
        key: _translated(key, value, closed=inner)
        for key, value in given.items()
        if key not in TEXTUAL and key not in {"nullable", "discriminator"}
    }
    if closed and not together and "properties" in made and "additionalProperties" not in made:
        made["additionalProperties"] = False
    if closed and together:
        made["unevaluatedProperties"] = False
    return {"anyOf": [made, {"type": "null"}]} if given.get("nullable") is True else made


def in_all_of(node: Any) -> Iterator[str]:
    """The schemas that are parts of others, which alone know all fields."""
    if isinstance(node, list):
        for one in cast("list[Any]", node):
            yield from in_all_of(one)
    elif isinstance(node, dict):
        given = cast("Json", node)
        parts = given.get("allOf")
        if isinstance(parts, list) and len(cast("list[Any]", parts)) > 1:
            yield from (one["$ref"].removeprefix(REF) for one in cast("list[Json]", parts) if "$ref" in one)
        for one in given.values():
            yield from in_all_of(one)


def _translated(key: str, value: Any, *, closed: bool) -> Any:
    """The value of one word of a schema."""
    match key:
        case "properties":
            return {name: as_json_schema(one, closed=True) for name, one in value.items()}
        case "$ref":
            return f"{_HERE}{value}"
        case "enum" | "default" | "required" | "const":
            return value
        case _:
            return as_json_schema(value, closed=closed)
