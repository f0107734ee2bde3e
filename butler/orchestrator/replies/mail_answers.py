"""Answers a request by mail also by mail, in its thread, to the owner and nobody else.

The answer is in the outbox under its own key, and a work row delivers it at least once. A mail that is not proved to be
the owner's, or that may not be answered, gets none.
"""

from datetime import datetime

import sqlalchemy as sa
import structlog

from butler.contract.card import OwnerMessage, rich_text
from butler.contract.errors import Refuse
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.ports import Clock, SecondChannel
from butler.contract.reasons import Reason, ReasonCode, of_error
from butler.contract.speech import phrase, say
from butler.guardrails.guard import Guard
from butler.orchestrator.planning.own_words import is_proved
from butler.orchestrator.replies.reply_checks import looked_over
from butler.store.queries import inbox, outbox
from butler.store.store import Store

log = structlog.get_logger(__name__)

CHOICES = phrase("To choose, tap one of the buttons in our chat.")


def answer(connection: sa.Connection, item: Inbound, message: OwnerMessage, key: str, now: datetime) -> None:
    """Queue an answer to a request by mail, once for each `key`; do nothing if the mail may get none."""
    if item.kind is not InboundKind.MAIL or not is_proved(item) or item.mail is None or not item.mail.answerable:
        return
    outbox.add_by_mail(connection, item.inbound_id, message, now=now, dedup_key=f"by_mail:{key}")


def answer_like_chat(connection: sa.Connection, item: Inbound, key: str, now: datetime) -> None:
    """Do the same with the message that the chat got under this key, if any."""
    if (message := outbox.by_key(connection, key)) is not None:
        answer(connection, item, message, key, now)


class MailAnswers:
    """The work handler of `mail_answer` rows."""

    def __init__(self, store: Store, clock: Clock, second: SecondChannel | None, guard: Guard | None = None) -> None:
        """`guard` checks what goes out."""
        self._store, self._clock, self._second, self._guard = store, clock, second, guard

    async def send(self, message_id: str) -> None:
        """Send one answer. Raise `Retryable` while it cannot be sent; record a refusal with its reason."""
        row = await self._store.read(lambda c: outbox.get(c, message_id))
        if row is None or row.state != outbox.BY_MAIL:
            return
        found = await self._store.read(lambda c: inbox.get(c, row.chat))
        why = await self._sent(found[0], row.message, row.dedup_key) if found else Reason(ReasonCode.MAIL_GONE)
        now = self._clock.now()
        if why is not None:
            log.warning("mail_answer_refused", inbound=row.chat, why=why.code.value)
            await self._store.write(lambda c: outbox.refused(c, message_id, why, now), "mail_answer.refused")
        else:
            await self._store.write(lambda c: outbox.sent_by_mail(c, message_id, now), "mail_answer.sent")

    async def _sent(self, item: Inbound, message: OwnerMessage, key: str) -> Reason | None:
        """Send the answer; return why it can never be sent, if so."""
        if self._second is None:
            return Reason(ReasonCode.NO_MAILBOX)
        choices = f"\n\n{say(CHOICES)}" if message.buttons else ""
        text = rich_text(looked_over(self._guard, message).text).strip()
        try:
            await self._second.answer(item, f"{text}{choices}\n", key)
        except Refuse as refusal:
            return of_error(refusal)
        return None
