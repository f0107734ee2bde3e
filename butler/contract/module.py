"""A channel's module: tools by identity and direction, sources of inbound items, checks for `doctor`."""

from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf
from typing import Any, ClassVar, Protocol
from zoneinfo import ZoneInfo

from pydantic import BaseModel

from butler.contract.agent_ports import DocumentReader, Embed, Memory, SourceFetcher
from butler.contract.automations import AutomationRepository
from butler.contract.base_integration import BaseIntegration
from butler.contract.bulk import BulkLauncher, BulkToolAdapter
from butler.contract.card import OwnerChannel
from butler.contract.channel import ChannelInfo
from butler.contract.following import DigestRepository, WaitRepository
from butler.contract.hooks import HookReceiver
from butler.contract.integration import CallProbe
from butler.contract.mirror import Mirror
from butler.contract.names import Identity
from butler.contract.own_commands import OwnCommands
from butler.contract.polled import EventStore, PolledRepository
from butler.contract.ports import (
    AnswerRepository,
    BlobStore,
    Clock,
    Cursors,
    InboundSink,
    NoteRepository,
    OwnerFacts,
    Records,
    ReminderRepository,
    SecondChannel,
    Vault,
)
from butler.contract.rendering import PlanContext, Rendered, StepResult
from butler.contract.tool_envelope import ToolEnvelope
from butler.contract.tools import IOToolSpec, ToolMetadata

READ_TOGETHER_S = 1.0
"""The most by which a round trip's time may be ahead of the time of a check, as the clock is read twice."""


@dataclass(frozen=True, slots=True)
class Health:
    """A source's health: alive means that a round trip was completed recently."""

    last_ok: datetime | None
    """The last completed round trip, by the clock as it is now; `LastTime` returns it so."""
    stale_after_s: float
    detail: str = ""
    stopped: bool = False
    """Whether the source has given up until the owner does something."""
    failing: bool = False
    """Whether its last round trip failed; one in progress does not count yet."""

    def age_s(self, now: datetime) -> float:
        """Return the seconds since the last completed round trip; infinite without a credible one.

        A time in the future was recorded by a clock that was set back since, and says nothing about the age.
        """
        if self.last_ok is None:
            return inf
        age = (now - self.last_ok).total_seconds()
        return inf if age < -READ_TOGETHER_S else max(0.0, age)

    def is_alive(self, now: datetime) -> bool:
        """Return whether a round trip was completed recently."""
        return not self.stopped and self.age_s(now) <= self.stale_after_s


class Source(Protocol):
    """A source of inbound items: a long poll, IDLE, an update stream."""

    @property
    def name(self) -> str:
        """The name in logs and health, such as `telegram.bot`."""
        ...

    async def run(self) -> None:
        """Feed the inbox until cancelled.

        Handles its own back-off on lost connections. Raises `Reconfigure` if only the owner can help: the supervisor
        then informs the owner once and leaves this source stopped, while the rest goes on.
        """
        ...

    def health(self) -> Health:
        """Return the last completed round trip."""
        ...


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One line of `butler doctor`."""

    name: str
    ok: bool
    detail: str
    todo: str = ""
    in_use: bool = True
    """Whether the checked part is set up and switched on."""


@dataclass(frozen=True, slots=True)
class AddressBookEntry:
    """A person as the owner's own account names them: the owner chose the name, so it is confirmed."""

    name: str
    addresses: tuple[str, ...]
    """`telegram:<id>`, `telegram:@name`, `mail:<address>`."""


@dataclass(frozen=True, slots=True)
class Storage:
    """The stores for a module's accounts."""

    cursors: Cursors
    """The position of each source."""
    blobs: BlobStore
    mirror: Mirror
    """The mirror of the owner's accounts."""
    polled: PolledRepository
    """The polled records of the owner's accounts, other than messages."""


@dataclass(frozen=True, slots=True)
class Inbox:
    """The inbox, and the records of what became of its items."""

    sink: InboundSink
    records: Records
    answers: AnswerRepository
    """Counts automatic answers."""


@dataclass(frozen=True, slots=True)
class Agents:
    """The agents that read, remember and search."""

    memory: Memory
    documents: DocumentReader
    embed: Embed


