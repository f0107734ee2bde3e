"""Mails of the butler to its owner, for when their usual channel is down. At least once: a doubled mail is possible."""

import hashlib
from typing import Any

from butler.contract.errors import IntegrationErrorCode, IntegrationFault, Refuse, Retryable
from butler.contract.inbound import Inbound
from butler.contract.integration import IntegrationCall, RetryPolicy
from butler.contract.module import ModuleContext
from butler.contract.tools import Recipient
from modules.email.compose import Draft, Parent, compose
from modules.email.imap_methods import NOTIFY
from modules.email.integration_smtp_imap import SmtpImapIntegration

_TIMEOUT_MS = 60_000
_SENDS = RetryPolicy(max_attempts=3, backoff_s=1.0)
_NEVER = frozenset({IntegrationErrorCode.INVALID_INPUT, IntegrationErrorCode.REJECTED, IntegrationErrorCode.FORBIDDEN})


class MailToOwner:
    """Meets `SecondChannel`."""

    def __init__(self, integration: SmtpImapIntegration, context: ModuleContext) -> None:
        self._integration = integration
        self._context = context

    async def send(self, to: str, subject: str, text: str, key: str) -> str:
        return await self._leave(to, key, subject=subject, body=text, notice=True)

    async def answer(self, item: Inbound, text: str, key: str) -> str:
        to = item.sender.removeprefix("mail:")
        if item.mail is not None and not item.mail.answerable:
            raise Refuse(f"the mail may not be answered: it {item.mail.why_not}")
        if why := await self._context.answers.note(_token(key), to, item.chat):
            raise Refuse(why)
        told = item.payload
        parent = Parent(told["message_id"], told["in_reply_to"], tuple(told["references"]), told["subject"])
        return await self._leave(to, key, subject="", body=text, parent=parent, automatic=True)

    async def _leave(self, to: str, key: str, **fields: Any) -> str:
        token = _token(key)
        if to not in self._context.owner.emails:
            raise Refuse(f"{to} is not an address of the owner's")
        try:
            draft = Draft(
                sender=self._integration.address,
                sender_name=self._context.butler_name,
                token=token,
                date=self._context.clock.now().astimezone(self._context.zone),
                to=(Recipient(address=f"mail:{to}"),),
                **fields,
            )
            outgoing = compose(draft)
        except IntegrationFault as fault:
            raise _error(fault.code, fault.message) from fault
        args = {
            "sender": outgoing.sender,
            "recipients": list(outgoing.recipients),
            "message_id": outgoing.message_id,
            "wire": outgoing.wire.decode(),
        }
        result = await self._integration.call(
            IntegrationCall(
                trace_id=f"owner-{token[:12]}",
                method_id=NOTIFY,
                args=args,
                timeout_ms=_TIMEOUT_MS,
                retry_policy=_SENDS,
                token=token,
            )
        )
        if result.error is not None:
            raise _error(result.error.code, result.error.message)
        return outgoing.message_id


def _token(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:40]


def _error(code: IntegrationErrorCode, message: str) -> Refuse | Retryable:
    """What was refused stays refused; all else, a wrong password too, may be better later."""
    return Refuse(message) if code in _NEVER else Retryable(message)
