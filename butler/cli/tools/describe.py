"""Describe one tool: implements `butler tools help`, `status`, `list-methods` and `list-providers`."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from butler.cli.module_checks import LIMIT_S, context_of
from butler.contract.errors import ConfigError, Refuse
from butler.contract.integration import Json
from butler.contract.module import Module
from butler.contract.tool_envelope import Op
from butler.discovery import build_modules
from butler.envelope import method_line
from butler.offline import example_modules
from butler.registry import Registry
from config.load import load


async def describe_tool(path: Path, tool: str, op: str, *, as_json: bool) -> str:
    """Return a tool's own description; `status` asks its provider. Raise `Refuse` for an unknown tool."""
    modules = _set_up(path) if op == Op.STATUS else example_modules(_sections(path))
    registry = Registry()
    for module in modules:
        registry.add_module(module)
    try:
        answer = await registry.describe(tool, op)
    except Refuse as refused:
        raise _better(refused, registry, tool, op) from None
    finally:
        await _stopped(modules)
    return json.dumps(answer, indent=2, ensure_ascii=False) if as_json else "\n".join(_lines(op, answer))


def _sections(path: Path) -> dict[str, dict[str, Any]]:
    return load(path).settings.modules if path.exists() else {}


def _set_up(path: Path) -> list[Module]:
    """Return the configured modules, with their secrets."""
    loaded = load(path)
    return build_modules(loaded.settings.modules, context_of(loaded, beside_daemon=True))


async def _stopped(modules: list[Module]) -> None:
    for module in modules:
        with suppress(Exception):  # its output is complete; a module that does not close ends with the process
            async with asyncio.timeout(LIMIT_S):
                await module.stop()


def _better(refused: Refuse, registry: Registry, tool: str, op: str) -> Refuse | ConfigError:
    """Return why there is no such tool, and what to do."""
    for refusal in registry.refusals:
        if refusal.spec.tool_name == tool:
            return Refuse(f"{refusal.why}; `butler contracts check` says more")
    known = {spec.tool_name for module in example_modules() for spec in _specs(module)}
    if op == Op.STATUS and tool in known:
        return ConfigError(f"{tool} is not set up; write its [modules.{tool.split('_')[1]}] into your settings")
    return refused


def _specs(module: Module) -> Iterator[Any]:
    yield from (*module.user_inputs(), *module.user_outputs(), *module.bot_inputs(), *module.bot_outputs())


def _lines(op: str, answer: Json) -> Iterator[str]:
    match op:
        case Op.HELP:
            yield from _help(answer)
        case Op.STATUS:
            yield f"{answer['tool']}: {'can be used' if answer['ok'] else 'cannot be used now'}"
            if answer["refused"]:
                yield f"  {answer['refused']}"
            if adapter := answer["adapter"]:
                yield f"  adapter {adapter['id']} {adapter['contract_version']}, operation {adapter['operation']}"
            for auth in answer["auth"]:
                about = " ".join(filter(None, (auth["provider"], auth.get("account"))))
                detail, todo = auth.get("detail", ""), auth.get("todo", "")
                said = detail if todo in detail else "; ".join(filter(None, (detail, todo)))
                yield f"  {'ok  ' if auth['ok'] else 'NOT '}{about}{': ' + said if said else ''}"
        case Op.LIST_METHODS:
            for one in answer["methods"]:
                yield method_line(one)
            if not answer["methods"]:
                yield f"{answer['tool']} uses the butler's own rows and no provider."
        case _:
            yield from answer["providers"]


def _help(answer: Json) -> Iterator[str]:
    yield f"{answer['tool']}: {answer['description']}"
    acts_as = "you" if answer["identity"] == "user" else "the butler"
    yield f"  acts as {acts_as}; {answer['direction']}; asks: {answer['asks']}"
    if answer["deprecated"]:
        yield f"  {answer['deprecated']}"
    if answer["guide"]:
        yield ""
        yield answer["guide"]
    yield ""
    yield "Arguments"
    needed = set(answer["args"].get("required", ()))
    for name, schema in cast("dict[str, Json]", answer["args"].get("properties", {})).items():
        about = schema.get("description", "")
        optional = "" if name in needed else ", optional"
        yield f"  {name} ({type_of(schema)}{optional}){': ' + about if about else ''}"
    if answer["returns"]:
        yield ""
        yield "Gives back"
        for name, schema in cast("dict[str, Json]", answer["returns"].get("properties", {})).items():
            about = schema.get("description", "")
            yield f"  {name} ({type_of(schema)}){': ' + about if about else ''}"
    for example in filter(None, answer["examples"]):
        yield ""
        yield f"Example\n  {json.dumps(example, ensure_ascii=False)}"


def type_of(schema: Json) -> str:
    """Return the type of a value, in a word or two."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if parts := cast("list[Json]", schema.get("anyOf") or []):
        return " or ".join(dict.fromkeys(type_of(part) for part in parts))
    if schema.get("type") == "array":
        return f"list of {type_of(schema.get('items', {}))}"
    return str(schema.get("format") or schema.get("type") or "any")
