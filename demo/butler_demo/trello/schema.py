"""The description's schemas, compiled once into checkers and readers: a board's 1,000 cards are checked in no time."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, cast

Checker = Callable[[object], str | None]
"""None for a value that fits, else what is wrong with it."""

_WORDS: Mapping[str, bool] = {"true": True, "false": False}


class Schemas:
    """All named schemas of a description. An object may hold what its schema names and nothing else."""

    def __init__(self, schemas: Mapping[str, Mapping[str, Any]]) -> None:
        self._schemas = schemas
        self._compiled: dict[str, Checker] = {}

    def resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the schema that a reference means."""
        if "$ref" not in schema:
            return schema
        return {**self._schemas[_name(schema)], **({"nullable": True} if schema.get("nullable") else {})}

    def checker(self, schema: Mapping[str, Any]) -> Checker:
        """Compile a schema."""
        check = self._plain(schema)
        return _or_null(check) if schema.get("nullable") else check

    def _plain(self, schema: Mapping[str, Any]) -> Checker:
        if "$ref" in schema:
            return self._named(_name(schema))
        if "oneOf" in schema:
            return _any_of([self.checker(choice) for choice in schema["oneOf"]])
        makers: Mapping[str, Callable[[Mapping[str, Any]], Checker]] = {
            "object": self._object,
            "array": lambda schema: _array(self.checker(schema.get("items", {}))),
            "string": _string,
            "boolean": lambda _: _boolean,
            "integer": _number,
            "number": _number,
        }
        return makers.get(schema.get("type", ""), _untyped)(schema)

    def _named(self, name: str) -> Checker:
        """The checker of a named schema, compiled on first use, because some refer to themselves."""

        def check(value: object) -> str | None:
            compiled = self._compiled.get(name)
            if compiled is None:
                compiled = self._compiled[name] = self.checker(self._schemas[name])
            return compiled(value)

        return check

    def _object(self, schema: Mapping[str, Any]) -> Checker:
        fields = {name: self.checker(item) for name, item in schema.get("properties", {}).items()}
        required: tuple[str, ...] = tuple(schema.get("required", ()))
        is_open = bool(schema.get("additionalProperties")) or not fields

        def check(value: object) -> str | None:
            if not isinstance(value, dict):
                return "is no object"
            record = cast("dict[str, object]", value)
            for name in required:
                if name not in record:
                    return f'lacks "{name}"'
            for name, item in record.items():
                field = fields.get(name)
                problem = (None if is_open else "is not described") if field is None else field(item)
                if problem is not None:
                    return f'"{name}" {problem}'
            return None

        return check

    def read(self, schema: Mapping[str, Any], raw: object) -> object:
        """Return a request's value as the schema's type; texts of an address are converted. Raises ValueError."""
        schema = self.resolved(schema)
        value = self._converted(schema, raw)
        problem = self.checker(schema)(value)
        if problem is not None:
            raise ValueError(problem)
        return value

    def _converted(self, schema: Mapping[str, Any], raw: object) -> object:
        if schema.get("nullable") and raw in ("", "null"):
            return None
        if "oneOf" in schema:
            return next((value for value in self._choices(schema["oneOf"], raw)), raw)
        kind = schema.get("type")
        if not isinstance(raw, str) or kind == "string":
            return raw
        if kind == "array":
            items = [part.strip() for part in raw.split(",") if part.strip()]
            return [self._converted(self.resolved(schema["items"]), item) for item in items]
        return _WORDS.get(raw, raw) if kind == "boolean" else _parsed(raw)

    def _choices(self, choices: list[Mapping[str, Any]], raw: object) -> list[object]:
        fitting: list[object] = []
        for choice in choices:
            try:
                fitting.append(self.read(choice, raw))
            except ValueError:
                continue
        return fitting


def _name(schema: Mapping[str, Any]) -> str:
    return schema["$ref"].rpartition("/")[2]


def _or_null(check: Checker) -> Checker:
    return lambda value: None if value is None else check(value)


def _any_of(choices: list[Checker]) -> Checker:
    if len(choices) == 1:
        return choices[0]

    def check(value: object) -> str | None:
        problems = [choice(value) for choice in choices]
        return None if None in problems else problems[0]

    return check


def _array(item_check: Checker) -> Checker:
    def check(value: object) -> str | None:
        if not isinstance(value, list):
            return "is no array"
        for item in cast("list[object]", value):
            problem = item_check(item)
            if problem is not None:
                return f"has an item that {problem}"
        return None

    return check


def _string(schema: Mapping[str, Any]) -> Checker:
    pattern = re.compile(schema["pattern"]) if "pattern" in schema else None
    values = frozenset(schema["enum"]) if "enum" in schema else None
    shortest, longest = schema.get("minLength", 0), schema.get("maxLength", float("inf"))
    is_moment = schema.get("format") == "moment"

    def check(value: object) -> str | None:
        if not isinstance(value, str):
            return "is no text"
        if values is not None and value not in values:
            return f"is none of {', '.join(sorted(values))}"
        if pattern is not None and not pattern.match(value):
            return "has not the form of an id"
        if not shortest <= len(value) <= longest:
            return "is too short or too long"
        return _moment_problem(value) if is_moment else None

    return check


def _moment_problem(value: str) -> str | None:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return "is no date"
    return None


def _number(schema: Mapping[str, Any]) -> Checker:
    kinds: tuple[type, ...] = (int,) if schema["type"] == "integer" else (int, float)
    low, high = schema.get("minimum", float("-inf")), schema.get("maximum", float("inf"))

    def check(value: object) -> str | None:
        if type(value) not in kinds:
            return "is no number"
        return None if low <= cast("float", value) <= high else "is out of range"

    return check


def _boolean(value: object) -> str | None:
    return None if isinstance(value, bool) else "is no boolean"


def _untyped(schema: Mapping[str, Any]) -> Checker:
    values: list[object] | None = schema.get("enum")
    return lambda value: None if values is None or value in values else "is none of the values described"


def _parsed(text: str) -> object:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text
