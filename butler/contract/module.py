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
"""How much further the clock may be when a round trip's time is read than when its age is computed."""


@dataclass(frozen=True, slots=True)
class Health:
    """Alive means: a completed round trip a short while ago."""

    last_ok: datetime | None
    """By the clock as it stands when this is asked; `LastTime` tells it so."""
    stale_after_s: float
    detail: str = ""
    stopped: bool = False
    """True when this source has given up until the owner does something."""
    failing: bool = False
    """True while its last round trip failed; one that is under way does not count yet."""

    def age_s(self, now: datetime) -> float:
        """Return the seconds since the last completed round trip; infinite without a credible one.

        A time that lies ahead was recorded by a clock that was set back since, and says nothing of the age.
        """
        if self.last_ok is None:
            return inf
        age = (now - self.last_ok).total_seconds()
        return inf if age < -READ_TOGETHER_S else max(0.0, age)

    def is_alive(self, now: datetime) -> bool:
        """Return True when a round trip was completed a short while ago."""
        return not self.stopped and self.age_s(now) <= self.stale_after_s


class Source(Protocol):
    """A source of inbound items: a long poll, IDLE, an update stream."""

    @property
    def name(self) -> str:
        """The name in logs and health, such as `telegram.bot`."""
        ...

    async def run(self) -> None:
        """Feed the inbox until cancelled.

        Handles its own back-off on lost connections. Raises `Reconfigure` when only the owner can help: the supervisor
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
    """False for what is not set up or switched off."""


@dataclass(frozen=True, slots=True)
class AddressBookEntry:
    """A person as the owner's own account names them: the name is the owner's choice, so it is confirmed."""

    name: str
    addresses: tuple[str, ...]
    """`telegram:<id>`, `telegram:@name`, `mail:<address>`."""


@dataclass(frozen=True, slots=True)
class Storage:
    """What a module keeps of its accounts."""

    cursors: Cursors
    """How far each source has read."""
    blobs: BlobStore
    mirror: Mirror
    """What the owner's own accounts hold."""
    polled: PolledRepository
    """What was polled of the owner's accounts besides messages."""


@dataclass(frozen=True, slots=True)
class Inbox:
    """Where messages come in, and what became of them."""

    sink: InboundSink
    records: Records
    answers: AnswerRepository
    """Counts automatic answers."""


@dataclass(frozen=True, slots=True)
class Agents:
    """What reads, remembers and searches."""

    memory: Memory
    documents: DocumentReader
    embed: Embed


@dataclass(frozen=True, slots=True)
class BuiltInServices:
    """Butler's own services, which its built-in modules make tools of."""

    reminders: ReminderRepository
    notes: NoteRepository
    digests: DigestRepository
    """The times of the digests."""
    waits: WaitRepository
    """Whose answer is waited for."""
    automations: AutomationRepository | None = None
    """The automations; None where nothing is stored, as in a check of the settings."""
    envelope: ToolEnvelope | None = None
    """What the tools say about themselves; None where it is not needed, as in a check of the settings."""


@dataclass(frozen=True, slots=True)
class ModuleContext:
    """The dependencies that Butler gives to a module."""

    butler_name: str
    zone: ZoneInfo
    owner: OwnerFacts
    vault: Vault
    """Credentials by variable name: of the environment and the secrets file, and what was sealed by `butler login`."""
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
    """Where the web port can be reached from outside, without a slash at its end; empty where it cannot."""
    beside_daemon: bool = False
    """True for checks while a daemon runs on the same accounts: what would disturb it is left out."""


class Module(ABC):
    """A channel. The constructor only stores its arguments; nothing connects before `start()` or a first call.

    A tool's identity and direction are those of the method that returns it.
    """

    channel: ClassVar[str]
    about: ClassVar[ChannelInfo] = ChannelInfo()
    """What the core has to know of the channel."""
    built_in: ClassVar[bool] = False
    """True for a module that needs no section in the settings."""
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
        """Return roles and sensitivity of every argument of every tool of this module."""
        return {}

    def integrations(self) -> Sequence[BaseIntegration]:
        return ()

    def backing(self, identity: Identity) -> Sequence[BaseIntegration]:  # noqa: ARG002 - for modules with both
        """Return the integrations behind the tools of this identity; a module with both identities separates them."""
        return self.integrations()

    def sources(self) -> Sequence[Source]:
        """Return the enabled sources."""
        return ()

    def owner_channel(self) -> OwnerChannel | None:
        """Return the channel to the owner, where this module has one."""
        return None

    def second_channel(self) -> SecondChannel | None:
        """Return a second channel to the owner, where this module has one."""
        return None

    def render(self, _result: StepResult, _zone: ZoneInfo, /) -> Rendered | None:
        """Word one successful step of this module's tools for the owner; None for the generic words."""
        return None

    def render_together(self, _results: Sequence[StepResult], _context: PlanContext, /) -> Rendered | None:
        """Word several steps of a plan that has ended in one answer; None where there is nothing to say together.

        Called once per plan, with all its steps, also those of other modules, but without what was reported already.
        """
        return None

    def fetchers(self) -> Sequence[SourceFetcher]:
        """Return what the connector can fetch through this channel's accounts."""
        return ()

    def bulk_adapters(self) -> Sequence[BulkToolAdapter]:
        """Return the adapters of this channel's bulk operations."""
        return ()

    def hooks(self) -> Sequence[HookReceiver]:
        """Return the webhooks that this channel's servers may call, as far as they are set up."""
        return ()

    async def address_book(self) -> Sequence[AddressBookEntry]:
        """Return the people whom the owner's own account on this channel knows by a name of the owner's choice."""
        return ()

    async def signed_in(self) -> None:  # noqa: B027 - most modules hold no account
        """Discard what was made with old credentials, because `butler login` has changed them."""

    async def checks(self) -> Sequence[CheckResult]:
        """Return the live checks of this channel for `butler doctor`."""
        return ()

    async def stop(self) -> None:  # noqa: B027 - most modules hold nothing open
        """Close connections."""
