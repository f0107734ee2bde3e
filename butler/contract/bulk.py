"""The universal interface of bulk tools (seed 1). Adapters provide primitives; the controller batches and remembers.

Besides the five methods of the seed, an adapter may define the limits of one request, the inverse of its action, and
the senders of items; each of these has a default.
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
"""The reason stored when a run is held because its account was removed from the settings."""


class BatchRefusedError(Refuse):
    """The provider refused this."""


class BatchLaterError(Retryable):
    """It can only be done later."""


class BatchUnclearError(Retryable):
    """There was no answer, so nobody can say what was done."""


@dataclass
class PreparedBulkContext:
    """Everything needed to fetch and to act. A page cursor is in `metadata`."""

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
    """The data that the adapter needs later, such as the list of a card: stored from the listing until the act and its
    undo. Keep it to a few words, as there may be a hundred thousand rows."""


@dataclass
class BulkResult:
    """The outcome of one item."""

    item_id: str
    success: bool
    error: str | None = None
    data: dict[str, Any] | None = None
    """The data to store about the item from now on, such as its new place; None keeps the stored data."""


@dataclass(frozen=True, slots=True)
class BulkLimits:
    """The limits of one request to the provider."""

    page: int = 100
    """Items per listing request."""
    batch: int = 1
    """Items per act request."""
    listed_while_open: bool = False
    """Whether an item disappears from the listing once the action is done to it: then one more listing at the end shows
    what the provider accepted and did not do."""


@dataclass(frozen=True, slots=True)
class BulkWords:
    """The words for an action, in the owner's language."""

    does: str
    """Such as `Archives mails of your mailbox work`."""
    doing: str
    """Such as `Archiving`."""
    did: str
    """Such as `Archived`."""
    stays: str = ""
    """What stays the same, such as `They stay in All Mail.`"""
    for_good: str = ""
    """What cannot be undone; empty if everything can."""
    meant: str = ""
    """What the names in the request stand for, such as `“red” is Urgent`; empty if they are the real names."""
    beside: str = ""
    """Side effects and exceptions, such as `Google tells the guests of 3 events by mail.`"""


@dataclass(frozen=True, slots=True)
class BulkDetail:
    """What a card shows of one item of a sample."""

    name: str
    who: str = ""
    at: datetime | None = None
    item_id: str = ""


class BulkToolAdapter(ABC):
    """The primitives of one bulk operation. Keeps no state, talks only to its provider, retries nothing.

    Every action of an adapter sets a state: an item that already has it stays as it is, and counts as done. So a batch
    whose answer was lost is sent again.
    """

    @property
    @abstractmethod
    def tool_name(self) -> str:
        """The registry key, such as `gmail`, `imap` or `calendar`."""

    @property
    def required_tools(self) -> tuple[str, ...]:
        """The names of the remote tools whose operations it uses: while one of them is refused, nothing is done."""
        return ()

    @abstractmethod
    async def prepare(self, params: dict[str, Any]) -> PreparedBulkContext:
        """Check and normalise, resolve names to ids; fetches and changes nothing. Raises `ValueError`."""

    @abstractmethod
    async def get_total_count(self, context: PreparedBulkContext) -> int:
        """Return how many items match; raises if they cannot be counted.

        The controller counts during its one listing, so that card and count cannot differ by items that arrive in
        between. The conformance suite checks that every adapter returns the same number here, and leaves the context
        unchanged.
        """

    @abstractmethod
    async def get_next_batch(self, context: PreparedBulkContext, batch_size: int, offset: int = 0) -> list[BulkItem]:
        """Return at most `batch_size` items after `offset`; empty at the end."""

    @abstractmethod
    async def execute_batch(self, items: list[BulkItem], context: PreparedBulkContext) -> list[BulkResult]:
        """Act on each item; return one result per item, with failures as results; never retry."""

    async def meanwhile(self, context: PreparedBulkContext) -> Sequence[BulkItem]:
        """Return items that others changed since the listing; called before anything is done.

        The `raw_data` of each is merged into its stored data, so that an undo reverts only what the run itself did.
        """
        del context
        return ()

    async def vanished(self, context: PreparedBulkContext) -> Sequence[str]:
        """Return ids of items that vanished since the listing, if `execute_batch` cannot tell; called at the end."""
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
        """Return the context that undoes the action on the same items; None if that is impossible."""
        del context
        return None

    async def sample(self, items: Sequence[BulkItem], context: PreparedBulkContext) -> Sequence[BulkDetail]:
        """Return a few items as people know them, in this order; deleted items are left out."""
        del context
        return [BulkDetail(item.display_name) for item in items]

    async def by_sender(self, ids: Sequence[str], context: PreparedBulkContext) -> Sequence[tuple[str, int]]:
        """Count these items (a thousand at most) by sender, as far as known without fetching each."""
        del ids, context
        return ()


class BulkSnapshot(ClosedRecord):
    """What an order came to when it was listed: how many things, and which. It is shown, and frozen with the call."""

    run: str
    digest: str
    """The SHA-256 of the ids in their order."""
    count: int
    facts: tuple[tuple[str, str], ...] = ()
    """The facts for the card: the oldest and the newest item, the senders, what stays the same."""
    sample: tuple[str, ...] = ()
    repeat: Recurrence | None = None
    """The recurrence, if one was requested: then the order acts on what it finds each time, not on this listing."""


@dataclass(frozen=True, slots=True)
class BulkOrder:
    """A tool's order for a bulk act: the adapter by its registry key, and the parameters for its `prepare`."""

    adapter: str
    account: str
    params: dict[str, Any] = field(default_factory=dict[str, Any])


class BulkLauncher(Protocol):
    """The bulk controller, as tools see it."""

    async def snapshot(self, order: BulkOrder, call: ToolCall) -> IntegrationResult:
        """List the items of an order; `{"snapshot": BulkSnapshot}` completes the call before it is shown."""
        ...

    async def start(self, order: BulkOrder, snapshot: BulkSnapshot | None, call: ToolCall) -> IntegrationResult:
        """Begin what was approved, once for each call: exactly what was listed, or nothing if that differs."""
        ...

    async def repeat(self, order: BulkOrder, snapshot: BulkSnapshot | None, call: ToolCall) -> IntegrationResult:
        """Save what was approved as a recurring rule, once for each call."""
        ...

    async def reconcile(self, call: ToolCall) -> Reconciled:
        """Find out whether an approved run has begun."""
        ...
