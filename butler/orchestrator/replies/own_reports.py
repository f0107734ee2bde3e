"""Keeps in the conversation what the butler says by itself, so that the owner's next words can be about it.

Planners are told these texts: only templates with handles, numbers, times, confirmed names and the owner's own words.
"""

from datetime import datetime
from functools import partial

import sqlalchemy as sa

from butler.contract.following import DigestKind, Wait
from butler.contract.ports import Reminder
from butler.contract.provenance import Origin
from butler.provenance import known_to_planners
from butler.store.conversation import ConversationState
from butler.store.queries import contacts, conversations

LONGEST = 200
"""Characters of a reminder's text."""
SOMEBODY = "somebody who is not in the contacts"


def keep(connection: sa.Connection, chat: str, report: str, at: datetime, now: datetime) -> None:
    """Keep a report that the owner is given at this moment, in the transaction that queues it."""
    conversations.update(connection, chat, partial(_add, report, at), now)


def answer_came(connection: sa.Connection, wait: Wait, handle: str) -> str:
    """Return the report on an answer that was waited for."""
    which = f" ({handle})" if handle else ""
    return f"Told by itself: the answer of {_name(connection, wait)} that the owner waited for has come{which}."


def no_answer(connection: sa.Connection, wait: Wait) -> str:
    """Return the report on an answer that has not come in time."""
    return f"Told by itself: no answer of {_name(connection, wait)} has come in time."


def reminder_said(reminder: Reminder, handle: str) -> str:
    """Return the report on a reminder; its text only if nobody else had a hand in it."""
    origins = frozenset(reminder.origins) or frozenset({Origin.owner(f"reminder:{reminder.reminder_id}")})
    text = " ".join(reminder.text.split())[:LONGEST]
    return f"Said by itself: {handle}, which was due" + (f": {text}" if known_to_planners(origins) else ".")


def automation_told(number: int, handle: str) -> str:
    """Return the report on an automation that told the owner something."""
    return f"Told by itself: automation {number} fired" + (f", about {handle}." if handle else ".")


def automation_stopped(number: int) -> str:
    """Return the report on an automation that stopped itself."""
    return f"Told by itself: automation {number} fired too often and was stopped."


def automation_skips(number: int) -> str:
    """Return the report on an automation that skips events, because it fired as often as it may."""
    return f"Told by itself: automation {number} fired as often as it may; it skips what comes for now."


def automation_ended(number: int) -> str:
    """Return the report on an automation that ended by itself."""
    return f"Told by itself: automation {number} has ended."


def digest_sent(kind: DigestKind) -> str:
    """Return the report on a digest."""
    return f"Sent by itself: the {kind.value} digest."


def _add(report: str, at: datetime, state: ConversationState) -> None:
    state.add_report(report, at)


def _name(connection: sa.Connection, wait: Wait) -> str:
    contact_id = contacts.confirmed(connection, wait.address)
    known = {one.contact_id: one.name for one in contacts.all_confirmed(connection)}
    return known.get(contact_id or "", SOMEBODY)
