"""`butler bulk pause`, `resume`, `stop`, `undo`, `retry`: write rows that a running daemon takes up within a second."""

from pathlib import Path

from approvals.pause import COMMAND_LINE
from butler.bulk.run_actions import RunAction, RunActions
from butler.cli.bulk.list import offline_adapters, the_run
from butler.cli.database import changing
from butler.clock import RealClock
from butler.store.queries import bulk, work


def take(path: Path, beginning: str, step: RunAction) -> str:
    """Apply a step to one run, by its id or a unique prefix of it; return one sentence. Raise `Refuse` on failure."""
    steps, now = RunActions(offline_adapters(path)), RealClock().now()
    with changing(path) as connection:
        run = the_run(connection, beginning)
        text = steps.take(connection, step, run, COMMAND_LINE, now)
        # The daemon draws it: it knows the owner's language and the chat.
        work.add(connection, bulk.REDRAW, run.run_id, now=now)
    return text
