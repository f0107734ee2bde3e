"""The universal interface of bulk tools (seed 1). Adapters give primitives; the controller batches and remembers."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any


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


@dataclass
class BulkResult:
    """What became of one item."""

    item_id: str
    success: bool
    error: str | None = None


class BulkToolAdapter(ABC):
    """Keeps no state, speaks to nobody, retries nothing."""

    @property
    @abstractmethod
    def tool_name(self) -> str:
        """The registry key: `gmail`, `imap`, `calendar`, `trello`."""

    @abstractmethod
    async def prepare(self, params: dict[str, Any]) -> PreparedBulkContext:
        """Check and normalise, resolve names to ids; fetches and does nothing. Raises `ValueError`."""

    @abstractmethod
    async def get_total_count(self, context: PreparedBulkContext) -> int:
        """How many items match; raises when they cannot be counted."""

    @abstractmethod
    async def get_next_batch(self, context: PreparedBulkContext, batch_size: int, offset: int = 0) -> list[BulkItem]:
        """At most `batch_size` items after `offset`; empty at the end."""

    @abstractmethod
    async def execute_batch(self, items: list[BulkItem], context: PreparedBulkContext) -> list[BulkResult]:
        """Act on each item; one result an item, failures as results, no retries."""
