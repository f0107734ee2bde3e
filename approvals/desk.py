"""The approvals as everybody else sees them: ask for a call, decide a tap, see what is pending, withdraw."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
import structlog

from approvals.card import shown_of
from approvals.context import Context
from approvals.decisions import Decisions
from approvals.executor import Executor
from approvals.expiry import Expiry
from approvals.policy import Verdict
from approvals.request import Proposal, request
from approvals.restored import settle_restored
from approvals.show import CardShower
from approvals.states import VERBS, State
from approvals.tap import TapDesk
from approvals.tapped import TapAnswer
from approvals.transition import redraw, transition
from butler.contract.inbound import Inbound
from butler.contract.ports import WorkHandler
from butler.contract.tools import Recipient
from butler.store.queries import approvals, cursors
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.buttons import ButtonKind

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PendingSummary:
    """Something that waits for the owner."""

    approval_id: str
    tool: str
    effect: str
    recipients: tuple[Recipient, ...]
    body: str
    chat: str
    created_at: datetime
    expires_at: datetime


class Approvals:
    """The one object that `butler.app` builds. Its state is in the store; two of it are as good as one."""

    def __init__(self, context: Context) -> None:
        self._context = context
        decisions = Decisions(context)
        self._taps = TapDesk(context, {(ButtonKind.APPROVAL, verb): decisions.press for verb in VERBS})
        self._shower = CardShower(context)
        self._executor = Executor(context)
        self._expiry = Expiry(context)

    def handlers(self) -> Mapping[str, WorkHandler]:
        """Work handlers by the kind of row; each takes an approval's id and may be called any number of times."""
        return {
            approvals.SHOW_CARD: self._shower.show,
            approvals.EXECUTE: self._executor.execute,
            approvals.EXPIRE: self._expiry.expire,
            approvals.REMIND: self._expiry.remind,
        }

    def request(self, connection: sa.Connection, proposal: Proposal, now: datetime) -> Verdict:
        """Judge a call, within the caller's transaction; see `approvals.request.request`.

        The verdict's `approval_id`, where there is one, is what the caller waits for. Wake the engine after commit.
        """
        return request(self._context, connection, proposal, now)

    async def decide(self, inbound: Inbound) -> TapAnswer:
        """Decide a tap (`Inbound(kind=button)` with `query` and `data`) and answer it truthfully."""
        return await self._taps.decide(inbound)

    async def pending(self) -> tuple[PendingSummary, ...]:
        """What waits for the owner, oldest first."""
        rows = await self._context.store.read(lambda c: approvals.in_state(c, State.PENDING))
        return tuple(self._summary(row) for row in rows)

    def waits_at(self, connection: sa.Connection, chat: str, message_ref: str) -> bool:
        """Whether a message of a chat is a card that waits for the owner."""
        shown = (ref.message for row in approvals.in_state(connection, State.PENDING) for ref in row.card_refs)
        return any(message.chat == chat and message_ref in message.message_ids for message in shown)

    def supersede_requested_by(self, connection: sa.Connection, inbound_id: str, why: str, now: datetime) -> int:
        """Withdraw what an inbound item asked for and has not begun, because it changed; how many there were."""
        rows = approvals.requested_by(connection, inbound_id)
        open_rows = [row for row in rows if row.state in {State.PENDING, State.APPROVED}]
        return sum(
            transition(connection, row, State.SUPERSEDED, actor="butler", now=now, detail=why) for row in open_rows
        )

    async def after_restore(self) -> None:
        """Before anything is done: what a restored backup brought back is not done by itself."""
        if await self._context.store.read(lambda c: cursors.fact(c, cursors.RESTORED)) is not None:
            now = self._context.clock.now()
            count = await self._context.store.write(lambda c: settle_restored(c, now), "approval.restored")
            log.warning("restored", approvals=count)

    def show_unseen(self, connection: sa.Connection, now: datetime) -> None:
        """Cards that never reached the owner, because the chat was closed, are sent now."""
        for row in approvals.in_state(connection, State.PENDING):
            if not row.card_refs:
                redraw(connection, row, now=now)

    def chat_moved(self, connection: sa.Connection, old: str, new: str, now: datetime) -> None:
        """A group became a supergroup: its cards are sent anew there."""
        for approval_id in approvals.rename_chat(connection, old, new):
            row = approvals.get(connection, approval_id)
            if row is not None and row.state in {State.PENDING, State.APPROVED, State.UNKNOWN}:
                redraw(connection, row, now=now)

    def _summary(self, row: ApprovalRow) -> PendingSummary:
        shown = shown_of(self._context.invoker, row)
        return PendingSummary(
            approval_id=row.approval_id,
            tool=row.tool,
            effect=shown.effect,
            recipients=shown.recipients,
            body=shown.body,
            chat=row.chat,
            created_at=row.created_at,
            expires_at=row.expires_at,
        )
