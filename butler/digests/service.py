"""What the butler says about the day on its own: digests, overdue answers, meetings; and its quiet hours.

The repositories come first, for the modules; the services open once there is a channel to the owner.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from approvals.service import Approvals
from butler.automations.dispatch import Listener
from butler.contract.agent_ports import Memory
from butler.contract.ports import Clock
from butler.digests.delivery import Digests
from butler.digests.times import StoreDigests
from butler.engine import WorkHandler
from butler.follow_up.answer_waits import AnswerWaits
from butler.follow_up.meetings import Meetings
from butler.follow_up.quiet_hours import QuietHoursHold
from butler.follow_up.wait_repository import StoreWaits
from butler.orchestrator.chat.turn import Act
from butler.orchestrator.planning.plan_types import Command
from butler.orchestrator.replies.buttons import ButtonHandler
from butler.quiet_hours import QuietHoursInForce
from butler.services import Services
from butler.store.store import Store
from config.settings import Settings


@dataclass(frozen=True, slots=True)
class DigestDependencies:
    """The opened services."""

    digests: Digests
    waiting: AnswerWaits
    meetings: Meetings
    quiet: QuietHoursHold

    def handlers(self) -> dict[str, WorkHandler]:
        """Return the work handlers."""
        parts = (self.digests, self.waiting, self.meetings, self.quiet)
        return {kind: handler for part in parts for kind, handler in part.handlers().items()}

    def listeners(self) -> tuple[Listener, ...]:
        """Return the listeners of events."""
        return (self.waiting.on_event, self.meetings.on_event)

    def taps(self) -> tuple[ButtonHandler, ...]:
        """Return the handlers of buttons."""
        return (self.digests, self.waiting, self.meetings)

    def acts(self) -> Mapping[Command, Act]:
        """Return the handlers of commands."""
        return {Command.DIGEST: self.digests.now, Command.WAITING: self.waiting.show}

    async def begin(self) -> None:
        """Schedule what is to come, at the start."""
        await self.digests.begin()
        await self.waiting.begin()
        await self.meetings.begin()

    async def clock_went_back(self) -> None:
        """Reschedule what is next."""
        await self.digests.clock_went_back()
        await self.meetings.begin()

    async def travelled(self) -> None:
        """Handle a change of the owner's time zone."""
        await self.digests.begin()

    async def quiet_changed(self) -> None:
        """Handle a change of the quiet hours."""
        await self.digests.quiet_changed()
        await self.quiet.changed()


class DigestService:
    """The repositories."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        settings: Settings,
        *,
        zone: ZoneInfo,
        wake: Callable[[], None],
        quiet: QuietHoursInForce | None = None,
    ) -> None:
        """Without `quiet`, the quiet hours are those of the settings."""
        in_force = quiet or QuietHoursInForce(settings.approvals.quiet_hours)
        self.quiet = QuietHoursHold(store, clock, zone, in_force, wake)
        self.digests = StoreDigests(store, clock, self.quiet, zone=zone, settings=settings.digests, wake=wake)
        self.waits = StoreWaits(store, clock, zone, settings.digests.follow_up_after, wake)

    def opened(self, services: Services, approvals: Approvals, memory: Memory) -> DigestDependencies:
        """Open the services."""
        return DigestDependencies(
            Digests(services, approvals, self.digests, self.quiet),
            AnswerWaits(services, self.quiet),
            Meetings(services, memory),
            self.quiet,
        )
