"""Sends mails from the owner's mailbox over SMTP, or saves them in its Drafts; answers exactly as shown."""

from collections.abc import Awaitable
from dataclasses import replace

from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode, IntegrationFault, Refuse
from butler.contract.integration import IntegrationResult
from butler.contract.module import ModuleContext
from butler.contract.speech import say
from butler.contract.tools import Reconciled, ToolCall
from modules.email.args import MOST_RECIPIENTS, ReplyToThreadArgs, SendMailArgs
from modules.email.attachments import attached
from modules.email.imap.reading import MailboxReading
from modules.email.imap.sending import MailSender
from modules.email.imap.user_finding import MailFinder
from modules.email.integration_smtp_imap import SmtpImapIntegration
from modules.email.replying import OwnAddress, OwnAddresses, answer, line_of, parent_of, quote_of, wants_html
from modules.email.smtp.compose import Draft
from modules.email.views import ToolFailedError


class UserSending:
    """The handlers of one account's writing tools."""

    def __init__(
        self, integration: SmtpImapIntegration, finder: MailFinder, calls: MailboxReading, context: ModuleContext
    ) -> None:
        self._integration = integration
        self._finder = finder
        self._context = context
        self._sender = MailSender(integration, calls, context.storage.blobs)

    def own(self) -> OwnAddresses:
        """Return the account's address, the only one that mail is sent from, and the owner's others."""
        return OwnAddresses((OwnAddress(self._integration.address),), self._context.owner.emails)

    async def send(self, call: ToolCall) -> IntegrationResult:
        return await _result(self._send(call))

    async def dispatch(self, call: ToolCall, draft: Draft) -> IntegrationResult:
        """Send a mail that is already composed."""
        return await _result(self._sender.send(call, draft))

    async def reply(self, call: ToolCall) -> IntegrationResult:
        return await _result(self._reply(call))

    async def draft_message(self, call: ToolCall) -> IntegrationResult:
        return await _result(self._save_new(call))

    async def draft_reply(self, call: ToolCall) -> IntegrationResult:
        return await _result(self._save_answer(call))

    async def complete_reply(self, call: ToolCall) -> IntegrationResult:
        return await _result(self._complete(call))

    async def reconcile(self, call: ToolCall) -> Reconciled:
        return await self._sender.reconcile(call)

    async def reconcile_draft(self, call: ToolCall) -> Reconciled:
        return await self._sender.reconcile_draft(call)

    # Within

    async def _send(self, call: ToolCall) -> IntegrationResult:
        return await self._sender.send(call, await self._new(call))

    async def _reply(self, call: ToolCall) -> IntegrationResult:
        return await self._sender.send(call, await self._answer(call))

    async def _save_new(self, call: ToolCall) -> IntegrationResult:
        return await self._sender.save_draft(call, await self._new(call))

    async def _save_answer(self, call: ToolCall) -> IntegrationResult:
        return await self._sender.save_draft(call, await self._answer(call))

    async def _complete(self, call: ToolCall) -> IntegrationResult:
        args: ReplyToThreadArgs = call.args
        stored = await self._finder.find(call, args.message_id)
        mail, at = stored.read.mail, stored.fetched.received_at
        try:
            found = answer(mail, self.own(), everybody=args.reply_all)
        except Refuse as refusal:
            raise _refused(refusal.detail) from refusal
        if max(len(found.to), len(found.cc)) > MOST_RECIPIENTS:
            raise _refused(say("too many people would get this answer; name those who should"))
        named = {person.address.lower() for person in args.to}
        data = {
            "to": [person.model_dump() for person in found.to],
            "cc": [person.model_dump() for person in found.cc if person.address not in named],
            "subject": found.subject,
            "answers": (quote_of if args.quote else line_of)(mail, at, self._context.zone),
        }
        return IntegrationResult(ok=True, data=data)

    async def _new(self, call: ToolCall) -> Draft:
        args: SendMailArgs = call.args
        return replace(await self._mail(call, args), bcc=args.bcc)

    async def _answer(self, call: ToolCall) -> Draft:
        """Build an answer as it was shown; of the mail being answered it uses only what threading needs."""
        args: ReplyToThreadArgs = call.args
        if not args.to:
            raise _refused(say("it is not known whom this answer goes to; name them"))
        if args.sender and self.own().sending(args.sender) is None:
            raise _refused(
                say(
                    "mail cannot leave from {sender}; this account sends from {own}",
                    sender=args.sender,
                    own=self._integration.address,
                )
            )
        mail = (await self._finder.find(call, args.message_id)).read.mail
        body = f"{args.body.rstrip()}\n\n{args.answers}" if args.quote and args.answers else args.body
        return replace(await self._mail(call, args), body=body, html=wants_html(mail), parent=parent_of(mail))

    async def _mail(self, call: ToolCall, args: SendMailArgs | ReplyToThreadArgs) -> Draft:
        return Draft(
            sender=self._integration.address,
            token=call.token or call.call_id,
            date=self._context.clock.now().astimezone(self._context.zone),
            to=args.to,
            cc=args.cc,
            subject=args.subject,
            body=args.body,
            attachments=await attached(args.attachments, self._context.storage.blobs),
            mark="user",
        )


async def _result(handler: Awaitable[IntegrationResult]) -> IntegrationResult:
    try:
        return await handler
    except ToolFailedError as failure:
        return failure.result
    except IntegrationFault as fault:
        return failed(fault.code, fault.message)


def _refused(message: str) -> IntegrationFault:
    return IntegrationFault(IntegrationErrorCode.INVALID_INPUT, message)
