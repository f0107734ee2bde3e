"""All modules and tools without any connection: for inspection and checks."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast
from zoneinfo import ZoneInfo

import config
from butler.clock import RealClock
from butler.contract.errors import ConfigError, SealedError
from butler.contract.module import Agents, BuiltInServices, Inbox, Module, ModuleContext, Storage
from butler.contract.tools import ToolSpec
from butler.discovery import build_modules, discover
from butler.registry import Registry
from config.settings import Settings

EXAMPLE = Path(config.__file__ or "").parent / "example.toml"
EXAMPLES_OWN: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
"""No settings besides those of the example."""


def offline_registry(
    configured: Mapping[str, Mapping[str, Any]] = EXAMPLES_OWN,
) -> tuple[Registry, dict[str, type[Module]]]:
    """Return all tools, registered on modules with all identities that never connect.

    Tools act through the accounts that are `configured` in somebody's `[modules]` settings, or else through those of
    the example. Raises `ConfigError`.
    """
    registry = Registry()
    for module in example_modules(configured):
        registry.add_module(module)
    return registry, discover()


def example_modules(configured: Mapping[str, Mapping[str, Any]] = EXAMPLES_OWN) -> list[Module]:
    """Build every module from the configuration, or else from the example, with all identities."""
    examples: dict[str, dict[str, Any]] = tomllib.loads(EXAMPLE.read_text(encoding="utf-8"))["modules"]
    # The example shows every module that Butler comes with; one whose folder was deleted is no error.
    there = discover()
    sections = {channel: section for channel, section in examples.items() if channel in there}
    for channel, section in configured.items():
        sections[channel] = sections.get(channel, {}) | {name: _switched_on(part) for name, part in section.items()}
    return build_modules(sections, offline_context())


def _switched_on(part: Any) -> Any:
    return cast("dict[str, Any]", part) | {"enabled": True} if isinstance(part, dict) else part


class SecretsOnly:
    """An empty `Vault`: for testing settings before there is a place to store secrets."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self._secrets = secrets

    def get(self, name: str) -> str:
        return self._secrets.get(name, "").strip()

    def put(self, name: str, value: str) -> None:
        del value
        raise SealedError(f"there is no place yet to keep {name} in")


def offline_context(secrets: Mapping[str, str] | None = None) -> ModuleContext:
    """Return a context for modules that only describe themselves, or check these secrets."""
    nothing: Any = None
    return ModuleContext(
        butler_name="Butler",
        zone=ZoneInfo("UTC"),
        owner=nothing,
        vault=SecretsOnly(secrets or {}),
        storage=Storage(cursors=nothing, blobs=nothing, mirror=nothing, polled=nothing),
        inbox=Inbox(sink=nothing, records=nothing, answers=nothing),
        agents=Agents(memory=nothing, documents=nothing, embed=nothing),
        built_in=BuiltInServices(reminders=nothing, notes=nothing, digests=nothing, waits=nothing),
        event_store=nothing,
        bulk=nothing,
        clock=RealClock(),
    )


def refuse_idle_patterns(settings: Settings, path: Path, known: Iterable[ToolSpec] = ()) -> None:
    """Raise `ConfigError` that names each pattern in `path` that matches no tool, configured or not.

    A misspelt line would protect nothing, unnoticed. All tools are built only for patterns that match none of the
    `known` ones: that loads libraries which a daemon may not need.
    """
    idle = _idle((*settings.approvals.tool_patterns(), *settings.bulk.tool_patterns()), known)
    if idle and (idle := _idle(idle, offline_registry()[0].specs())):
        found = "; ".join(f"{line} matches no tool" for line, _pattern in idle)
        raise ConfigError(f"{path}: {found}; `butler tools` lists them")


def _idle(patterns: Iterable[tuple[str, str]], tools: Iterable[ToolSpec]) -> Sequence[tuple[str, str]]:
    names = [tool.tool_name for tool in tools]
    return [(line, pattern) for line, pattern in patterns if not any(fnmatchcase(name, pattern) for name in names)]
