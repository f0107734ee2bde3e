"""`/bulk`: lists what runs or is paused, each run sent anew with its buttons; and handles a typed "undo"."""

from datetime import datetime, timedelta
from functools import partial

import sqlalchemy as sa

from butler.bulk.progress_message import ProgressMessages
from butler.bulk.run_actions import RunAction, RunActions
from butler.contract.card import OwnerMessage, plain
from butler.contract.errors import Refuse
from butler.contract.speech import phrase, say, say_many
from butler.store.queries import approvals, bulk, outbox
from butler.store.queries.bulk import RunRow, RunState

MOST_SHOWN = 8
NONE = phrase("Nothing is running.")
UNDO_BY_WORD = timedelta(hours=1)
"""How long after a run's end a bare "undo" undoes it, if nothing else was done since; later its button is shown."""


class OpenRuns:
    """Lists the open runs, and undoes the newest one by word."""

    def __init__(self, telling: ProgressMessages) -> None:
        self._telling, self._steps = telling, RunActions(telling.adapters)

    def say(self, connection: sa.Connection, chat: str, key: str, now: datetime) -> None:
        """Queue the list for a chat; `key` prevents duplicates."""
        tell = partial(outbox.add, connection, chat, now=now, dedup_key=key)
        runs = bulk.all_open(connection)
        if not runs:
            tell(OwnerMessage(text=plain(say(NONE))))
            return
        more = len(runs) - MOST_SHOWN
        if more > 0:
            text = say_many(more, "1 more waits behind these.", "{count} more wait behind these.")
            tell(OwnerMessage(text=plain(text)))
        for run in runs[:MOST_SHOWN]:
            self._telling.bring_down(connection, run, chat, f"{key}:{run.run_id}", now)

    def undo(self, connection: sa.Connection, chat: str, sender: str, key: str, now: datetime) -> bool:
        """Undo the newest run, or show its Undo button anew; return False if there is none.

        `key` prevents a second reply. A run that is not clearly the last act is only shown.
        """
        run = self._last(connection)
        if run is None or run.ended_at is None:
            return False
        if now - run.ended_at > UNDO_BY_WORD or _acted_after(connection, run.ended_at):
            self._telling.bring_down(connection, run, chat, key, now)
            return True
        try:
            text = self._steps.take(connection, RunAction.UNDO, run, sender, now)
        except Refuse as refused:
            text = refused.detail
        self._telling.draw(connection, run.run_id, now)
        outbox.add(connection, chat, OwnerMessage(text=plain(text)), now=now, dedup_key=key)
        return True

    def show_undo(self, connection: sa.Connection, chat: str, key: str, now: datetime) -> bool:
        """Show the Undo button of the newest run anew, once for each `key`; return False if there is none."""
        run = self._last(connection)
        if run is not None:
            self._telling.bring_down(connection, run, chat, key, now)
        return run is not None

    def _last(self, connection: sa.Connection) -> RunRow | None:
        """Return the newest run that has ended, if it can be undone."""
        run = next(iter(bulk.newest(connection, (RunState.DONE, RunState.STOPPED), 1)), None)
        return run if run is not None and run.ended_at is not None and self._telling.can_undo(connection, run) else None


def _acted_after(connection: sa.Connection, at: datetime) -> bool:
    return bool(approvals.acts_since(connection, at, apart_from="", also_approved=True))
