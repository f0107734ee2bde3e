"""What the house lends to the approvals, and the clock's time as a person reads it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from butler.contract.agent_ports import Guard
from butler.contract.card import OwnerChannel
from butler.contract.errors import UnknownToolError
from butler.contract.names import Direction
from butler.contract.ports import BlobStore, Clock, OwnerFacts, SecondChannel
from butler.contract.speech import say, say_date, say_short_moment
from butler.contract.tools import ToolInvoker
from butler.store.store import Store
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
    """The way to the owner for when the channel is down."""
    mail_to: str = ""
    """The owner's first mail address, which the second channel writes to."""
    guard: Guard | None = None
    """Looks at what would be sent, for what a card warns of."""
    last_heard: Callable[[], datetime | None] = lambda: None
    """When the channel last completed a round trip; None before the first."""

    def owner_id(self) -> str:
        """The sender that a tap of the owner comes from; no sender has an empty name."""
        user_id = self.owner.telegram_user_id
        return "" if user_id is None else f"telegram:{user_id}"

    def chat_of(self, chat: str) -> str:
        """The chat of an approval, or the owner's own; empty before pairing."""
        return chat or self.channel.home() or ""

    def undo_for(self, tool: str) -> timedelta:
        """How long a yes to a tool can be taken back; a read leaves nothing to be undone, so it waits for nothing."""
        try:
            reads = self.invoker.spec(tool).direction is Direction.INPUT
        except UnknownToolError:
            reads = False
        return timedelta() if reads else self.settings.undo_for(tool)

    def wall_time(self, at: datetime) -> str:
        """Such as `14:02:13 on 5 March 2026`, in the owner's zone."""
        local = at.astimezone(self.zone)
        return say("{clock} on {day}", clock=f"{local:%H:%M:%S}", day=say_date(local))

    def moment(self, at: datetime) -> str:
        """A time that lies ahead, with the zone that it is told in: `Tue 1 Dec 08:00 (Europe/Berlin)`."""
        return f"{say_short_moment(at.astimezone(self.zone))} ({self.zone.key})"
