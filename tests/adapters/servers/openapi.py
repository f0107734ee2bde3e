"""Requests and answers against a published OpenAPI document, for stand-in servers.

A client that asks what the description does not know, and a stand-in that answers what no real server would, both fail
at once. Records are taken as complete: a field that the description does not name is a fault, too.

    python -m tests.adapters.servers.openapi FULL.json REDUCED.json "GET /version" "POST /indexes/{indexUid}/search"

keeps of a whole description what a stand-in serves.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

Json = dict[str, Any]
_REF = "#/components/schemas/"
_HERE = "urn:openapi"
_TEXTUAL = ("description", "example", "examples", "summary", "externalDocs", "tags", "operationId", "x-example")


class NotAsDescribedError(AssertionError):
    """Something is not as the published description has it."""


@dataclass(frozen=True, slots=True)
class Described:
    """The operation that a request means, and what its address names."""

    name: str
    """Method and path as the description has them, such as `GET /collections/{collection_name}`."""
    path: Mapping[str, str]
    operation: Json


class OpenApi:
    """One description, of OpenAPI 3.0 or 3.1. All checks raise `NotAsDescribedError`."""

    def __init__(self, document: Json) -> None:
        schemas = document.get("components", {}).get("schemas", {})
        loose = set(_in_all_of(document))
        components = {name: _as_json_schema(schema, closed=name not in loose) for name, schema in schemas.items()}
        resource = Resource(contents={"components": {"schemas": components}}, specification=DRAFT202012)
        registry: Registry[Any] = Registry()
        self._registry = registry.with_resource(_HERE, resource)
        self._operations = [
            (method.upper(), path, _pattern(path), operation)
            for path, entry in document["paths"].items()
            for method, operation in entry.items()
        ]
        self._parameters = document.get("components", {}).get("parameters", {})

    @classmethod
    def load(cls, path: Path) -> "OpenApi":
        """The description in a file."""
        return cls(json.loads(path.read_text(encoding="utf-8")))

    def match(self, method: str, path: str) -> Described:
        """What a request means; of two paths that fit, the one without a name in it."""
        found = [
            (template, match.groupdict(), operation)
            for verb, template, pattern, operation in self._operations
            if verb == method.upper() and (match := pattern.fullmatch(path))
        ]
        if not found:
            raise NotAsDescribedError(f"{method} {path} is not in the description")
        template, named, operation = min(found, key=lambda one: len(one[1]))
        return Described(f"{method.upper()} {template}", named, operation)

    def check_request(self, described: Described, query: Mapping[str, str], body: Any = None) -> None:
        """The parameters of a request, as texts, and its JSON body (None for none)."""
        self._check_parameters(described, "path", described.path)
        self._check_parameters(described, "query", query)
        wanted = described.operation.get("requestBody")
        if wanted is None:
            if body is not None:
                raise NotAsDescribedError(f"{described.name} takes no body")
            return
        if body is None:
            if wanted.get("required"):
                raise NotAsDescribedError(f"{described.name} needs a body")
            return
        self._check(f"the body of {described.name}", wanted["content"]["application/json"]["schema"], body)

    def check_answer(self, described: Described, status: int, body: Any) -> None:
        """A JSON answer of this status, or a text where the description has one."""
        responses = described.operation["responses"]
        told = next(
            (responses[key] for key in (str(status), f"{status // 100}XX", "default") if key in responses), None
        )
        if told is None:
            raise NotAsDescribedError(f"{described.name} never answers {status}")
        for content in told.get("content", {}).values():
            self._check(f"the answer {status} of {described.name}", content.get("schema", {}), body)

    def _check_parameters(self, described: Described, place: str, given: Mapping[str, str]) -> None:
        known = {one["name"]: one for one in self._parameters_of(described) if one["in"] == place}
        for name, value in given.items():
            if name not in known:
                raise NotAsDescribedError(f"{described.name} has no parameter {name} in its {place}")
            schema = known[name].get("schema", {})
            self._check(f"{name} of {described.name}", schema, self._typed(schema, value))
        missing = [name for name, one in known.items() if one.get("required") and name not in given]
        if missing:
            raise NotAsDescribedError(f"{described.name} lacks {', '.join(missing)}")

    def _parameters_of(self, described: Described) -> Iterator[Json]:
        for one in described.operation.get("parameters", []):
            yield self._parameters[one["$ref"].rpartition("/")[2]] if "$ref" in one else one

    def _typed(self, schema: Json, text: str) -> Any:
        """A parameter's text as what its schema takes, where it can be that."""
        for read in (_number, _flag, _several):
            value = read(text)
            if value is not None and not self._errors(schema, value):
                return value
        return text

    def _check(self, what: str, schema: Json, value: Any) -> None:
        if errors := self._errors(schema, value):
            error = errors[0]
            where = ".".join(map(str, error.absolute_path))
            raise NotAsDescribedError(f"{what}{f' at {where}' if where else ''}: {error.message[:300]}")

    def _errors(self, schema: Json, value: Any) -> list[Any]:
        # The stubs of jsonschema leave its iterator's argument half unknown.
        validator = cast("Any", Draft202012Validator(_as_json_schema(schema, closed=True), registry=self._registry))
        return list(validator.iter_errors(value))


