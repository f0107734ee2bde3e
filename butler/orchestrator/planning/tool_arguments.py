"""Tells a model a tool's arguments, a line each: what it takes, what it is, and an example; no secrets.

A JSON schema of the same takes five times the tokens, and would refuse the references that a plan may write.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, cast

from pydantic import BaseModel

from butler.contract.tools import Attachment, Recipient, ToolSpec
from butler.tool_invoker import ACCOUNT

Schema = Mapping[str, Any]
NAMED = {Recipient.__name__: "person", Attachment.__name__: "file"}
"""What an argument takes that is only ever referred to."""
FORMATS = {"date-time": "moment", "date": "date", "time": "time", "uuid": "id"}
PLAIN = {"string": "text", "integer": "int", "number": "number", "boolean": "bool", "null": "null", "object": "object"}
TOLD_ONCE = frozenset({"bool", "date", "time", "moment", "person", "file"})
"""Types of which `prompts/common/arguments.md` has an example for all arguments."""
USUAL: tuple[Any, ...] = (None, "", False, 0, [], {})
"""Defaults that say no more than that the argument may be left out."""


def argument_lines(spec: ToolSpec) -> tuple[str, ...]:
    """Return a line for each argument that a model may fill in; `*` marks those that are needed."""
    lines = dict(_lines(spec.args))
    if ACCOUNT in lines and len(spec.accounts) < 2:  # noqa: PLR2004 - the only one needs no name
        del lines[ACCOUNT]
    elif ACCOUNT in lines:
        lines[ACCOUNT] = f"{ACCOUNT}: {'|'.join(spec.accounts)}"
    return tuple(lines.values())


def is_hidden(field: Schema) -> bool:
    """Return whether a field is a secret, or only Butler may fill it in."""
    return field.get("writeOnly") is True or field.get("readOnly") is True


def shown_names(args: type[BaseModel]) -> frozenset[str]:
    """Return the names of the arguments that a model may fill in."""
    return frozenset(name for name, _ in _lines(args))


@cache
def _lines(args: type[BaseModel]) -> tuple[tuple[str, str], ...]:
    schema = args.model_json_schema()
    needed = set(schema.get("required", ()))
    fields: dict[str, Schema] = {n: one for n, one in schema.get("properties", {}).items() if not is_hidden(one)}
    told = _Types(schema.get("$defs", {}))
    return tuple((name, _line(name, one, told, needed=name in needed)) for name, one in fields.items())


def _line(name: str, field: Schema, types: "_Types", *, needed: bool) -> str:
    default = field.get("default")
    usual = default in USUAL or needed
    kind = types.of(field)
    head = f"{name}{'*' if needed else ''}: {kind}{'' if usual else f' = {_short(default)}'}"
    about = " ".join(str(field.get("description", "")).split()).rstrip(".")
    # What values of some types look like is told once, with the types.
    example = None if TOLD_ONCE.issuperset(kind.strip("[]").split("|")) else next(iter(field.get("examples", ())), None)
    return head + (f" - {about}" if about else "") + (f", e.g. {_short(example)}" if example is not None else "")


class _Types:
    """Names the types of a schema; what several fields share is told in each."""

    def __init__(self, kinds: Mapping[str, Schema]) -> None:
        self._kinds = kinds

    def of(self, field: Schema, depth: int = 0) -> str:
        """Return what a field takes."""
        if "$ref" in field:
            return self._of_kind(str(field["$ref"]).rsplit("/", 1)[-1], depth)
        if values := field.get("enum", [field["const"]] if "const" in field else []):
            return "|".join(_short(one) for one in values if one not in USUAL)
        if options := field.get("anyOf") or field.get("oneOf") or field.get("allOf"):
            told = (self.of(one, depth) for one in cast("list[Schema]", options))
            return "|".join(dict.fromkeys(one for one in told if one != "null"))
        if field.get("type") == "array":
            return f"[{self.of(field.get('items', {}), depth)}]"
        if field.get("properties"):
            return self._object(field, depth)
        return _bounded(field)

    def _of_kind(self, name: str, depth: int) -> str:
        if name in NAMED:
            return NAMED[name]
        return self.of(self._kinds.get(name, {}), depth + 1)

    def _object(self, field: Schema, depth: int) -> str:
        if depth > 3:  # noqa: PLR2004 - deeper ones are rare, and their error tells what is wrong
            return "object"
        needed = set(field.get("required", ()))
        parts = (
            f"{name}{'*' if name in needed else ''}: {self.of(one, depth + 1)}"
            for name, one in cast("Mapping[str, Schema]", field["properties"]).items()
            if not is_hidden(one)
        )
        return "{" + ", ".join(parts) + "}"


def _bounded(field: Schema) -> str:
    """Return a plain type, with the limits of a number."""
    kind = str(field.get("type", "value"))
    if kind == "string":
        return FORMATS.get(str(field.get("format", "")), "text")
    low, high = field.get("minimum"), field.get("maximum")
    limits = f" {low}-{high}" if low is not None and high is not None else ""
    return PLAIN.get(kind, kind) + limits


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def examples_of(spec: ToolSpec) -> Iterator[tuple[str, Any]]:
    """Yield the arguments of a tool that have an example, with the first one."""
    for name, field in spec.args.model_json_schema().get("properties", {}).items():
        if field.get("examples") and not is_hidden(field):
            yield name, field["examples"][0]


def needs_a_person(args: type[BaseModel]) -> bool:
    """Return whether an argument that cannot be left out is one or several people."""
    return any(line.startswith((f"{name}*: person", f"{name}*: [person]")) for name, line in _lines(args))
