"""The owner's actions on a run, from any surface: pause, resume, stop, undo, retry what failed."""

from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa

from approvals.pause import is_paused
from approvals.reason_words import in_words
from butler.bulk.follow_up_runs import is_put_back, put_back, try_again
from butler.bulk.registry import BulkAdapters
from butler.bulk.runs import ACTS_PAUSED, call_next
from butler.contract.bulk import NOT_SET_UP
from butler.contract.errors import Refuse
from butler.contract.names import Identity
from butler.contract.speech import phrase, say, say_many
from butler.store.queries import audit, bulk, event_publisher
from butler.store.queries.bulk import OPEN, ItemState, RunRow, RunState

OVER = phrase("That had ended before.")
NOT_OVER = phrase("It has not ended; stop it first.")
NO_UNDO = phrase("This puts something back itself, so it cannot be put back.")
NO_FAILURES = phrase("Nothing of it failed.")
UNDONE = phrase("That was put back before.")
TRIED = phrase("That was tried again before.")
TOO_LATE = phrase("It is too late to undo this; it could be undone for a week.")


class RunAction(StrEnum):
    """An action, by its button's verb."""

    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"
    UNDO = "undo"
    RETRY = "retry"


class RunActions:
    """Acts in the caller's transaction, and records who asked; the caller draws the run anew."""

    def __init__(self, adapters: BulkAdapters) -> None:
        self._adapters = adapters
        self._acts: Mapping[RunAction, Callable[[sa.Connection, RunRow, str, datetime], str]] = {
            RunAction.PAUSE: self._pause,
            RunAction.RESUME: self._resume,
            RunAction.STOP: self._stop,
            RunAction.UNDO: self._undo,
            RunAction.RETRY: self._retry,
        }

    def take(self, connection: sa.Connection, step: RunAction, run: RunRow, by: str, now: datetime) -> str:
        """Take a step; return one sentence about its result. Raises `Refuse` if it is no longer possible."""
        return self._acts[step](connection, run, by, now)

    def _pause(self, connection: sa.Connection, run: RunRow, by: str, now: datetime) -> str:
        if not bulk.move(connection, run.run_id, (RunState.RUNNING,), RunState.PAUSED, now):
            raise Refuse(say(OVER))
        _noted(connection, run, "paused", by, now)
        call_next(connection, run, now)
        return say("Paused; what is being sent just now is still done.")

    def _resume(self, connection: sa.Connection, run: RunRow, by: str, now: datetime) -> str:
        if is_paused(connection, Identity.USER):
            raise Refuse(in_words(ACTS_PAUSED))
        if not bulk.move(connection, run.run_id, (RunState.PAUSED,), RunState.RUNNING, now):
            raise Refuse(say(OVER))
        _noted(connection, run, "resumed", by, now)
        bulk.schedule(connection, run.run_id, now)
        return say("It goes on.")

    def _stop(self, connection: sa.Connection, run: RunRow, by: str, now: datetime) -> str:
        if not bulk.move(connection, run.run_id, OPEN, RunState.STOPPED, now):
            raise Refuse(say(OVER))
        _noted(connection, run, "stopped", by, now)
        event_publisher.bulk_finished(connection, run.run_id, now)
        call_next(connection, run, now)
        if run.undo_of is not None:
            return say("Stopped; what is back stays back. Undo goes on with the rest.")
        return say("Stopped; what was done stays done, and Undo takes it back.")

    def _undo(self, connection: sa.Connection, run: RunRow, by: str, now: datetime) -> str:
        if self._adapters.find(run.adapter) is None:
            raise Refuse(say(NOT_SET_UP))
        if run.undo_of is not None:
            raise Refuse(say(NO_UNDO))
        if run.ended_at is None:
            raise Refuse(say(NOT_OVER))
        if is_put_back(bulk.of_run(connection, run.run_id)):
            raise Refuse(say(UNDONE))
        count = put_back(connection, self._adapters, run, now)
        if count is None:
            raise Refuse(say(TOO_LATE))
        _noted(connection, run, "undone", by, now, count)
        return say_many(count, "It is being put back.", "{count} are being put back.")

    def _retry(self, connection: sa.Connection, run: RunRow, by: str, now: datetime) -> str:
        if run.ended_at is None:
            raise Refuse(say(NOT_OVER))
        if any(one.retry_of for one in bulk.of_run(connection, run.run_id)):
            raise Refuse(say(TRIED))
        if not bulk.counts(connection, run.run_id)[ItemState.FAILED]:
            raise Refuse(say(NO_FAILURES))
        count = try_again(connection, run, now)
        _noted(connection, run, "retried", by, now, count)
        return say_many(count, "It is tried again.", "{count} are tried again.")


def _noted(connection: sa.Connection, run: RunRow, what: str, by: str, now: datetime, count: int = 0) -> None:
    data = {"digest": run.digest, "total": run.total} | ({"count": count} if count else {})
    audit.append(connection, f"bulk.{what}", run.run_id, by, data, now)