@dataclass(frozen=True, slots=True)
class BuiltInServices:
    """Butler's own services, which its built-in modules offer as tools."""

    reminders: ReminderRepository
    notes: NoteRepository
    digests: DigestRepository
    """The times of the digests."""
    waits: WaitRepository
    """The awaited answers."""
    automations: AutomationRepository | None = None
    """The automations; None if nothing is stored, as in a check of the settings."""
    envelope: ToolEnvelope | None = None
    """The tools' descriptions of themselves; None if not needed, as in a check of the settings."""
    commands: OwnCommands | None = None
    """What the owner can tell the butler about itself; None if nobody is there to ask."""


@dataclass(frozen=True, slots=True)
class ModuleContext:
    """The dependencies that Butler gives to a module."""

    butler_name: str
    zone: ZoneInfo
    owner: OwnerFacts
    vault: Vault
    """Credentials by variable name: from the environment or the secrets file, or sealed by `butler login`."""
    storage: Storage
    inbox: Inbox
    agents: Agents
    built_in: BuiltInServices
    event_store: EventStore
    """Publishes events."""
    bulk: BulkLauncher
    """Runs the tools' bulk operations."""
    clock: Clock
    probe: CallProbe | None = None
    public_url: str = ""
    """The web port's public address, without a trailing slash; empty if there is none."""
    beside_daemon: bool = False
    """Whether a daemon runs on the same accounts during these checks: what would disturb it is left out."""


class Module(ABC):
    """A channel. The constructor only stores its arguments; nothing connects before `start()` or a first call.

    The method that returns a tool determines the tool's identity and direction.
    """

    channel: ClassVar[str]
    about: ClassVar[ChannelInfo] = ChannelInfo()
    """The channel's description for the core."""
    built_in: ClassVar[bool] = False
    """Whether the module needs no section in the settings."""
    settings_model: ClassVar[type[BaseModel]]

    def __init__(self, settings: Any, context: ModuleContext) -> None:
        self.settings = settings
        self.context = context

    def user_inputs(self) -> Sequence[IOToolSpec]:
        return ()

    def user_outputs(self) -> Sequence[IOToolSpec]:
        return ()

    def bot_inputs(self) -> Sequence[IOToolSpec]:
        return ()

    def bot_outputs(self) -> Sequence[IOToolSpec]:
        return ()

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        """Return roles and sensitivity of every argument of this module's tools."""
        return {}

    def integrations(self) -> Sequence[BaseIntegration]:
        return ()

    def backing(self, identity: Identity) -> Sequence[BaseIntegration]:  # noqa: ARG002 - for modules with both
        """Return the integrations behind the tools of this identity; a module with both identities keeps them apart."""
        return self.integrations()

    def sources(self) -> Sequence[Source]:
        """Return the enabled sources."""
        return ()

    def owner_channel(self) -> OwnerChannel | None:
        """Return the channel to the owner, if this module has one."""
        return None

    def second_channel(self) -> SecondChannel | None:
        """Return a second channel to the owner, if this module has one."""
        return None

    def render(self, _result: StepResult, _zone: ZoneInfo, /) -> Rendered | None:
        """Word one successful step of this module's tools for the owner; return None for the generic words."""
        return None

    def render_together(self, _results: Sequence[StepResult], _context: PlanContext, /) -> Rendered | None:
        """Word several steps of a finished plan in one answer; return None if there is nothing to say together.

        Called once per plan, with all its steps, including those of other modules, but without what was already
        reported.
        """
        return None

    def fetchers(self) -> Sequence[SourceFetcher]:
        """Return what the connector can fetch through this channel's accounts."""
        return ()

    def bulk_adapters(self) -> Sequence[BulkToolAdapter]:
        """Return the adapters of this channel's bulk operations."""
        return ()

    def hooks(self) -> Sequence[HookReceiver]:
        """Return the configured webhooks that this channel's servers may call."""
        return ()

    async def address_book(self) -> Sequence[AddressBookEntry]:
        """Return the people for whom the owner's account on this channel has a name of the owner's choice."""
        return ()

    async def signed_in(self) -> None:  # noqa: B027 - most modules hold no account
        """Discard objects made with old credentials, because `butler login` has changed them."""

    async def checks(self) -> Sequence[CheckResult]:
        """Return the live checks of this channel for `butler doctor`."""
        return ()

    async def stop(self) -> None:  # noqa: B027 - most modules hold nothing open
        """Close connections."""
