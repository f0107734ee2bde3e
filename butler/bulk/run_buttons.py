"""The buttons of a run: Pause, Resume, Stop, Undo, Retry failed, and the list as a file."""

from collections.abc import Mapping
from functools import partial

import sqlalchemy as sa

from approvals.pause import is_paused
from approvals.reason_words import in_words
from approvals.tap_result import Press, PressHandler, TapAnswer, TapResult
from butler.bulk.progress_message import BulkVerb, ProgressMessages
from butler.bulk.registry import BulkAdapters
from butler.bulk.run_actions import OVER, RunAction, RunActions
from butler.bulk.runs import ACTS_PAUSED
from butler.contract.errors import Refuse
from butler.contract.names import Identity
from butler.contract.speech import phrase, say
from butler.store.queries import bulk, buttons, work
from butler.store.queries.bulk import RunRow
from butler.store.queries.buttons import ButtonKind

LIST_FILE = "bulk_file"
"""The kind of the work row that sends the list of a run's items as a file."""
TWICE = phrase("You have tapped this before.")


class RunButtons:
    """Handles taps on a run's buttons, in the transaction of the tap."""

    def __init__(self, adapters: BulkAdapters, telling: ProgressMessages) -> None:
        self._steps, self._telling = RunActions(adapters), telling

    def press_handlers(self) -> Mapping[tuple[str, str], PressHandler]:
        """Return the handlers of a run's buttons, by kind and verb."""
        return {(ButtonKind.BULK.value, verb.value): partial(self._press, verb) for verb in BulkVerb}

    def _press(self, verb: BulkVerb, connection: sa.Connection, pressed: Press) -> TapAnswer:
        run = bulk.get(connection, pressed.button.subject)
        if run is None:
            return TapAnswer(TapResult.UNKNOWN, say(OVER))
        if verb is BulkVerb.RESUME and is_paused(connection, Identity.USER):
            # The button stays valid until acts are resumed.
            return TapAnswer(TapResult.REFUSED, in_words(ACTS_PAUSED))
        if not buttons.use(connection, pressed.button.nonce_sha256, pressed.now):
            return TapAnswer(TapResult.TOO_LATE, say(TWICE))
        return TapAnswer(TapResult.DECIDED, self._act(verb, connection, run, pressed))

    def _act(self, verb: BulkVerb, connection: sa.Connection, run: RunRow, press: Press) -> str:
        if verb is BulkVerb.FILE:
            work.add(connection, LIST_FILE, run.run_id, now=press.now)
            return say("The list comes as a file.")
        try:
            text = self._steps.take(connection, RunAction(verb.value), run, press.tap.sender, press.now)
        except Refuse as refused:
            return refused.detail
        self._telling.draw(connection, run.run_id, press.now)
        return text
