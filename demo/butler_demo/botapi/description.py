"""The published Bot API description, compiled once into checkers for requests and answers.

Notice: `telegram-bot-api.json` is reduced from `api.json` of github.com/PaulSonOfLars/telegram-bot-api-spec (MIT).
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast

from .errors import ApiError, bad_request
from .records import Json, Upload

Checker = Callable[[object], str | None]
"""None for a value that fits, else what is wrong with it."""

_INTEGER = re.compile(r"-?\d{1,19}")
_TRUE, _FALSE = frozenset({"true", "1"}), frozenset({"false", "0"})
_MISSING = {"chat_id": "chat_id is empty", "text": "message text is empty"}
_ARRAY = "Array of "


def _check_integer(value: object) -> str | None:
    return None if type(value) is int else "is no Integer"


def _check_string(value: object) -> str | None:
    return None if isinstance(value, str) else "is no String"


def _check_boolean(value: object) -> str | None:
    return None if isinstance(value, bool) else "is no Boolean"


def _check_float(value: object) -> str | None:
    return None if type(value) in {int, float} else "is no Float"


def _check_file(value: object) -> str | None:
    return None if isinstance(value, Upload) else "is no file"


class _ObjectCheck:
    """A type with named fields; filled after all types are known, because they refer to one another."""

    __slots__ = ("fields", "name", "required")

    def __init__(self, name: str) -> None:
        self.name = name
        self.fields: dict[str, Checker] = {}
        self.required: tuple[str, ...] = ()

    def __call__(self, value: object) -> str | None:
        if not isinstance(value, dict):
            return f"is no {self.name}"
        record = cast("Json", value)
        for key in self.required:
            if key not in record:
                return f'{self.name} lacks "{key}"'
        for key, item in record.items():
            check = self.fields.get(key)
            if check is None:
                return f'{self.name} has no "{key}"'
            problem = check(item)
            if problem is not None:
                return f'"{key}" of {self.name}: {problem}'
        return None


class _UnionCheck:
    """One of several types; filled late for the same reason."""

    __slots__ = ("choices", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.choices: tuple[Checker, ...] = ()

    def __call__(self, value: object) -> str | None:
        problems: list[str] = []
        for check in self.choices:
            problem = check(value)
            if problem is None:
                return None
            problems.append(problem)
        return f"is no {self.name} ({problems[0]})"


def _array_of(item_check: Checker) -> Checker:
    def check_array(value: object) -> str | None:
        if not isinstance(value, list):
            return "is no Array"
        for item in cast("list[object]", value):
            problem = item_check(item)
            if problem is not None:
                return problem
        return None

    return check_array


def _one_of(values: frozenset[str]) -> Checker:
    def check_value(value: object) -> str | None:
        return None if isinstance(value, str) and value in values else f"is none of {', '.join(sorted(values)[:12])}"

    return check_value


def _decode_integer(text: str) -> object:
    return int(text) if _INTEGER.fullmatch(text) else text


def _decode_boolean(text: str) -> object:
    lowered = text.lower()
    return True if lowered in _TRUE else False if lowered in _FALSE else text


def _decode_json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _decoder(types: list[str]) -> Callable[[str], object] | None:
    """How a form's text becomes a value of one of the types; None where it stays text."""
    if "InputFile" in types or types == ["String"]:
        return None
    if "Integer" in types:
        return _decode_integer
    return _decode_boolean if types[0] == "Boolean" else _decode_json


@dataclass(frozen=True, slots=True)
class Parameter:
    decode: Callable[[str], object] | None
    check: Checker


@dataclass(frozen=True, slots=True)
class Method:
    """One method: what it takes and what it answers."""

    name: str
    parameters: dict[str, Parameter]
    required: tuple[str, ...]
    check_answer: Checker

    def decoded(self, raw: Json) -> Json:
        """The request's values with texts of a form turned into what the parameter's type says."""
        params: Json = {}
        for name, value in raw.items():
            parameter = self.parameters.get(name)
            if isinstance(value, str) and parameter is not None and parameter.decode is not None:
                params[name] = parameter.decode(value)
            else:
                params[name] = value
        return params

    def problem_of(self, params: Json) -> ApiError | None:
        """The refusal that decoded parameters deserve, None if they fit."""
        for name, value in params.items():
            parameter = self.parameters.get(name)
            if parameter is None:
                return bad_request(f'unknown parameter "{name}"')
            problem = parameter.check(value)
            if problem is not None:
                return bad_request(f'wrong parameter "{name}": {problem}')
        for name in self.required:
            if name not in params:
                return bad_request(_MISSING.get(name, f'parameter "{name}" is required'))
        return None


class Description:
    """All methods by lower-case name (Telegram ignores case) and the checker of `Update`."""

    def __init__(self, published: Json) -> None:
        self._checks: dict[str, Checker] = {
            "Integer": _check_integer,
            "String": _check_string,
            "Boolean": _check_boolean,
            "Float": _check_float,
            "InputFile": _check_file,
        }
        self._compile_types(published["types"])
        self.methods = {name.lower(): self._method(name, spec) for name, spec in published["methods"].items()}
        self.check_update = self._checks["Update"]

    def _compile_types(self, types: dict[str, Json]) -> None:
        unions = {name: _UnionCheck(name) for name, spec in types.items() if "subtypes" in spec}
        objects = {name: _ObjectCheck(name) for name in types if name not in unions and name != "InputFile"}
        self._checks |= unions | objects
        for name, union in unions.items():
            union.choices = tuple(self._named(choice) for choice in types[name]["subtypes"])
        for name, checked in objects.items():
            fields: list[Json] = types[name].get("fields", [])
            checked.fields = {field["name"]: self._field(field) for field in fields}
            checked.required = tuple(field["name"] for field in fields if field.get("required"))

    def _named(self, name: str) -> Checker:
        if name.startswith(_ARRAY):
            return _array_of(self._named(name.removeprefix(_ARRAY)))
        return self._checks[name]

    def _any_of(self, types: list[str]) -> Checker:
        if len(types) == 1:
            return self._named(types[0])
        union = _UnionCheck(" or ".join(types))
        union.choices = tuple(self._named(name) for name in types)
        return union

    def _field(self, field: Json) -> Checker:
        if "values" in field:
            return _one_of(frozenset(field["values"]))
        return self._any_of(field["types"])

    def _method(self, name: str, spec: Json) -> Method:
        fields: list[Json] = spec.get("fields", [])
        return Method(
            name=name,
            parameters={f["name"]: Parameter(_decoder(f["types"]), self._field(f)) for f in fields},
            required=tuple(f["name"] for f in fields if f.get("required")),
            check_answer=self._any_of(spec["returns"]),
        )


@cache
def published_description() -> Description:
    """The description that ships with the stand-in, compiled on first use."""
    published = Path(__file__).with_name("telegram-bot-api.json")
    return Description(json.loads(published.read_text(encoding="utf-8")))
