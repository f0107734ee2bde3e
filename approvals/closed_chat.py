"""Handles a chat that takes no messages: its cards are redrawn once the chat is open again.

Each such card has at most one work row, so that the drawing survives a restart. The owner's next message makes the row
due; until then the chat is tried now and then, because it may open without notice.
"""

from datetime import datetime, timedelta

import sqlalchemy as sa

from butler.store.queries import approvals, rules, work
from butler.store.queries.work import WorkRow

LOOK_AGAIN = timedelta(hours=1)
_KINDS = frozenset({approvals.SHOW_CARD, rules.SHOW_RULE})


def draw_when_open(connection: sa.Connection, kind: str, subject: str, chat: str, now: datetime) -> None:
    """Queue the drawing of a card in a closed chat, for when the chat takes messages again."""
    work.cancel(connection, kind, subject)
    work.add(connection, kind, subject, now=now, lane=f"out:{chat}", wait=LOOK_AGAIN)


def is_waited_for(connection: sa.Connection, chat: str, now: datetime) -> bool:
    """Return whether a card waits for a chat to open."""
    return any(row.lane == f"out:{chat}" for row in _waiting(connection, now))


def draw_now(connection: sa.Connection, now: datetime) -> None:
    """Draw the cards that waited for a closed chat, because the owner's chat is open again."""
    for row in _waiting(connection, now):
        work.cancel(connection, row.kind, row.subject)
        work.add(connection, row.kind, row.subject, now=now, lane=row.lane)


def _waiting(connection: sa.Connection, now: datetime) -> list[WorkRow]:
    return [row for row in work.waiting(connection, now + LOOK_AGAIN) if row.kind in _KINDS]
