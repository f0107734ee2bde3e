"""Work handler: carries out approved calls, at most once unless the provider itself refuses duplicates.

An attempt is stored before its call and ended with the call's answer. An attempt found without an end was interrupted:
its provider is asked about it, and it is only repeated if that is certainly safe. Before each attempt, including a
repeat, the frozen call is compared with what would be done now, and holds are checked. Once the provider has accepted a
call, its result is written while the process lives, however long the store refuses.

Right before the call, the store is asked whether this daemon is still the active one. A daemon may be replaced just
after it asked, and be suspended since: its attempt is never repeated unless the provider refuses duplicates.
"""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import sqlalchemy as sa
import structlog

from approvals.accounts import moved
from approvals.attempts import (
    AttemptOutcome,
    Conclusion,
    Tries,
    conclude,
    conclude_reconciled,
    gave_up,
    next_attempt,
    tool_call,
)
from approvals.card import frozen_of
from approvals.context import Context
from approvals.expiry import expire_stale
from approvals.frozen import ChangedSinceShownError, thaw
from approvals.holds import Hold, file_hold, hold_of
from approvals.preview import NoWordsError, preview_of
from approvals.revise import Revised, ask_again
from approvals.states import State
from approvals.transition import redraw, transition
from butler.contract.errors import Retryable
from butler.contract.integration import Idempotency, IntegrationResult
from butler.contract.reasons import Reason, ReasonCode, because, of_error
from butler.contract.tools import Settled, ToolCall
from butler.store.queries import approvals, audit, work
from butler.store.queries.approvals import ApprovalRow, AttemptRow
from butler.tool_invoker import UnknownToolError

log = structlog.get_logger(__name__)

_STATES = {
    AttemptOutcome.DONE: State.DONE,
    AttemptOutcome.FAILED: State.FAILED,
    AttemptOutcome.UNKNOWN: State.UNKNOWN,
}
_LATER = frozenset({AttemptOutcome.RETRY, AttemptOutcome.DEFERRED})
_OPEN = frozenset({State.APPROVED, State.EXECUTING})
_CHANGED = (UnknownToolError, ChangedSinceShownError, NoWordsError)

TOO_LATE = Reason(ReasonCode.MISSED_TIME)
"""Why a call that waited for a time is asked about again."""
TOO_LATE_NOW = Reason(ReasonCode.MISSED_SEND_NOW)
DOWN_TOO_LONG = Reason(ReasonCode.DOWN_IN_BETWEEN)
FINDING_OUT = Reason(ReasonCode.FINDING_OUT)
NOT_FOUND_OUT = Reason(ReasonCode.NOT_FOUND_OUT)
PAUSE = timedelta(seconds=0.5)
MAX_PAUSE = timedelta(seconds=30)
"""The longest wait between two tries to write a result that the store refused."""


@dataclass(frozen=True, slots=True)
class AttemptRun:
    """An attempt whose row is stored; `cut_off` if it was found without an end."""

    row: ApprovalRow
    attempt: AttemptRow
    call: ToolCall
    cut_off: bool
    tries: Tries
    abandoned: bool = True
    """Whether no daemon can still be making the attempt; a replaced daemon may, for a moment."""


