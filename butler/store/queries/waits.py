"""Awaited answers, as rows."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from butler.contract.following import Wait, WaitKind, WaitState
from butler.contract.mirror import ChatKind, SeenMessage
from butler.contract.provenance import Origin
from butler.store.queries import work
from butler.store.queries.notes import dump_labels, load_labels
from butler.store.tables import seen_chats, seen_messages, waits

OVERDUE = "wait_overdue"
"""The work kind of a wait's deadline; its subject is the wait's id."""
MAIL = "email"
"""The channel of mails."""
OPEN = (WaitState.WAITING, WaitState.OVERDUE)
TELLS = "tell:"
"""The prefix of the call id of a wait whose answer is reported as soon as it comes."""
OF_SENT, OF_SEEN = "sent:", "seen:"
"""The prefixes of the call ids of waits that began by themselves: with a message that Butler or the owner sent."""
MOST_ADDRESSED = 3
"""A message to more people than this waits for nobody's answer."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A sent message, in which an answer may be requested."""

    kind: WaitKind
    account: str
    chat: str
    address: str
    about: str
    """Its subject, or its beginning."""
    text: str
    at: datetime
    key: str
    """A key that is the same for the same message."""


def add(
    connection: sa.Connection,
    call_id: str,
    kind: WaitKind,
    address: str,
    *,
    account: str = "",
    chat: str = "",
    contact_id: str = "",
    about: str = "",
    since: datetime,
    until: datetime,
    now: datetime,
    origins: Collection[Origin] = (),
) -> Wait:
    """Store a wait, and schedule its deadline; return the existing one if this call made one."""
    if (known := by_call(connection, call_id)) is not None:
        return known
    wait_id = uuid.uuid4().hex
    row = {
        "wait_id": wait_id,
        "kind": kind.value,
        "account": account,
        "chat": chat,
        "address": address,
        "contact_id": contact_id,
        "about": about,
        "call_id": call_id,
        "state": WaitState.WAITING.value,
        "since": since,
        "until": until,
        "labels": dump_labels(frozenset(origins)),
    }
    connection.execute(waits.insert().values(**row))
    work.add(connection, OVERDUE, wait_id, now=now, run_at=until)
    made = get(connection, wait_id)
    assert made is not None
    return made


def get(connection: sa.Connection, wait_id: str) -> Wait | None:
    """Return one wait."""
    row = connection.execute(sa.select(waits).where(waits.c.wait_id == wait_id)).mappings().first()
    return None if row is None else _wait(row)


def by_call(connection: sa.Connection, call_id: str) -> Wait | None:
    """Return the wait made for this call or message."""
    row = connection.execute(sa.select(waits).where(waits.c.call_id == call_id)).mappings().first()
    return None if row is None else _wait(row)


def in_state(connection: sa.Connection, *states: WaitState, limit: int = 100) -> list[Wait]:
    """Return the waits in these states, by deadline."""
    query = sa.select(waits).where(waits.c.state.in_([state.value for state in states]))
    rows = connection.execute(query.order_by(waits.c.until, waits.c.wait_id).limit(limit))
    return [_wait(row) for row in rows.mappings()]


def set_in_words(connection: sa.Connection, addresses: Collection[str]) -> list[Wait]:
    """Return the open waits for one of these that the owner asked for, unlike those that a sent question began."""
    began_by_itself = [waits.c.call_id.startswith(key, autoescape=True) for key in (OF_SENT, OF_SEEN)]
    where = (
        waits.c.address.in_(list(addresses)),
        waits.c.state.in_([state.value for state in OPEN]),
        sa.not_(sa.or_(*began_by_itself)),
    )
    rows = connection.execute(sa.select(waits).where(*where).order_by(waits.c.until, waits.c.wait_id))
    return [_wait(row) for row in rows.mappings()]


def is_covered(connection: sa.Connection, addresses: Collection[str], chat: str, since: datetime) -> bool:
    """Return whether a wait for one of these, in that chat or in any, is open or has begun since."""
    where = (
        waits.c.address.in_(list(addresses)),
        waits.c.chat.in_({"", chat}),
        sa.or_(waits.c.state.in_([state.value for state in OPEN]), waits.c.since >= since),
    )
    return connection.execute(sa.select(waits.c.wait_id).where(*where).limit(1)).first() is not None


def settle(connection: sa.Connection, wait_id: str, state: WaitState, now: datetime) -> bool:
    """End a wait; return False if it already was over."""
    is_open = (waits.c.wait_id == wait_id, waits.c.state.in_([state.value for state in OPEN]))
    values = {"state": state.value, "settled_at": now}
    if not connection.execute(waits.update().where(*is_open).values(**values)).rowcount:
        return False
    work.cancel(connection, OVERDUE, wait_id)
    return True


def is_overdue(connection: sa.Connection, wait_id: str) -> bool:
    """Mark a wait as overdue; return False if it already was, or is over."""
    waiting = (waits.c.wait_id == wait_id, waits.c.state == WaitState.WAITING.value)
    return bool(connection.execute(waits.update().where(*waiting).values(state=WaitState.OVERDUE.value)).rowcount)


def put_off(connection: sa.Connection, wait_id: str, until: datetime, now: datetime) -> bool:
    """Extend a wait; return False if it is over."""
    is_open = (waits.c.wait_id == wait_id, waits.c.state.in_([state.value for state in OPEN]))
    values = {"state": WaitState.WAITING.value, "until": until}
    if not connection.execute(waits.update().where(*is_open).values(**values)).rowcount:
        return False
    work.cancel(connection, OVERDUE, wait_id)
    work.add(connection, OVERDUE, wait_id, now=now, run_at=until)
    return True


