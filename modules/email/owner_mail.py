"""The butler's mails to its owner: urgent texts while their usual channel is down, and answers to their mails.

Urgent texts are sent at least once, and stored nowhere: they may hold a code. An answer is sent at most once, as is
every requested mail; its progress is noted, and its copy is in Sent.
"""

import hashlib
from datetime import timedelta
from typing import Any

from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault, Refuse, Retryable
from butler.contract.inbound import Inbound
from butler.contract.integration import Progress, RetryPolicy
from butler.contract.module import ModuleContext
from butler.contract.reasons import own_words
from butler.contract.speech import say
from butler.contract.tappable import broken
from butler.contract.tools import Recipient, Settled, ToolCall
from butler.contract.visible import visible, visible_line
from modules.email.answerable import UNREAD
from modules.email.args import ReplyArgs
from modules.email.imap.methods import NOTIFY
from modules.email.imap.reading import MailboxReading
from modules.email.imap.sending import MailSender
from modules.email.integration_smtp import SEND_TIMEOUT_MS
from modules.email.integration_smtp_imap import SmtpImapIntegration
from modules.email.parsing.reader import MailReader
from modules.email.replying import quoted
from modules.email.smtp.compose import Draft, Parent, compose, message_id

_SENDS = RetryPolicy(max_attempts=3, backoff_s=1.0)
_NEVER = frozenset({IntegrationErrorCode.INVALID_INPUT, IntegrationErrorCode.REJECTED, IntegrationErrorCode.FORBIDDEN})
_WAITS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 120, 240, 480, 480))
"""Pauses between the attempts to send an answer: a day in total, as with mail servers."""


class MailToOwner:
    """Implements `SecondChannel`."""

    def __init__(self, integration: SmtpImapIntegration, reader: MailReader, context: ModuleContext) -> None:
        self._integration = integration
        self._context = context
        self._outbox = MailSender(integration, MailboxReading(integration, reader), context.storage.blobs)

    async def send(self, to: str, subject: str, text: str, key: str) -> str:
        token = _token(key)
        try:
            outgoing = compose(self._draft(to, token, subject=visible_line(subject), body=_inert(text), notice=True))
        except IntegrationFault as fault:
            raise _error(fault.code, fault.message) from fault
        args = {
            "sender": outgoing.sender,
            "recipients": list(outgoing.recipients),
            "message_id": outgoing.message_id,
            "wire": outgoing.wire.decode(),
        }
        result = await self._integration.request(
            f"owner-{token[:12]}", NOTIFY, args, timeout_ms=SEND_TIMEOUT_MS, retry_policy=_SENDS, token=token
        )
        if result.error is not None:
            error = result.error
            raise _error(error.code, error.message, timedelta(seconds=error.retry_after_s or 0))
        return outgoing.message_id

    async def answer(self, item: Inbound, text: str, key: str) -> str:
        to, token = item.sender.removeprefix("mail:"), _token(key)
        if item.mail is not None and not item.mail.answerable:
            why = own_words(item.mail.why_not or UNREAD)
            raise Refuse(say("the mail may not be answered: it {why}", why=why))
        data = item.payload
        parent = Parent(data["message_id"], data["in_reply_to"], tuple(data["references"]), data["subject"])
        quote = quoted(to, item.received_at, item.text, self._context.zone)
        body = f"{_inert(text).rstrip()}\n\n{quote}"
        try:
            draft = self._draft(to, token, subject="", body=body, parent=parent, html=True, automatic=True)
        except IntegrationFault as fault:
            raise _error(fault.code, fault.message) from fault
        if why := await self._context.inbox.answers.note(token, to, item.chat):
            raise Refuse(why)
        progress = await self._context.inbox.answers.progress(token)
        args = ReplyArgs(message_id=item.inbound_id, body=body)
        call = ToolCall("bot_email_reply_to_thread", args, token, f"owner-{token[:12]}", token=token, progress=progress)
        if not await self._is_out(call, progress):
            await self._hand_over(call, progress, draft)
        return message_id(token, self._integration.address)

    async def _is_out(self, call: ToolCall, progress: Progress) -> bool:
        """Return whether an earlier attempt sent it. Raise `Refuse` if unknown: it is not sent again blindly."""
        if "stage" not in progress.stored:
            return False
        found = await self._outbox.reconcile(call)
        if found.settled is Settled.UNKNOWN:
            raise Refuse(" ".join(map(own_words, found.detail)))
        return found.settled is Settled.DONE

    async def _hand_over(self, call: ToolCall, progress: Progress, draft: Draft) -> None:
        try:
            result = await self._outbox.send(call, draft)
        except IntegrationFault as fault:
            raise _error(fault.code, fault.message) from fault
        if result.error is None or (result.error.effect is Effect.UNKNOWN and await self._is_out(call, progress)):
            return
        tries = int(progress.stored.get("tries", "0"))
        if tries >= len(_WAITS):
            raise Refuse(say("given up after a day of tries: {why}", why=result.error.message))
        await progress.save(tries=str(tries + 1))
        raise _error(result.error.code, result.error.message, _WAITS[tries])

    def _draft(self, to: str, token: str, **fields: Any) -> Draft:
        if to not in self._context.owner.emails:
            raise Refuse(say("{address} is not an address of the owner's", address=to))
        return Draft(
            sender=self._integration.address,
            sender_name=self._context.butler_name,
            token=token,
            date=self._context.clock.now().astimezone(self._context.zone),
            to=(Recipient(address=f"mail:{to}"),),
            **fields,
        )


def _inert(text: str) -> str:
    """Return a text without hidden characters and links: mail programs link everything that looks like one."""
    return broken(visible(text))


def _token(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:40]


def _error(code: IntegrationErrorCode, message: str, wait: timedelta = timedelta()) -> Refuse | Retryable:
    """Return `Refuse` for a refusal, `Retryable` for all else: even a wrong password may be corrected later."""
    return Refuse(message) if code in _NEVER else Retryable(message, wait=wait)
