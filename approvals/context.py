"""The dependencies of the approvals, and functions that format times for the owner."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from butler.contract.card import OwnerChannel
from butler.contract.names import Direction
from butler.contract.ports import BlobStore, Clock, OwnerFacts, SecondChannel
from butler.contract.speech import say, say_date, say_short_moment
from butler.guardrails.guard import Guard
from butler.quiet_hours import QuietHoursInForce
from butler.store.store import Store
from butler.tool_invoker import ToolInvoker, UnknownToolError
from config.approvals import ApprovalsSettings


@dataclass(frozen=True, slots=True)
class Context:
    """The ports, the owner and the settings."""

    store: Store
    invoker: ToolInvoker
    channel: OwnerChannel
    owner: OwnerFacts
    clock: Clock
    zone: ZoneInfo
    settings: ApprovalsSettings
    blobs: BlobStore
    wake: Callable[[], None]
    """Shortens the engine's wait after work rows were written."""
    second: SecondChannel | None = None
    """The channel to the owner while the main one is down."""
    mail_to: str = ""
    """The owner's first mail address, to which the second channel writes."""
    guard: Guard | None = None
    """Checks what would be sent, for the card's warnings."""
    quiet: QuietHoursInForce | None = None
    """The quiet hours, which the owner may change; those of the settings without it."""
    last_heard: Callable[[], datetime | None] = lambda: None
    """When the channel last completed a round trip; None before the first."""

    def owner_id(self) -> str:
        """Return the sender of the owner's taps; empty before pairing, since no sender matches empty."""
        user_id = self.owner.telegram_user_id
        return "" if user_id is None else f"telegram:{user_id}"

    def chat_of(self, chat: str) -> str:
        """Return the chat of an approval, or the owner's own; empty before pairing."""
        return chat or self.channel.home() or ""

    def undo_for(self, tool: str) -> timedelta:
        """Return how long an approval of a tool can be taken back; zero for a read, which leaves nothing to undo."""
        try:
            reads = self.invoker.spec(tool).direction is Direction.INPUT
        except UnknownToolError:
            reads = False
        return timedelta() if reads else self.settings.undo_for(tool)

    def wall_time(self, at: datetime) -> str:
        """Format a time such as `14:02:13 on 5 March 2026`, in the owner's zone."""
        local = at.astimezone(self.zone)
        return say("{clock} on {day}", clock=f"{local:%H:%M:%S}", day=say_date(local))

    def moment(self, at: datetime) -> str:
        """Format a future time with its zone: `Tue 1 Dec 08:00 (Europe/Berlin)`."""
        return f"{say_short_moment(at.astimezone(self.zone))} ({self.zone.key})"