class Executor:
    """Handles `execute_approval`."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._running: set[str] = set()

    async def execute(self, approval_id: str) -> None:
        """Make the call, or reconcile an earlier attempt. Raises `Retryable` when that is impossible now."""
        if approval_id in self._running:
            # This process is making the call: its open attempt is not cut off.
            return
        self._running.add(approval_id)
        try:
            row = await self._context.store.look(lambda c: approvals.get(c, approval_id))
            held = await self._file_hold(row) if row else None
            turn = await self._context.store.write(lambda c: self._claim(c, approval_id, held), "approval.claim")
            self._context.wake()
            while turn is not None:
                conclusion = await self._conclude(turn)
                repeats = conclusion.outcome is AttemptOutcome.REPEAT
                held = await self._file_hold(turn.row) if repeats else None
                turn = await self._record(turn, conclusion, held)
                self._context.wake()
        finally:
            self._running.discard(approval_id)

    async def _file_hold(self, row: ApprovalRow) -> Hold | None:
        """Check the files, outside of any transaction. A call that the claim refuses anyway has no files to check."""
        if row.state not in _OPEN:
            return None
        try:
            spec = self._context.invoker.spec(row.tool)
            preview = preview_of(spec, thaw(spec, frozen_of(row)))
        except _CHANGED:
            return None
        return await file_hold(self._context.blobs, preview)

    def _claim(self, connection: sa.Connection, approval_id: str, held: Hold | None) -> AttemptRun | None:
        row = approvals.get(connection, approval_id)
        if row is None or row.state not in _OPEN:
            return None
        last = approvals.last_attempt(connection, approval_id)
        if last is not None and last.outcome is None:
            return self._pick_up(connection, row, last)
        now = self._context.clock.now()
        due = row.execute_at or now
        if now < due:
            work.add(connection, approvals.EXECUTE, approval_id, now=now, run_at=due, wait=row.wait(now))
            return None
        return self._begin(connection, row, last, now, held)

    def _begin(
        self, connection: sa.Connection, row: ApprovalRow, last: AttemptRow | None, now: datetime, held: Hold | None
    ) -> AttemptRun | None:
        """Claim the next attempt, unless it is too late, the call differs from what was shown, or a hold applies."""
        if row.state == State.APPROVED and self._is_late(row, now):
            again = row.not_before is not None and ask_again(self._context, connection, row, _missed(row), now)
            if not isinstance(again, Revised):
                expire_stale(self._context, connection, row, now)
            return None
        attempt = next_attempt(row, last, now)
        call = self._ready(connection, row, attempt, now, held)
        if isinstance(call, Hold):
            self._give_up(connection, row, now, call)
            return None
        if row.state == State.APPROVED:
            transition(connection, row, State.EXECUTING, actor="butler", now=now)
        else:
            # The wait is over, so its note is removed.
            approvals.note_wait(connection, row.approval_id, execute_at=now, detail=())
        return self._start(connection, replace(row, state=State.EXECUTING), attempt, call)

    def _ready(
        self, connection: sa.Connection, row: ApprovalRow, attempt: AttemptRow, now: datetime, held: Hold | None
    ) -> ToolCall | Hold:
        """Return the call of an attempt as it was frozen, or the reason that prevents it now."""
        if self._is_late(row, now):
            return Hold(State.EXPIRED, DOWN_TOO_LONG)
        try:
            spec = self._context.invoker.spec(row.tool)
            args = thaw(spec, frozen_of(row))
            preview = preview_of(spec, args)
        except _CHANGED as error:
            return Hold(State.SUPERSEDED, of_error(error))
        if elsewhere := moved(spec, args, row.account):
            return Hold(State.SUPERSEDED, elsewhere)
        hold = held or hold_of(self._context, connection, row, preview, now)
        return hold or tool_call(self._context.store, row, attempt, args)

    def _give_up(self, connection: sa.Connection, row: ApprovalRow, now: datetime, hold: Hold) -> None:
        """End an approval that certainly had no effect; leave it unknown if an earlier attempt may have had one."""
        if row.state == State.EXECUTING:
            end = self._doubted(connection, row, gave_up(hold.why))
            state = _STATES[end.outcome]
            transition(connection, row, state, actor="butler", now=now, detail=end.detail, result=end.result)
        else:
            transition(connection, row, hold.state, actor="butler", now=now, detail=(hold.why,))

    def _start(self, connection: sa.Connection, row: ApprovalRow, attempt: AttemptRow, call: ToolCall) -> AttemptRun:
        attempt = replace(attempt, epoch=self._context.store.epoch)
        approvals.start_attempt(connection, attempt)
        data = {"number": attempt.number, "args_sha256": row.args_sha256}
        audit.append(connection, "approval.attempt", row.approval_id, "butler", data, attempt.started_at)
        return self._turn(connection, row, attempt, call, cut_off=False)

    def _pick_up(self, connection: sa.Connection, row: ApprovalRow, attempt: AttemptRow) -> AttemptRun | None:
        """Return an interrupted attempt, to be reconciled."""
        now = self._context.clock.now()
        try:
            call = self._call(row, attempt)
        except _CHANGED as error:
            detail = because(ReasonCode.INTERRUPTED_LOST, of_error(error))
            self._end(connection, row, attempt, Conclusion(AttemptOutcome.UNKNOWN, (detail,)), now)
            return None
        due = row.execute_at or attempt.started_at
        approvals.note_wait(connection, row.approval_id, execute_at=due, detail=(FINDING_OUT,))
        redraw(connection, row, now=now)
        abandoned = self._context.store.has_ended(connection, attempt.epoch)
        return replace(self._turn(connection, row, attempt, call, cut_off=True), abandoned=abandoned)

    def _turn(
        self, connection: sa.Connection, row: ApprovalRow, attempt: AttemptRow, call: ToolCall, *, cut_off: bool
    ) -> AttemptRun:
        # A first attempt, by far the most frequent case, has none before it.
        deferred = approvals.deferrals(connection, row.approval_id) if attempt.number > 1 else 0
        return AttemptRun(row, attempt, call, cut_off, Tries(attempt.number, deferred))

    async def _conclude(self, turn: AttemptRun) -> Conclusion:
        if not turn.cut_off:
            await self._confirm(turn)
            answer = await self._invoke(turn.call)
            conclusion = conclude(answer, turn.tries, self._context.settings.stale_after) if answer else None
            if conclusion is not None:
                return conclusion
        return await self._reconcile(turn)

    async def _confirm(self, turn: AttemptRun) -> None:
        """Check that this daemon is still the active one. Raises `FencedError`, or `Retryable` if it cannot wait.

        Nothing has been sent yet, so an unreachable store is waited for.
        """
        while True:
            try:
                await self._context.store.confirm()
            except Retryable:
                if self._is_late(turn.row, self._context.clock.now()):
                    raise
                await asyncio.sleep(PAUSE.total_seconds())
            else:
                return

    async def _invoke(self, call: ToolCall) -> IntegrationResult | None:
        try:
            return await self._context.invoker.invoke(call)
        except Exception as error:  # noqa: BLE001 - the boundary: failures are results; this says nothing of the effect
            log.warning("tool_raised", tool=call.tool, trace=call.trace_id, kind=type(error).__name__)
            return None

    async def _reconcile(self, turn: AttemptRun) -> Conclusion:
        """Ask the provider about an attempt's outcome. Raises `Retryable` while it is early enough to ask again."""
        late = self._is_late(turn.row, self._context.clock.now())
        try:
            found = await self._context.invoker.reconcile(turn.call)
        except Retryable as error:
            if not late:
                raise
            return Conclusion(AttemptOutcome.UNKNOWN, (because(ReasonCode.NOT_FOUND_OUT_BECAUSE, of_error(error)),))
        except Exception as error:  # noqa: BLE001 - the boundary: recorded as unknown, which is what it is
            log.warning("reconcile_raised", tool=turn.call.tool, trace=turn.call.trace_id, kind=type(error).__name__)
            return Conclusion(AttemptOutcome.UNKNOWN, (NOT_FOUND_OUT,))
        if not turn.abandoned and found.settled is not Settled.DONE and not self._refuses_doubles(turn.call.tool):
            detail = because(ReasonCode.MAY_BE_DONE_ELSEWHERE, *found.detail)
            return Conclusion(AttemptOutcome.UNKNOWN, (detail,))
        return conclude_reconciled(found, turn.tries, late=late)

    def _refuses_doubles(self, tool: str) -> bool:
        try:
            return self._context.invoker.spec(tool).idempotency in {Idempotency.PROVIDER, Idempotency.READ}
        except UnknownToolError:
            return False

    async def _record(self, turn: AttemptRun, conclusion: Conclusion, held: Hold | None) -> AttemptRun | None:
        """Store how an attempt ended; return the next attempt if one follows immediately."""
        pause = PAUSE
        while True:
            try:
                return await self._context.store.write(
                    lambda c: self._store_end(c, turn, conclusion, held), "approval.end"
                )
            except Retryable as error:
                log.warning("result_not_stored", trace=turn.call.trace_id, kind=type(error).__name__)
            await self._context.clock.sleep(pause.total_seconds())
            pause = min(pause * 2, MAX_PAUSE)

    def _store_end(
        self, connection: sa.Connection, turn: AttemptRun, conclusion: Conclusion, held: Hold | None
    ) -> AttemptRun | None:
        now = self._context.clock.now()
        if conclusion.outcome is AttemptOutcome.REPEAT:
            return self._repeat(connection, turn, conclusion, now, held)
        self._end(connection, turn.row, turn.attempt, conclusion, now)
        return None

    def _repeat(
        self, connection: sa.Connection, turn: AttemptRun, conclusion: Conclusion, now: datetime, held: Hold | None
    ) -> AttemptRun | None:
        """Claim the next attempt immediately. If it is held, the outcome stays unknown: only a repeat would show it."""
        row, last = (
            approvals.get(connection, turn.row.approval_id),
            approvals.last_attempt(connection, turn.row.approval_id),
        )
        assert row is not None
        assert last is not None
        if row.state != State.EXECUTING:
            return None
        if last.number > turn.attempt.number:
            # This transaction was committed before, and its confirmation was lost.
            call = tool_call(self._context.store, turn.row, last, turn.call.args)
            return self._turn(connection, turn.row, last, call, cut_off=False)
        attempt = next_attempt(row, last, now)
        call = self._ready(connection, row, attempt, now, held)
        if isinstance(call, Hold):
            detail = because(ReasonCode.INTERRUPTED_HELD, call.why)
            self._end(connection, row, turn.attempt, Conclusion(AttemptOutcome.UNKNOWN, (detail,)), now)
            return None
        self._end(connection, row, turn.attempt, conclusion, now)
        approvals.note_wait(connection, row.approval_id, execute_at=row.execute_at or now, detail=())
        return self._start(connection, row, attempt, call)

    def _end(
        self, connection: sa.Connection, row: ApprovalRow, attempt: AttemptRow, end: Conclusion, now: datetime
    ) -> None:
        end = self._doubted(connection, row, end)
        approvals.end_attempt(
            connection, attempt.attempt_id, end.outcome, now=now, detail=end.detail, provider_ref=end.provider_ref
        )
        if state := _STATES.get(end.outcome):
            transition(connection, row, state, actor="butler", now=now, detail=end.detail, result=end.result)
        elif end.outcome in _LATER:
            approvals.note_wait(connection, row.approval_id, execute_at=now + end.wait, detail=end.detail)
            work.add(connection, approvals.EXECUTE, row.approval_id, now=now, wait=end.wait)
            redraw(connection, row, now=now)

    def _doubted(self, connection: sa.Connection, row: ApprovalRow, end: Conclusion) -> Conclusion:
        """Turn a failure into an unknown outcome if an earlier, unclear attempt may have had its effect."""
        if end.outcome is not AttemptOutcome.FAILED or not approvals.was_repeated(connection, row.approval_id):
            return end
        try:
            if self._context.invoker.spec(row.tool).idempotency is not Idempotency.PROVIDER:
                return end  # It was repeated because it certainly had no effect.
        except UnknownToolError:
            pass
        return Conclusion(AttemptOutcome.UNKNOWN, (because(ReasonCode.EARLIER_TRY_MAY_BE_DONE, *end.detail),))

    def _call(self, row: ApprovalRow, attempt: AttemptRow) -> ToolCall:
        """Build the frozen call of an attempt. Raises `UnknownToolError` or `ChangedSinceShownError`."""
        args = thaw(self._context.invoker.spec(row.tool), frozen_of(row))
        return tool_call(self._context.store, row, attempt, args)

    def _is_late(self, row: ApprovalRow, now: datetime) -> bool:
        return row.execute_at is not None and now > row.execute_at + self._context.settings.stale_after


def _missed(row: ApprovalRow) -> Reason:
    """Return why the owner is asked again: which of the two times was missed."""
    hastened = row.execute_at is not None and row.not_before is not None and row.execute_at < row.not_before
    return TOO_LATE_NOW if hastened else TOO_LATE
