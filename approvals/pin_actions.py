"""Asks for the PIN if an answer needs it, and does what was requested once the PIN was typed."""

from datetime import datetime

import sqlalchemy as sa
import structlog

from approvals.approval_batch_members import in_undo_window
from approvals.context import Context
from approvals.decide import PAUSED, decide_one
from approvals.outcome_text import outcome
from approvals.pause import is_paused, resume, resumed_words
from approvals.people import Names
from approvals.pin import (
    CHALLENGE_LIFE,
    LOCKED_FOR,
    Challenge,
    challenge,
    challenge_of,
    locked_until,
    note_right,
    note_wrong,
)
from approvals.pin_redactor import PAYLOAD, Typed
from approvals.states import State, Verb
from approvals.summary_lines import described
from approvals.tap_result import Press, TapAnswer, TapResult, refuse
from butler.contract.card import MessageRef, OwnerMessage, plain
from butler.contract.errors import Refuse, Retryable
from butler.contract.inbound import Inbound
from butler.contract.speech import phrase, say, say_many
from butler.store.queries import approvals, buttons, inbox, outbox
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.inbox import InboxNote, InboxState

log = structlog.get_logger(__name__)

PROMPT = phrase("Type your PIN as a message; it will be deleted.")
NOT_ASKED = phrase("I am not waiting for your PIN any more, so I did not look at what you typed and did nothing.")
ELSEWHERE = phrase("I took that for your PIN, so I did not keep it. I wait for it in our own chat.")
UNDELETED = phrase("I could not delete the message with your PIN just now: please see that it is gone.")


class PinActions:
    """Asks for the PIN, and handles what was typed."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def ask(self, connection: sa.Connection, press: Press, row: ApprovalRow) -> TapAnswer:
        """Answer a tap that cannot approve as it is: ask for the PIN that it needs, or say why it is refused.

        Nothing is decided, and the button is not used up.
        """
        now = press.now
        if refused := say(PAUSED) if is_paused(connection, row.identity) else self._locked(connection, now):
            return refuse(connection, press.tap, TapResult.REFUSED, row.approval_id, now, refused)
        button = press.button
        chat = self._chat(press.tap.chat)
        about = {"approval_id": row.approval_id, "revision": row.revision, "nonce_sha256": button.nonce_sha256}
        what = described(self._context.invoker, row, Names(connection))
        card = press.tap.message_ref if chat == press.tap.chat else ""
        asked = challenge(connection, chat, now, **about)
        self._say(connection, asked, say("It approves this: {what}.", what=what), now, reply_to=card or None)
        return TapAnswer(TapResult.NOTED, say(PROMPT), row.approval_id)

    def ask_to_resume(self, connection: sa.Connection, chat: str, now: datetime) -> str:
        """Ask for the PIN that `/resume` needs; return what to say if that is impossible."""
        if locked := self._locked(connection, now):
            return locked
        self._say(connection, challenge(connection, self._chat(chat), now), say("It lifts the pause."), now)
        return ""

    async def take(self, item: Inbound) -> None:
        """Act on a typed PIN, once, after its message has been deleted if possible."""
        deleted = await self._delete(item)
        await self._context.store.write(lambda c: self._settle(c, item, deleted=deleted), "approval.pin")
        self._context.wake()

    async def _delete(self, item: Inbound) -> bool:
        try:
            return await self._context.channel.delete(MessageRef(chat=item.chat, message_ids=(item.message_ref,)))
        except (Retryable, Refuse) as error:
            log.info("pin_not_deleted", kind=type(error).__name__)
            return False

    def _settle(self, connection: sa.Connection, item: Inbound, *, deleted: bool) -> None:
        if inbox.state(connection, item.inbound_id) is not InboxState.NEW:
            return
        now = self._context.clock.now()
        text = self._answer(connection, item, now) + ("" if deleted else f" {say(UNDELETED)}")
        key = f"pin:{item.inbound_id}"
        outbox.add(connection, item.chat, OwnerMessage(text=plain(text)), now=now, dedup_key=key)
        inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now, detail=InboxNote.PIN)

    def _answer(self, connection: sa.Connection, item: Inbound, now: datetime) -> str:
        if item.payload[PAYLOAD] == Typed.ELSEWHERE:
            return say(ELSEWHERE)
        asked = challenge_of(connection)
        if locked := self._locked(connection, now):
            return locked
        late = item.payload[PAYLOAD] == Typed.LATE
        if late or asked is None or asked.challenge_id != item.payload["challenge"] or not asked.open_at(now):
            return say(NOT_ASKED)
        if item.payload[PAYLOAD] == Typed.WRONG:
            return _wrong_words(note_wrong(connection, asked, item.sender, now))
        note_right(connection, asked, item.sender, now)
        if not asked.approval_id:
            return resumed_words(resume(connection, item.sender, now))
        return self._approve(connection, asked, item.sender, now)

    def _approve(self, connection: sa.Connection, asked: Challenge, actor: str, now: datetime) -> str:
        """Approve as a tap on the button does; return the outcome."""
        row = approvals.get(connection, asked.approval_id)
        button = buttons.get(connection, asked.nonce_sha256)
        if row is None or button is None or row.revision != asked.revision or button.used_at is not None:
            return say("The card has changed since you tapped Approve, so nothing was done.")
        if decide_one(self._context, connection, row, Verb.APPROVE, actor, now, pin_given=True):
            buttons.use(connection, asked.nonce_sha256, now)
        current = approvals.get(connection, asked.approval_id) or row
        if current.state == State.PENDING:
            return say("This cannot be approved now; it still waits for you.")
        text = outcome(self._context, current, now)
        return " ".join((text, say("Undo is on its card."))) if in_undo_window([current]) else text

    def _locked(self, connection: sa.Connection, now: datetime) -> str:
        until = locked_until(connection, now)
        if until is None:
            return ""
        return say("Your PIN is locked until {until}. Nothing was done.", until=self._context.wall_time(until))

    def _chat(self, chat: str) -> str:
        """Return the chat of the tap if it is the owner's own, or a topic of it: nobody else may see a PIN."""
        home = self._context.channel.home() or ""
        return chat if chat == home or chat.startswith(f"{home}:") else home

    def _say(
        self, connection: sa.Connection, asked: Challenge, what: str, now: datetime, *, reply_to: str | None = None
    ) -> None:
        minutes = CHALLENGE_LIFE.seconds // 60
        wait = say("I wait for {minutes} minutes.", minutes=minutes)
        text = f"{say(PROMPT)} {wait} {what}"
        key = f"pin-asked:{asked.challenge_id}"
        message = OwnerMessage(text=plain(text), reply_to=reply_to)
        outbox.add(connection, asked.chat, message, now=now, dedup_key=key)


def _wrong_words(left: int) -> str:
    """Return that a PIN was wrong, and how many tries are left."""
    if left:
        return say_many(
            left, "That is not your PIN. You can try once more.", "That is not your PIN. You can try twice more."
        )
    minutes = LOCKED_FOR.seconds // 60
    return say(
        "That is not your PIN either. It is locked for {minutes} minutes, and nothing was done.", minutes=minutes
    )
