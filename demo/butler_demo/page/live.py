"""Server-sent events: how things stand first, then each change, to every browser that looks."""

import asyncio
from collections.abc import AsyncIterator

from butler_demo.events import Event
from butler_demo.page.wire import event_json, message
from butler_demo.world import World

_BEAT_S = 15.0
_MOST_WAITING = 5000


class Live:
    """Feeds the open pages; `close` ends them all."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._queues: set[asyncio.Queue[Event | None]] = set()

    async def stream(self) -> AsyncIterator[bytes]:
        """One page's stream, until it goes away, falls far behind or the demo ends."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue(_MOST_WAITING)
        self._queues.add(queue)
        unsubscribe = self._world.stream.subscribe(lambda event: _offer(queue, event))
        try:
            yield message("everything", [event_json(event) for event in self._world.tidings.everything()])
            while True:
                try:
                    event = await asyncio.wait_for(queue.get(), _BEAT_S)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                if event is None:
                    return
                yield message("event", event_json(event))
        finally:
            unsubscribe()
            self._queues.discard(queue)

    def close(self) -> None:
        """End every stream."""
        for queue in self._queues:
            _offer(queue, None)


def _offer(queue: asyncio.Queue[Event | None], event: Event | None) -> None:
    if queue.full():  # the page connects again and gets everything anew
        while not queue.empty():
            queue.get_nowait()
        event = None
    queue.put_nowait(event)
