"""The panic switch: while acts in the owner's name are paused, none begins, even if it was approved before."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa

from approvals.states import State
from approvals.withdraw import withdraw
from butler.contract.names import Identity
from butler.contract.reasons import Reason, ReasonCode
from butler.contract.speech import phrase, say, say_many
from butler.store.queries import approvals, audit, cursors

PAUSED = "paused_user"
"""The fact that holds since when acts are paused, and by whom."""
COMMAND_LINE = "command line"
"""The actor at the machine itself. A pause set there can only be lifted there."""


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause: since when, and by whom."""

    by: str
    at: datetime

    @property
    def by_command(self) -> bool:
        return self.by == COMMAND_LINE


@dataclass(frozen=True, slots=True)
class Stopped:
    """The acts that a pause stopped: approved ones that had no effect yet, and those for which it came too late."""

    was_paused: bool
    stopped: int
    begun: int


class Resumed(StrEnum):
    """The result of a request to resume."""

    LIFTED = "lifted"
    NOT_PAUSED = "not paused"
    BY_COMMAND_ONLY = "by command only"


_RESUMED = {
    Resumed.LIFTED: phrase(
        "What acts as you may be done again, each act with your yes. What the pause stopped stays undone."
    ),
    Resumed.NOT_PAUSED: phrase("Nothing was paused."),
    Resumed.BY_COMMAND_ONLY: phrase(
        "This pause was set on the command line and can only be lifted there, by `butler resume`."
    ),
}


def paused_by(connection: sa.Connection) -> Pause | None:
    """Return the pause in force, if any."""
    fact = cursors.fact(connection, PAUSED)
    return None if fact is None else Pause(fact["by"], datetime.fromisoformat(fact["at"]))


def is_paused(connection: sa.Connection, identity: str) -> bool:
    """Return whether outputs of this identity are paused."""
    return identity == Identity.USER and cursors.fact(connection, PAUSED) is not None


def set_paused(connection: sa.Connection, by: str, now: datetime) -> None:
    """Set the pause."""
    cursors.put_fact(connection, PAUSED, {"by": by, "at": now.isoformat()}, now)


def lift(connection: sa.Connection, now: datetime) -> None:
    """Remove the pause."""
    cursors.put_fact(connection, PAUSED, None, now)


def pause(connection: sa.Connection, by: str, now: datetime) -> Stopped:
    """Stop acts in the owner's name, and withdraw approved acts that have not begun; waiting cards stay.

    The command line takes over a pause that was set elsewhere, but not the other way round.
    """
    before = paused_by(connection)
    if before is None or (by == COMMAND_LINE and not before.by_command):
        set_paused(connection, by, now)
    rows = [r for r in approvals.in_state(connection, State.APPROVED, State.EXECUTING) if r.identity == Identity.USER]
    stopped = withdraw(connection, rows, Reason(ReasonCode.ACTS_PAUSED), actor=by, now=now)
    done = Stopped(before is not None, stopped, len(rows) - stopped)
    audit.append(connection, "pause.set", "user", by, {"stopped": done.stopped, "begun": done.begun}, now)
    return done


def resume(connection: sa.Connection, by: str, now: datetime) -> Resumed:
    """Resume acts in the owner's name; acts that the pause has stopped stay stopped."""
    before = paused_by(connection)
    if before is None:
        return Resumed.NOT_PAUSED
    if before.by_command and by != COMMAND_LINE:
        audit.append(connection, "pause.kept", "user", by, {}, now)
        return Resumed.BY_COMMAND_ONLY
    lift(connection, now)
    audit.append(connection, "pause.lifted", "user", by, {}, now)
    return Resumed.LIFTED


def stopped_words(done: Stopped) -> str:
    """Return the result of a pause in words for the owner."""
    first = phrase("What acts as you was paused already.")
    if not done.was_paused:
        first = phrase("Paused: nothing is done in your name now.")
    lines = [say(first)]
    if done.stopped:
        lines.append(say_many(done.stopped, "{count} approved act was stopped.", "{count} approved acts were stopped."))
    if done.begun:
        lines.append(
            say_many(done.begun, "{count} was already being sent or done.", "{count} were already being sent or done.")
        )
    return " ".join(lines)


def resumed_words(what: Resumed) -> str:
    """Return the result of resuming in words for the owner."""
    return say(_RESUMED[what])
