"""The contents and times of digests: mails and chats since a time, and the owner's own settings."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from butler.contract.inbound import Inbound, InboundKind
from butler.contract.mirror import ChatKind, SeenMessage, SeenQuery
from butler.contract.names import Identity
from butler.store.queries import approvals, cursors, mirror
from butler.store.queries.approvals import ApprovalRow
from butler.store.tables import inbox, seen_chats, seen_messages

DUE = "digest"
"""The work kind that sends a digest; its subject is the kind of digest."""
ANSWERED_WITHIN = timedelta(days=7)
"""Older mails no longer count as waiting for an answer."""
_WISHES, _PLANNED, _TOLD = "digest.wishes", "digest.planned", "digest.told_at"


def wishes(connection: sa.Connection) -> dict[str, Any]:
    """Return the owner's digest settings."""
    return dict(cursors.fact(connection, _WISHES) or {})


def wish(connection: sa.Connection, now: datetime, **values: Any) -> None:
    """Store a setting; None removes it."""
    data = wishes(connection) | values
    cursors.put_fact(connection, _WISHES, {name: value for name, value in data.items() if value is not None}, now)


def planned(connection: sa.Connection, kind: str) -> dict[str, str]:
    """Return when the next digest of a kind is due, and its time and zone as computed; empty if none is planned."""
    return dict(cursors.fact(connection, f"{_PLANNED}:{kind}") or {})


def plan(connection: sa.Connection, kind: str, values: dict[str, str] | None, now: datetime) -> None:
    """Store the next due time of a kind of digest."""
    cursors.put_fact(connection, f"{_PLANNED}:{kind}", values, now)


def last_sent_at(connection: sa.Connection) -> datetime | None:
    """Return when the last digest was sent: the next one covers what came since."""
    text = cursors.get(connection, _TOLD)
    return datetime.fromisoformat(text) if text else None


def mark_sent(connection: sa.Connection, now: datetime) -> None:
    """Note that a digest is sent now."""
    cursors.put(connection, _TOLD, now.isoformat(), now)


def mails(connection: sa.Connection, since: datetime, until: datetime, limit: int) -> list[SeenMessage]:
    """Return others' mails in the owner's mailboxes, the newest first."""
    found = mirror.messages(connection, SeenQuery(channel="email", since=since, incoming=True, limit=limit))
    return [one for one in found if one.at <= until]


def butlers_mails(connection: sa.Connection, since: datetime, until: datetime, limit: int) -> list[Inbound]:
    """Return what came into the butler's own mailbox, the newest first."""
    where = (
        inbox.c.channel == "email",
        inbox.c.identity == Identity.BOT.value,
        inbox.c.kind == InboundKind.MAIL.value,
        inbox.c.received_at > since,
        inbox.c.received_at <= until,
    )
    rows = connection.execute(sa.select(inbox.c["item"]).where(*where).order_by(inbox.c.seq.desc()).limit(limit))
    return [Inbound.model_validate(row[0]) for row in rows]


def wrote_since(connection: sa.Connection, channel: str, account: str, chat: str, at: datetime) -> bool:
    """Return whether the owner wrote in a thread or chat since."""
    table = seen_messages.c
    where = (
        *(table.channel == channel, table.account == account, table.chat == chat),
        *(table.outgoing.is_(True), table.removed_at.is_(None), table["at"] >= at),
    )
    return connection.execute(sa.select(table.seq).where(*where).limit(1)).first() is not None


def newest_of_chats(connection: sa.Connection, since: datetime, limit: int) -> list[SeenMessage]:
    """Return the newest message of each private chat in which the owner has ever written, the newest chat first."""
    table, mine = seen_messages.c, seen_messages.alias("mine")
    chat = seen_chats.c
    wrote = sa.exists().where(
        *(mine.c[name] == chat[name] for name in ("channel", "account", "chat")), mine.c.outgoing.is_(True)
    )
    query = sa.select(chat.channel, chat.account, chat.chat).where(
        chat.kind == ChatKind.PERSON.value, chat.muted.is_(False), chat.last_at > since, wrote.correlate(seen_chats)
    )
    found: list[SeenMessage] = []
    for channel, account, address in connection.execute(query.order_by(chat.last_at.desc()).limit(limit)):
        here = (table.channel == channel, table.account == account, table.chat == address, table.removed_at.is_(None))
        newest = sa.select(table["item"]).where(*here).order_by(table["at"].desc(), table.order.desc()).limit(1)
        found += [SeenMessage.model_validate(one) for one in connection.execute(newest).scalars()]
    return found


def ended(connection: sa.Connection, states: Collection[str], since: datetime, limit: int) -> list[ApprovalRow]:
    """Return the calls that ended in these states since then, the newest first."""
    rows = approvals.newest(connection, states, limit)
    return [row for row in rows if row.finished_at is not None and row.finished_at > since]
