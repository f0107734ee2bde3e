"""Records where the newest list of the rules is in each chat, so that it is redrawn when a rule on it changes.

A list keeps its rules. Its messages are identified by their ids in the outbox, which knows whether and where they were
delivered.
"""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from butler.store.queries import cursors, work
from butler.store.queries.rules import SHOW_LIST

LISTS = "rule_lists"
"""The fact that holds, by chat, the messages of its newest list, each with its rules."""

Listed = Sequence[tuple[str, Sequence[str]]]
"""Messages of the outbox, each with the ids of its rules."""


def remember(connection: sa.Connection, chat: str, messages: Listed, now: datetime) -> None:
    """Record the newest list of a chat; older ones are no longer redrawn."""
    cursors.put_fact(connection, LISTS, {**_all(connection), chat: messages}, now)


def messages_of(connection: sa.Connection, chat: str) -> Listed:
    """Return the newest list of a chat; empty if there is none."""
    return _all(connection).get(chat, ())


def forget(connection: sa.Connection, now: datetime, chat: str | None = None) -> None:
    """Stop redrawing the list of a chat, or of every chat."""
    kept = {other: listed for other, listed in _all(connection).items() if chat not in {None, other}}
    cursors.put_fact(connection, LISTS, kept or None, now)


def redraw_lists(connection: sa.Connection, now: datetime) -> None:
    """Queue the drawing of the lists with the rules' present states, each in turn among its chat's messages."""
    for chat in _all(connection):
        work.cancel(connection, SHOW_LIST, chat)
        work.add(connection, SHOW_LIST, chat, now=now, lane=f"out:{chat}")


def _all(connection: sa.Connection) -> dict[str, Listed]:
    return cursors.fact(connection, LISTS) or {}
