"""Google's published descriptions: the discovery documents that google-api-python-client's wheel carries.

A stand-in serves what is in it and nothing else: paths, parameters, scopes and schemas all come from here.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias
from urllib.parse import unquote

from butler_demo.schemas import SchemaError, Schemas, check_integer, check_moment

ParameterValue: TypeAlias = str | int | bool | tuple[str, ...]
Parameters: TypeAlias = dict[str, ParameterValue]


@dataclass(frozen=True)
class Parameter:
    """One path or query parameter as the document describes it."""

    name: str
    type: str
    format: str | None
    required: bool
    repeated: bool
    enum: tuple[str, ...]
    default: str | None

    def read(self, values: list[str]) -> ParameterValue:
        """Return the typed value. Raises SchemaError when it does not fit."""
        for value in values:
            if self.enum and value not in self.enum:
                raise SchemaError(f"Invalid value at '{self.name}' (TYPE_ENUM), \"{value}\"")
            if self.format in ("int32", "uint32", "int64", "uint64"):
                check_integer(value, self.format, self.name)
            if self.format == "date-time":
                check_moment(value, self.format, self.name)
            if self.type == "boolean" and value not in ("true", "false"):
                raise SchemaError(f"Invalid value at '{self.name}' (TYPE_BOOL), \"{value}\"")
        if self.repeated:
            return tuple(values)
        if len(values) != 1:
            raise SchemaError(f"Invalid value at '{self.name}': the field is not repeated.")
        if self.type == "boolean":
            return values[0] == "true"
        return int(values[0]) if self.type == "integer" else values[0]


@dataclass(frozen=True)
class Operation:
    """One method of the API, named by its discovery id (`gmail.users.drafts.send`)."""

    id: str
    http_method: str
    path: re.Pattern[str]
    downloads: bool
    parameters: Mapping[str, Parameter]
    request: str | None
    response: str | None
    scopes: frozenset[str]

    def read_parameters(self, path: Mapping[str, str], query: Mapping[str, list[str]]) -> Parameters:
        """Return all parameters typed, defaults included. Raises SchemaError for unknown or unfit ones."""
        values: Parameters = {}
        for name, texts in ({key: [value] for key, value in path.items()} | dict(query)).items():
            if name not in self.parameters:
                raise SchemaError(f'Unknown name "{name}": Cannot bind query parameter.')
            values[name] = self.parameters[name].read(texts)
        for parameter in self.parameters.values():
            if parameter.default is not None:
                values.setdefault(parameter.name, parameter.read([parameter.default]))
            elif parameter.repeated:
                values.setdefault(parameter.name, ())
            elif parameter.required and parameter.name not in values:
                raise SchemaError(f"Missing required parameter: {parameter.name}")
        return values


@dataclass(frozen=True)
class Description:
    """The whole description: operations, schemas, and the query parameters common to all methods."""

    operations: Mapping[str, Operation]
    schemas: Schemas
    common_parameters: frozenset[str]
    scopes: frozenset[str]

    def match(self, http_method: str, path: str) -> tuple[Operation, dict[str, str]] | None:
        """Return the operation and its path values; None if there is none.

        `path` is percent-encoded, the values are not.
        """
        for operation in self.operations.values():
            if operation.http_method != http_method:
                continue
            if found := operation.path.fullmatch(path):
                return operation, {name: unquote(value) for name, value in found.groupdict().items()}
        return None


@cache
def load_description(name: str, version: str) -> Description:
    """Read the document of an API (`gmail`, `v1`) from the installed client library."""
    data = _document(name, version)
    root = f"/{data['servicePath']}"
    operations = sorted(_operations(data, root), key=lambda operation: operation.path.groups)
    return Description(
        operations={operation.id: operation for operation in operations},  # words before placeholders
        schemas=Schemas(data["schemas"], nulls_are_absent=True),
        common_parameters=frozenset(data["parameters"]),
        scopes=frozenset(data["auth"]["oauth2"]["scopes"]),
    )


@cache
def known_scopes() -> frozenset[str]:
    """Return the scopes of all three APIs, as one consent may give them together."""
    documents = (_document(name, version) for name, version in (("gmail", "v1"), ("calendar", "v3"), ("drive", "v3")))
    return frozenset(scope for document in documents for scope in document["auth"]["oauth2"]["scopes"])


@cache
def _document(name: str, version: str) -> Any:
    document = files("googleapiclient.discovery_cache") / "documents" / f"{name}.{version}.json"
    return json.loads(document.read_text(encoding="utf-8"))


def _operations(resource: Mapping[str, Any], root: str) -> Iterator[Operation]:
    for method in resource.get("methods", {}).values():
        yield _operation(method, root)
    for child in resource.get("resources", {}).values():
        yield from _operations(child, root)


def _operation(method: Mapping[str, Any], root: str) -> Operation:
    return Operation(
        id=method["id"],
        http_method=method["httpMethod"],
        path=_pattern(root + method["path"]),
        downloads=method.get("supportsMediaDownload", False),
        parameters={name: _parameter(name, data) for name, data in method.get("parameters", {}).items()},
        request=method.get("request", {}).get("$ref"),
        response=method.get("response", {}).get("$ref"),
        scopes=frozenset(method["scopes"]),
    )


def _parameter(name: str, data: Mapping[str, Any]) -> Parameter:
    return Parameter(
        name=name,
        type=data["type"],
        format=data.get("format"),
        required=data.get("required", False),
        repeated=data.get("repeated", False),
        enum=tuple(data.get("enum", ())),
        default=data.get("default"),
    )


def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", template))
