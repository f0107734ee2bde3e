"""Handles taps under a reminder (done, snooze, skip the next time, stop); the result is shown below it."""

from collections.abc import Mapping
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from butler.contract.card import OwnerMessage, Span, Style, plain
from butler.contract.errors import Refuse
from butler.contract.inbound import Inbound
from butler.contract.ports import Reminder
from butler.contract.speech import phrase, say, say_clock, say_short_moment
from butler.contract.wall_time import moment
from butler.orchestrator.replies.reminder_message import DONE, EDIT, HOUR, KEY, SKIP, STOP, TEN, TOMORROW, spoken_of
from butler.store.queries import outbox, reminders

PUT_OFF = {TEN: timedelta(minutes=10), HOUR: timedelta(hours=1)}
HOW = phrase(
    "When shall I remind you again? Reply to this with a time, like “in 2 hours”, “tomorrow at 8” or “every Friday at "
    "10”; or with “cancel it”, or “say: …” for other words."
)


class ReminderActions:
    """Implements `Taps`."""

    key = KEY

    def __init__(self, zone: ZoneInfo) -> None:
        """`zone` is the owner's home time zone, wherever they are."""
        self._zone = zone

    def tapped(self, connection: sa.Connection, item: Inbound, stored: Mapping[str, Any], now: datetime) -> None:
        """Do what a button says, and show the result on its message, also that the reminder no longer exists."""
        verb = str(stored["do"])
        if verb == EDIT:
            self._ask(connection, item, str(stored["id"]), now)
            return
        try:
            text = self._do(connection, verb, stored, now)
        except Refuse as refusal:
            text = f"✗ {refusal.detail}"
        _mark(connection, item, text, now)

    def _do(self, connection: sa.Connection, verb: str, stored: Mapping[str, Any], now: datetime) -> str:
        reminder_id = str(stored["id"])
        if verb in PUT_OFF:
            return self._snoozed(connection, reminder_id, now + PUT_OFF[verb], now)
        if verb == TOMORROW:
            due = datetime.fromisoformat(str(stored["due"])).astimezone(self._zone)
            day = now.astimezone(self._zone).date() + timedelta(days=1)
            clock = time(due.hour, due.minute)
            return self._snoozed(connection, reminder_id, moment(datetime.combine(day, clock), self._zone), now)
        if verb == SKIP:
            return self._skipped(connection, reminder_id, stored, now)
        if verb == STOP:
            reminders.settle(connection, reminder_id, now, removed=True)
            return say("✓ Stopped: it is not said any more")
        assert verb == DONE
        after = reminders.settle(connection, reminder_id, now)
        return say("✓ Done") if after.state == reminders.DONE else self._next(say("✓ Done"), after)

    def _snoozed(self, connection: sa.Connection, reminder_id: str, until: datetime, now: datetime) -> str:
        reminders.snooze(connection, reminder_id, until, now)
        here, today = until.astimezone(self._zone), now.astimezone(self._zone).date()
        if here.date() == today:
            return say("⏰ Snoozed to {clock}", clock=say_clock(here))
        return say("⏰ Snoozed to {moment}", moment=say_short_moment(here))

    def _skipped(self, connection: sa.Connection, reminder_id: str, stored: Mapping[str, Any], now: datetime) -> str:
        if "next" not in stored:
            return say("There is no next time to skip.")
        due = datetime.fromisoformat(str(stored["next"]))
        before = reminders.get(connection, reminder_id)
        if before is None or before.due_at != due:
            return say("✗ its next time is another one by now")
        after = reminders.skip(connection, reminder_id, due, now)
        return self._next(say("✓ Skipped {moment}", moment=say_short_moment(due.astimezone(self._zone))), after)

    def _next(self, told: str, after: Reminder) -> str:
        if after.state != reminders.WAITING:
            return told
        at = say_short_moment(after.due_at.astimezone(self._zone))
        return say("{told}; next: {moment}", told=told, moment=at)

    def _ask(self, connection: sa.Connection, item: Inbound, reminder_id: str, now: datetime) -> None:
        reminder = reminders.get(connection, reminder_id)
        if reminder is None or reminder.state == reminders.REMOVED:
            _mark(connection, item, say("✗ there is no such reminder any more"), now)
            return
        question = OwnerMessage(text=plain(f"✏️ {reminder.text}\n{say(HOW)}"))
        message_id = outbox.add(connection, item.chat, question, now=now, dedup_key=f"turn:{item.inbound_id}")
        spoken_of(connection, item.chat, reminder_id, now, message_id or "")


def _mark(connection: sa.Connection, item: Inbound, told: str, now: datetime) -> None:
    """Add the result to the message, and remove its buttons."""
    message_id = outbox.by_ref(connection, item.chat, item.message_ref)
    row = outbox.get(connection, message_id) if message_id else None
    if row is None:
        message = OwnerMessage(text=plain(told))
        outbox.add(connection, item.chat, message, now=now, dedup_key=f"turn:{item.inbound_id}")
        return
    text = (*row.message.text, Span(text=f"\n{told}", style=Style.ITALIC))
    outbox.redraw(connection, row.message_id, OwnerMessage(text=text), now)
