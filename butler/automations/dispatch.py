"""An event is told to all who listen, each of whom does what it does once however often it is told."""

from collections.abc import Awaitable, Callable, Sequence

from butler.contract.events import Event
from butler.store.queries import events
from butler.store.store import Store

Listener = Callable[[Event], Awaitable[None]]
"""Acts on an event, once: it may hear of one more than once. Raises `Retryable` for later."""


class EventDispatch:
    """The work handler of `event` rows."""

    def __init__(self, store: Store, listeners: Sequence[Listener]) -> None:
        self._store, self._listeners = store, listeners

    async def tell(self, event_id: str) -> None:
        """Tell it to all."""
        event = await self._store.look(lambda c: events.get(c, event_id))
        if event is None:
            return
        for listener in self._listeners:
            await listener(event)