def reduced(document: Json, operations: Iterable[str], note: str) -> Json:
    """What a document says of operations, such as `GET /version`, and the schemas that they need; without its prose."""
    paths: Json = {}
    for name in operations:
        method, path = name.split(" ", 1)
        operation = document["paths"][path][method.lower()]
        kept = {key: operation[key] for key in ("parameters", "requestBody", "responses") if key in operation}
        paths.setdefault(path, {})[method.lower()] = _bare(kept)
    schemas = document.get("components", {}).get("schemas", {})
    needed: Json = {}
    waiting = set(_refs(paths))
    while waiting:
        name = waiting.pop()
        needed[name] = _bare(schemas[name])
        waiting |= set(_refs(needed[name])) - needed.keys()
    info = {"title": document["info"]["title"], "version": document["info"]["version"], "description": note}
    if "license" in document["info"]:
        info["license"] = document["info"]["license"]
    components = {"schemas": dict(sorted(needed.items()))}
    return {"openapi": document["openapi"], "info": info, "paths": paths, "components": components}


def _pattern(path: str) -> re.Pattern[str]:
    literal = re.split(r"(\{\w+\})", path)
    return re.compile("".join(f"(?P<{p[1:-1]}>[^/]+)" if p.startswith("{") else re.escape(p) for p in literal))


def _as_json_schema(schema: Any, *, closed: bool) -> Any:
    """OpenAPI 3.0's own words as JSON Schema has them; `closed` records take no unknown field."""
    if isinstance(schema, list):
        return [_as_json_schema(one, closed=closed) for one in cast("list[Any]", schema)]
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
        if key not in _TEXTUAL and key not in {"nullable", "discriminator"}
    }
    if closed and not together and "properties" in made and "additionalProperties" not in made:
        made["additionalProperties"] = False
    return {"anyOf": [made, {"type": "null"}]} if given.get("nullable") is True else made


def _translated(key: str, value: Any, *, closed: bool) -> Any:
    """The value of one word of a schema."""
    match key:
        case "properties":
            return {name: _as_json_schema(one, closed=True) for name, one in value.items()}
        case "$ref":
            return f"{_HERE}{value}"
        case "enum" | "default" | "required" | "const":
            return value
        case _:
            return _as_json_schema(value, closed=closed)


def _in_all_of(node: Any) -> Iterator[str]:
    """The schemas that are parts of others, which alone know all fields."""
    if isinstance(node, list):
        for one in cast("list[Any]", node):
            yield from _in_all_of(one)
    elif isinstance(node, dict):
        given = cast("Json", node)
        parts = given.get("allOf")
        if isinstance(parts, list) and len(cast("list[Any]", parts)) > 1:
            yield from (one["$ref"].removeprefix(_REF) for one in cast("list[Json]", parts) if "$ref" in one)
        for one in given.values():
            yield from _in_all_of(one)


def _refs(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for one in cast("list[Any]", node):
            yield from _refs(one)
    elif isinstance(node, dict):
        given = cast("Json", node)
        for key, one in given.items():
            if key == "$ref":
                yield str(one).removeprefix(_REF)
            else:
                yield from _refs(one)


def _bare(node: Any, *, names: bool = False) -> Any:
    """Without prose; where `names` stand, such a word is a field's name and stays."""
    if isinstance(node, list):
        return [_bare(one) for one in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    return {
        key: _bare(one, names=key == "properties" and not names)
        for key, one in cast("Json", node).items()
        if names or key not in _TEXTUAL
    }


def _number(text: str) -> int | float | None:
    try:
        return int(text) if re.fullmatch(r"-?\d+", text) else float(text)
    except ValueError:
        return None


def _flag(text: str) -> bool | None:
    return {"true": True, "false": False}.get(text)


def _several(text: str) -> list[str]:
    return text.split(",")


def _written(document: Json) -> str:
    """JSON with each path and each schema on a line of its own."""
    rest = {key: value for key, value in document.items() if key not in {"paths", "components"}}
    paths = ",\n".join(f"  {json.dumps(name)}: {json.dumps(one)}" for name, one in document["paths"].items())
    schemas = document["components"]["schemas"].items()
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(one)}" for name, one in schemas)
    head = json.dumps(rest)[:-1]
    return f'{head},\n "paths": {{\n{paths}\n }},\n "components": {{"schemas": {{\n{lines}\n }}}}}}\n'


def _main(full: str, into: str, *operations: str) -> None:
    document = json.loads(Path(full).read_text(encoding="utf-8"))
    note = "Reduced to what the stand-in serves, without its prose; see the README beside it for source and licence."
    Path(into).write_text(_written(reduced(document, operations, note)), encoding="utf-8")


if __name__ == "__main__":
    _main(*sys.argv[1:])
