"""The tools' descriptions of themselves, in words: `help`, `status`, `list_methods` and `list_providers` (seed 5).

A provider's words about an account are cut to a line and never hold a secret; they must be shown as others' words.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from butler.contract.errors import Refuse
from butler.contract.integration import Json
from butler.contract.names import Direction
from butler.contract.speech import say
from butler.contract.tool_envelope import Op, ToolDescription
from butler.contract.tools import ToolSpec
from butler.contract.visible import visible
from butler.envelope import method_line
from butler.registry import Registry

LONGEST_LINE = 300
_CREDENTIALS = re.compile(r"//[^/@\s]*@")


class ToolAnswers:
    """Implements `ToolEnvelope`, for one registry."""

    def __init__(self, clean: Callable[[str], str]) -> None:
        """`clean` removes known secrets from a text."""
        self._clean = clean
        self._registry: Registry | None = None

    def of(self, registry: Registry) -> Registry:
        """Answer for the tools of this registry; return it."""
        self._registry = registry
        return registry

    async def told(self, op: Op, about: str) -> ToolDescription:
        registry = self._registry
        if registry is None:
            raise Refuse(say("nobody is here to ask"))
        name = about.strip().casefold()
        specs = [spec for spec in registry.specs() if name in {"", spec.tool_name, spec.channel, spec.adapter_id}]
        if not specs:
            raise Refuse(_refused(registry, name) or say("{about} is not set up", about=self._line(about)))
        lines = [self._line(line) for line in await self._lines(registry, op, specs, named=name)]
        return ToolDescription("\n".join(lines), tuple(spec.tool_name for spec in specs))

    async def _lines(self, registry: Registry, op: Op, specs: Sequence[ToolSpec], *, named: str) -> list[str]:
        match op:
            case Op.HELP if len(specs) == 1 and specs[0].tool_name == named:
                return list(_one(await registry.describe(named, op)))
            case Op.HELP if not named:
                return list(_channels(specs))
            case Op.HELP:
                return [_does(spec) for spec in specs]
            case Op.STATUS:
                return list(_states([await registry.describe(name, op) for name in _one_a_side(specs)]))
            case Op.LIST_METHODS:
                items = [await registry.describe(name, op) for name in _one_a_side(specs)]
                methods = {one["method_id"]: one for answer in items for one in answer["methods"]}
                return [method_line(one) for one in methods.values()] or [say("It uses my own rows and no provider.")]
            case Op.LIST_PROVIDERS:
                items = [await registry.describe(name, op) for name in _one_a_side(specs)]
                return list(_providers(zip(_one_a_side(specs).values(), items, strict=True)))

    def _line(self, text: str) -> str:
        """Return a text on one short line, without invisible characters and secrets."""
        line = _CREDENTIALS.sub("//", self._clean(" ".join(visible(text).split())))
        return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1]}…"


def _refused(registry: Registry, name: str) -> str:
    """Return why a tool with this name is not used, if a gate refused it."""
    for refusal in registry.refusals:
        if name in {refusal.spec.tool_name, refusal.spec.channel, refusal.spec.adapter_id}:
            return say("{tool} is refused: {why}.", tool=refusal.spec.tool_name, why=refusal.why).rstrip(".")
    return ""


def _one_a_side(specs: Sequence[ToolSpec]) -> dict[str, ToolSpec]:
    """Return one tool for each account, as all tools of an account and adapter say the same about it."""
    sides = {(spec.channel, spec.identity, spec.adapter_id): spec for spec in reversed(specs)}
    return {spec.tool_name: spec for spec in reversed(sides.values())}


def _does(spec: ToolSpec) -> str:
    asks = say(" (asks you first)") if spec.direction is Direction.OUTPUT and not spec.to_owner else ""
    return f"• {spec.told}{asks}"


def _one(told: Json) -> Iterator[str]:
    yield f"{told['tool']}: {told['description']}"
    yield from filter(None, (told["deprecated"], told["guide"]))
    for name, schema in told["args"].get("properties", {}).items():
        about = schema.get("description", "")
        yield f"• {name}{': ' + about if about else ''}"


def _channels(specs: Iterable[ToolSpec]) -> Iterator[str]:
    counted: dict[str, int] = {}
    for spec in specs:
        counted[spec.channel] = counted.get(spec.channel, 0) + 1
    for channel, count in sorted(counted.items()):
        yield f"• {channel}: {count}"


def _states(told: Sequence[Json]) -> Iterator[str]:
    """Yield each account once."""
    lines: dict[tuple[str, str], str] = {}
    for answer in told:
        if answer["refused"]:
            yield f"🔴 {answer['tool']}: {answer['refused']}"
        for auth in answer["auth"]:
            lines.setdefault((auth["provider"], str(auth.get("account", ""))), _state(auth))
    yield from lines.values()
    if not lines and not any(answer["refused"] for answer in told):
        yield say("It needs no account.")


def _state(auth: Mapping[str, Any]) -> str:
    about = " ".join(filter(None, (auth["provider"], str(auth.get("account", "")))))
    detail, todo = str(auth.get("detail", "")), str(auth.get("todo", ""))
    text = detail if todo in detail else "; ".join(filter(None, (detail, todo)))
    state = say("can be used") if auth["ok"] else say("cannot be used now")
    return f"{'🟢' if auth['ok'] else '🔴'} {about}: {state}{'. ' + text if text else ''}"


def _providers(told: Iterable[tuple[ToolSpec, Json]]) -> Iterator[str]:
    found: dict[str, list[str]] = {}
    for spec, answer in told:
        for provider in answer["providers"]:
            found.setdefault(provider, []).append(spec.channel)
    for provider, channels in sorted(found.items()):
        yield f"• {provider}: {', '.join(dict.fromkeys(channels))}"
