"""The buttons of a run: Pause, Resume, Stop, Undo, Retry failed, and the list as a file."""

from collections.abc import Callable, Mapping

import sqlalchemy as sa

from approvals.pause import is_paused
from approvals.tapped import Hand, Press, TapAnswer, Tapped
from butler.bulk.again import put_back, try_again
from butler.bulk.registry import BulkAdapters
from butler.bulk.runs import ACTS_PAUSED, call_next
from butler.bulk.telling import BulkVerb, Telling
from butler.contract.bulk import NOT_SET_UP
from butler.contract.names import Identity
from butler.contract.speech import phrase, say, say_many
from butler.store.queries import audit, bulk, buttons, work
from butler.store.queries.bulk import OPEN, RunRow, RunState
from butler.store.queries.buttons import ButtonKind

LIST_FILE = "bulk_file"
"""The work that sends the list of a run's items as a file."""
OVER = phrase("That had ended before.")
TWICE = phrase("You have tapped this before.")
TOO_LATE = phrase("It is too late to undo this; it could be undone for a week.")


class Controls:
    """Acts on taps, in the transaction of the tap."""

    def __init__(self, adapters: BulkAdapters, telling: Telling) -> None:
        self._adapters, self._telling = adapters, telling

    def hands(self) -> Mapping[tuple[str, str], Hand]:
        """What acts on a button, by its kind and verb."""
        acts: dict[BulkVerb, Callable[[sa.Connection, RunRow, Press], str]] = {
            BulkVerb.PAUSE: self._pause,
            BulkVerb.RESUME: self._resume,
            BulkVerb.STOP: self._stop,
            BulkVerb.UNDO: self._undo,
            BulkVerb.RETRY: self._retry,
            BulkVerb.FILE: self._file,
        }
        return {(ButtonKind.BULK.value, verb.value): _hand(act) for verb, act in acts.items()}

    def _pause(self, connection: sa.Connection, run: RunRow, press: Press) -> str:
        if not bulk.move(connection, run.run_id, (RunState.RUNNING,), RunState.PAUSED, press.now):
            return say(OVER)
        self._noted(connection, run, press, "paused")
        call_next(connection, run, press.now)
        return say("Paused; what is being sent just now is still done.")

    def _resume(self, connection: sa.Connection, run: RunRow, press: Press) -> str:
        if not bulk.move(connection, run.run_id, (RunState.PAUSED,), RunState.RUNNING, press.now):
            return say(OVER)
        self._noted(connection, run, press, "resumed")
        bulk.go_on(connection, run.run_id, press.now)
        return say("It goes on.")

    def _stop(self, connection: sa.Connection, run: RunRow, press: Press) -> str:
        if not bulk.move(connection, run.run_id, OPEN, RunState.STOPPED, press.now):
            return say(OVER)
        self._noted(connection, run, press, "stopped")
        call_next(connection, run, press.now)
        return say("Stopped; what was done stays done, and Undo takes it back.")

    def _undo(self, connection: sa.Connection, run: RunRow, press: Press) -> str:
        if self._adapters.find(run.adapter) is None:
            return say(NOT_SET_UP)
        if any(one.undo_of for one in bulk.of_run(connection, run.run_id)):
            return say(TWICE)
        count = put_back(connection, self._adapters, run, press.now)
        if count is None:
            return say(TOO_LATE)
        self._noted(connection, run, press, "undone", count)
        return say_many(count, "It is being put back.", "{count} are being put back.")

    def _retry(self, connection: sa.Connection, run: RunRow, press: Press) -> str:
        if any(one.retry_of for one in bulk.of_run(connection, run.run_id)):
            return say(TWICE)
        count = try_again(connection, run, press.now)
        self._noted(connection, run, press, "retried", count)
        return say_many(count, "It is tried again.", "{count} are tried again.")

    def _file(self, connection: sa.Connection, run: RunRow, press: Press) -> str:
        work.add(connection, LIST_FILE, run.run_id, now=press.now)
        return say("The list comes as a file.")

    def _noted(self, connection: sa.Connection, run: RunRow, press: Press, what: str, count: int = 0) -> None:
        data = {"digest": run.digest, "total": run.total} | ({"count": count} if count else {})
        audit.append(connection, f"bulk.{what}", run.run_id, press.tap.sender, data, press.now)
        self._telling.draw(connection, run.run_id, press.now)


def _hand(act: Callable[[sa.Connection, RunRow, Press], str]) -> Hand:
    def press(connection: sa.Connection, pressed: Press) -> TapAnswer:
        run = bulk.get(connection, pressed.button.subject)
        if run is None:
            return TapAnswer(Tapped.UNKNOWN, say(OVER))
        if pressed.button.verb == BulkVerb.RESUME and is_paused(connection, Identity.USER):
            # The button stays good for when it may go on.
            return TapAnswer(Tapped.REFUSED, say(ACTS_PAUSED))
        if not buttons.use(connection, pressed.button.nonce_sha256, pressed.now):
            return TapAnswer(Tapped.TOO_LATE, say(TWICE))
        return TapAnswer(Tapped.DECIDED, act(connection, run, pressed))

    return press
