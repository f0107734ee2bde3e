"""Finds and reads mails over IMAP, in the owner's mailbox and the butler's."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import READS, IntegrationResult, RetryPolicy
from butler.contract.speech import say
from butler.contract.tools import ToolCall
from modules.email.args import SearchMailArgs
from modules.email.imap.connection import INBOX
from modules.email.imap.methods import (
    FETCH,
    KEEP_COPY,
    KEEP_DRAFT,
    SEARCH,
    SEND,
    FetchedMail,
    FetchedMails,
    Found,
)
from modules.email.integration_smtp_imap import SmtpImapIntegration
from modules.email.parsing.reader import MailReader, ReadMail
from modules.email.views import ToolFailedError, matches, plain_sender

_TIMEOUT_MS = 150_000
_MOST_READ_IN_SEARCH = 200
_AT_ONCE = 50
_EFFECTS = frozenset({SEND, KEEP_COPY, KEEP_DRAFT})


@dataclass(frozen=True, slots=True)
class StoredMail:
    """A mail as it lies in the mailbox."""

    folder: str
    uidvalidity: int
    fetched: FetchedMail
    read: ReadMail
    raw: bytes
    """The mail as received; only its header if no more was requested."""


@dataclass(frozen=True, slots=True)
class Hits:
    """The newest search hits in one folder; `count` is a lower bound if `complete` is false."""

    mails: list[StoredMail]
    count: int
    complete: bool = True
    reason: str = ""


class MailboxReading:
    """Calls one mailbox's integration for a tool call. Failures are `ToolFailedError`."""

    def __init__(self, integration: SmtpImapIntegration, reader: MailReader) -> None:
        self._integration = integration
        self._reader = reader

    async def search(self, call: ToolCall, args: SearchMailArgs, folder: str = INBOX) -> Hits:
        """Return the newest matching mails, up to the limit, by their headers."""
        found = Found.model_validate(await self.ask(call, SEARCH, {"folder": folder} | _criteria(args)))
        if found.plain_only:
            here = await self._search_locally(call, args, folder, found)
            return Hits(here.mails[: args.limit], here.count, here.complete, here.reason)
        wanted = found.uids[: args.limit]
        mails = await self.mails(call, folder, found.uidvalidity, wanted, headers_only=True)
        return Hits(mails, len(found.uids))

    async def search_in(self, call: ToolCall, args: SearchMailArgs, folders: Sequence[str]) -> Hits:
        """Search several folders; a missing folder, unless it is the first, counts as empty."""
        hits = [await self.search(call, args, folders[0])]
        for folder in folders[1:]:
            try:
                hits.append(await self.search(call, args, folder))
            except ToolFailedError as failure:
                _unless_missing(failure)
        mails = sorted((mail for one in hits for mail in one.mails), key=_arrival, reverse=True)
        reason = next((one.reason for one in hits if one.reason), "")
        return Hits(mails[: args.limit], sum(one.count for one in hits), all(one.complete for one in hits), reason)

    async def by_message_id_in(self, call: ToolCall, message_id: str, folders: Sequence[str]) -> StoredMail | None:
        """Return the mail with this Message-ID from the first folder that has it."""
        for folder in folders:
            try:
                if (found := await self.by_message_id(call, message_id, folder)) is not None:
                    return found
            except ToolFailedError as failure:
                _unless_missing(failure)
        return None

    async def matching(self, call: ToolCall, args: SearchMailArgs, folder: str = INBOX) -> tuple[list[int], bool, str]:
        """Return the UIDs of matching mails, newest first; whether they are complete, and if not, why."""
        found = Found.model_validate(await self.ask(call, SEARCH, {"folder": folder} | _criteria(args)))
        if not found.plain_only:
            return found.uids, True, ""
        here = await self._search_locally(call, args, folder, found)
        return [mail.fetched.uid for mail in here.mails], here.complete, here.reason

    async def by_message_id(self, call: ToolCall, message_id: str, folder: str = INBOX) -> StoredMail | None:
        """Return the mail with this Message-ID; the oldest one if several claim it."""
        found = Found.model_validate(await self.ask(call, SEARCH, {"folder": folder, "message_id": message_id}))
        for uid in reversed(found.uids):
            for stored in await self.mails(call, folder, found.uidvalidity, [uid], headers_only=False):
                if stored.read.mail.message_id == message_id:
                    return stored
        return None

    async def mails(
        self, call: ToolCall, folder: str, uidvalidity: int, uids: Sequence[int], *, headers_only: bool
    ) -> list[StoredMail]:
        """Fetch and parse mails in the order of `uids`; mails that are gone are left out."""
        stored: dict[int, StoredMail] = {}
        left = list(uids)
        while left:
            args = {"folder": folder, "uidvalidity": uidvalidity, "uids": left[:_AT_ONCE], "headers_only": headers_only}
            result = await self.call(call, FETCH, args)
            if result.error is not None and result.error.code is IntegrationErrorCode.CONFLICT:
                raise ToolFailedError(
                    failed(IntegrationErrorCode.NOT_FOUND, say("{why}; search again", why=result.error.message))
                )
            fetched = FetchedMails.model_validate(data_of(result))
            given = [mail for mail in fetched.mails if mail.uid in result.raw]
            read = await self._reader.read_many([result.raw[mail.uid] for mail in given])
            for mail, one in zip(given, read, strict=True):
                stored[mail.uid] = StoredMail(folder, uidvalidity, mail, one, result.raw[mail.uid])
            left = [*fetched.left, *left[_AT_ONCE:]]
        return [stored[uid] for uid in uids if uid in stored]

    async def ask(self, call: ToolCall, method_id: str, args: dict[str, Any]) -> dict[str, Any]:
        """Call a method and return its data."""
        return data_of(await self.call(call, method_id, args))

    async def call(
        self,
        call: ToolCall,
        method_id: str,
        args: dict[str, Any],
        policy: RetryPolicy = READS,
        *,
        timeout_ms: int = _TIMEOUT_MS,
    ) -> IntegrationResult:
        """Call a method and return its result, even a failed one."""
        return await self._integration.request(
            call.trace_id,
            method_id,
            args,
            timeout_ms=timeout_ms,
            retry_policy=policy,
            token=call.token or None,
            progress=call.progress,
            dry_run=call.dry_run and method_id in _EFFECTS,
        )

    async def _search_locally(self, call: ToolCall, args: SearchMailArgs, folder: str, found: Found) -> Hits:
        """Compare the newest mails here, as the server cannot search for these characters."""
        looked = found.uids[:_MOST_READ_IN_SEARCH]
        mails = await self.mails(call, folder, found.uidvalidity, looked, headers_only=False)
        here = [mail for mail in mails if matches(args, mail.read.mail)]
        complete = len(looked) == len(found.uids)
        reason = "" if complete else say("only the newest {count} mails were looked at", count=len(looked))
        return Hits(here, len(here), complete, reason)


def data_of(result: IntegrationResult) -> dict[str, Any]:
    """Return a result's data; raise `ToolFailedError` if the call failed."""
    if not result.ok or result.data is None:
        raise ToolFailedError(result)
    return result.data


def _unless_missing(failure: ToolFailedError) -> None:
    error = failure.result.error
    if error is None or error.code is not IntegrationErrorCode.NOT_FOUND:
        raise failure


def _arrival(mail: StoredMail) -> float:
    received_at = mail.fetched.received_at
    return received_at.timestamp() if received_at else 0.0


def _criteria(args: SearchMailArgs) -> dict[str, Any]:
    return {
        "words": args.words.split(),
        "sender": plain_sender(args),
        "subject": args.subject,
        "since": args.since,
        "before": args.before,
        "unread": args.unread,
        "flagged": args.starred or args.important,
        "attachment": args.attachment,
    }
