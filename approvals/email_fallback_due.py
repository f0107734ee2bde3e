"""When to look whether a card that waits has to go out by mail."""

from datetime import datetime, timedelta

import sqlalchemy as sa

from approvals.context import Context
from butler.store.queries import work
from butler.store.queries.email_fallbacks import SEND_FALLBACK


def look_after(context: Context, connection: sa.Connection, approval_id: str, since: datetime) -> None:
    """Look once the card has waited from `since` for as long as the settings say; in the place of any look before.

    Without a second channel, or an address of the owner's, there is nothing to look for.
    """
    wait = context.settings.mail_after
    if context.second is not None and context.mail_to and wait:
        look_at(context, connection, approval_id, since + wait)


def look_at(context: Context, connection: sa.Connection, approval_id: str, at: datetime) -> None:
    """Look then, in the place of any look before."""
    now = context.clock.now()
    work.cancel(connection, SEND_FALLBACK, approval_id)
    work.add(connection, SEND_FALLBACK, approval_id, now=now, wait=max(at - now, timedelta()))
