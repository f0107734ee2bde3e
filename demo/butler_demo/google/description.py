"""Google's published descriptions: the discovery documents that google-api-python-client's wheel carries.

A stand-in serves what is in it and nothing else: paths, parameters, scopes and schemas all come from here.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias, cast
from urllib.parse import unquote

from butler_demo.schemas import Schema, SchemaError, Schemas, check_scalar, converted

ParameterValue: TypeAlias = str | int | bool | tuple[str, ...]
Parameters: TypeAlias = dict[str, ParameterValue]


@dataclass(frozen=True)
class Operation:
    """One method of the API, named by its discovery id (`gmail.users.drafts.send`)."""

    id: str
    http_method: str
    path: re.Pattern[str]
    downloads: bool
    parameters: Mapping[str, Schema]
    request: str | None
    response: str | None
    scopes: frozenset[str]

    def read_parameters(self, path: Mapping[str, str], query: Mapping[str, list[str]]) -> Parameters:
        """Return all parameters typed, defaults included. Raises SchemaError for unknown or unfit ones."""
        values: Parameters = {}
        for name, texts in ({key: [value] for key, value in path.items()} | dict(query)).items():
            if name not in self.parameters:
                raise SchemaError(f'Unknown name "{name}": Cannot bind query parameter.')
            values[name] = _read(name, self.parameters[name], texts)
        for name, parameter in self.parameters.items():
            if "default" in parameter:
                values.setdefault(name, _read(name, parameter, [parameter["default"]]))
            elif parameter.get("repeated"):
                values.setdefault(name, ())
            elif parameter.get("required") and name not in values:
                raise SchemaError(f"Missing required parameter: {name}")
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
        parameters=method.get("parameters", {}),
        request=method.get("request", {}).get("$ref"),
        response=method.get("response", {}).get("$ref"),
        scopes=frozenset(method["scopes"]),
    )


def _read(name: str, parameter: Schema, texts: list[str]) -> ParameterValue:
    """Return a path's or query's values, typed. Raises SchemaError where they do not fit."""
    values = tuple(converted(parameter, text) for text in texts)
    for value in values:
        check_scalar(parameter, value, name)
    if parameter.get("repeated"):
        return cast("tuple[str, ...]", values)
    if len(values) != 1:
        raise SchemaError(f"Invalid value at '{name}': the field is not repeated.")
    return cast("ParameterValue", values[0])


def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", template))
