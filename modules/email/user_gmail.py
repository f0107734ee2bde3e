"""What is done in the person's Gmail: search, read, and a send that is one draft and its dispatch."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

from butler.contract.door import failed
from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault, Retryable
from butler.contract.integration import ONCE, READS, IntegrationCall, IntegrationResult, RetryPolicy
from butler.contract.module import CheckResult, ModuleContext, Source
from butler.contract.tools import Reconciled, Settled, ToolCall
from modules.email.args import ReadMailArgs, SearchMailArgs, SendMailArgs
from modules.email.attachments import attached
from modules.email.compose import Draft, compose, message_id
from modules.email.config import GmailSettings
from modules.email.inbound import keep_files
from modules.email.integration_gmail import (
    CREATE_DRAFT,
    DELETE_DRAFT,
    FIND_DRAFT,
    GET,
    GET_DRAFT,
    LIST,
    PROFILE,
    SEND_DRAFT,
    GmailIntegration,
    Got,
    marked,
)
from modules.email.live_check import live_check
from modules.email.reader import MailReader
from modules.email.replying import OwnAddress, OwnAddresses
from modules.email.views import Shelf, ToolFailedError, listing, plain_sender, row, whole

_TIMEOUT_MS = 60_000
_SENDS = RetryPolicy(max_attempts=3, backoff_s=1.0)
"""Only what surely had no effect is tried again."""
_PAGE = 100
_MOST_COUNTED = 500
_MOST_SENT_LOOKED_AT = 25


@dataclass(frozen=True, slots=True)
class _Mail:
    """A mail as Gmail gave it: what it knows, and its bytes."""

    got: Got
    raw: bytes


class GmailMailbox:
    """One account at Gmail. Meets `UserMailbox`."""

    def __init__(self, account: str, settings: GmailSettings, reader: MailReader, context: ModuleContext) -> None:
        self._account = account
        self._settings = settings
        self.integration = GmailIntegration(settings, context.secrets, context.blobs, context.probe)
        self._integration = self.integration
        self._reader = reader
        self._context = context

    async def addresses(self, call: ToolCall) -> OwnAddresses:
        return OwnAddresses((OwnAddress((await self._data(call, PROFILE, {}))["address"]),))

    async def checks(self) -> Sequence[CheckResult]:
        todo = f"make new Gmail credentials (docs/how-to/connect-mail.md), or check {self._settings.credentials_env}"
        return [await live_check("your Gmail", self.integration, PROFILE, todo)]

    def sources(self) -> Sequence[Source]:
        return ()

    async def signed_in(self) -> None:
        self.integration.stop()

    async def stop(self) -> None:
        self.integration.stop()

    async def threads(self, call: ToolCall) -> IntegrationResult:
        return failed(IntegrationErrorCode.UNKNOWN_METHOD, f"{call.tool} is not there yet for Gmail")

    reply = draft = complete_reply = threads

    async def reconcile_draft(self, call: ToolCall) -> Reconciled:
        return Reconciled(Settled.UNKNOWN, f"{call.tool} is not there yet for Gmail")

    async def search(self, call: ToolCall) -> IntegrationResult:
        args: SearchMailArgs = call.args
        try:
            ids, complete = await self._ids(call, self._query(args), _MOST_COUNTED)
            mails = await asyncio.gather(*(self._get(call, one, whole_mail=False) for one in ids[: args.limit]))
        except ToolFailedError as failure:
            return failure.result
        rows = [row((await self._reader.read(mail.raw)).mail, _shelf(mail.got)) for mail in mails]
        reason = "" if complete else f"there are more than {len(ids)} such mails"
        return listing(rows, len(ids), complete=complete, reason=reason)

    async def read(self, call: ToolCall) -> IntegrationResult:
        args: ReadMailArgs = call.args
        try:
            mail = await self._get(call, args.message_id, whole_mail=True)
        except ToolFailedError as failure:
            return failure.result
        read = await self._reader.read(mail.raw)
        return whole(read.mail, _shelf(mail.got), await keep_files(read, self._context.blobs))

    async def send(self, call: ToolCall) -> IntegrationResult:
        """Create the draft, note its id durably, send it."""
        args: SendMailArgs = call.args
        try:
            raw = await self._compose(call, args)
            if call.dry_run:
                return await self._call(call, CREATE_DRAFT, {"raw": raw}, _SENDS)
            draft_id = await self._create_draft(call, raw)
        except ToolFailedError as failure:
            return failure.result
        except IntegrationFault as fault:
            return failed(fault.code, fault.message)
        if call.progress is not None:
            await call.progress.save(draft_id=draft_id)
        result = await self._call(call, SEND_DRAFT, {"draft_id": draft_id}, _SENDS)
        if result.ok and result.data is not None:
            return result.model_copy(update={"data": result.data | {"draft_id": draft_id}})
        return result

    async def reconcile(self, call: ToolCall) -> Reconciled:
        """The draft's fate tells, as far as anything does. Raises `Retryable` while Gmail cannot be asked."""
        draft_id = call.progress.stored.get("draft_id", "") if call.progress is not None else ""
        if call.progress is not None and not draft_id:
            await self._clear_away(call)
            return Reconciled(Settled.REPEAT, "Nothing had been sent yet.")
        if draft_id:
            still_there = await self._call(call, GET_DRAFT, {"draft_id": draft_id}, READS)
            if still_there.ok:
                return Reconciled(Settled.UNKNOWN, "It was probably not sent; the draft is in your Drafts.")
            _may_ask_later(still_there)
            if still_there.error is None or still_there.error.code is not IntegrationErrorCode.NOT_FOUND:
                return Reconciled(Settled.UNKNOWN, "Gmail cannot be asked whether it was sent.")
        if (sent := await self._sent(call)) is not None:
            return Reconciled(Settled.DONE, "It is in your Sent mail.", {"id": sent.id, "thread_id": sent.thread_id})
        return Reconciled(Settled.UNKNOWN, "The draft is gone, but no such mail was found in your Sent mail.")

    # Within

    async def _compose(self, call: ToolCall, args: SendMailArgs) -> str:
        profile = await self._data(call, PROFILE, {})
        outgoing = compose(
            Draft(
                sender=profile["address"],
                token=_token(call),
                date=self._context.clock.now().astimezone(self._context.zone),
                to=args.to,
                cc=args.cc,
                bcc=args.bcc,
                subject=args.subject,
                body=args.body,
                attachments=await attached(args.attachments, self._context.blobs),
                mark="user",
            )
        )
        # Gmail reads the recipients out of the headers, and takes Bcc out before the mail leaves.
        return await self._context.blobs.put(outgoing.copy)

    async def _create_draft(self, call: ToolCall, raw: str) -> str:
        result = await self._call(call, CREATE_DRAFT, {"raw": raw}, _SENDS)
        if result.ok and result.data is not None:
            return result.data["draft_id"]
        error = result.error
        if error is not None and error.effect is Effect.UNKNOWN:
            # The answer was lost, but a draft is no mail yet: look whether it is there, else nothing was done.
            found = await self._call(call, FIND_DRAFT, {"token": _token(call)}, READS)
            if found.ok and found.data is not None and found.data["draft_id"]:
                return found.data["draft_id"]
            error = error.model_copy(update={"effect": Effect.NONE, "message": f"{error.message}; nothing was sent"})
        raise ToolFailedError(result.model_copy(update={"error": error}))

    async def _clear_away(self, call: ToolCall) -> None:
        """Remove a draft whose id was never noted, so that the repeat leaves only one."""
        found = await self._call(call, FIND_DRAFT, {"token": _token(call)}, READS)
        if found.ok and found.data is not None and found.data["draft_id"]:
            await self._call(call, DELETE_DRAFT, {"draft_id": found.data["draft_id"]}, ONCE)

    async def _sent(self, call: ToolCall) -> Got | None:
        """The sent mail of this call: by its Message-ID, or by our mark where Gmail has given it another."""
        try:
            address = (await self._data(call, PROFILE, {}))["address"]
            own_id = message_id(_token(call), address).strip("<>")
            for query in (f"in:sent rfc822msgid:{own_id}", "in:sent newer_than:7d"):
                ids, _ = await self._ids(call, query, _MOST_SENT_LOOKED_AT)
                for one in ids[:_MOST_SENT_LOOKED_AT]:
                    mail = await self._get(call, one, whole_mail=False)
                    if marked(mail.raw, _token(call)):
                        return mail.got
        except ToolFailedError as failure:
            _may_ask_later(failure.result)
        return None

    async def _ids(self, call: ToolCall, query: str, most: int) -> tuple[list[str], bool]:
        """Ids that match, newest first, and whether these are all. Gmail's own estimate is no count."""
        ids: list[str] = []
        cursor: str | None = None
        while len(ids) < most:
            result = await self._call(call, LIST, {"query": query, "page_size": _PAGE}, READS, cursor=cursor)
            if not result.ok or result.data is None:
                raise ToolFailedError(result)
            ids += result.data["ids"]
            cursor = result.meta.next_cursor
            if cursor is None:
                return ids, True
        return ids, False

    async def _get(self, call: ToolCall, one: str, *, whole_mail: bool) -> _Mail:
        result = await self._call(call, GET, {"id": one, "whole": whole_mail}, READS)
        if not result.ok:
            raise ToolFailedError(result)
        return _Mail(Got.model_validate(result.data), bytes(result.raw))

    def _query(self, args: SearchMailArgs) -> str:
        terms = [_quoted(word) for word in args.words.split()]
        if sender := plain_sender(args):
            terms.append(f"from:{_quoted(sender)}")
        if args.subject:
            terms.append(f"subject:{_quoted(args.subject)}")
        for name, day in (("after", args.since), ("before", args.before)):
            if day is not None:
                terms.append(f"{name}:{self._midnight(day)}")
        if args.unread:
            terms.append("is:unread")
        # What came in, archived or not; what the person wrote is not in an inbox, unless to themselves.
        return " ".join([*terms, "{in:inbox -in:sent}", "-in:drafts"])

    def _midnight(self, day: date) -> int:
        # A bare date would be a day on the Pacific coast.
        return int(datetime.combine(day, time(), self._context.zone).timestamp())

    async def _data(self, call: ToolCall, method_id: str, args: dict[str, Any]) -> dict[str, Any]:
        result = await self._call(call, method_id, args, READS)
        if not result.ok or result.data is None:
            raise ToolFailedError(result)
        return result.data

    async def _call(
        self, call: ToolCall, method_id: str, args: dict[str, Any], policy: RetryPolicy, *, cursor: str | None = None
    ) -> IntegrationResult:
        return await self._integration.call(
            IntegrationCall(
                trace_id=call.trace_id,
                method_id=method_id,
                args=args,
                timeout_ms=_TIMEOUT_MS,
                retry_policy=policy,
                cursor=cursor,
                token=call.token or None,
                dry_run=call.dry_run and method_id == CREATE_DRAFT,
            )
        )


def _token(call: ToolCall) -> str:
    return call.token or call.call_id


def _shelf(got: Got) -> Shelf:
    return Shelf(got.id, f"gmail:{got.thread_id}", got.received_at, "UNREAD" in got.labels, got.size)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', " ").strip() + '"'


def _may_ask_later(result: IntegrationResult) -> None:
    if result.error is not None and result.error.retriable:
        raise Retryable(result.error.message)
