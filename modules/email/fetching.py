"""Fetches the mails of a mailbox in the order of their UIDs, in portions, so that no single mail stops the rest.

A mail that the server refuses to return, or at which the connection breaks repeatedly, is fetched alone, then by its
header, and given up only if other mails can be fetched: an outage is never blamed on a mail.
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import datetime

from butler.contract.errors import IntegrationErrorCode
from butler.contract.reasons import Reason, in_own_words
from butler.contract.speech import phrase
from modules.email.imap.calls import CallFailedError, MailboxCalls
from modules.email.imap.methods import FETCH, FetchedMail, FetchedMails

AT_ONCE = 50
PATIENCE = 2
"""The number of failed looks after which a mail is taken to be the reason."""
NOT_GIVEN = in_own_words(phrase("the mail server would not give this mail"))
NOT_WHOLE = in_own_words(phrase("the mail server would not give all of this mail"))
TOO_LARGE = phrase("the mail has {size} bytes, too many to be read")
_REFUSED = frozenset(
    {IntegrationErrorCode.REJECTED, IntegrationErrorCode.INVALID_OUTPUT, IntegrationErrorCode.INTERNAL}
)
_BROKEN = frozenset({IntegrationErrorCode.UNAVAILABLE, IntegrationErrorCode.TIMEOUT})


@dataclass(frozen=True, slots=True)
class FetchResult:
    """A fetched mail; `raw` is None without bytes, and `cut` says why the bytes are incomplete."""

    uid: int
    received_at: datetime | None
    raw: bytes | None
    cut: Reason | None = None


class MailFetcher:
    """Fetches mails, and remembers from look to look which ones caused failures."""

    def __init__(self) -> None:
        self._alone: set[int] = set()
        self._failed: dict[int, int] = {}

    async def mails(self, calls: MailboxCalls, uidvalidity: int, uids: Sequence[int]) -> AsyncGenerator[FetchResult]:
        """Yield the mails of these UIDs, ascending; mails that are gone are left out. Raise `CallFailedError`."""
        left = list(uids)
        while left:
            portion = left[: 1 if left[0] in self._alone else AT_ONCE]
            rest = left[len(portion) :]
            try:
                brought, later = await _portion(calls, uidvalidity, portion)
            except CallFailedError as failure:
                if not self._is_to_blame(portion, failure):
                    left = list(portion) + rest
                    continue
                brought, later = [await _header(calls, uidvalidity, portion[0], rest)], []
            for mail in brought:
                yield mail
            self._forget(set(portion) - set(later))
            left = sorted([*later, *rest])

    def _is_to_blame(self, portion: Sequence[int], failure: CallFailedError) -> bool:
        """Return whether one mail is the reason; False to try them one by one. Raise the failure if it is an outage."""
        code = failure.error.code
        if code not in _REFUSED | _BROKEN:
            raise failure
        alone = portion[0] in self._alone
        self._alone.update(portion)
        if code in _REFUSED:
            return alone
        if alone:
            self._failed[portion[0]] = self._failed.get(portion[0], 0) + 1
        if self._failed.get(portion[0], 0) < PATIENCE:
            raise failure
        return True

    def _forget(self, uids: set[int]) -> None:
        self._alone -= uids
        for uid in uids:
            self._failed.pop(uid, None)


async def _portion(calls: MailboxCalls, uidvalidity: int, uids: Sequence[int]) -> tuple[list[FetchResult], list[int]]:
    """Fetch mails with their bytes; also return the UIDs left for another call because these mails were large."""
    fetched, raw = await _fetch(calls, uidvalidity, uids)
    if missing := [mail.uid for mail in fetched.mails if mail.uid not in raw]:
        raw |= (await _fetch(calls, uidvalidity, missing))[1]
    return [_brought(mail, raw.get(mail.uid)) for mail in fetched.mails], fetched.left


def _brought(mail: FetchedMail, raw: bytes | None) -> FetchResult:
    if raw is None:
        return FetchResult(mail.uid, mail.received_at, None, NOT_GIVEN)
    cut = None if mail.complete else in_own_words(TOO_LARGE, size=str(mail.size))
    return FetchResult(mail.uid, mail.received_at, raw, cut)


async def _header(calls: MailboxCalls, uidvalidity: int, uid: int, others: Sequence[int]) -> FetchResult:
    """Fetch a mail's header, as its body cannot be fetched. Raise `CallFailedError` if nothing can be fetched."""
    try:
        fetched, raw = await _fetch(calls, uidvalidity, [uid], headers_only=True)
    except CallFailedError as failure:
        if failure.error.code in _BROKEN:
            if not others:
                raise
            await _fetch(calls, uidvalidity, others[:1], headers_only=True)
        return FetchResult(uid, None, None, NOT_GIVEN)
    mail = next(iter(fetched.mails), None)
    return FetchResult(uid, mail.received_at if mail else None, raw.get(uid), NOT_WHOLE)


async def _fetch(
    calls: MailboxCalls, uidvalidity: int, uids: Sequence[int], *, headers_only: bool = False
) -> tuple[FetchedMails, dict[int, bytes]]:
    args = {"uidvalidity": uidvalidity, "uids": list(uids), "headers_only": headers_only}
    result = await calls.ask(FETCH, args)
    return FetchedMails.model_validate(result.data), dict(result.raw)
