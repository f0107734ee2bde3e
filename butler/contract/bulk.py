"""The universal interface of bulk tools (seed 1). Adapters provide primitives; the controller batches and remembers.

Beside the five methods of the seed an adapter defines the limits of one request, the inverse of its action, and the
senders of items: each has a default, so the five are enough for an adapter.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from butler.contract.bulk_repeat import Recurrence
from butler.contract.errors import Refuse, Retryable
from butler.contract.integration import IntegrationResult
from butler.contract.records import ClosedRecord
from butler.contract.speech import phrase
from butler.contract.tools import Reconciled, ToolCall

NOT_SET_UP = phrase("The account that this is about is no longer set up. Set it up again; then it can go on.")
"""The reason that holds a run whose account was removed from the settings."""


class BatchRefusedError(Refuse):
    """The provider refused this."""


class BatchLaterError(Retryable):
    """It can only be done later."""


class BatchUnclearError(Retryable):
    """There was no answer, so nobody can say what was done."""


@dataclass
class PreparedBulkContext:
    """All that is needed to fetch and to act. A page cursor lives in `metadata`."""

    tool_name: str
    action: str
    query_params: dict[str, Any]
    action_params: dict[str, Any]
    metadata: dict[str, Any] | None = None


@dataclass
class BulkItem:
    """One item of a bulk operation."""

    id: str
    display_name: str
    raw_data: dict[str, Any] | None = None
    """What its adapter has to know of it later, such as the list that a card lay in: it is kept from the listing to the
    act, and to what takes it back. A few words; a hundred thousand of them lie in rows."""


@dataclass
class BulkResult:
    """What became of one item."""

    item_id: str
    success: bool
    error: str | None = None
    data: dict[str, Any] | None = None
    """What is kept of it from now on, such as where it lies; None leaves what was kept."""


@dataclass(frozen=True, slots=True)
class BulkLimits:
    """What one request of the provider takes."""

    page: int = 100
    """Items of one listing."""
    batch: int = 1
    """Items of one act."""
    listed_while_open: bool = False
    """Whether a thing is listed only until the action is done to it: then one more listing at the end shows what the
    provider took and did not do."""


@dataclass(frozen=True, slots=True)
class BulkWords:
    """What is said of an action, in the owner's language."""

    does: str
    """Such as `Archives mails of your mailbox work`."""
    doing: str
    """Such as `Archiving`."""
    did: str
    """Such as `Archived`."""
    stays: str = ""
    """What does not change, such as `They stay in All Mail.`"""
    for_good: str = ""
    """What cannot be taken back; empty where all of it can."""
    meant: str = ""
    """What the names that were said came to, such as `“red” is Urgent`; empty where all are called as it was said."""
    beside: str = ""
    """What else comes of it, or is left out of it, such as `Google tells the guests of 3 events by mail.`"""


@dataclass(frozen=True, slots=True)
class BulkDetail:
    """What a card shows of one item of a sample."""

    name: str
    who: str = ""
    at: datetime | None = None
    item_id: str = ""


class BulkToolAdapter(ABC):
    """Keeps no state, talks to nobody but its provider, retries nothing.

    Every action of an adapter sets a state: an item that has it already is left as it is, and counts as done. So a
    batch whose answer was lost is sent again.
    """

    @property
    @abstractmethod
    def tool_name(self) -> str:
        """The registry key, such as `gmail`, `imap` or `calendar`."""

    @property
    def required_tools(self) -> tuple[str, ...]:
        """The remote tools whose operations it uses, by name: while one is refused, nothing is done."""
        return ()

    @abstractmethod
    async def prepare(self, params: dict[str, Any]) -> PreparedBulkContext:
        """Check and normalise, resolve names to ids; fetches and changes nothing. Raises `ValueError`."""

    @abstractmethod
    async def get_total_count(self, context: PreparedBulkContext) -> int:
        """Return how many items match; raises when they cannot be counted.

        The controller's one listing counts as it snapshots, so that card and count cannot differ by what came in
        between; the conformance suite checks that every adapter returns the same number here, and leaves the context as
        it is.
        """

    @abstractmethod
    async def get_next_batch(self, context: PreparedBulkContext, batch_size: int, offset: int = 0) -> list[BulkItem]:
        """Return at most `batch_size` items after `offset`; empty at the end."""

    @abstractmethod
    async def execute_batch(self, items: list[BulkItem], context: PreparedBulkContext) -> list[BulkResult]:
        """Act on each item; return one result an item, failures as results, no retries."""

    async def meanwhile(self, context: PreparedBulkContext) -> Sequence[BulkItem]:
        """Return items that others changed since they were listed; called before anything is done.

        The `raw_data` of each is merged into what was stored of it, so that an undo reverts only what the run itself
        did.
        """
        del context
        return ()

    async def vanished(self, context: PreparedBulkContext) -> Sequence[str]:
        """Return ids of items that vanished since the listing, where `execute_batch` cannot tell; called at the end."""
        del context
        return ()

    def limits(self, context: PreparedBulkContext) -> BulkLimits:
        """Return the limits of one request."""
        del context
        return BulkLimits()

    def words(self, context: PreparedBulkContext) -> BulkWords:
        """Return the words for the action."""
        return BulkWords(context.action, context.action, context.action)

    def inverse(self, context: PreparedBulkContext) -> PreparedBulkContext | None:
        """Return the context that puts the same items back; None where that is impossible."""
        del context
        return None

    async def sample(self, items: Sequence[BulkItem], context: PreparedBulkContext) -> Sequence[BulkDetail]:
        """Return a few items as a person knows them, in this order; those that are gone are left out."""
        del context
        return [BulkDetail(item.display_name) for item in items]

    async def by_sender(self, ids: Sequence[str], context: PreparedBulkContext) -> Sequence[tuple[str, int]]:
        """Count these items (a thousand at most) by sender, as far as it is known without fetching each."""
        del ids, context
        return ()


class BulkSnapshot(ClosedRecord):
    """What an order came to when it was listed: how many things, and which. It is shown, and frozen with the call."""

    run: str
    digest: str
    """SHA-256 of the ids in their order."""
    count: int
    facts: tuple[tuple[str, str], ...] = ()
    """What a card shows of it: the oldest, the newest, whose, what stays."""
    sample: tuple[str, ...] = ()
    repeat: Recurrence | None = None
    """When it is done again and again, where that was asked for: then it is not what was listed that is done."""


@dataclass(frozen=True, slots=True)
class BulkOrder:
    """What a tool wants done to many things: the adapter by its registry key, and what its `prepare` takes."""

    adapter: str
    account: str
    params: dict[str, Any] = field(default_factory=dict[str, Any])


class BulkLauncher(Protocol):
    """The controller, as tools see it."""

    async def snapshot(self, order: BulkOrder, call: ToolCall) -> IntegrationResult:
        """List the items of an order; `{"snapshot": BulkSnapshot}` completes the call before it is shown."""
        ...

    async def start(self, order: BulkOrder, snapshot: BulkSnapshot | None, call: ToolCall) -> IntegrationResult:
        """Begin what was approved, once for each call: exactly what was listed, or nothing where that differs."""
        ...

    async def repeat(self, order: BulkOrder, snapshot: BulkSnapshot | None, call: ToolCall) -> IntegrationResult:
        """Save what was approved as a recurring rule, once for each call."""
        ...

    async def reconcile(self, call: ToolCall) -> Reconciled:
        """Find out whether it was begun."""
        ...
