"""Handles a plan's own buttons, cancel and skip, and the password that it waits for."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa
import structlog

from approvals.service import Approvals
from butler.contract.card import MessageRef, OwnerChannel, OwnerMessage, plain
from butler.contract.errors import Refuse
from butler.contract.inbound import Inbound
from butler.contract.names import Direction
from butler.contract.ports import Clock
from butler.contract.reasons import Reason, ReasonCode
from butler.contract.speech import phrase, say
from butler.orchestrator.execution.passwords import PAYLOAD, SKIP, SKIPS, answer, drop
from butler.orchestrator.replies.progress import CANCEL, Progress, what_of
from butler.store.conversation import ConversationState
from butler.store.queries import approvals as approval_rows
from butler.store.queries import conversations, inbox, outbox, plans
from butler.store.queries.conversations import ChoiceRow
from butler.store.queries.inbox import InboxNote, InboxState
from butler.store.queries.plans import PlanRow, PlanState
from butler.store.store import Store
from butler.tool_invoker import ToolInvoker

log = structlog.get_logger(__name__)

WHY = Reason(ReasonCode.REQUEST_CANCELLED)
ENDED = phrase("That had ended before, so there was nothing to cancel.")
DELETE_IT = phrase("I could not delete your message with the password. Please delete it yourself.")
UNDER_WAY = frozenset({"executing", "unknown"})


class PlanButtons:
    """Handles taps on a plan's buttons, and messages that were a password."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        approvals: Approvals,
        channel: OwnerChannel,
        tools: ToolInvoker,
        *,
        wake: Callable[[], None],
    ) -> None:
        self._store, self._clock, self._approvals, self._channel = store, clock, approvals, channel
        self._tools, self._wake = tools, wake
        self._progress = Progress(store, clock, wake)

    @staticmethod
    def are_for(choice: ChoiceRow) -> bool:
        """Return whether a tapped button is a plan's cancel or skip."""
        return bool({CANCEL, SKIP} & set(choice.steps or {}))

    async def tapped(self, item: Inbound, choice: ChoiceRow) -> None:
        """Do what the button says, once."""
        now, steps = self._clock.now(), choice.steps or {}

        def store(connection: sa.Connection) -> None:
            if inbox.state(connection, item.inbound_id) is not InboxState.NEW:
                return
            used = conversations.use(connection, str(item.payload["data"]), now)
            if used and CANCEL in steps:
                self._cancel(connection, item, str(steps[CANCEL]), now)
            elif used:
                answer(connection, item.chat, str(steps[SKIP]), "skipped", now)
            inbox.settle(
                connection,
                item.inbound_id,
                InboxState.DONE,
                now=now,
                detail=InboxNote.NONE if used else InboxNote.TAPPED_BEFORE,
            )

        await self._store.write(store, "plan_button")
        self._wake()

    def _cancel(self, connection: sa.Connection, item: Inbound, plan_id: str, now: datetime) -> None:
        plan = plans.get(connection, plan_id)
        key = f"turn:{item.inbound_id}"
        if plan is None or not plans.ended(connection, plan_id, PlanState.CANCELLED, now):
            outbox.add(connection, item.chat, OwnerMessage(text=plain(say(ENDED))), now=now, dedup_key=key)
            return
        self._approvals.supersede_requested_by(connection, plan.inbound_id, WHY, now)
        self._close(connection, plan, now)
        text = cancelled(connection, plan, self._tools)
        outbox.add(connection, item.chat, OwnerMessage(text=plain(text)), now=now, dedup_key=key)

        def change(state: ConversationState) -> None:
            state.add_message("assistant", "Cancelled the request.", timestamp=now)

        conversations.update(connection, plan.session_id, change, now)

    def withdraw(self, connection: sa.Connection, inbound_id: str, now: datetime) -> None:
        """Cancel the unfinished plans of a message whose text has since changed."""
        for plan_id in plans.of_inbound(connection, inbound_id):
            plan = plans.get(connection, plan_id)
            if plan is not None and plans.ended(connection, plan_id, PlanState.CANCELLED, now):
                self._close(connection, plan, now)

    def _close(self, connection: sa.Connection, plan: PlanRow, now: datetime) -> None:
        drop(connection, plan, now)
        self._progress.close(connection, replace(plan, state=PlanState.CANCELLED), now)

    async def password(self, item: Inbound) -> None:
        """Take a message that was the password: delete it from the chat, and continue the plan that waited for it."""
        challenge_id, how = str(item.payload[PAYLOAD]), str(item.payload.get("how"))
        gone = how == SKIPS or await self._deleted(item)
        now = self._clock.now()

        def store(connection: sa.Connection) -> None:
            if inbox.state(connection, item.inbound_id) is not InboxState.NEW:
                return
            if how == "given":
                answer(connection, item.chat, challenge_id, "given", now)
            elif how == SKIPS:
                answer(connection, item.chat, challenge_id, "skipped", now)
            if not gone:
                key = f"turn:{item.inbound_id}"
                outbox.add(connection, item.chat, OwnerMessage(text=plain(say(DELETE_IT))), now=now, dedup_key=key)
            inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now)

        await self._store.write(store, "password")
        self._wake()

    async def _deleted(self, item: Inbound) -> bool:
        try:
            return await self._channel.delete(MessageRef(chat=item.chat, message_ids=(item.message_ref,)))
        except Refuse as refusal:
            log.warning("password_not_deleted", why=refusal.detail)
            return False


def cancelled(connection: sa.Connection, plan: PlanRow, tools: ToolInvoker) -> str:
    """Return the report on a cancelled plan: what was done before, and what cannot be stopped any more."""
    acts = {spec.tool_name for spec in tools.specs() if spec.direction is Direction.OUTPUT}
    done = [what_of(step) for step in plan.steps if step.status == "completed" and step.tool_call in acts]
    rows = {row.approval_id: row.state for row in approval_rows.requested_by(connection, plan.inbound_id)}
    going = [what_of(step) for step in plan.steps if rows.get(step.waiting_on or "") in UNDER_WAY]
    lines = [say("Done before that: {these}.", these="; ".join(done))] if done else []
    if going:
        lines.append(say("Already under way, so its card tells how it ends: {these}.", these="; ".join(going)))
    return " ".join([say("Cancelled."), *(lines or [say("Nothing was done.")])])
