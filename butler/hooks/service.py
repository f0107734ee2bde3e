"""The service of webhooks: who may send, the pages that they send to, and the work that follows."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from butler.automations.dispatch import Listener
from butler.contract.errors import ConfigError
from butler.contract.hooks import HookReceiver
from butler.contract.reasons import Reason
from butler.engine import WorkHandler
from butler.follow_up.quiet_hours import QuietHoursHold
from butler.hooks.alerts import Alerts
from butler.hooks.notifying import HookNotifier
from butler.hooks.processing import HookProcessor
from butler.hooks.rejected import Count, RejectedRequests
from butler.services import Services
from butler.store.queries.hooks import HOOK

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
BODY_S = 10.0
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
"""All methods, so that a receiver and not the router decides which it takes."""


class HookService:
    """The webhooks of all modules."""

    def __init__(
        self, services: Services, receivers: Iterable[HookReceiver], quiet: QuietHoursHold, count: Count
    ) -> None:
        """Raises `ConfigError` if two receivers have the same name."""
        store, clock, channel, wake = services.store, services.clock, services.channel, services.wake
        self._services, self._count = services, count
        self.receivers = _by_name(receivers)
        self.alerts = Alerts(store, clock, channel, quiet, zone=services.zone, wake=wake)
        self._told = HookNotifier(store, clock, channel, quiet, wake)
        self._acting = HookProcessor(store, clock, self.receivers, services.tell)

    def routes(self, body_s: float = BODY_S) -> "Sequence[BaseRoute]":
        """Return the web port's routes; none without receivers. `body_s` is how long a body may take."""
        if not self.receivers:
            return ()
        from starlette.routing import Route  # noqa: PLC0415 - only where the web port is on

        from butler.hooks.intake import Intake  # noqa: PLC0415 - the same

        turned_away = RejectedRequests(self._services.tell, self._count)
        intake = Intake(self._services, self.receivers, turned_away, self._count, body_s=body_s)
        paths = ("/hooks/{name}", "/hooks/{name}/{rest:path}")
        return [Route(path, intake.take, methods=list(METHODS)) for path in paths]

    def handlers(self) -> Mapping[str, WorkHandler]:
        """Return the work handlers."""
        return {HOOK: self._acting.act}

    def listeners(self) -> Sequence[Listener]:
        """Return the listeners of events."""
        return (self.alerts.on_event, self._told.on_event)

    async def dead_letter(self, kind: str, subject: str, why: Reason) -> None:
        """Handle a work row that the engine gave up."""
        await self._acting.dead_letter(kind, subject, why)


def _by_name(receivers: Iterable[HookReceiver]) -> dict[str, HookReceiver]:
    named: dict[str, HookReceiver] = {}
    for receiver in receivers:
        if not NAME.fullmatch(receiver.name):
            raise ConfigError(f"{receiver.name!r} is no name of a webhook; use a-z, 0-9 and dashes")
        if receiver.name in named:
            raise ConfigError(f"two webhooks are called {receiver.name}; give one of them another name")
        named[receiver.name] = receiver
    return named
