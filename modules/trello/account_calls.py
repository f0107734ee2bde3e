"""One account's provider calls, for tools and the bulk adapter: each returns a record, or raises."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel

from butler.contract.bulk import BatchLaterError
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationError, IntegrationResult, RetryPolicy
from butler.contract.tools import Reconciled, ReconcileHandler, Settled, ToolCall, ToolHandler
from modules.trello import records as r
from modules.trello.integration_trello import TrelloIntegration

T = TypeVar("T", bound=BaseModel)
Doing = Callable[[ToolCall], Awaitable[dict[str, Any]]]
"""A tool's work: returns its result's data; raises `NotDoneError` or `ValueError`."""
Finding = Callable[[ToolCall], Awaitable[Reconciled]]
"""A tool's reconciliation; raises `NotDoneError`."""
PATIENT = RetryPolicy(max_attempts=3)
"""Retries only if nothing can have happened, such as after a refusal for too many requests."""
_TIMEOUT_MS = 120_000
"""A request may wait for its turn under the rate limit."""


class NotDoneError(Exception):
    """A call failed; `error` says why, in words for the owner."""

    def __init__(self, error: IntegrationError) -> None:
        super().__init__(error.message)
        self.error = error

    def result(self) -> IntegrationResult:
        """Return the failure as a tool's result."""
        return IntegrationResult(ok=False, error=self.error)


def not_done(code: IntegrationErrorCode, message: str) -> NotDoneError:
    """Return a failure that surely had no effect."""
    return NotDoneError(IntegrationError(code=code, message=message))


def answering(do: Doing) -> ToolHandler:
    """Make a tool handler from its work: failures become results."""

    async def handler(call: ToolCall) -> IntegrationResult:
        try:
            return IntegrationResult(ok=True, data=await do(call))
        except NotDoneError as failure:
            return failure.result()
        except ValueError as error:
            return failed(IntegrationErrorCode.INVALID_INPUT, str(error))

    return handler


def reconciling(find: Finding) -> ReconcileHandler:
    """Make a tool's reconciliation; it raises `Retryable` if Trello may answer later."""

    async def handler(call: ToolCall) -> Reconciled:
        try:
            return await find(call)
        except NotDoneError as failure:
            if failure.error.retriable:
                raise BatchLaterError(failure.error.message) from failure
            return Reconciled.with_text(Settled.UNKNOWN, failure.error.message)

    return handler


class Accounts:
    """The owner's accounts, by name; the first is the default one."""

    def __init__(self, integrations: Mapping[str, TrelloIntegration]) -> None:
        self._integrations = integrations

    def of(self, call: ToolCall) -> "Account":
        """Return the account of a tool's call."""
        name = call.account or next(iter(self._integrations))
        return Account(self._integrations[name], call.trace_id)


class Account:
    """Makes calls of one account under one trace."""

    def __init__(self, integration: TrelloIntegration, trace_id: str) -> None:
        self._integration, self._trace_id = integration, trace_id

    async def ask(self, method_id: str, answer: type[T], args: Mapping[str, Any] | None = None, **more: Any) -> T:
        """Make a call; return the answer as a record. Raise `NotDoneError`."""
        result = await self._integration.request(
            self._trace_id, method_id, {**(args or {}), **more}, timeout_ms=_TIMEOUT_MS, retry_policy=PATIENT
        )
        if result.error is not None:
            raise NotDoneError(result.error)
        return answer.model_validate(result.data)

    async def there(self, card: str) -> r.Card:
        """Return a card by its id or short id. Raise `NotDoneError`."""
        return await self.ask(r.CARD, r.Card, id=card)

    async def card(self, card: str) -> r.Card | None:
        """Return a card; None if it does not exist."""
        try:
            return await self.there(card)
        except NotDoneError as failure:
            if failure.error.code == IntegrationErrorCode.NOT_FOUND:
                return None
            raise

    async def boards(self) -> list[r.Board]:
        """Return the owner's open boards."""
        return (await self.ask(r.BOARDS, r.Boards)).boards

    async def labels(self, board_id: str) -> list[r.Label]:
        """Return a board's labels."""
        return (await self.ask(r.LABELS, r.Labels, id=board_id)).labels

    async def members(self, board_id: str) -> list[r.Member]:
        """Return a board's members."""
        return (await self.ask(r.MEMBERS, r.Members, id=board_id)).members

    async def me(self) -> r.Member:
        """Return the owner as a member."""
        return self._integration.known_me or await self.ask(r.ME, r.Member)
