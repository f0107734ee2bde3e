"""Tells the owner what came in by a webhook of the settings, if they say so; the text is quoted as others' words."""

from collections.abc import Callable

from butler.contract.card import OwnerChannel, OwnerMessage, Span, Style
from butler.contract.events import MOST_TEXT, Event, EventName
from butler.contract.hooks import TELL
from butler.contract.ports import Clock
from butler.contract.quoted_words import others
from butler.contract.speech import say
from butler.follow_up.quiet_hours import QuietHoursHold
from butler.store.errors import StoreUnavailableError
from butler.store.store import Store

NOBODY = "nobody is paired, so nobody can be told"


class HookNotifier:
    """Reports webhooks."""

    def __init__(
        self, store: Store, clock: Clock, channel: OwnerChannel, quiet: QuietHoursHold, wake: Callable[[], None]
    ) -> None:
        self._store, self._clock, self._channel, self._quiet, self._wake = store, clock, channel, quiet, wake

    async def on_event(self, event: Event) -> None:
        """Report a webhook once (a listener). Raises `StoreUnavailableError` while nobody is paired."""
        if event.name is not EventName.HOOK_RECEIVED or not event.subject.endswith(TELL):
            return
        if (chat := self._channel.home()) is None:
            raise StoreUnavailableError(NOBODY)
        now, text = self._clock.now(), str(event.facts["text"])
        head = Span(text=say("The webhook {name}:", name=event.facts["endpoint"]), style=Style.BOLD)
        lines = text.splitlines()
        quoted = [span for line in lines for span in (Span(text="\n"), others(line, MOST_TEXT, Style.QUOTE))]
        message = OwnerMessage(text=(head, *quoted))
        key = f"hook_told:{event.event_id}"
        await self._store.write(lambda c: self._quiet.say(c, chat, message, now=now, dedup_key=key), "hook_told")
        self._wake()
