"""Checks of JSON values against the schemas of a published description.

They know the dialect of Google's discovery documents (JSON Schema draft 3 with int64 as strings and base64 as a format)
and what Trello's reduced OpenAPI document has besides. Both services refuse unknown names; a general validator would
know none of that.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, cast

_INTEGER_RANGES = {
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
}
_MOMENT_FORMATS = ("date", "date-time", "google-datetime", "moment")
_WORDS: Mapping[str, bool] = {"true": True, "false": False}
_DIGITS = re.compile(r"-?\d+")

Schema = Mapping[str, Any]


class SchemaError(ValueError):
    """A value does not fit its schema; the message names the place and the reason."""


class Schemas:
    """The named schemas of one description."""

    def __init__(self, schemas: Mapping[str, Schema], *, nulls_are_absent: bool = False) -> None:
        """`schemas` is the document's own `schemas` object. In proto JSON a null in an object is the same as absent."""
        self._schemas = schemas
        self._nulls_are_absent = nulls_are_absent

    def resolved(self, schema: Schema) -> Schema:
        """Return the schema that a reference means."""
        while "$ref" in schema:
            named = self._schemas[schema["$ref"].rpartition("/")[2]]
            schema = {**named, "nullable": True} if schema.get("nullable") else named
        return schema

    def validate(self, name: str, value: object) -> None:
        """Raise SchemaError unless `value` fits the schema `name`."""
        self.check(self._schemas[name], value)

    def check(self, schema: Schema, value: object, place: str = "") -> None:
        """Raise SchemaError unless `value` fits the schema."""
        schema = self.resolved(schema)
        if value is None and schema.get("nullable"):
            return
        if "oneOf" in schema:
            self._check_choices(schema["oneOf"], value, place)
            return
        match schema.get("type", "any"):
            case "any":
                pass
            case "object":
                self._check_object(schema, value, place)
            case "array":
                if not isinstance(value, list):
                    raise SchemaError(f"Invalid value at '{place}': expected an array.")
                for index, item in enumerate(cast("list[object]", value)):
                    self.check(schema["items"], item, f"{place}[{index}]")
            case _:
                check_scalar(schema, value, place)

    def _check_choices(self, choices: list[Schema], value: object, place: str) -> None:
        problems: list[SchemaError] = []
        for choice in choices:
            try:
                self.check(choice, value, place)
            except SchemaError as problem:
                problems.append(problem)
            else:
                return
        raise problems[0]

    def _check_object(self, schema: Schema, value: object, place: str) -> None:
        if not isinstance(value, dict):
            raise SchemaError(f"Invalid value at '{place}': expected an object.")
        properties: Mapping[str, Schema] = schema.get("properties", {})
        others: Schema | bool | None = schema.get("additionalProperties")
        for key in schema.get("required", ()):
            if key not in value:
                raise SchemaError(f"Missing value at '{place}': {key}.")
        for key, item in cast("dict[str, object]", value).items():
            inner = properties.get(key, others)
            if inner is None or inner is False:
                where = f" at '{place}'" if place else ""
                raise SchemaError(f'Unknown name "{key}"{where}: Cannot find field.')
            if inner is not True and not (item is None and self._nulls_are_absent):
                self.check(inner, item, f"{place}.{key}" if place else key)


def converted(schema: Schema, raw: object) -> object:
    """Return a value as the schema's type; in an address and in lists of ids everything is text."""
    if schema.get("nullable") and raw in ("", "null"):
        return None
    match schema.get("type"), raw:
        case "array", str():
            return [part.strip() for part in raw.split(",") if part.strip()]
        case "boolean", str():
            return _WORDS.get(raw, raw)
        case "integer", str():
            return int(raw) if raw.isdecimal() else raw
        case _:
            return raw


def check_scalar(schema: Schema, value: object, place: str) -> None:
    """Raise SchemaError unless a text, a number or a truth value fits its schema; discovery documents quote limits."""
    kind, form = schema["type"], schema.get("format")
    if kind in ("integer", "number"):
        fits = isinstance(value, int | float) and not isinstance(value, bool)
        if not fits or (kind == "integer" and not isinstance(value, int)):
            raise SchemaError(f"Invalid value at '{place}' (TYPE_{str(form or kind).upper()}), \"{value}\"")
    elif not isinstance(value, bool if kind == "boolean" else str):
        raise SchemaError(f"Invalid value at '{place}' (TYPE_{kind.upper()}), \"{value}\"")
    if form is not None:
        _check_format(form, str(value), place)
    if "enum" in schema and value not in schema["enum"]:
        raise SchemaError(f"Invalid value at '{place}' (TYPE_ENUM), \"{value}\"")
    _check_limits(schema, value, place)


def _check_format(form: str, text: str, place: str) -> None:
    if form in _INTEGER_RANGES:
        _check_integer(text, form, place)
    elif form in _MOMENT_FORMATS:
        _check_moment(text, form, place)
    elif form == "byte":
        try:
            decode_bytes(text)
        except ValueError as error:
            raise SchemaError(f"Invalid value at '{place}' (TYPE_BYTES), Base64 decoding failed.") from error


def _check_limits(schema: Schema, value: object, place: str) -> None:
    size = float(len(value) if isinstance(value, str) else cast("float", value))
    low, high = ("minLength", "maxLength") if isinstance(value, str) else ("minimum", "maximum")
    if (low in schema and size < float(schema[low])) or (high in schema and size > float(schema[high])):
        raise SchemaError(f"Invalid value at '{place}': out of range.")
    if "pattern" in schema and not re.match(schema["pattern"], str(value)):
        raise SchemaError(f"Invalid value at '{place}': \"{value}\" does not match {schema['pattern']}.")


def _check_moment(text: str, form: str, place: str) -> None:
    """Raise SchemaError unless `text` is an RFC 3339 date or moment; whether an offset is needed, its reader knows."""
    try:
        date.fromisoformat(text) if form == "date" else datetime.fromisoformat(text)
        fits = form in ("date", "moment") or "T" in text.upper()
    except ValueError:
        fits = False
    if not fits:
        raise SchemaError(f"Invalid value at '{place}' (TYPE_{form.upper()}), \"{text}\"")


def _check_integer(text: str, form: str, place: str) -> None:
    """Raise SchemaError unless `text` is a decimal integer in the range of the format `form`."""
    low, high = _INTEGER_RANGES[form]
    if not _DIGITS.fullmatch(text) or not low <= int(text) <= high:
        raise SchemaError(f"Invalid value at '{place}' (TYPE_{form.upper()}), \"{text}\"")


def decode_bytes(value: str) -> bytes:
    """Decode a `byte` string: base64url or base64, padding optional. Raises ValueError."""
    text = value.replace("-", "+").replace("_", "/").rstrip("=\r\n")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from error
