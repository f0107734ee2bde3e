"""The service of the approvals: request a call, decide a tap, list pending calls, withdraw."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import sqlalchemy as sa
import structlog

from approvals import dry_run, rule_list_messages
from approvals.approval_batch_actions import ApprovalBatchActions
from approvals.approval_batch_members import has_own_card, is_drawn, redraw_batch
from approvals.approval_batch_show import ApprovalBatchShower, ApprovalBatchVerb
from approvals.bulk_cards import WaitingBulkCard, give_way, newest_listed
from approvals.by_word import ByWord
from approvals.card_replies import CardDraft, changed_to, deny, draft_of, shown_at
from approvals.closed_chat import draw_now, is_waited_for
from approvals.context import Context
from approvals.correct import correct
from approvals.decisions import Decisions
from approvals.done_list import say_done
from approvals.email_fallback import EmailFallback
from approvals.email_fallback_answer import EmailFallbackAnswers
from approvals.executor import Executor
from approvals.expiry import Expiry
from approvals.follow_up_actions import FollowUpActions
from approvals.follow_ups import CLOSE
from approvals.handover import withdrawn_words
from approvals.pause_commands import PauseCommands
from approvals.pending_list import PendingList
from approvals.pin_actions import PinActions
from approvals.policy import Verdict
from approvals.request import Proposal, bring_forward, request
from approvals.restored import settle_restored
from approvals.revise import Change, Revised, revise
from approvals.rule_actions import RuleActions
from approvals.rule_list import RuleList
from approvals.rule_proposals import ALWAYS, RuleProposals, show
from approvals.rule_show import RuleShower
from approvals.scheduled import CHANGE_TIME, SEND_NOW, ScheduledActions
from approvals.show import CardShower
from approvals.states import SHOW, VERBS, State
from approvals.tap_handler import TapHandler
from approvals.tap_result import PressHandler, TapAnswer
from approvals.transition import redraw, transition
from approvals.typed_undo import take_back
from approvals.weekly_digest import WEEKLY, WeeklyDigest
from butler.contract.inbound import Inbound
from butler.contract.reasons import Reason
from butler.engine import WorkHandler
from butler.store.queries import approval_batches, approvals, cursors, email_fallbacks, rules
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.buttons import ButtonKind
from butler.store.queries.rules import RuleRow

log = structlog.get_logger(__name__)


class Approvals:
    """The approvals service, built by `butler.app`. Its state is in the store, so two instances agree."""

    def __init__(self, context: Context, others: Mapping[tuple[str, str], PressHandler] | None = None) -> None:
        """`others` are the handlers of buttons that belong to no approval, by kind and verb."""
        self._context = context
        self._pins = PinActions(context)
        self.by_word = ByWord(context)
        self._stops = PauseCommands(context, self._pins)
        decisions = Decisions(context, self._pins)
        batch_actions = ApprovalBatchActions(context)
        press_handlers: dict[tuple[str, str], PressHandler] = {
            (ButtonKind.APPROVAL, verb): decisions.press for verb in VERBS
        }
        press_handlers |= {(ButtonKind.BATCH, verb): batch_actions.press for verb in ApprovalBatchVerb}
        self._rules, self._rule_list, self._weekly = RuleActions(context), RuleList(context), WeeklyDigest(context)
        self._follow = FollowUpActions(context)
        press_handlers |= {
            (ButtonKind.APPROVAL, ALWAYS): RuleProposals(context).press,
            **self._rules.press_handlers(),
            **self._follow.press_handlers(),
        }
        later = ScheduledActions(context)
        press_handlers |= {
            (ButtonKind.APPROVAL, SEND_NOW): later.send_now,
            (ButtonKind.APPROVAL, CHANGE_TIME): later.change_time,
        }
        self._pending = PendingList(context)
        press_handlers[ButtonKind.APPROVAL, SHOW] = self._pending.press
        press_handlers |= others or {}
        self._taps = TapHandler(context, press_handlers)
        self._rule_shower = RuleShower(context)
        self._shower = CardShower(context)
        self._batch_shower = ApprovalBatchShower(context)
        self._executor = Executor(context)
        self._expiry = Expiry(context)
        self._fallback, self._answers = EmailFallback(context), EmailFallbackAnswers(context)

    def handlers(self) -> dict[str, WorkHandler]:
        """Return work handlers by the kind of row; each may repeatedly get a subject, such as an approval's id."""
        return {
            approvals.SHOW_CARD: self._shower.show,
            approval_batches.SHOW_BATCH: self._batch_shower.show,
            approvals.EXECUTE: self._executor.execute,
            approvals.EXPIRE: self._expiry.expire,
            approvals.REMIND: self._expiry.remind,
            CLOSE: self._follow.close,
            email_fallbacks.SEND_FALLBACK: self._fallback.send,
            email_fallbacks.TELL_OUTCOME: self._fallback.tell_outcome,
            email_fallbacks.TELL_REFUSAL: self._fallback.tell_refusal,
            rules.SHOW_RULE: self._rule_shower.show,
            rules.SHOW_LIST: self._rule_list.redraw,
            rules.END_RULE: self._rules.end,
            WEEKLY: self._weekly.tell,
        }

    def request(
        self, connection: sa.Connection, proposal: Proposal, now: datetime, due: RuleRow | None = None
    ) -> Verdict:
        """Judge a call, within the caller's transaction; see `approvals.request.request`.

        The caller waits for the verdict's `approval_id`, if there is one. Wake the engine after commit.
        """
        return request(self._context, connection, proposal, now, due)

    def bring_forward(
        self, connection: sa.Connection, proposal: Proposal, why: Reason, now: datetime
    ) -> ApprovalRow | Verdict:
        """Request a call that always asks, and give the reason; see `approvals.request.bring_forward`."""
        return bring_forward(self._context, connection, proposal, why, now, aloud=True)

    async def decide(self, inbound: Inbound) -> TapAnswer:
        """Decide a tap (`Inbound(kind=button)` with `query` and `data`) and answer it truthfully."""
        return await self._taps.decide(inbound)

    async def pin_typed(self, inbound: Inbound) -> None:
        """Act on a typed PIN and settle the item, which holds no digit, only whether the PIN was right."""
        await self._pins.take(inbound)

    def pause(self, connection: sa.Connection, inbound: Inbound, now: datetime) -> str:
        """Handle `/pause`: stop acts in the owner's name; return the answer."""
        return self._stops.pause(connection, inbound, now)

    def stop(self, connection: sa.Connection, inbound: Inbound, now: datetime) -> str:
        """Handle the owner's words to stop everything as `/pause user`; return the answer."""
        return self._stops.stop(connection, inbound, now)

    def resume(self, connection: sa.Connection, inbound: Inbound, now: datetime) -> str:
        """Handle `/resume`; return the answer, which is empty if the PIN was requested."""
        return self._stops.resume(connection, inbound, now)

    def withdrawn(self, connection: sa.Connection, now: datetime) -> str:
        """Return the report of what a new pairing has taken back, once; empty if there is nothing to report."""
        return withdrawn_words(self._context, connection, now)

    async def paused(self) -> str:
        """Return a sentence if acts in the owner's name are paused; empty if they are not."""
        return await self._context.store.read(self._stops.pause_text)

    async def answer_by_mail(self, item: Inbound) -> bool:
        """Act on a mail and settle it if it is the owner's answer to a card sent by mail; else return False."""
        return await self._answers.take(item)

    def say_pending(self, connection: sa.Connection, chat: str, key: str, now: datetime) -> None:
        """Queue the list of waiting calls, with buttons, once for each `key`. Wake the engine after commit."""
        self._pending.say(connection, chat, key, now)

    def say_done(self, connection: sa.Connection, chat: str, key: str, now: datetime) -> None:
        """Queue the list of what was done today, once for each `key`. Wake the engine after commit."""
        say_done(self._context, connection, chat, key, now)

    def say_undoable(self, connection: sa.Connection, chat: str, key: str, now: datetime) -> None:
        """Queue the list of approvals to take back, with buttons, once for each `key`. Wake the engine after commit."""
        self._pending.say_undoable(connection, chat, key, now)

    def can_undo(self, connection: sa.Connection) -> bool:
        """Return whether any approved act that has not begun can be taken back."""
        return self._pending.can_undo(connection)

    def take_back(self, connection: sa.Connection, item: Inbound, now: datetime, own_call: str = "") -> str:
        """Handle a typed "undo": take back the approval that clearly came last; return the answer, empty if unclear."""
        return take_back(self._context, connection, item, now, own_call)

    async def dry_run(self, approval_id: str) -> str:
        """Return what a waiting call would do, by its stored arguments; nothing is done or decided."""
        return await dry_run.dry_run(self._context, approval_id)

    async def waiting(self) -> Sequence[str]:
        """Return the ids of the approvals that wait for the owner's answer."""
        now = self._context.clock.now()
        return [row.approval_id for row in await self._context.store.read(lambda c: dry_run.waiting(c, now))]

    async def which_waits(self) -> str:
        """List the waiting approvals, or return that there are none, for when words do not single one out."""
        now = self._context.clock.now()
        return await self._context.store.read(lambda c: dry_run.which(self._context, c, dry_run.waiting(c, now)))

    def shown_at(self, connection: sa.Connection, chat: str, message_ref: str) -> tuple[str, int] | None:
        """Return the approval that a message of a chat shows or showed, and the revision shown there."""
        return shown_at(connection, chat, message_ref)

    def draft(self, connection: sa.Connection, approval_id: str, now: datetime) -> CardDraft | None:
        """Return the parts of an approval that the owner's words can change."""
        return draft_of(self._context, connection, approval_id, now)

    def revise(
        self, connection: sa.Connection, approval_id: str, revision: int, change: Change, now: datetime
    ) -> Revised | str:
        """Change a waiting approval, within the caller's transaction; see `approvals.revise.revise`."""
        return revise(self._context, connection, approval_id, revision, change, now)

    def correct(self, connection: sa.Connection, approval_id: str, change: Change, now: datetime) -> Revised | str:
        """Request a correction of a finished act, within the caller's transaction; see `approvals.correct.correct`."""
        return correct(self._context, connection, approval_id, change, now)

    def deny(self, connection: sa.Connection, approval_id: str, revision: int, now: datetime) -> str:
        """Deny by the owner's words, as a tap on Deny does; return the approval's new state in words."""
        return deny(self._context, connection, approval_id, revision, now)

    def newest_listed(self, connection: sa.Connection, chat: str) -> WaitingBulkCard | None:
        """Return the most recently requested waiting card in a chat that is about items listed for it."""
        return newest_listed(self._context, connection, chat)

    def give_way(self, connection: sa.Connection, approval_id: str, revision: int, why: Reason, now: datetime) -> bool:
        """Withdraw a waiting card that another one replaces; False if it was decided or changed meanwhile."""
        return give_way(connection, approval_id, revision, why, now)

    def changed_to(self, connection: sa.Connection, row: ApprovalRow) -> str:
        """Return in one line what a call that the owner edited does now; empty if it was not edited."""
        return changed_to(self._context, connection, row)

    def supersede_requested_by(self, connection: sa.Connection, inbound_id: str, why: Reason, now: datetime) -> int:
        """Withdraw what an inbound item requested and has not begun, because the item changed; return the number."""
        rows = approvals.requested_by(connection, inbound_id)
        moved = [
            transition(connection, row, State.SUPERSEDED, actor="butler", now=now, detail=(why,))
            for row in rows
            if row.state in {State.PENDING, State.APPROVED}
        ]
        return len(moved) - moved.count(None)

    def say_rules(self, connection: sa.Connection, chat: str, key: str, now: datetime) -> None:
        """Queue the list of the standing rules, with buttons, once for each `key`. Wake the engine after commit."""
        self._rule_list.say(connection, chat, key, now)

    async def schedule_weekly(self) -> None:
        """At the start, ensure that exactly one weekly digest is waiting."""
        await self._weekly.schedule()

    async def travelled(self) -> None:
        """Redraw the waiting cards that are already shown, in the owner's new zone."""
        now = self._context.clock.now()

        def tell(connection: sa.Connection) -> None:
            for row in approvals.in_state(connection, State.PENDING, State.APPROVED):
                if row.card_refs or row.batch_id is not None:
                    redraw(connection, row, now=now)

        await self._context.store.write(tell, "approval.travelled")
        self._context.wake()

    async def quiet_changed(self) -> None:
        """Show the cards that wait for the end of the quiet hours, unless these still last."""
        now = self._context.clock.now()

        def show_unshown(connection: sa.Connection) -> None:
            for row in approvals.in_state(connection, State.PENDING):
                if not row.card_refs and row.batch_id is None:
                    redraw(connection, row, now=now)

        await self._context.store.write(show_unshown, "approval.quiet")
        self._context.wake()

    async def after_restore(self) -> None:
        """Hold back the acts that a restored backup brought back; call this before anything is done."""
        if await self._context.store.read(lambda c: cursors.fact(c, cursors.RESTORED)) is not None:
            context, now = self._context, self._context.clock.now()
            count = await context.store.write(lambda c: settle_restored(context, c, now), "approval.restored")
            log.warning("restored", approvals=count)

    def show_unseen(self, connection: sa.Connection, now: datetime) -> None:
        """Send or edit the cards whose present state never reached the owner because the chat was closed."""
        draw_now(connection, now)
        for row in approvals.in_state(connection, State.PENDING, State.UNKNOWN):
            shown = any(ref.revision == row.revision and not ref.leaving for ref in row.card_refs)
            if not shown and (row.batch_id is None or has_own_card(row)):
                redraw(connection, row, now=now)
        for batch in approval_batches.all_open(connection):
            if not is_drawn(batch):
                redraw_batch(connection, batch, now)

    def waits_for(self, connection: sa.Connection, chat: str, now: datetime) -> bool:
        """Return whether a card is to be drawn as soon as this chat takes messages again."""
        return is_waited_for(connection, chat, now)

    def chat_moved(self, connection: sa.Connection, old: str, new: str, now: datetime) -> None:
        """Send the cards of a group anew in the supergroup that it became."""
        approval_batches.rename_chat(connection, old, new)
        rule_list_messages.forget(connection, now, old)
        for approval_id in approvals.rename_chat(connection, old, new):
            row = approvals.get(connection, approval_id)
            if row is not None and row.state in {State.PENDING, State.APPROVED, State.UNKNOWN}:
                redraw(connection, row, now=now)
        for draft in rules.rename_chat(connection, old, new):
            show(connection, draft, now)
