"""Requests and answers against a published OpenAPI document, for stand-in servers.

A client that asks what the description does not know, and a stand-in that answers what no real server would, both fail
at once: path, query, headers, credentials, media types, statuses and bodies. Records are taken as complete: a field
that the description does not name is a fault, too.

One word is ours: a parameter with `x-name-is-pattern` stands for all whose names fit it.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl, unquote

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tests.adapters.servers.schemas import Json, as_json_schema, in_all_of
from tests.adapters.servers.wire import Answer, NotAsDescribedError, Request

_HERE = "urn:openapi"
_JSON = "application/json"
_FORM = "application/x-www-form-urlencoded"
_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class Described:
    """The operation that a request means, and what its address names."""

    name: str
    """Method and path as the description has them, such as `GET /collections/{collection_name}`."""
    path: Mapping[str, str]
    operation: Json
    body: Any = None
    """What was read of a body: JSON, a form's fields, or bytes; None for none."""
    signed: bool = True
    """Whether it bears credentials, or needs none."""


class OpenApi:
    """One description, of OpenAPI 3.0 or 3.1. All checks raise `NotAsDescribedError`."""

    def __init__(self, document: Json) -> None:
        components = document.get("components", {})
        schemas = components.get("schemas", {})
        loose = set(in_all_of(document))
        made = {name: as_json_schema(schema, closed=name not in loose) for name, schema in schemas.items()}
        resource = Resource(contents={"components": {"schemas": made}}, specification=DRAFT202012)
        registry: Registry[Any] = Registry()
        self._registry = registry.with_resource(_HERE, resource)
        self._operations = [
            (method.upper(), path, _pattern(path), operation)
            for path, entry in document["paths"].items()
            for method, operation in entry.items()
        ]
        self._components: Json = components
        self._security: Sequence[Json] = document.get("security", [])

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
        values = {name: unquote(value) for name, value in named.items()}
        return Described(f"{method.upper()} {template}", values, operation)

    def request(self, request: Request) -> Described:
        """Path, query, headers, credentials and body of a request."""
        described = self.match(request.method, request.path)
        self._check_parameters(described, "path", tuple(described.path.items()))
        self._check_parameters(described, "query", request.query)
        self._check_headers(described, request.headers)
        signed = self._signed(described, request.headers)
        body = self._body(described, request)
        return Described(described.name, described.path, described.operation, body, signed)

    def answer(self, asked: Described, answer: Answer) -> None:
        """Status, headers and body of an answer."""
        status, name = answer.status, asked.name
        if not asked.signed and 200 <= status < 300:
            raise NotAsDescribedError(f"{name} is answered without credentials")
        responses = asked.operation["responses"]
        # What is told of all others are refusals, with each publisher that has such a line.
        keys = (str(status), f"{status // 100}XX", *(() if status < 300 else ("default",)))
        told = next((self._found(responses[key]) for key in keys if key in responses), None)
        if told is None:
            raise NotAsDescribedError(f"{name} never answers {status}")
        for header, one in told.get("headers", {}).items():
            value = answer.headers.get(header.lower())
            if value is None and one.get("required"):
                raise NotAsDescribedError(f"the answer {status} of {name} lacks the header {header}")
            if value is not None:
                self._check(f"the header {header} of {name}", one["schema"], self._typed(one["schema"], value))
        content = told.get("content", {})
        if not content or name.startswith("HEAD "):
            if answer.body:
                raise NotAsDescribedError(f"the answer {status} of {name} has no body")
            return
        if answer.media_type not in content:
            raise NotAsDescribedError(f"the answer {status} of {name} is never {answer.media_type or 'of no type'}")
        what = f"the answer {status} of {name}"
        self._check(what, content[answer.media_type].get("schema", {}), _read(what, answer.media_type, answer.body))

    def _check_parameters(self, described: Described, place: str, given: Sequence[tuple[str, str]]) -> None:
        known = [one for one in self._parameters_of(described) if one["in"] == place]
        for name in dict.fromkeys(name for name, _ in given):
            values = [value for other, value in given if other == name]
            one = next((one for one in known if _is_named(one, name)), None)
            if one is None:
                raise NotAsDescribedError(f"{described.name} has no parameter {name} in its {place}")
            schema, many = one.get("schema", {}), one.get("x-name-is-pattern", False)
            if schema.get("type") == "array" and len(values) > 1:
                self._check(f"{name} of {described.name}", schema, values)
                continue
            if len(values) > 1 and not many:
                raise NotAsDescribedError(f"{described.name} takes {name} once")
            for value in values:
                self._check(f"{name} of {described.name}", schema, self._typed(schema, value))
        names = {name for name, _ in given}
        missing = [one["name"] for one in known if one.get("required") and one["name"] not in names]
        if missing:
            raise NotAsDescribedError(f"{described.name} lacks {', '.join(missing)}")

    def _check_headers(self, described: Described, headers: Mapping[str, str]) -> None:
        for one in self._parameters_of(described):
            value = headers.get(one["name"].lower())
            if one["in"] != "header" or (value is None and not one.get("required")):
                continue
            if value is None:
                raise NotAsDescribedError(f"{described.name} lacks the header {one['name']}")
            what = f"the header {one['name']} of {described.name}"
            self._check(what, one["schema"], self._typed(one["schema"], value))

    def _signed(self, described: Described, headers: Mapping[str, str]) -> bool:
        """Whether the credentials are there that are asked for; those of another kind are a fault."""
        wanted: Sequence[Json] = described.operation.get("security", self._security)
        if not wanted:
            return True
        schemes = self._components.get("securitySchemes", {})
        kinds = [schemes[name] for one in wanted for name in one]
        scheme, _, value = headers.get("authorization", "").partition(" ")
        spoken = {one["scheme"] for one in kinds if one["type"] == "http"}
        if scheme and (scheme.lower() not in spoken or not value.strip()):
            raise NotAsDescribedError(f"{described.name} takes no credentials by {scheme}")
        keys = {one["name"].lower() for one in kinds if one["type"] == "apiKey" and one["in"] == "header"}
        return {} in wanted or bool(scheme) or any(headers.get(key) for key in keys)

    def _body(self, described: Described, request: Request) -> Any:
        wanted = described.operation.get("requestBody")
        if wanted is None:
            if request.body:
                raise NotAsDescribedError(f"{described.name} takes no body")
            return None
        if not request.body:
            if wanted.get("required"):
                raise NotAsDescribedError(f"{described.name} needs a body")
            return None
        content = wanted["content"]
        if request.media_type not in content:
            raise NotAsDescribedError(f"{described.name} takes no body of the type {request.media_type or 'nothing'}")
        what = f"the body of {described.name}"
        read = _read(what, request.media_type, request.body)
        self._check(what, content[request.media_type]["schema"], read)
        return read

    def _parameters_of(self, described: Described) -> Iterator[Json]:
        yield from map(self._found, described.operation.get("parameters", []))

    def _found(self, one: Json) -> Json:
        """What a reference to a component stands for, or the thing itself."""
        if "$ref" not in one:
            return one
        kind, name = str(one["$ref"]).split("/")[-2:]
        return self._components[kind][name]

    def _typed(self, schema: Json, text: str) -> Any:
        """A parameter's text as what its schema takes, where it can be that."""
        for read in (str, _number, _flag, _several):
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
        validator = cast("Any", Draft202012Validator(as_json_schema(schema, closed=True), registry=self._registry))
        return list(validator.iter_errors(value))


