"""The tools' handlers for the butler's own mailbox: search, read, send, answer, and reconcile a send."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from butler.contract.door import failed
from butler.contract.errors import BlobDamagedError, IntegrationErrorCode, IntegrationFault
from butler.contract.inbound import Inbound
from butler.contract.integration import IntegrationResult
from butler.contract.module import ModuleContext
from butler.contract.names import Identity
from butler.contract.provenance import Labelled, Origin
from butler.contract.reasons import own_words
from butler.contract.speech import say
from butler.contract.tappable import broken
from butler.contract.tools import Recipient, Reconciled, ToolCall
from butler.contract.visible import visible, visible_line
from modules.email.answerable import UNREAD, why_never_answered
from modules.email.args import ReadMailArgs, ReplyArgs, SearchMailArgs, SendMailArgs
from modules.email.attachments import attached
from modules.email.imap.connection import INBOX
from modules.email.imap.folders import spelt
from modules.email.imap.methods import FetchedMail
from modules.email.imap.reading import MailboxReading, StoredMail
from modules.email.imap.sending import MailSender
from modules.email.inbound import Place, keep_files, mail_key
from modules.email.intake import Intake
from modules.email.integration_smtp_imap import SmtpImapIntegration
from modules.email.original import Original
from modules.email.parsing.reader import MailReader
from modules.email.replying import parent_of, quote_of
from modules.email.smtp.compose import Draft
from modules.email.views import MailEntry, ToolFailedError, listing, row, whole


class BotMailbox:
    """The handlers of the butler's mail tools."""

    def __init__(
        self,
        integration: SmtpImapIntegration,
        intake: Intake,
        reader: MailReader,
        context: ModuleContext,
        handled_folder: str = "",
    ) -> None:
        """`handled_folder` is the owner's name of the folder for handled mails."""
        self._integration = integration
        self._intake = intake
        self._context = context
        self._reader = reader
        self._mailbox = MailboxReading(integration, reader)
        self._folders = (INBOX, *([spelt(handled_folder)] if handled_folder else []))
        self._outbox = MailSender(integration, self._mailbox, context.storage.blobs)

    async def search(self, call: ToolCall) -> IntegrationResult:
        args: SearchMailArgs = call.args
        try:
            hits = await self._mailbox.search_in(call, args, self._folders)
        except ToolFailedError as failure:
            return failure.result
        rows = [row(mail.read.mail, self._entry(mail)) for mail in hits.mails]
        return listing(rows, hits.count, complete=hits.complete, reason=hits.reason)

    async def read(self, call: ToolCall) -> IntegrationResult:
        args: ReadMailArgs = call.args
        try:
            stored = await self._find(call, args.message_id)
        except ToolFailedError as failure:
            return failure.result
        files = await keep_files(stored.read, self._context.storage.blobs)
        return whole(stored.read.mail, self._entry(stored), files)

    async def original(self, call: ToolCall, message_id: str) -> Original:
        """Return one mail as received. Raise `ToolFailedError`."""
        stored = await self._find(call, message_id)
        return Original(stored.raw, stored.read)

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
            "reason": "" if report.new or report.quarantined else say("no mail has come since the last look"),
        }
        return IntegrationResult(ok=True, data=data)

    async def send(self, call: ToolCall) -> IntegrationResult:
        args = self.mail_as_sent(call.args, call.origins)
        try:
            draft = self._draft(call, to=args.to, cc=args.cc, bcc=args.bcc, subject=args.subject, body=args.body)
            files = await attached(args.attachments, self._context.storage.blobs)
            return await self._outbox.send(call, replace(draft, attachments=files))
        except ToolFailedError as failure:
            return failure.result
        except IntegrationFault as fault:
            return failed(fault.code, fault.message)

    async def reply(self, call: ToolCall) -> IntegrationResult:
        args = self.reply_as_sent(call.args, call.origins)
        try:
            return await self._answer(call, args, await self._find(call, args.message_id))
        except ToolFailedError as failure:
            return failure.result
        except IntegrationFault as fault:
            return failed(fault.code, fault.message)

    def mail_as_sent(self, args: SendMailArgs, origins: frozenset[Origin]) -> SendMailArgs:
        """Return a mail as sent: if it goes to the owner alone, links from others' words are made unclickable."""
        if not self._is_others_to_owner((*args.to, *args.cc, *args.bcc), origins):
            return args
        texts = {"subject": broken(visible_line(args.subject)), "body": broken(visible(args.body))}
        return args.model_copy(update=texts)

    def reply_as_sent(self, args: ReplyArgs, origins: frozenset[Origin]) -> ReplyArgs:
        """Return an answer as sent, with links made unclickable in the same way."""
        if not args.to or not self._is_others_to_owner(args.to, origins):
            return args
        return args.model_copy(update={"body": broken(visible(args.body))})

    def _is_others_to_owner(self, recipients: Iterable[Recipient], origins: frozenset[Origin]) -> bool:
        reached = {one.address.lower().removeprefix("mail:") for one in recipients}
        return reached <= self._context.owner.emails and Labelled(value=None, origins=origins).tainted

    async def complete_reply(self, call: ToolCall) -> IntegrationResult:
        """Return the recipients of an answer; a failure if nobody may be answered."""
        args: ReplyArgs = call.args
        try:
            writer = _writer(await self._find(call, args.message_id), self._integration.address)
        except ToolFailedError as failure:
            return failure.result
        except IntegrationFault as fault:
            return failed(fault.code, fault.message)
        return IntegrationResult(ok=True, data={"to": [{"address": f"mail:{writer}"}]})

    async def reconcile(self, call: ToolCall) -> Reconciled:
        """Reconcile a send. Raise `Retryable` while the mailbox cannot be reached."""
        return await self._outbox.reconcile(call)

    # Internals

    async def _answer(self, call: ToolCall, args: ReplyArgs, stored: StoredMail) -> IntegrationResult:
        """Answer the writer of a mail, quoting it, unless the mail or the number of answers forbids it."""
        mail, writer = stored.read.mail, _writer(stored, self._integration.address)
        if args.to and args.to[0].address.lower() != f"mail:{writer}":
            raise IntegrationFault(
                IntegrationErrorCode.INVALID_INPUT,
                say("this mail was written by {address}, nobody else", address=writer),
            )
        quote = quote_of(mail, stored.fetched.received_at, self._context.zone)
        body = f"{args.body.rstrip()}\n\n{quote}"
        draft = self._draft(call, to=(Recipient(address=f"mail:{writer}"),), subject="", body=body)
        draft = replace(draft, parent=parent_of(mail), html=True, automatic=True)
        if not call.dry_run and (
            why := await self._context.inbox.answers.note(draft.token, writer, self._entry(stored).thread)
        ):
            raise IntegrationFault(IntegrationErrorCode.REJECTED, say("this mail is not answered: {why}", why=why))
        return await self._outbox.send(call, draft)

    def _draft(self, call: ToolCall, **fields: Any) -> Draft:
        return Draft(
            sender=self._integration.address,
            sender_name=self._context.butler_name,
            token=call.token or call.call_id,
            date=self._context.clock.now().astimezone(self._context.zone),
            **fields,
        )

    async def _find(self, call: ToolCall, key: str) -> StoredMail:
        """Return the mail of this id. An inbox item's id means its mail only, no other with the same Message-ID."""
        item = None if "@" in key else await self._context.inbox.records.inbound_by_id(key)
        if item is not None and item.identity is not Identity.BOT:
            raise _gone(key)
        if item is not None and not item.payload["quarantine"] and (kept := await self._kept(item)) is not None:
            return kept
        key = item.message_ref if item else key
        if not key.startswith("uid:"):
            found = await self._mailbox.by_message_id_in(call, key, self._folders)
        else:
            _, uidvalidity, uid = (*key.split(":"), "", "")[:3]
            if not (uidvalidity.isdigit() and uid.isdigit()):
                raise _gone(key)
            mails = await self._mailbox.mails(call, INBOX, int(uidvalidity), [int(uid)], headers_only=False)
            found = mails[0] if mails else None
        if found is None and item is not None:
            found = await self._kept(item)
        if found is None:
            raise _gone(key)
        return found

    async def _kept(self, item: Inbound) -> StoredMail | None:
        """Return a mail as stored when it was received."""
        place = item.payload
        try:
            raw = await self._context.storage.blobs.get(place["raw"])
        except (KeyError, BlobDamagedError):
            return None
        fetched = FetchedMail(uid=place["uid"], size=len(raw), received_at=item.received_at, flags=[], complete=True)
        return StoredMail(INBOX, place["uidvalidity"], fetched, await self._reader.read(raw), raw)

    def _entry(self, stored: StoredMail) -> MailEntry:
        fetched = stored.fetched
        at = fetched.received_at or self._context.clock.now()
        key = mail_key(stored.read.mail, Place(self._integration.address, stored.uidvalidity, fetched.uid, at))
        thread = f"mail:{stored.read.mail.thread_root or key}"
        return MailEntry(key, thread, fetched.received_at, "\\Seen" not in fetched.flags, fetched.size)


def _writer(stored: StoredMail, own: str) -> str:
    """Return whom a machine may answer: the mail's sender, whatever its Reply-To. Raise a fault if nobody."""
    mail = stored.read.mail
    why = UNREAD if stored.read.unreadable else why_never_answered(mail, own)
    if why is not None or mail.sender is None:
        told = own_words(why or UNREAD)
        raise IntegrationFault(
            IntegrationErrorCode.REJECTED, say("this mail is never answered by a machine: it {why}", why=told)
        )
    return mail.sender.address


def _gone(key: str) -> ToolFailedError:
    return ToolFailedError(
        failed(IntegrationErrorCode.NOT_FOUND, say("there is no mail {key} in the butler's mailbox", key=key))
    )
