"""Composes the mails that leave the owner's Gmail from what was shown, and completes an answer before it is shown."""

from dataclasses import replace

from butler.contract.errors import IntegrationErrorCode, IntegrationFault, Refuse
from butler.contract.integration import IntegrationResult
from butler.contract.module import ModuleContext
from butler.contract.speech import say
from butler.contract.tools import ToolCall
from modules.email.args import MOST_RECIPIENTS, ReplyToThreadArgs, SendMailArgs
from modules.email.attachments import attached
from modules.email.gmail.calls import GmailCalls
from modules.email.parsing.parsed import ParsedMail
from modules.email.parsing.reader import MailReader
from modules.email.replying import OwnAddress, OwnAddresses, answer, line_of, parent_of, quote_of, wants_html
from modules.email.smtp.compose import Draft, compose, reply_subject


class GmailComposer:
    """Composes mails for one account. Raises `ToolFailedError` and `IntegrationFault`."""

    def __init__(self, calls: GmailCalls, reader: MailReader, context: ModuleContext) -> None:
        self._calls = calls
        self._reader = reader
        self._context = context

    async def complete(self, call: ToolCall) -> IntegrationResult:
        """Complete an answer: its recipients, sender, subject and quoted mail."""
        args: ReplyToThreadArgs = call.args
        mail = await self._calls.mail(call, args.message_id)
        parsed = (await self._reader.read(mail.raw)).mail
        own = await self._calls.own(call)
        try:
            found = answer(parsed, own, everybody=args.reply_all)
        except Refuse as refusal:
            raise _refused(refusal.detail) from refusal
        if max(len(found.to), len(found.cc)) > MOST_RECIPIENTS:
            raise _refused(say("too many people would get this answer; name those who should"))
        _check_subject(args.subject or found.subject, parsed)
        told = quote_of if args.quote else line_of
        named = {person.address.lower() for person in args.to}
        data = {
            "to": [person.model_dump() for person in found.to],
            "cc": [person.model_dump() for person in found.cc if person.address not in named],
            # A card without a sender means the account's own address.
            "sender": "" if found.sender == own.primary else found.sender.address,
            "subject": found.subject,
            "answers": told(parsed, mail.got.received_at, self._context.zone),
        }
        return IntegrationResult(ok=True, data=data)

    async def new(self, call: ToolCall) -> str:
        """Compose a new mail from the account's own address; return its blob."""
        args: SendMailArgs = call.args
        own = await self._calls.own(call)
        draft = await self._draft(call, own.primary, args)
        return await self.kept(replace(draft, bcc=args.bcc))

    async def answer(self, call: ToolCall) -> tuple[str, str]:
        """Compose an answer; return its blob and thread. Only what threading needs of the answered mail is used."""
        args: ReplyToThreadArgs = call.args
        if not args.to:
            raise _refused(say("it is not known whom this answer goes to; name them"))
        mail = await self._calls.mail(call, args.message_id)
        parsed = (await self._reader.read(mail.raw)).mail
        _check_subject(args.subject, parsed)
        sender = _sender(args.sender, await self._calls.own(call))
        body = f"{args.body.rstrip()}\n\n{args.answers}" if args.quote and args.answers else args.body
        draft = await self._draft(call, sender, args)
        draft = replace(draft, body=body, html=wants_html(parsed), parent=parent_of(parsed))
        return await self.kept(draft), mail.got.thread_id

    async def _draft(self, call: ToolCall, sender: OwnAddress, args: SendMailArgs | ReplyToThreadArgs) -> Draft:
        return Draft(
            sender=sender.address,
            sender_name=sender.name,
            token=call.token or call.call_id,
            date=self._context.clock.now().astimezone(self._context.zone),
            to=args.to,
            cc=args.cc,
            subject=args.subject,
            body=args.body,
            attachments=await attached(args.attachments, self._context.storage.blobs),
            mark="user",
        )

    async def kept(self, draft: Draft) -> str:
        """Compose a mail; return its blob."""
        # Gmail reads the recipients from the headers, and removes Bcc before the mail leaves.
        return await self._context.storage.blobs.put(compose(draft).copy)


def _check_subject(subject: str, parent: ParsedMail) -> None:
    """Refuse a changed subject: Gmail and other clients recognise a thread by it."""
    kept = reply_subject(parent.subject)
    if subject != kept:
        raise _refused(say("an answer keeps its subject, {subject!r}; send a new mail for another", subject=kept))


def _sender(address: str, own: OwnAddresses) -> OwnAddress:
    found = own.sending(address) if address else own.primary
    if found is None or (address and found.address != address.lower()):
        # Gmail would silently send it from the account's own address.
        raise _refused(
            say(
                "mail cannot leave from {address}; verify it in Gmail's settings, or name another sender",
                address=address,
            )
        )
    return found


def _refused(message: str) -> IntegrationFault:
    return IntegrationFault(IntegrationErrorCode.INVALID_INPUT, message)
