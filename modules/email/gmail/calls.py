"""Gmail calls for tools, in the tools' own terms: a failed call ends the tool with its reason."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import READS, IntegrationResult, RetryPolicy
from butler.contract.ports import OwnerFacts
from butler.contract.speech import say
from butler.contract.tools import ToolCall
from modules._accounts.google_client import MOST_AT_ONCE
from modules.email.integration_gmail import GmailIntegration
from modules.email.integration_gmail_records import (
    GET,
    GET_MANY,
    LIST,
    LIST_THREADS,
    SEND_AS,
    Got,
    GotMany,
    Listed,
    MailRef,
    SendAsList,
    ThreadsListed,
)
from modules.email.replying import OwnAddress, OwnAddresses
from modules.email.views import ToolFailedError

MOST_COUNTED = 500
"""Ids in one page; above it a count is only a lower bound."""
_TIMEOUT_MS = 100_000
_TRIES = 3
_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")


@dataclass(frozen=True, slots=True)
class GmailMail:
    """A mail from Gmail: its facts and its bytes."""

    got: Got
    raw: bytes


class GmailCalls:
    """Calls Gmail for one account. All methods but `call` raise `ToolFailedError`."""

    def __init__(self, integration: GmailIntegration, owner: OwnerFacts) -> None:
        self._integration = integration
        self._owner = owner

    async def call(
        self,
        call: ToolCall,
        method_id: str,
        args: dict[str, Any],
        policy: RetryPolicy = READS,
        *,
        dry_run: bool = False,
    ) -> IntegrationResult:
        return await self._integration.request(
            call.trace_id,
            method_id,
            args,
            timeout_ms=_TIMEOUT_MS,
            retry_policy=policy,
            token=call.token or None,
            dry_run=dry_run,
        )

    async def own(self, call: ToolCall) -> OwnAddresses:
        """Return the owner's addresses: those this account sends from, and those in the settings."""
        found = SendAsList.model_validate(data_of(await self.call(call, SEND_AS, {}))).addresses
        if not found:
            raise ToolFailedError(
                failed(IntegrationErrorCode.INVALID_OUTPUT, say("Gmail names no address to send from"))
            )
        return OwnAddresses([OwnAddress(one.address, one.name, one.verified) for one in found], self._owner.emails)

    async def refs(self, call: ToolCall, query: str, most: int) -> tuple[list[MailRef], bool]:
        """Return matching mails, newest first, and whether they are complete; Gmail only estimates a count."""
        result = await self.call(call, LIST, {"query": query, "page_size": most})
        return Listed.model_validate(data_of(result)).mails, result.meta.next_cursor is None

    async def thread_ids(self, call: ToolCall, query: str, most: int) -> tuple[list[str], bool]:
        """Return matching threads, and whether they are complete."""
        result = await self.call(call, LIST_THREADS, {"query": query, "page_size": most})
        return ThreadsListed.model_validate(data_of(result)).ids, result.meta.next_cursor is None

    async def mail(self, call: ToolCall, one: str, *, whole: bool = True) -> GmailMail:
        """Return one mail; raise if this account does not hold the id, even if another account does."""
        if not _ID.fullmatch(one):
            raise _not_here(one)
        result = await self.call(call, GET, {"id": one, "whole": whole})
        if result.error is not None and result.error.code is IntegrationErrorCode.NOT_FOUND:
            raise _not_here(one)
        return GmailMail(Got.model_validate(data_of(result)), bytes(result.raw))

    async def headers(self, call: ToolCall, ids: Sequence[str]) -> list[GmailMail]:
        """Fetch what a list shows of these mails, in this order; mails that are gone are left out."""
        found: dict[str, GmailMail] = {}
        left = list(ids)
        for _ in range(_TRIES):
            if not left:
                break
            asked, left = left[:MOST_AT_ONCE], left[MOST_AT_ONCE:]
            result = await self.call(call, GET_MANY, {"ids": asked})
            answer = GotMany.model_validate(data_of(result))
            found |= {mail.id: GmailMail(mail, result.raw[mail.id]) for mail in answer.mails}
            left = answer.left + left
        if left:
            raise ToolFailedError(
                failed(IntegrationErrorCode.RATE_LIMITED, say("Gmail would not give all of these mails"))
            )
        return [found[one] for one in ids if one in found]


def data_of(result: IntegrationResult) -> dict[str, Any]:
    """Return a result's data; raise `ToolFailedError` if the call failed."""
    if not result.ok or result.data is None:
        raise ToolFailedError(result)
    return result.data


def _not_here(one: str) -> ToolFailedError:
    message = say("this account holds no mail {id}; an id of one account means nothing in another", id=one)
    return ToolFailedError(failed(IntegrationErrorCode.NOT_FOUND, message))
