"""What the butler says about the day on its own: digests, overdue answers, meetings; and its quiet hours.

The repositories come first, for the modules; the services open once there is a channel to the owner.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from approvals.service import Approvals
from butler.automations.dispatch import Listener
from butler.contract.agent_ports import Memory
from butler.contract.card import OwnerChannel
from butler.contract.ports import Clock, OwnerFacts, WorkHandler
from butler.contract.tools import ToolInvoker
from butler.digests.delivery import Digests
from butler.digests.times import StoreDigests
from butler.following.meetings import Meetings
from butler.following.quiet import Quiet
from butler.following.wait_repository import StoreWaits
from butler.following.waiting import Waiting
from butler.orchestrator.chat.turn import Act
from butler.orchestrator.planning.plan_types import Command
from butler.orchestrator.replies.buttons import Taps
from butler.store.store import Store
from config.settings import Settings


@dataclass(frozen=True, slots=True)
class DigestDependencies:
    """The opened services."""

    digests: Digests
    waiting: Waiting
    meetings: Meetings
    quiet: Quiet

    def handlers(self) -> dict[str, WorkHandler]:
        """Return the work handlers."""
        rooms = (self.digests, self.waiting, self.meetings, self.quiet)
        return {kind: handler for room in rooms for kind, handler in room.handlers().items()}

    def listeners(self) -> tuple[Listener, ...]:
        """Return the listeners of events."""
        return (self.waiting.heard, self.meetings.heard)

    def taps(self) -> tuple[Taps, ...]:
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


class DigestService:
    """The repositories."""

    def __init__(
        self, store: Store, clock: Clock, settings: Settings, *, zone: ZoneInfo, wake: Callable[[], None]
    ) -> None:
        self._store, self._clock, self._zone, self._wake = store, clock, zone, wake
        self._settings, self._calendar = settings.digests, "calendar" in settings.modules
        self.quiet = Quiet(store, clock, zone, settings.approvals.quiet_hours, wake)
        self.digests = StoreDigests(store, clock, self.quiet, zone=zone, settings=self._settings, wake=wake)
        self.waits = StoreWaits(store, clock, zone, self._settings.follow_up_after, wake)

    def opened(
        self,
        channel: OwnerChannel,
        owner: OwnerFacts,
        approvals: Approvals,
        tools: ToolInvoker,
        memory: Memory,
    ) -> DigestDependencies:
        """Open the services."""
        store, clock, zone, settings, wake = self._store, self._clock, self._zone, self._settings, self._wake
        return DigestDependencies(
            Digests(
                *(store, clock, channel, owner, approvals, self.digests, self.quiet),
                zone=zone,
                settings=settings,
                wake=wake,
                calendar=self._calendar,
            ),
            Waiting(store, clock, channel, tools, self.quiet, zone=zone, settings=settings, wake=wake),
            Meetings(store, clock, channel, owner, memory, zone=zone, settings=settings, wake=wake),
            self.quiet,
        )
