"""Validation of JSON values against the schemas of a Google discovery document.

Their dialect is JSON Schema draft 3 with int64 as strings and
base64 as a format, and Google refuses unknown names; a general validator would know none of that.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, TypeAlias, cast

_INTEGER_RANGES = {
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
}
_MOMENT_FORMATS = ("date", "date-time", "google-datetime")
_DIGITS = re.compile(r"-?\d+")


Mask: TypeAlias = dict[str, Any]
"""The fields of a partial answer, each with a mask of what is wanted below; an empty one means the whole."""


class SchemaError(ValueError):
    """A value does not fit its schema; the message names the place and the reason."""


def decode_bytes(value: str) -> bytes:
    """Decode a `byte` string: base64url or base64, padding optional. Raises ValueError."""
    text = value.replace("-", "+").replace("_", "/").rstrip("=\r\n")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from error


class Schemas:
    """The named schemas of one discovery document."""

    def __init__(self, schemas: Mapping[str, Any]) -> None:
        """`schemas` is the document's own `schemas` object."""
        self._schemas = schemas

    def validate(self, name: str, value: object) -> None:
        """Raise SchemaError unless `value` fits the schema `name`."""
        self._check(self._schemas[name], value, "")

    def selects(self, name: str, mask: Mask) -> str | None:
        """Return the first field of the mask that the schema `name` does not have, None if all are there."""
        return self._unknown(self._schemas[name], mask)

    def _unknown(self, schema: Mapping[str, Any], mask: Mask) -> str | None:
        while "$ref" in schema or schema.get("type") == "array":
            schema = self._schemas[schema["$ref"]] if "$ref" in schema else schema["items"]
        properties: Mapping[str, Any] = schema.get("properties", {})
        for field, inner in mask.items():
            if field == "*":
                continue
            if field not in properties and "additionalProperties" not in schema:
                return field
            below = properties.get(field) or schema["additionalProperties"]
            if inner and (unknown := self._unknown(below, inner)):
                return unknown
        return None

    def _check(self, schema: Mapping[str, Any], value: object, place: str) -> None:
        if "$ref" in schema:
            self._check(self._schemas[schema["$ref"]], value, place)
        elif schema["type"] == "any":
            return
        elif schema["type"] == "object":
            self._check_object(schema, value, place)
        elif schema["type"] == "array":
            if not isinstance(value, list):
                raise SchemaError(f"Invalid value at '{place}': expected an array.")
            for index, item in enumerate(cast("list[object]", value)):
                self._check(schema["items"], item, f"{place}[{index}]")
        else:
            _check_scalar(schema, value, place)

    def _check_object(self, schema: Mapping[str, Any], value: object, place: str) -> None:
        if not isinstance(value, dict):
            raise SchemaError(f"Invalid value at '{place}': expected an object.")
        properties: Mapping[str, Any] = schema.get("properties", {})
        for key, item in cast("dict[str, object]", value).items():
            inner = properties.get(key, schema.get("additionalProperties"))
            if inner is None:
                where = f" at '{place}'" if place else ""
                raise SchemaError(f'Unknown name "{key}"{where}: Cannot find field.')
            if item is not None:  # in proto JSON null is the same as absent
                self._check(inner, item, f"{place}.{key}" if place else key)


def _check_scalar(schema: Mapping[str, Any], value: object, place: str) -> None:
    kind, form = schema["type"], schema.get("format")
    if kind in ("integer", "number"):
        fits = isinstance(value, int | float) and not isinstance(value, bool)
        if not fits or (kind == "integer" and not isinstance(value, int)):
            raise SchemaError(f"Invalid value at '{place}' (TYPE_{str(form or kind).upper()}), \"{value}\"")
    elif not isinstance(value, bool if kind == "boolean" else str):
        raise SchemaError(f"Invalid value at '{place}' (TYPE_{kind.upper()}), \"{value}\"")
    if form in _INTEGER_RANGES:
        check_integer(str(value), form, place)
    elif form in _MOMENT_FORMATS:
        check_moment(str(value), form, place)
    elif form == "byte":
        try:
            decode_bytes(str(value))
        except ValueError as error:
            raise SchemaError(f"Invalid value at '{place}' (TYPE_BYTES), Base64 decoding failed.") from error
    if "enum" in schema and value not in schema["enum"]:
        raise SchemaError(f"Invalid value at '{place}' (TYPE_ENUM), \"{value}\"")


def check_moment(text: str, form: str, place: str) -> None:
    """Raise SchemaError unless `text` is an RFC 3339 date or moment; whether an offset is needed, its reader knows."""
    try:
        date.fromisoformat(text) if form == "date" else datetime.fromisoformat(text)
        fits = form == "date" or "T" in text.upper()
    except ValueError:
        fits = False
    if not fits:
        raise SchemaError(f"Invalid value at '{place}' (TYPE_{form.upper()}), \"{text}\"")


def check_integer(text: str, form: str, place: str) -> None:
    """Raise SchemaError unless `text` is a decimal integer in the range of the format `form`."""
    low, high = _INTEGER_RANGES[form]
    if not _DIGITS.fullmatch(text) or not low <= int(text) <= high:
        raise SchemaError(f"Invalid value at '{place}' (TYPE_{form.upper()}), \"{text}\"")
