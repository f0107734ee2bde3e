"""A tap on a card: found by the hash of its nonce, checked, and decided by one compare-and-set.

The message id that comes with a tap is learnt, never trusted: what a tap means stands in the button's row.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa
import structlog

from approvals.context import Context
from approvals.expiry import expire
from approvals.frozen import sha256
from approvals.show import DATA_PREFIX, learn_ref
from approvals.states import VERBS, State, Verb
from approvals.transition import redraw, transition
from approvals.visible import visible_address
from approvals.words import outcome
from butler.contract.card import MessageRef, OwnerMessage, plain
from butler.contract.errors import Refuse, Retryable
from butler.contract.inbound import Inbound
from butler.store.queries import approvals, audit, outbox, work
from butler.store.queries.approvals import ApprovalRow, ButtonRow, CardRef, Changes

log = structlog.get_logger(__name__)

ANSWER_LIMIT = 200


class Tapped(StrEnum):
    """What a tap came to."""

    DECIDED = "decided"
    TOO_LATE = "too late"
    """Decided, expired or withdrawn before; also the same tap delivered again."""
    STALE = "stale"
    """On the card of an earlier revision."""
    FOREIGN = "foreign"
    """By somebody who is not the owner."""
    ELSEWHERE = "elsewhere"
    """In a chat that the card was not sent to."""
    UNKNOWN = "unknown"
    """No button has this nonce: guessed, or older than the records."""


@dataclass(frozen=True, slots=True)
class TapAnswer:
    """What a tap came to, and what the person who tapped is told."""

    tapped: Tapped
    text: str
    approval_id: str | None = None


_REFUSALS = {
    Tapped.STALE: "A newer version has replaced this card. Nothing was done.",
    Tapped.FOREIGN: "This is not yours to decide. Nothing was done.",
    Tapped.ELSEWHERE: "This button belongs to another chat. Nothing was done.",
    Tapped.UNKNOWN: "I do not know this button any more. Nothing was done; /pending lists what waits for you.",
}
_DECIDED_STATES = frozenset(State) - {State.PENDING, State.EXPIRED, State.SUPERSEDED, State.CANCELLED}


class TapDesk:
    """Decides taps."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def decide(self, tap: Inbound) -> TapAnswer:
        """Decide, then answer the tap with what is recorded. Raises the store's errors, with nothing decided."""
        answer = await self._context.store.write(lambda c: self._decide(c, tap), "approval.tap")
        self._context.wake()
        query = str(tap.payload.get("query", ""))
        try:
            await self._context.channel.answer(query, answer.text, alert=answer.tapped is not Tapped.DECIDED)
        except (Retryable, Refuse) as error:
            # The decision stands and the card will show it; the pop-up is a courtesy.
            log.info("tap_not_answered", approval=answer.approval_id, kind=type(error).__name__)
        return answer

    def _decide(self, connection: sa.Connection, tap: Inbound) -> TapAnswer:
        nonce = str(tap.payload.get("data", "")).removeprefix(DATA_PREFIX)
        button = approvals.button(connection, sha256(nonce))
        owner = self._context.owner_id()
        if not owner or tap.sender != owner:
            self._tell_owner(connection, tap, button)
            return self._refuse(connection, tap, Tapped.FOREIGN, button)
        row = approvals.get(connection, button.approval_id) if button else None
        if button is None or row is None or button.owner != owner:
            return self._refuse(connection, tap, Tapped.UNKNOWN, button)
        if button.chat != tap.chat:
            return self._refuse(connection, tap, Tapped.ELSEWHERE, button)
        if button.revision != row.revision:
            return self._refuse(connection, tap, Tapped.STALE, button)
        if tap.message_ref:
            shown = MessageRef(chat=tap.chat, message_ids=(tap.message_ref,))
            learn_ref(connection, row.approval_id, CardRef(row.revision, shown))
        return self._act(connection, tap, row, button)

    def _act(self, connection: sa.Connection, tap: Inbound, row: ApprovalRow, button: ButtonRow) -> TapAnswer:
        now = self._context.clock.now()
        verb = Verb(button.verb)
        needed, new = VERBS[verb]
        if row.state == State.PENDING and now >= row.expires_at:
            expire(self._context, connection, row, now)
            return self._too_late(connection, tap, verb, row)
        changes = self._changes(verb, tap, now)
        if (
            row.state != needed
            or not approvals.use_button(connection, button.nonce_sha256, now)
            or not transition(connection, row, new, actor=tap.sender, now=now, **changes)
        ):
            return self._too_late(connection, tap, verb, row)
        if verb is Verb.APPROVE:
            work.add(connection, approvals.EXECUTE, row.approval_id, now=now, run_at=changes.get("execute_at"))
        return TapAnswer(Tapped.DECIDED, self._outcome(connection, row)[1], row.approval_id)

    def _changes(self, verb: Verb, tap: Inbound, now: datetime) -> Changes:
        if verb is Verb.APPROVE:
            undo = self._context.settings.undo_window
            return Changes(decided_at=now, decided_by=tap.sender, execute_at=now + undo, detail="")
        if verb is Verb.DENY:
            return Changes(decided_at=now, decided_by=tap.sender, detail="")
        return Changes(detail="")

    def _too_late(self, connection: sa.Connection, tap: Inbound, verb: Verb, row: ApprovalRow) -> TapAnswer:
        self._audit(connection, tap, Tapped.TOO_LATE, row.approval_id)
        state, text = self._outcome(connection, row)
        if verb is Verb.UNDO:
            text = f"Too late to undo. {text}"
        elif state in _DECIDED_STATES:
            text = f"Already decided. {text}"
        return TapAnswer(Tapped.TOO_LATE, _short(text), row.approval_id)

    def _outcome(self, connection: sa.Connection, row: ApprovalRow) -> tuple[State, str]:
        """How the approval stands now, which is more than `row` knows."""
        current = approvals.get(connection, row.approval_id) or row
        return State(current.state), _short(outcome(self._context, current, self._context.clock.now()))

    def _refuse(self, connection: sa.Connection, tap: Inbound, tapped: Tapped, button: ButtonRow | None) -> TapAnswer:
        approval_id = button.approval_id if button else None
        self._audit(connection, tap, tapped, approval_id)
        return TapAnswer(tapped, _REFUSALS[tapped], approval_id)

    def _audit(self, connection: sa.Connection, tap: Inbound, tapped: Tapped, approval_id: str | None) -> None:
        data = {"why": tapped.value, "inbound": tap.inbound_id, "chat": tap.chat}
        audit.append(connection, "approval.tap_refused", approval_id or "", tap.sender, data, self._context.clock.now())

    def _tell_owner(self, connection: sa.Connection, tap: Inbound, button: ButtonRow | None) -> None:
        """Once: on the card itself where it still waits, else in a message."""
        text = f"Somebody else ({visible_address(tap.sender)}) tapped a button that is yours alone. Nothing was done."
        now = self._context.clock.now()
        row = approvals.get(connection, button.approval_id) if button else None
        if row is not None:
            if approvals.warn(connection, row.approval_id, text):
                redraw(connection, row, now=now)
            return
        if (home := self._context.channel.home()) is not None:
            key = f"foreign-tap:{tap.sender}"
            outbox.add(connection, home, OwnerMessage(text=plain(text)), now=now, dedup_key=key)


def _short(text: str) -> str:
    return text if len(text) <= ANSWER_LIMIT else f"{text[: ANSWER_LIMIT - 1]}…"
