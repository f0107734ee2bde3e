"""Builds the configured modules, the registry of their tools, and the ways to the owner."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import cast

from butler.agents.connector.connector import FetchingConnector
from butler.bulk.registry import BulkAdapters
from butler.contract.card import OwnerChannel
from butler.contract.errors import ConfigError
from butler.contract.module import Module, ModuleContext
from butler.contract.ports import Clock
from butler.discovery import build_modules
from butler.health.deadman import OwnerChannels
from butler.registry import Refused, Registry
from butler.supervisor import Supervisor
from config.load import Loaded


def configured_modules(loaded: Loaded, context: ModuleContext) -> tuple[Module, ...]:
    """Return the modules that the configuration names; raise `ConfigError` that also names the file."""
    try:
        return tuple(build_modules(loaded.settings.modules, context))
    except ConfigError as error:
        raise ConfigError(f"{loaded.path}: {error.detail}") from None


def registered(
    modules: Sequence[Module], connector: FetchingConnector, adapters: BulkAdapters, refused: Refused
) -> Registry:
    """Return the registry of these modules' tools; also register their fetchers and bulk adapters."""
    registry = Registry(refused=refused)
    adapters.ask(registry.why_not)
    for module in modules:
        registry.add_module(module)
        connector.add(module.fetchers())
        adapters.add(module.bulk_adapters())
    return registry


def ways_to_owner(modules: Sequence[Module], loaded: Loaded) -> OwnerChannels:
    """Return every way to the owner; raise `ConfigError` if there is none."""
    channel = way_to_owner(modules, loaded.secrets)
    return OwnerChannels(
        channel,
        own_source(channel, modules),
        next(filter(None, (module.second_channel() for module in modules)), None),
        next(iter(loaded.settings.owner.emails), "").lower(),
    )


def way_to_owner(modules: Sequence[Module], secrets: Mapping[str, str]) -> OwnerChannel:
    """Return the channel to the owner; raise `ConfigError` if none is set up, or a variable that it needs is not set.

    A variable that is set and that the provider refuses shows only in use, and does not keep Butler from starting: mail
    still comes in, and the log and `/healthz` report it.
    """
    for module in modules:
        if (channel := module.owner_channel()) is None:
            continue
        bot = cast("Mapping[str, str]", dict(getattr(module.settings, "bot", ())))
        for name in (name for key, name in bot.items() if name and key.endswith("_env")):
            if not secrets.get(name, "").strip():
                todo = "write it into the secrets file as NAME=value, or set it in the environment"
                raise ConfigError(f"{name}, which [modules.{module.channel}.bot] needs, is not set; {todo}")
        return channel
    raise ConfigError("Butler has no way to its owner; set up [modules.telegram.bot]")


def own_source(channel: OwnerChannel, modules: Sequence[Module]) -> str:
    """Return the name of the source that receives the owner's messages on this channel."""
    return next((f"{module.channel}.bot" for module in modules if module.owner_channel() is channel), "")


def heard_by(source: str, supervisor: Supervisor, clock: Clock) -> Callable[[], datetime | None]:
    """Return a function that returns when the source of this name last worked.

    That is now as long as nothing fails: a poll in progress tells nothing, and the clock may have jumped meanwhile.
    """

    def heard() -> datetime | None:
        health = supervisor.health().get(source)
        if health is None or health.failing or health.stopped:
            return health.last_ok if health else None
        return clock.now()

    return heard
