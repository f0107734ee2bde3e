"""Delivers an event to all listeners, each of which acts once however often it is delivered."""

from collections.abc import Awaitable, Callable, Sequence

from butler.contract.events import Event
from butler.store.queries import events
from butler.store.store import Store

Listener = Callable[[Event], Awaitable[None]]
"""Acts on an event once, even if it receives the event repeatedly. Raises `Retryable` for later."""


class EventDispatch:
    """The work handler of `event` rows."""

    def __init__(self, store: Store, listeners: Sequence[Listener]) -> None:
        self._store, self._listeners = store, listeners

    async def tell(self, event_id: str) -> None:
        """Deliver an event to all listeners."""
        event = await self._store.look(lambda c: events.get(c, event_id))
        if event is None:
            return
        for listener in self._listeners:
            await listener(event)