def _pattern(path: str) -> re.Pattern[str]:
    literal = re.split(r"(\{\w+\})", path)
    return re.compile("".join(f"(?P<{p[1:-1]}>[^/]+)" if p.startswith("{") else re.escape(p) for p in literal))


def _is_named(one: Json, name: str) -> bool:
    return bool(re.fullmatch(one["name"], name)) if one.get("x-name-is-pattern") else one["name"] == name


def _read(what: str, media_type: str, raw: bytes) -> Any:
    """A body by its type."""
    try:
        if media_type == _JSON:
            return json.loads(raw)
        if media_type == _FORM:
            return dict(parse_qsl(raw.decode(), strict_parsing=True))
        if media_type.startswith("text/"):
            return raw.decode()
    except ValueError:
        raise NotAsDescribedError(f"{what} is no {media_type}") from None
    if media_type == "image/png" and not raw.startswith(_PNG):
        raise NotAsDescribedError(f"{what} is no picture")
    return raw.decode("latin-1")


def _number(text: str) -> int | float | None:
    try:
        return int(text) if re.fullmatch(r"-?\d+", text) else float(text)
    except ValueError:
        return None


def _flag(text: str) -> bool | None:
    return {"true": True, "false": False}.get(text)


def _several(text: str) -> list[str]:
    return text.split(",")
