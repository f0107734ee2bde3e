"""Shared code of bulk adapters: reading an order, counting, and interpreting a provider's answer to a whole batch."""

from collections.abc import Callable, Collection, Mapping
from copy import deepcopy
from dataclasses import replace
from enum import StrEnum
from typing import Any, TypeVar

from pydantic import ValidationError

from butler.contract.bulk import (
    BatchLaterError,
    BatchRefusedError,
    BatchUnclearError,
    BulkToolAdapter,
    PreparedBulkContext,
)
from butler.contract.bulk_tool import BulkArgs
from butler.contract.door import explain
from butler.contract.errors import AuthRequiredError, Effect, IntegrationErrorCode
from butler.contract.integration import IntegrationError, IntegrationResult
from butler.contract.speech import phrase, say

SIGN_IN = frozenset({IntegrationErrorCode.AUTH_REQUIRED, IntegrationErrorCode.FORBIDDEN})
REFUSED = frozenset({IntegrationErrorCode.REJECTED, IntegrationErrorCode.INVALID_INPUT, IntegrationErrorCode.NOT_FOUND})
NO_ACTION = phrase("say what is to be done with them")
NO_ACCOUNT = phrase("there is no account {name} that can do this")
E = TypeVar("E", bound=StrEnum)
M = TypeVar("M", bound=BulkArgs)


def ordered(
    params: Mapping[str, Any], actions: type[E], model_of: Callable[[E], type[M]], accounts: Collection[str]
) -> tuple[E, M, str]:
    """Read an order: the action, its items, and the account, by default the first one.

    Raises `ValueError` that says in a sentence what is wrong.
    """
    try:
        action = actions(params.get("action"))
    except ValueError as error:
        raise ValueError(say(NO_ACTION)) from error
    try:
        said = model_of(action).model_validate({name: value for name, value in params.items() if name != "action"})
    except ValidationError as error:
        raise ValueError(explain(error)) from error
    account = said.account or next(iter(accounts))
    if account not in accounts:
        raise ValueError(say(NO_ACCOUNT, name=account))
    return action, said, account


async def counted(adapter: BulkToolAdapter, context: PreparedBulkContext) -> int:
    """Count the items, by a separate listing that leaves the context unchanged.

    It counts as the controller's listing does: an item that moves onto a second page meanwhile counts once.
    """
    own, page, offset = replace(context, metadata=deepcopy(context.metadata or {})), adapter.limits(context).page, 0
    found: set[str] = set()
    while items := await adapter.get_next_batch(own, page, offset):
        offset += len(items)
        found.update(item.id for item in items)
    return len(found)


def metadata_of(context: PreparedBulkContext) -> dict[str, Any]:
    """Return the dict in which a context stores what the adapter finds out on the way; create it if there is none."""
    if context.metadata is None:
        context.metadata = {}
    return context.metadata


def batch_fault(error: IntegrationError) -> Exception:
    """Return the error that a failed request means for the whole batch; an adapter raises it."""
    if error.code in SIGN_IN:
        return AuthRequiredError(error.message)
    if error.code in REFUSED:
        return BatchRefusedError(error.message)
    if error.effect is Effect.NONE:
        return BatchLaterError(error.message)
    return BatchUnclearError(error.message)


def answered(result: IntegrationResult) -> dict[str, Any]:
    """Return the data of an answer; raise what its failure means for the whole batch."""
    if result.error is not None:
        raise batch_fault(result.error)
    return result.data or {}
