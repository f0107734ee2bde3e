"""The `fields` parameter: which parts of an answer the client wants (`files(id,name),nextPageToken`)."""

import re
from collections.abc import Mapping
from typing import Any, TypeAlias, cast

from butler_demo.google.errors import GoogleError
from butler_demo.schemas import Schema, Schemas

Mask: TypeAlias = dict[str, Any]
"""The fields of a partial answer, each with a mask of what is wanted below; an empty one means the whole."""
_NAME = re.compile(r"\w+")
_PIECE = re.compile(r"\w+|\S")


def read_mask(text: str, schemas: Schemas, schema: str) -> Mask:
    """Parse a mask and check its names against the answer's schema. Raises GoogleError 400."""
    try:
        mask = _Parser(_PIECE.findall(text)).read()
    except ValueError as error:
        raise _invalid(text) from error
    if unknown := _unknown(schemas, {"$ref": schema}, mask):
        raise _invalid(unknown)
    return mask


def select(value: Any, mask: Mask) -> Any:
    """Return the parts of a JSON value that the mask names."""
    if not mask:
        return value
    if isinstance(value, list):
        return [select(item, mask) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, Any]", value)
    return {name: select(item, mask[name]) for name, item in fields.items() if name in mask}


def _unknown(schemas: Schemas, schema: Schema, mask: Mask) -> str | None:
    """Return the first field of the mask that the schema does not have, None if all are there."""
    while "$ref" in schema or schema.get("type") == "array":
        schema = schemas.resolved(schema) if "$ref" in schema else schema["items"]
    properties: Mapping[str, Any] = schema.get("properties", {})
    for field, inner in mask.items():
        if field not in properties and "additionalProperties" not in schema:
            return field
        below = properties.get(field) or schema["additionalProperties"]
        if inner and (unknown := _unknown(schemas, below, inner)):
            return unknown
    return None


def _invalid(what: str) -> GoogleError:
    location = {"locationType": "parameter", "location": "fields"}
    return GoogleError(400, "invalidParameter", f"Invalid field selection {what}", location=location)


class _Parser:
    """Reads a mask's pieces; raises ValueError where they do not follow one another."""

    def __init__(self, pieces: list[str]) -> None:
        self._pieces = pieces
        self._place = 0

    def read(self) -> Mask:
        mask = self._fields()
        self._take("")
        return mask

    def _fields(self) -> Mask:
        mask: Mask = {}
        while True:
            name = self._name()
            mask[name] = {**mask.get(name, {}), **self._below()}
            if self._peek() != ",":
                return mask
            self._take(",")

    def _below(self) -> Mask:
        """What is wanted of a field: all of it where nothing follows its name."""
        if self._peek() == "(":
            self._take("(")
            inner = self._fields()
            self._take(")")
            return inner
        return {}

    def _name(self) -> str:
        name = self._peek()
        if not _NAME.fullmatch(name):
            raise ValueError(name)
        self._place += 1
        return name

    def _take(self, wanted: str) -> None:
        if self._peek() != wanted:
            raise ValueError(self._peek())
        self._place += 1

    def _peek(self) -> str:
        return self._pieces[self._place] if self._place < len(self._pieces) else ""