def answered(connection: sa.Connection, wait: Wait, addresses: Collection[str]) -> bool:
    """Return whether one of these addresses wrote where an answer was expected, as far as the owner's accounts show.

    In a group only they count. Their mail counts in a thread in which the owner wrote before: its sender is not proved,
    but no stranger knows what it answers.
    """
    theirs = seen_messages.c["item"]["sender"].as_string().in_(list(addresses))
    where = [
        seen_messages.c["at"] > _instant(wait.since),
        seen_messages.c.outgoing.is_(False),
        seen_messages.c.removed_at.is_(None),
    ]
    if wait.chat:
        group = sa.exists().where(
            *(seen_chats.c[name] == seen_messages.c[name] for name in ("channel", "account", "chat")),
            seen_chats.c.kind.in_([ChatKind.GROUP.value, ChatKind.CHANNEL.value]),
        )
        where += [seen_messages.c.account == wait.account, seen_messages.c.chat == wait.chat]
        where.append(sa.or_(theirs, ~group.correlate(seen_messages)))
    else:
        where += [theirs, sa.or_(seen_messages.c.channel != MAIL, _in_conversation())]
    return connection.execute(sa.select(seen_messages.c.seq).where(*where).limit(1)).first() is not None


def unproved_mail(connection: sa.Connection, wait: Wait, addresses: Collection[str]) -> datetime | None:
    """Return when the last mail since then came that names one of these addresses as its sender."""
    where = (
        seen_messages.c["item"]["sender"].as_string().in_(list(addresses)),
        seen_messages.c.channel == MAIL,
        seen_messages.c["at"] > _instant(wait.since),
        seen_messages.c.outgoing.is_(False),
        seen_messages.c.removed_at.is_(None),
    )
    return connection.execute(sa.select(sa.func.max(seen_messages.c["at"])).where(*where)).scalar()


def _in_conversation() -> sa.ColumnElement[bool]:
    """Return whether the owner wrote in the same thread before."""
    mine = seen_messages.alias("mine")
    same = (mine.c[name] == seen_messages.c[name] for name in ("channel", "account", "chat"))
    return (
        sa.exists()
        .where(*same, mine.c.outgoing.is_(True), mine.c.removed_at.is_(None), mine.c["at"] < seen_messages.c["at"])
        .correlate(seen_messages)
    )


def answered_in(connection: sa.Connection, account: str, chat: str, since: datetime) -> bool:
    """Return whether anybody else wrote in a thread or chat since."""
    where = (
        *_here(account, chat),
        seen_messages.c["at"] > _instant(since),
        seen_messages.c.outgoing.is_(False),
    )
    return connection.execute(sa.select(seen_messages.c.seq).where(*where).limit(1)).first() is not None


def newest_of_others(connection: sa.Connection, account: str, chat: str) -> str | None:
    """Return the id of the newest message by somebody else in a thread."""
    where = (*_here(account, chat), seen_messages.c.outgoing.is_(False))
    query = sa.select(seen_messages.c.ref).where(*where).order_by(seen_messages.c["at"].desc()).limit(1)
    return connection.execute(query).scalar()


def outgoing(connection: sa.Connection, channels: Collection[str], since: datetime, limit: int) -> list[Outgoing]:
    """Return the owner's messages to one other person since then, as far as stored since then, the oldest first."""
    table = seen_messages.c
    person = sa.exists().where(
        *(seen_chats.c[name] == table[name] for name in ("channel", "account", "chat")),
        seen_chats.c.kind.in_([ChatKind.PERSON.value, ChatKind.THREAD.value]),
    )
    where = (
        table.channel.in_(list(channels)),
        table["at"] > _instant(since),
        table.outgoing.is_(True),
        table.removed_at.is_(None),
        person.correlate(seen_messages),
    )
    rows = connection.execute(sa.select(table["item"]).where(*where).order_by(table["at"]).limit(limit))
    found = (_outgoing(SeenMessage.model_validate(row[0])) for row in rows)
    return [one for one in found if one is not None]


def _outgoing(message: SeenMessage) -> Outgoing | None:
    mail = message.channel == MAIL
    if mail and not 0 < len(message.others) <= MOST_ADDRESSED:
        return None
    address = message.others[0].address if mail else message.chat
    kind = WaitKind.MAIL if mail else WaitKind.CHAT
    about, text = message.subject or message.text, f"{message.subject}\n{message.text}"
    key = f"{OF_SEEN}{message.channel}:{message.account}:{message.chat}:{message.ref}"
    return Outgoing(kind, message.account, message.chat, address.lower(), about, text, message.at, key)


def _here(account: str, chat: str) -> tuple[sa.ColumnElement[bool], ...]:
    table = seen_messages.c
    return (table.account == account, table.chat == chat, table.removed_at.is_(None))


def _instant(at: datetime) -> sa.BindParameter[datetime]:
    return sa.bindparam(None, at, type_=seen_messages.c["at"].type)


def _wait(row: sa.RowMapping) -> Wait:
    values = {name: row[name] for name in Wait.model_fields if name not in {"origins", "tells"}}
    more = {"origins": load_labels(row["labels"] or ()), "tells": str(row["call_id"]).startswith(TELLS)}
    return Wait.model_validate(values | more)
