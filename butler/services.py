"""The services that all features share: one record for the process, made once its modules are built."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol
from zoneinfo import ZoneInfo

from butler.contract.card import OwnerChannel
from butler.contract.ports import Clock, OwnerFacts
from butler.contract.rendering import Renderer
from butler.store.store import Store
from butler.tool_invoker import ToolInvoker
from config.settings import Settings


class RenderingTools(ToolInvoker, Protocol):
    """The registry, as the code that answers a plan sees it."""

    def renderer(self, tool: str) -> Renderer:
        """Return the module of a registered tool; raises `UnknownToolError`."""
        ...

    def renderers(self) -> Sequence[Renderer]:
        """Return all modules that have tools, in the order in which they were registered."""
        ...


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
