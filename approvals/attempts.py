"""One attempt at an approved call: its token, its durable notes, and the meaning of its answer."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, cast

from pydantic import BaseModel

from butler.contract.errors import Effect
from butler.contract.integration import IntegrationError, IntegrationResult
from butler.contract.reasons import Reason, ReasonCode, because, dump_reasons, in_own_words
from butler.contract.tools import Reconciled, Settled, ToolCall
from butler.provenance import join, load
from butler.store.queries import approvals
from butler.store.queries.approvals import ApprovalRow, AttemptRow
from butler.store.store import Store

MAX_ATTEMPTS = 5
"""The most attempts, not counting those that the provider deferred."""
BACKOFF = timedelta(seconds=5)
DEFERRALS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 120, 240, 480, 480))
"""The waits after a provider asks for a later try: about a day in all, as mail servers do."""
DETAIL_LIMIT = 300


class AttemptOutcome(StrEnum):
    """How an attempt ended."""

    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    RETRY = "retry"
    """Certainly without effect; another attempt follows after a wait."""
    DEFERRED = "deferred"
    """Certainly without effect, and the provider asked for a later try: tries follow over hours."""
    REPEAT = "repeat"
    """Certainly without effect, or the provider refuses duplicates; another attempt follows immediately."""


@dataclass(frozen=True, slots=True)
class Tries:
    """The number of attempts including this one, and how many of them the provider deferred."""

    number: int
    deferred: int = 0

    @property
    def are_over(self) -> bool:
        return self.number - self.deferred >= MAX_ATTEMPTS


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The end of an attempt, as it is stored."""

    outcome: AttemptOutcome
    detail: tuple[Reason, ...] = ()
    result: dict[str, Any] | None = None
    provider_ref: str = ""
    wait: timedelta = field(default_factory=timedelta)


class DurableProgress:
    """Implements `Progress` with notes in the attempt's row.

    An attempt begins with the notes of the previous one, so that it finds what that attempt left behind, such as a
    draft.
    """

    def __init__(self, store: Store, attempt: AttemptRow) -> None:
        self._store = store
        self._attempt_id = attempt.attempt_id
        self._stored = dict(attempt.progress)

    @property
    def stored(self) -> Mapping[str, str]:
        return self._stored

    async def save(self, **notes: str) -> None:
        self._stored = await self._store.write(
            lambda c: approvals.note_progress(c, self._attempt_id, notes), "approval.progress"
        )


def next_attempt(row: ApprovalRow, before: AttemptRow | None, now: datetime) -> AttemptRow:
    """Build the next attempt. The first has a new token; later ones keep it, so a provider can refuse duplicates."""
    number = before.number + 1 if before else 1
    return AttemptRow(
        attempt_id=f"{row.approval_id}-{number}",
        approval_id=row.approval_id,
        number=number,
        token=before.token if before else str(secrets.randbelow(2**63 - 1) + 1),
        progress=dict(before.progress) if before else {},
        started_at=now,
    )


def tool_call(store: Store, row: ApprovalRow, attempt: AttemptRow, args: BaseModel) -> ToolCall:
    """Build the call that an attempt makes or made."""
    return ToolCall(
        tool=row.tool,
        args=args,
        call_id=row.call_id,
        trace_id=attempt.attempt_id,
        account=row.account,
        token=attempt.token,
        progress=DurableProgress(store, attempt),
        origins=join(map(load, row.labels.values())),
    )


def conclude(result: IntegrationResult, tries: Tries, patience: timedelta) -> Conclusion | None:
    """Interpret the answer to the latest attempt; None if the provider may or may not have acted."""
    error = result.error
    ref = result.meta.provider_request_id
    if result.ok or error is None:
        return Conclusion(AttemptOutcome.DONE, _bounded(*result.meta.remark), {"data": result.data}, ref)
    if error.effect is Effect.UNKNOWN:
        return None
    if error.effect is Effect.NONE:
        return _deferred(error, tries) if error.deferred else _without_effect(error, tries, patience)
    detail = because(ReasonCode.ANSWER_MADE_NO_SENSE, *_said(error))
    return Conclusion(AttemptOutcome.DONE, (detail,), {"data": result.data}, ref)


def _without_effect(error: IntegrationError, tries: Tries, patience: timedelta) -> Conclusion:
    detail = _said(error)
    pause = BACKOFF * 2 ** (tries.number - tries.deferred - 1)
    wait = max(pause, timedelta(seconds=error.retry_after_s or 0))
    if error.retriable and not tries.are_over and wait <= patience:
        return Conclusion(AttemptOutcome.RETRY, detail, wait=wait)
    return Conclusion(AttemptOutcome.FAILED, detail, {"error": error.model_dump(mode="json")})


def _deferred(error: IntegrationError, tries: Tries) -> Conclusion:
    if tries.deferred < len(DEFERRALS):
        return Conclusion(AttemptOutcome.DEFERRED, _said(error), wait=DEFERRALS[tries.deferred])
    detail = because(ReasonCode.GIVEN_UP, *_said(error))
    return Conclusion(AttemptOutcome.FAILED, (detail,), {"error": error.model_dump(mode="json")})


def conclude_reconciled(found: Reconciled, tries: Tries, *, late: bool) -> Conclusion:
    """Interpret the reconciliation of the latest attempt. If a repeat is due too late or beyond the limit: unknown."""
    detail = _bounded(*found.detail)
    match found.settled:
        case Settled.DONE:
            return Conclusion(AttemptOutcome.DONE, detail, {"data": dict(found.data), "found_out": True})
        case Settled.FAILED:
            return gave_up(*detail)
        case Settled.REPEAT if not tries.are_over and not late:
            return Conclusion(AttemptOutcome.REPEAT, detail)
        case _:
            return Conclusion(AttemptOutcome.UNKNOWN, detail)


def gave_up(*detail: Reason) -> Conclusion:
    """Return the end of an attempt that certainly had no effect and is not repeated."""
    return Conclusion(AttemptOutcome.FAILED, detail, {"error": {"why": dump_reasons(detail)}})


def _said(error: IntegrationError) -> tuple[Reason, ...]:
    return _bounded(in_own_words(error.message))


def _bounded(*reasons: Reason) -> tuple[Reason, ...]:
    """Bound the length of reasons that hold a provider's words, and drop NUL, which no database takes in text."""
    return tuple(Reason(one.code, {name: _cut(value) for name, value in one.params.items()}) for one in reasons)


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\0", "")[:DETAIL_LIMIT]
    if isinstance(value, Mapping):
        return {name: _cut(each) for name, each in cast("Mapping[str, Any]", value).items()}
    return value
