"""Schedules the check that decides whether a waiting card goes out by mail."""

from datetime import datetime, timedelta

import sqlalchemy as sa

from approvals.context import Context
from butler.store.queries import work
from butler.store.queries.email_fallbacks import SEND_FALLBACK


def look_after(context: Context, connection: sa.Connection, approval_id: str, since: datetime) -> None:
    """Schedule the check for when a card has waited from `since` for the configured time; replace any earlier check.

    Without a second channel, or a mail address of the owner's, there is no check.
    """
    wait = context.settings.mail_after
    if context.second is not None and context.mail_to and wait:
        look_at(context, connection, approval_id, since + wait)


def look_at(context: Context, connection: sa.Connection, approval_id: str, at: datetime) -> None:
    """Schedule the check for this time; replace any earlier check."""
    now = context.clock.now()
    work.cancel(connection, SEND_FALLBACK, approval_id)
    work.add(connection, SEND_FALLBACK, approval_id, now=now, wait=max(at - now, timedelta()))
