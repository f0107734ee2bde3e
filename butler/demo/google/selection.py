"""The `fields` parameter: which parts of an answer the client wants (`files(id,name),nextPageToken`)."""

import re
from typing import Any, cast

from butler.demo.google.errors import GoogleError
from butler.demo.google.schema import Mask, Schemas

_PIECE = re.compile(r"[\w*-]+|[(),/]")


def read_mask(text: str, schemas: Schemas, schema: str) -> Mask:
    """Parse a mask and check its names against the answer's schema. Raises GoogleError 400."""
    pieces = _PIECE.findall(text)
    mask = _Parser(pieces).read() if "".join(pieces) == text.replace(" ", "") else None
    if not mask:
        raise _invalid(text)
    if unknown := schemas.selects(schema, mask):
        raise _invalid(unknown)
    return mask


def select(value: Any, mask: Mask) -> Any:
    """Return the parts of a JSON value that the mask names."""
    if not mask or ("*" in mask and not mask["*"]):
        return value
    if isinstance(value, list):
        return [select(item, mask) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, Any]", value)
    wanted: Mask = dict.fromkeys(fields, mask["*"]) if "*" in mask else mask
    return {name: select(item, wanted[name]) for name, item in fields.items() if name in wanted}


def _invalid(what: str) -> GoogleError:
    location = {"locationType": "parameter", "location": "fields"}
    return GoogleError(400, "invalidParameter", f"Invalid field selection {what}", location=location)


class _Parser:
    def __init__(self, pieces: list[str]) -> None:
        self._pieces = [*pieces, ""]
        self._place = 0

    def read(self) -> Mask | None:
        """Return the whole mask, None where it is malformed."""
        mask = self._fields()
        return mask if self._peek() == "" else None

    def _fields(self) -> Mask:
        mask: Mask = {}
        while True:
            name = self._take()
            if not re.fullmatch(r"[\w*-]+", name):
                return {}
            inner: Mask = {}
            if self._peek() == "(":
                self._take()
                inner = self._fields()
                if self._take() != ")":
                    return {}
            elif self._peek() == "/":
                self._take()
                inner = self._path()
            mask[name] = {**mask.get(name, {}), **inner}
            if self._peek() != ",":
                return mask
            self._take()

    def _path(self) -> Mask:
        name = self._take()
        if self._peek() == "/":
            self._take()
            return {name: self._path()}
        if self._peek() == "(":
            self._take()
            inner = self._fields()
            self._take()
            return {name: inner}
        return {name: {}}

    def _peek(self) -> str:
        return self._pieces[min(self._place, len(self._pieces) - 1)]

    def _take(self) -> str:
        piece = self._peek()
        self._place += 1
        return piece
