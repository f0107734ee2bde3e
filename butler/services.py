"""The services that all features share: one record for the process, made once its modules are built."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from butler.contract.card import OwnerChannel
from butler.contract.ports import Clock, OwnerFacts
from butler.contract.rendering import RenderingTools
from butler.store.store import Store
from config.settings import Settings

Tell = Callable[[str, str], Awaitable[None]]
"""Takes a key and a sentence for the owner; sends it at most once a day. Raises the store's errors."""


@dataclass(frozen=True, slots=True)
class Services:
    """The shared services."""

    store: Store
    clock: Clock
    zone: ZoneInfo
    """The owner's zone; it may change while everybody holds it."""
    wake: Callable[[], None]
    """Shortens the engine's wait after work rows were written."""
    owner: OwnerFacts
    channel: OwnerChannel
    """The way to the owner."""
    tools: RenderingTools
    settings: Settings
    tell: Tell
    """Alerts the owner to a failure."""
