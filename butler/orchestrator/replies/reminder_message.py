"""The message of a due reminder, with its buttons."""

from datetime import datetime

import sqlalchemy as sa

from butler.contract.card import Button, OwnerMessage, plain
from butler.contract.ports import Reminder
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.replies import buttons as taps
from butler.orchestrator.replies import own_reports
from butler.store.conversation import ConversationState
from butler.store.queries import conversations
from butler.store.queries.reminder_times import Fired

KEY = "reminder"
"""The key that the buttons are stored under."""
TOOL = "bot_reminders_list"
DONE, TEN, HOUR, TOMORROW, EDIT, SKIP, STOP = "done", "ten", "hour", "tomorrow", "edit", "skip", "stop"
LABELS = {
    DONE: phrase("Done"),
    TEN: phrase("10 min"),
    HOUR: phrase("1 hour"),
    TOMORROW: phrase("Tomorrow"),
    EDIT: phrase("Edit"),
    SKIP: phrase("Skip next"),
    STOP: phrase("Stop"),
}
ONCE = ((DONE, TEN, HOUR), (TOMORROW, EDIT))
AGAIN = ((DONE, TEN, HOUR), (TOMORROW, EDIT), (SKIP, STOP))


def reminder_message(connection: sa.Connection, fired: Fired, chat: str, text: str) -> OwnerMessage:
    """Build the message of a due time, in the transaction that settles that time; a reply is about the reminder."""
    reminder, now = fired.reminder, fired.at
    handle = spoken_of(connection, chat, reminder.reminder_id, now)
    own_reports.keep(connection, chat, own_reports.reminder_said(reminder, handle), now, now)
    rows = AGAIN if reminder.rule.repeats and not fired.is_over else ONCE
    buttons = tuple(tuple(_button(connection, chat, reminder, verb, fired, now) for verb in row) for row in rows)
    return OwnerMessage(text=plain(text), buttons=buttons)


def spoken_of(connection: sa.Connection, chat: str, reminder_id: str, now: datetime, shown_in: str = "") -> str:
    """Give a reminder a handle in the conversation, so that words can refer to it; return the handle."""
    handle = ""

    def change(state: ConversationState) -> None:
        nonlocal handle
        referent = state.add_referent(ReferentKind.REMINDER, reminder_id, tool=TOOL, at=now)
        handle = referent.handle
        if shown_in:
            place = state.referents.index(referent)
            state.referents[place] = referent.model_copy(update={"shown_in": shown_in})
        # Also where something else was looked for since it was last spoken of.
        state.show(ReferentKind.REMINDER, None)

    conversations.update(connection, chat, change, now)
    return handle


def _button(connection: sa.Connection, chat: str, reminder: Reminder, verb: str, fired: Fired, now: datetime) -> Button:
    stored = {"id": reminder.reminder_id, "do": verb, "due": fired.due_at.isoformat()}
    if verb == SKIP and reminder.rule_at is not None:
        stored["next"] = reminder.rule_at.isoformat()
    return taps.button(connection, chat, KEY, say(LABELS[verb]), stored, now)
