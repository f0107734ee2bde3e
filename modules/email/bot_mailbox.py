"""What the butler does with its own mailbox: search, read, send, answer, and find out what became of a send."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode, IntegrationFault, Retryable
from butler.contract.integration import READS, IntegrationCall, IntegrationResult, RetryPolicy
from butler.contract.module import ModuleContext
from butler.contract.tools import Recipient, Reconciled, Settled, ToolCall
from modules.email.args import ReadMailArgs, ReplyArgs, SearchMailArgs, SendMailArgs
from modules.email.attachments import attached
from modules.email.compose import Draft, Outgoing, Parent, compose, message_id
from modules.email.inbound import Place, keep_files, mail_key
from modules.email.intake import Intake
from modules.email.integration_smtp_imap import (
    FETCH,
    FIND_COPY,
    KEEP_COPY,
    SEARCH,
    SEND,
    FetchedMail,
    FetchedMails,
    Found,
    SmtpImapIntegration,
)
from modules.email.reader import MailReader, ReadMail
from modules.email.views import Shelf, ToolFailedError, listing, matches, plain_sender, row, whole

_TIMEOUT_MS = 150_000
_SENDS = RetryPolicy(max_attempts=3, backoff_s=1.0)
"""Only a send that surely had no effect is tried again."""
_MOST_READ_IN_SEARCH = 200
_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class _Stored:
    """A mail as it lies in the mailbox."""

    uidvalidity: int
    fetched: FetchedMail
    read: ReadMail


class BotMailbox:
    """The handlers of the butler's mail tools."""

    def __init__(
        self, integration: SmtpImapIntegration, intake: Intake, reader: MailReader, context: ModuleContext
    ) -> None:
        self._integration = integration
        self._intake = intake
        self._reader = reader
        self._context = context

    async def search(self, call: ToolCall) -> IntegrationResult:
        args: SearchMailArgs = call.args
        try:
            found = Found.model_validate(await self._ask(call, SEARCH, _criteria(args)))
            if found.plain_only:
                return await self._search_here(call, args, found)
            mails = await self._mails(call, found.uidvalidity, found.uids[: args.limit], headers_only=True)
        except ToolFailedError as failure:
            return failure.result
        return listing([row(m.read.mail, self._shelf(m)) for m in mails], len(found.uids), complete=True)

    async def read(self, call: ToolCall) -> IntegrationResult:
        args: ReadMailArgs = call.args
        try:
            stored = await self._find(call, args.message_id)
        except ToolFailedError as failure:
            return failure.result
        files = await keep_files(stored.read, self._context.blobs)
        return whole(stored.read.mail, self._shelf(stored), files)

    async def check_inbox(self, call: ToolCall) -> IntegrationResult:
        if call.dry_run:
            return IntegrationResult(ok=True, data={"dry_run": True})
        report = await self._intake.check()
        if report.error is not None:
            return IntegrationResult(ok=False, error=report.error)
        data = {
            "new": report.new,
            "known": report.known,
            "quarantined": report.quarantined,
            "reason": "" if report.new or report.quarantined else "no mail has come since the last look",
        }
        return IntegrationResult(ok=True, data=data)

    async def send(self, call: ToolCall) -> IntegrationResult:
        args: SendMailArgs = call.args
        try:
            draft = self._draft(call, to=args.to, cc=args.cc, bcc=args.bcc, subject=args.subject, body=args.body)
            files = await attached(args.attachments, self._context.blobs)
            return await self._dispatch(call, replace(draft, attachments=files))
        except ToolFailedError as failure:
            return failure.result
        except IntegrationFault as fault:
            return failed(fault.code, fault.message)

    async def reply(self, call: ToolCall) -> IntegrationResult:
        args: ReplyArgs = call.args
        try:
            mail = (await self._find(call, args.message_id)).read.mail
            if mail.sender is None:
                return failed(IntegrationErrorCode.INVALID_INPUT, "this mail has no sender who could be answered")
            writer = Recipient(address=f"mail:{mail.sender.address}")
            if args.to and args.to[0].address.lower() != writer.address:
                return failed(
                    IntegrationErrorCode.INVALID_INPUT, f"this mail was written by {mail.sender.address}, nobody else"
                )
            parent = Parent(mail.message_id, mail.in_reply_to, mail.references, mail.subject)
            draft = self._draft(call, to=(writer,), subject="", body=args.body)
            return await self._dispatch(call, replace(draft, parent=parent, automatic=True))
        except ToolFailedError as failure:
            return failure.result
        except IntegrationFault as fault:
            return failed(fault.code, fault.message)

    async def reconcile(self, call: ToolCall) -> Reconciled:
        """From our own notes of the attempt, and the copy that is laid into Sent only after acceptance.

        Raises `Retryable` while the mailbox cannot be asked.
        """
        notes: Mapping[str, str] = call.progress.stored if call.progress is not None else {}
        match notes.get("stage") if call.progress is not None else "data":
            case "accepted":
                return Reconciled(Settled.DONE, "The mail server had accepted the mail.", self._proof(call))
            case "data":
                result = await self._call(call, FIND_COPY, {"message_id": self._proof(call)["message_id"]})
                if result.ok and result.data and result.data["kept"]:
                    return Reconciled(Settled.DONE, "Its copy lies in the Sent folder.", self._proof(call))
                if result.error is not None and result.error.retriable:
                    raise Retryable(result.error.message)
                return Reconciled(
                    Settled.UNKNOWN,
                    "The mail was being handed over when the connection ended; whether it was sent is not known.",
                )
            case _:
                return Reconciled(Settled.REPEAT, "The mail had not been handed over yet.")

    # Within

    def _draft(self, call: ToolCall, **fields: Any) -> Draft:
        return Draft(
            sender=self._integration.address,
            sender_name=self._context.butler_name,
            token=call.token or call.call_id,
            date=self._context.clock.now().astimezone(self._context.zone),
            **fields,
        )

    def _proof(self, call: ToolCall) -> dict[str, Any]:
        return {"message_id": message_id(call.token or call.call_id, self._integration.address)}

    async def _dispatch(self, call: ToolCall, draft: Draft) -> IntegrationResult:
        outgoing = compose(draft)
        args = {
            "sender": outgoing.sender,
            "recipients": list(outgoing.recipients),
            "message_id": outgoing.message_id,
            "raw": await self._context.blobs.put(outgoing.wire),
        }
        result = await self._call(call, SEND, args, policy=_SENDS)
        if not result.ok or result.data is None or call.dry_run:
            return result
        # From here on the mail is out: whatever becomes of the copy, the send has worked.
        copy = await self._keep_copy(call, outgoing)
        return result.model_copy(update={"data": result.data | {"copy": copy}})

    async def _keep_copy(self, call: ToolCall, outgoing: Outgoing) -> str:
        raw = await self._context.blobs.put(outgoing.copy)
        result = await self._call(call, KEEP_COPY, {"message_id": outgoing.message_id, "raw": raw})
        if result.ok and result.data is not None:
            return f"kept in {result.data['folder']}"
        return f"not kept: {result.error.message if result.error else 'no answer'}"

    async def _search_here(self, call: ToolCall, args: SearchMailArgs, found: Found) -> IntegrationResult:
        """The server cannot search for these characters, so the newest mails are read and compared here."""
        looked = found.uids[:_MOST_READ_IN_SEARCH]
        found_here: list[_Stored] = []
        for at in range(0, len(looked), _AT_ONCE):
            mails = await self._mails(call, found.uidvalidity, looked[at : at + _AT_ONCE], headers_only=False)
            found_here += [mail for mail in mails if matches(args, mail.read.mail)]
        complete = len(looked) == len(found.uids)
        reason = "" if complete else f"only the newest {len(looked)} mails were looked at"
        rows = [row(mail.read.mail, self._shelf(mail)) for mail in found_here[: args.limit]]
        return listing(rows, len(found_here), complete=complete, reason=reason)

    async def _find(self, call: ToolCall, key: str) -> _Stored:
        """The mail of this id; the oldest one where several claim it. An inbox item's id stands for its mail."""
        if "@" not in key and (item := await self._context.records.inbound_by_id(key)) is not None:
            key = item.message_ref
        if key.startswith("uid:"):
            _, uidvalidity, uid = (*key.split(":"), "", "")[:3]
            if not (uidvalidity.isdigit() and uid.isdigit()):
                raise _gone(key)
            mails = await self._mails(call, int(uidvalidity), [int(uid)], headers_only=False)
            if not mails:
                raise _gone(key)
            return mails[0]
        found = Found.model_validate(await self._ask(call, SEARCH, {"message_id": key}))
        for uid in reversed(found.uids):
            for stored in await self._mails(call, found.uidvalidity, [uid], headers_only=False):
                if stored.read.mail.message_id == key:
                    return stored
        raise _gone(key)

    async def _mails(self, call: ToolCall, uidvalidity: int, uids: list[int], *, headers_only: bool) -> list[_Stored]:
        """These mails, read, in the order of `uids`."""
        stored: dict[int, _Stored] = {}
        left = list(uids)
        while left:
            args = {"uidvalidity": uidvalidity, "uids": left, "headers_only": headers_only}
            result = await self._call(call, FETCH, args)
            if result.error is not None and result.error.code is IntegrationErrorCode.CONFLICT:
                raise ToolFailedError(failed(IntegrationErrorCode.NOT_FOUND, f"{result.error.message}; search again"))
            fetched = FetchedMails.model_validate(_data(result))
            for mail in fetched.mails:
                if mail.uid in result.raw:
                    stored[mail.uid] = _Stored(uidvalidity, mail, await self._reader.read(result.raw[mail.uid]))
            left = fetched.left
        return [stored[uid] for uid in uids if uid in stored]

    def _shelf(self, stored: _Stored) -> Shelf:
        fetched = stored.fetched
        at = fetched.received_at or self._context.clock.now()
        key = mail_key(stored.read.mail, Place(self._integration.address, stored.uidvalidity, fetched.uid, at))
        thread = f"mail:{stored.read.mail.thread_root or key}"
        return Shelf(key, thread, fetched.received_at, "\\Seen" not in fetched.flags, fetched.size)

    async def _ask(self, call: ToolCall, method_id: str, args: dict[str, Any]) -> dict[str, Any]:
        return _data(await self._call(call, method_id, args))

    async def _call(
        self, call: ToolCall, method_id: str, args: dict[str, Any], policy: RetryPolicy = READS
    ) -> IntegrationResult:
        return await self._integration.call(
            IntegrationCall(
                trace_id=call.trace_id,
                method_id=method_id,
                args=args,
                timeout_ms=_TIMEOUT_MS,
                retry_policy=policy,
                token=call.token or None,
                progress=call.progress,
                dry_run=call.dry_run and method_id in {SEND, KEEP_COPY},
            )
        )


def _criteria(args: SearchMailArgs) -> dict[str, Any]:
    return {
        "words": args.words.split(),
        "sender": plain_sender(args),
        "subject": args.subject,
        "since": args.since,
        "before": args.before,
        "unread": args.unread,
    }


def _data(result: IntegrationResult) -> dict[str, Any]:
    if not result.ok or result.data is None:
        raise ToolFailedError(result)
    return result.data


def _gone(key: str) -> ToolFailedError:
    return ToolFailedError(failed(IntegrationErrorCode.NOT_FOUND, f"there is no mail {key} in the butler's mailbox"))
