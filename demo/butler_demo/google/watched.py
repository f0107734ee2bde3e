"""A stand-in of Google's that posts notices of what changed to channels."""

from collections.abc import Callable, Collection
from datetime import datetime

from butler_demo.gmail.oauth import Authority
from butler_demo.google.channels import Channel, Channels, Push
from butler_demo.google.quota import QuotaRules
from butler_demo.google.server import GoogleServer
from butler_demo.google.service import Service


class WatchedServer(GoogleServer):
    """Calendar and Drive."""

    def __init__(
        self,
        service: Service,
        scopes: Collection[str],
        rules: QuotaRules,
        now: Callable[[], datetime],
        shared: Authority | None,
    ) -> None:
        super().__init__(service, scopes, rules, now, shared)
        self._channels = Channels()

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The channels that have not ended, the oldest first."""
        return tuple(self._channels.open_now(self._now()))

    def on_push(self, listen: Callable[[Push], None] | None) -> None:
        """Call `listen` for each notice to a channel from now on."""
        self._channels.listen = listen
