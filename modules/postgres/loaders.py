"""Loads PostgreSQL's values as JSON: exact numbers as texts, moments as ISO 8601, and the length of bytes.

A value without a form of its own here is loaded as PostgreSQL writes it.
"""

import json
import re
from typing import Any

from psycopg import AsyncConnection
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from pydantic import JsonValue

_AS_WRITTEN = (
    *("numeric", "uuid", "interval", "inet", "cidr", "date", "time", "timetz", "name", "text", "varchar", "bpchar"),
    *("int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange"),
    *("int4multirange", "int8multirange", "nummultirange", "datemultirange", "tsmultirange", "tstzmultirange"),
)
_UNKNOWN = 0
_HOURS_ONLY = re.compile(r"[+-]\d\d$")


class Written(Loader):
    """The text itself; invalid bytes, as old databases hold them, become question marks."""

    def load(self, data: Buffer) -> Any:
        return bytes(data).decode("utf-8", "replace")


class Moment(Loader):
    """`2026-05-01T09:30:00+00:00`; moments that ISO 8601 cannot express, such as BC, as PostgreSQL writes them."""

    def load(self, data: Buffer) -> Any:
        text = bytes(data).decode()
        if text.count(" ") != 1:
            return text
        text = text.replace(" ", "T")
        return f"{text}:00" if _HOURS_ONLY.search(text) else text


class Size(Loader):
    """The number of bytes."""

    def load(self, data: Buffer) -> Any:
        return {"bytes": (len(bytes(data)) - len("\\x")) // 2}


class Json(Loader):
    """Parsed; JSON that is nested too deeply for Python stays a text."""

    def load(self, data: Buffer) -> Any:
        text = bytes(data).decode("utf-8", "replace")
        try:
            parsed = json.loads(text)
            return parsed if _depth_ok(parsed) else text
        except (ValueError, RecursionError):
            return text


DEEPEST = 50


def read_as_json(connection: AsyncConnection[Any]) -> None:
    """Use these loaders for all values of a connection."""
    adapters = connection.adapters
    for name in _AS_WRITTEN:
        adapters.register_loader(name, Written)
    adapters.register_loader(_UNKNOWN, Written)
    for name in ("timestamp", "timestamptz"):
        adapters.register_loader(name, Moment)
    for name in ("json", "jsonb"):
        adapters.register_loader(name, Json)
    adapters.register_loader("bytea", Size)


def _depth_ok(value: JsonValue, left: int = DEEPEST) -> bool:
    if not isinstance(value, dict | list):
        return True
    inner = value.values() if isinstance(value, dict) else value
    return left > 0 and all(_depth_ok(one, left - 1) for one in inner)
