"""Takes a mail to the butler from the inbox to the owner: as a note in their chat, once, and never as an act."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from approvals.visible import visible_line
from butler.contract.card import Button, OwnerChannel, OwnerMessage, Span
from butler.contract.conversation import ReferentKind
from butler.contract.inbound import Inbound
from butler.contract.ports import Clock, OwnerFacts
from butler.orchestrator.mail_note import LINE, MailNote, mail_note
from butler.store.queries import conversations, inbox, outbox
from butler.store.queries.inbox import InboxState
from butler.store.store import Store

LABEL = 40


class MailDesk:
    """What is done about mails, until it is settled who may command by mail."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        channel: OwnerChannel,
        owner: OwnerFacts,
        *,
        zone: ZoneInfo,
        wake: Callable[[], None],
    ) -> None:
        self._store, self._clock, self._channel, self._owner = store, clock, channel, owner
        self._zone, self._wake = zone, wake

    async def take(self, item: Inbound) -> None:
        """Tell the owner of a mail; what the butler wrote itself is no news."""
        home = self._channel.home()
        if home is None or item.payload.get("own"):
            why = "nobody is paired" if home is None else "written by the butler itself"
            now = self._clock.now()
            await self._store.write(
                lambda c: inbox.settle(c, item.inbound_id, InboxState.IGNORED, now=now, detail=why), "settle"
            )
            return
        await self._store.write(lambda c: self._note(c, item, home), "mail_note")
        self._wake()

    def _note(self, connection: sa.Connection, item: Inbound, home: str) -> None:
        if inbox.state(connection, item.inbound_id) is not InboxState.NEW:
            return
        now = self._clock.now()
        if why := str(item.payload.get("quarantine") or ""):
            outbox.add(connection, home, unreadable(item, why), now=now, dedup_key=f"mail:{item.inbound_id}")
            inbox.settle(connection, item.inbound_id, InboxState.QUARANTINED, now=now, detail=why)
            return
        state = conversations.load(connection, home)
        key = str(item.payload.get("message_id") or item.inbound_id)
        referent = state.add_referent(ReferentKind.MAIL, key, tool="bot_email_search_inbox", at=item.sent_at)
        told = mail_note(item, owner_emails=self._owner.emails, handle=referent.handle, zone=self._zone)
        message = OwnerMessage(text=told.text, buttons=self._offer(connection, home, told, referent.handle))
        message_id = outbox.add(connection, home, message, now=now, dedup_key=f"mail:{item.inbound_id}")
        state.add_message("assistant", told.memory, timestamp=now)
        state.referents = [
            r.model_copy(update={"shown_in": message_id or ""}) if r.handle == referent.handle else r
            for r in state.referents
        ]
        conversations.save(connection, state, now)
        inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now)

    def _offer(
        self, connection: sa.Connection, home: str, told: MailNote, handle: str
    ) -> tuple[tuple[Button, ...], ...]:
        if not told.offer:
            return ()
        data = conversations.offer(connection, home, told.offer, replied_to=handle, now=self._clock.now())
        line = " ".join(told.offer.split())
        label = line if len(line) <= LABEL else f"{line[: LABEL - 1]}…"
        return ((Button(label=f"Do it: {label}", data=data),),)


def unreadable(item: Inbound, why: str) -> OwnerMessage:
    """What is told of a mail that was stored but must not be touched."""
    sender = visible_line(item.sender.removeprefix("mail:")[:LINE])
    return OwnerMessage(text=(Span(text=f"✉️ A mail from {sender} came in that I could not read: {why}. I kept it."),))
