"""`/pause` and `/resume` from a chat, or in plain words, and the text that reports a pause."""

from datetime import datetime

import sqlalchemy as sa

from approvals.context import Context
from approvals.pause import Pause, Resumed, pause, paused_by, resume, resumed_words, stopped_words
from approvals.pin import secret_of
from approvals.pin_actions import PinActions
from butler.contract.inbound import Inbound
from butler.contract.speech import phrase, say

EXPLAINED = phrase(
    "/pause user stops at once what acts as you, with all that you approved and that has not begun. Cards that wait "
    "go on waiting, and what I do in my own name goes on. /resume lifts it."
)


class PauseCommands:
    """Handles the commands within the transaction that settles them; each may be repeated."""

    def __init__(self, context: Context, pins: PinActions) -> None:
        self._context, self._pins = context, pins

    def pause(self, connection: sa.Connection, item: Inbound, now: datetime) -> str:
        """Pause acts in the owner's name; return the answer. Without the word `user`, nothing is paused."""
        if str(item.payload.get("rest", "")).strip().lower() != "user":
            return f"{say(EXPLAINED)} {self.pause_text(connection)}".strip()
        return self.stop(connection, item, now)

    def stop(self, connection: sa.Connection, item: Inbound, now: datetime) -> str:
        """Pause because of unmistakable words, such as "stop everything"; return the answer."""
        done = pause(connection, item.sender, now)
        found = paused_by(connection)
        lifted = say("Cards wait; /resume lifts it.")
        if found is not None and found.by_command:
            lifted = say("Cards wait; `butler resume` on the command line lifts it.")
        return f"{stopped_words(done)} {lifted}"

    def resume(self, connection: sa.Connection, item: Inbound, now: datetime) -> str:
        """Lift the pause, or ask for the PIN if that needs it; return the answer, which may be empty until then."""
        found = paused_by(connection)
        if found is None:
            return resumed_words(Resumed.NOT_PAUSED)
        if not found.by_command and secret_of(connection) is not None:
            return self._pins.ask_to_resume(connection, item.chat, now)
        return resumed_words(resume(connection, item.sender, now))

    def pause_text(self, connection: sa.Connection) -> str:
        """Return that there is a pause, since when and by whom; empty if there is none."""
        found = paused_by(connection)
        return "" if found is None else self._since(found)

    def _since(self, found: Pause) -> str:
        since = self._context.wall_time(found.at)
        if found.by_command:
            return say("What acts as you is paused since {since}, by you on the command line.", since=since)
        return say("What acts as you is paused since {since}, by you here.", since=since)
