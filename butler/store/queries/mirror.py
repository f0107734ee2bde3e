"""The mirror of the owner's accounts: chats, their messages, and whole mails if they are kept."""

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, TypeVar

import sqlalchemy as sa

from butler.contract.mirror import ChatKind, MirrorUpdate, Ranking, SeenChat, SeenMessage, SeenQuery, SenderCount
from butler.store.instants import Instant
from butler.store.queries import event_publisher, people
from butler.store.queries.storable_text import storable
from butler.store.tables import seen_chats, seen_messages, seen_raws

T = TypeVar("T")

MOST_NAMES = 500
"""Values in one IN list; SQLite limits parameters to some thousands."""
MOST_PRUNED = 2000
"""Messages that one transaction deletes."""
FAST = 1
"""zlib's level: mails are stored about as fast as they come in."""

_CHAT = [seen_chats.c[name] for name in SeenChat.model_fields]
_NEWEST_FIRST = (seen_chats.c.last_at.is_(None), seen_chats.c.last_at.desc(), seen_chats.c.chat)
_KEY = ("channel", "account", "chat", "ref")
_CHAT_KEY = ("channel", "account", "chat")


def _by_key(table: sa.Table, names: Sequence[str]) -> list[sa.ColumnElement[bool]]:
    return [table.c[name] == sa.bindparam(f"k_{name}") for name in names]


# Built once, and run for many rows: building one costs more than running it.
_UPDATE = seen_messages.update().where(*_by_key(seen_messages, _KEY))
_UPDATE_CHAT = seen_chats.update().where(*_by_key(seen_chats, _CHAT_KEY))
_NEWEST = (
    seen_chats.update()
    .where(
        *_by_key(seen_chats, _CHAT_KEY),
        sa.or_(seen_chats.c.last_at.is_(None), seen_chats.c.last_at < sa.bindparam("at", type_=Instant)),
    )
    .values(last_at=sa.bindparam("at", type_=Instant))
)
_GONE = (
    seen_messages.update()
    .where(*_by_key(seen_messages, ("channel", "account", "ref")), seen_messages.c.removed_at.is_(None))
    .values(removed_at=sa.bindparam("now", type_=Instant), changed_at=sa.bindparam("now", type_=Instant))
)
_GONE_FROM_CHAT = _GONE.where(*_by_key(seen_messages, ("chat",)))
_GONE_APART_FROM = _GONE.where(seen_messages.c.chat.not_like(sa.bindparam("apart")))


def keep(connection: sa.Connection, batch: MirrorUpdate, now: datetime) -> int:
    """Store a batch of one account, replacing known messages; return the number of new ones."""
    known, moved = _known(connection, batch), _moved(connection, batch)
    fresh: dict[tuple[str, str], SeenMessage] = {}
    changed: dict[tuple[str, str], SeenMessage] = {}
    for message in batch.messages:
        target = changed if (message.chat, message.ref) in known else fresh
        target[message.chat, message.ref] = message
    if fresh:
        connection.execute(seen_messages.insert(), [_row(message, now) for message in fresh.values()])
    if changed:
        connection.execute(_UPDATE, [_row(m, now) | _key(m, _KEY) for m in changed.values()])
    _keep_raws(connection, batch, (*fresh.values(), *changed.values()))
    _remove(connection, batch, now)
    _keep_chats(connection, batch, _newest((*fresh.values(), *changed.values())))
    new = tuple(m for m in fresh.values() if (m.at, m.message_id) not in moved)
    people.in_messages(connection, batch, new)
    event_publisher.seen(connection, batch, new, now)
    return len(fresh)


def chats(connection: sa.Connection, channel: str, account: str = "") -> list[SeenChat]:
    """Return every chat, the one with the newest message first."""
    query = sa.select(*_CHAT).where(seen_chats.c.channel == channel)
    if account:
        query = query.where(seen_chats.c.account == account)
    return [_chat(row) for row in connection.execute(query.order_by(*_NEWEST_FIRST)).mappings()]


def chat(connection: sa.Connection, channel: str, account: str, address: str) -> SeenChat | None:
    """Return one chat."""
    where = _of_chat(seen_chats, channel, account, address)
    row = connection.execute(sa.select(*_CHAT).where(*where)).mappings().first()
    return None if row is None else _chat(row)


def called(connection: sa.Connection, words: str, limit: int) -> list[SeenChat]:
    """Return groups and channels whose title has each of these words, the one with the newest message first."""
    wanted = words.casefold().split()
    kinds = (ChatKind.GROUP.value, ChatKind.CHANNEL.value)
    query = sa.select(*_CHAT).where(seen_chats.c.kind.in_(kinds)).order_by(*_NEWEST_FIRST)
    found = (SeenChat.model_validate(row) for row in connection.execute(query).mappings())
    return [one for one in found if wanted and all(word in one.title.casefold() for word in wanted)][:limit]


def messages(connection: sa.Connection, query: SeenQuery) -> list[SeenMessage]:
    """Return the results of a query, the newest first, or onwards from `after_order`."""
    if query.after_order is not None:
        order = (seen_messages.c.order, seen_messages.c.seq)
    else:
        order = (seen_messages.c.at.desc(), seen_messages.c.order.desc(), seen_messages.c.seq.desc())
    rows = connection.execute(
        sa.select(seen_messages.c["item"]).where(*_wanted(query)).order_by(*order).limit(query.limit)
    )
    return [SeenMessage.model_validate(row[0]) for row in rows]


def count(connection: sa.Connection, query: SeenQuery) -> int:
    """Count the results of a query, regardless of its limit."""
    return connection.execute(sa.select(sa.func.count()).select_from(seen_messages).where(*_wanted(query))).scalar_one()


def senders(connection: sa.Connection, channel: str, account: str, refs: Sequence[str]) -> list[tuple[str, int]]:
    """Count these messages by sender address, leaving out unseen ones."""
    found: Counter[str] = Counter()
    table = seen_messages.c
    for part in _parts(sorted(set(refs))):
        query = sa.select(table["item"]).where(
            table.channel == channel, table.account == account, table.ref.in_(part), table.removed_at.is_(None)
        )
        found.update(str(item.get("sender", "")).partition(":")[2] for item in connection.execute(query).scalars())
    return found.most_common()


def ranking(connection: sa.Connection, channel: str, account: str, label: str, most: int) -> Ranking:
    """Rank the senders of others' messages with a label, among the seen ones."""
    table = seen_messages.c
    sender, labels = table["item"]["sender"].as_string(), table["item"]["labels"].as_string()
    where = (
        table.channel == channel,
        table.account == account,
        table.removed_at.is_(None),
        table.outgoing.is_(False),
        labels.contains(json.dumps(label), autoescape=True),
    )
    known, since = connection.execute(sa.select(sa.func.count(), sa.func.min(table["at"])).where(*where)).one()
    count, newest = sa.func.count().label("count"), sa.func.max(table["at"])
    unread = sa.func.sum(sa.case((table.unread.is_(True), 1), else_=0))
    query = sa.select(sender, count, unread, newest).where(*where, sender.is_not(None), sender != "").group_by(sender)
    rows = connection.execute(query.order_by(count.desc(), sender).limit(most)).all()
    times = [at for *_, at in rows]
    found = connection.execute(sa.select(table["item"]).where(*where, table["at"].in_(times))).scalars()
    newest_of = {(one.sender, one.at): one for one in map(SeenMessage.model_validate, found)}
    senders = tuple(SenderCount(address, many, new, newest_of[address, at]) for address, many, new, at in rows)
    return Ranking(senders, known, since)


def raw(connection: sa.Connection, channel: str, account: str, address: str, ref: str) -> bytes | None:
    """Return the whole mail, if it was kept."""
    where = (*_of_chat(seen_raws, channel, account, address), seen_raws.c.ref == ref)
    found = connection.execute(sa.select(seen_raws.c.raw).where(*where)).scalar()
    return None if found is None else zlib.decompress(found)


def forget(connection: sa.Connection, channel: str, account: str, address: str) -> int:
    """Delete a chat and its messages; return their number."""
    gone = connection.execute(
        seen_messages.delete().where(*_of_chat(seen_messages, channel, account, address))
    ).rowcount
    for table in (seen_raws, seen_chats):
        connection.execute(table.delete().where(*_of_chat(table, channel, account, address)))
    return gone


def prune(connection: sa.Connection, channel: str, account: str, before: datetime) -> int:
    """Delete older messages, oldest first, and the chats left empty; return the number of messages.

    At most `MOST_PRUNED` in one call.
    """
    table = seen_messages.c
    old = (table.channel == channel, table.account == account, table["at"] < before)
    query = sa.select(table.seq, table.chat, table.ref).where(*old).order_by(table["at"]).limit(MOST_PRUNED)
    found = connection.execute(query).all()
    for part in _parts(found):
        connection.execute(seen_messages.delete().where(table.seq.in_([row.seq for row in part])))
        raws = (seen_raws.c.channel == channel, seen_raws.c.account == account)
        keys = sa.tuple_(seen_raws.c.chat, seen_raws.c.ref).in_([(row.chat, row.ref) for row in part])
        connection.execute(seen_raws.delete().where(*raws, keys))
    chat = seen_chats.c
    holds = sa.exists().where(*(table[name] == chat[name] for name in _CHAT_KEY)).correlate(seen_chats)
    empty = (chat.channel == channel, chat.account == account, chat.last_at < before, ~holds)
    connection.execute(seen_chats.delete().where(*empty))
    return len(found)


def _known(connection: sa.Connection, batch: MirrorUpdate) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    table = seen_messages.c
    for refs in _parts(sorted({message.ref for message in batch.messages})):
        query = sa.select(table.chat, table.ref).where(
            table.channel == batch.channel, table.account == batch.account, table.ref.in_(refs)
        )
        found.update((row[0], row[1]) for row in connection.execute(query))
    return found


def _moved(connection: sa.Connection, batch: MirrorUpdate) -> set[tuple[datetime, str]]:
    """Return mails already stored under another number, by arrival and Message-ID: their people are counted already."""
    table = seen_messages.c
    found: set[tuple[datetime, str]] = set()
    for times in _parts(sorted({message.at for message in batch.messages if message.message_id})):
        query = sa.select(table["at"], table["item"]).where(
            table.channel == batch.channel,
            table.account == batch.account,
            table["at"].in_(times),
            table.removed_at.is_not(None),
        )
        found.update((at, item.get("message_id", "")) for at, item in connection.execute(query))
    return found


def _row(message: SeenMessage, now: datetime) -> dict[str, Any]:
    return {
        **{name: getattr(message, name) for name in (*_KEY, "order", "at", "outgoing", "unread")},
        "words": storable(f"{message.sender_name}\n{message.subject}\n{message.text}".casefold()),
        "item": message.model_dump(mode="json", exclude_defaults=True),
        "removed_at": None,
        "changed_at": now,
    }


def _keep_raws(connection: sa.Connection, batch: MirrorUpdate, kept: Sequence[SeenMessage]) -> None:
    whole = [message for message in kept if message.raw is not None]
    if not whole:
        return
    for part in _parts(whole):
        refs = [message.ref for message in part]
        of_account = (seen_raws.c.channel == batch.channel, seen_raws.c.account == batch.account)
        connection.execute(seen_raws.delete().where(*of_account, seen_raws.c.ref.in_(refs)))
    rows = [{**{n: getattr(m, n) for n in _KEY}, "raw": zlib.compress(m.raw or b"", FAST)} for m in whole]
    connection.execute(seen_raws.insert(), rows)


def _remove(connection: sa.Connection, batch: MirrorUpdate, now: datetime) -> None:
    rows: dict[sa.Update, list[dict[str, Any]]] = {}
    for removal in batch.removed:
        row = {"k_channel": batch.channel, "k_account": batch.account, "k_ref": removal.ref, "now": now}
        if removal.chat:
            rows.setdefault(_GONE_FROM_CHAT, []).append(row | {"k_chat": removal.chat})
        elif removal.apart_from:
            rows.setdefault(_GONE_APART_FROM, []).append(row | {"apart": f"{removal.apart_from}%"})
        else:
            rows.setdefault(_GONE, []).append(row)
    for statement, several in rows.items():
        connection.execute(statement, several)


def _keep_chats(connection: sa.Connection, batch: MirrorUpdate, newest: dict[str, datetime]) -> None:
    """Store chats with the time of their newest message; `newest` is of those with messages in this batch."""
    kept = {chat.chat: chat for chat in batch.chats}
    known: set[str] = set()
    for addresses in _parts(sorted(kept)):
        of_account = (seen_chats.c.channel == batch.channel, seen_chats.c.account == batch.account)
        query = sa.select(seen_chats.c.chat).where(*of_account, seen_chats.c.chat.in_(addresses))
        known.update(connection.execute(query).scalars())
    rows = {a: chat.model_dump(mode="json") | {"title": storable(chat.title)} for a, chat in kept.items()}
    if fresh := [row | {"last_at": newest.pop(a, None)} for a, row in rows.items() if a not in known]:
        connection.execute(seen_chats.insert(), fresh)
    if changed := [row | _key(kept[address], _CHAT_KEY) for address, row in rows.items() if address in known]:
        connection.execute(_UPDATE_CHAT, changed)
    account = {"k_channel": batch.channel, "k_account": batch.account}
    if later := [account | {"k_chat": address, "at": at} for address, at in newest.items()]:
        connection.execute(_NEWEST, later)


def _newest(kept: Sequence[SeenMessage]) -> dict[str, datetime]:
    newest: dict[str, datetime] = {}
    for message in kept:
        newest[message.chat] = max(message.at, newest.get(message.chat, message.at))
    return newest


def _key(record: SeenMessage | SeenChat, names: Sequence[str]) -> dict[str, str]:
    return {f"k_{name}": getattr(record, name) for name in names}


def _wanted(query: SeenQuery) -> Iterator[sa.ColumnElement[bool]]:
    table = seen_messages.c
    yield table.channel == query.channel
    yield table.removed_at.is_(None)
    if query.account:
        yield table.account == query.account
    if query.chat:
        yield table.chat == query.chat
    elif not query.muted:
        yield ~_chat_of(seen_chats.c.muted.is_(True))
    for word in storable(query.words.casefold()).split():
        yield table.words.contains(word, autoescape=True)
    if query.since is not None:
        yield table.at >= query.since
    if query.after_order is not None:
        yield table.order > query.after_order
    if query.before_order is not None:
        yield table.order < query.before_order
    if query.incoming:
        yield table.outgoing.is_(False)
    if query.unread:
        # A mail says so itself; in a chat, messages after the read mark are unread.
        yield table.unread.is_(True)
        yield ~_chat_of(seen_chats.c.read_order >= table.order)


def _chat_of(condition: sa.ColumnElement[bool]) -> sa.Exists:
    same = [seen_chats.c[name] == seen_messages.c[name] for name in ("channel", "account", "chat")]
    return sa.exists().where(*same, condition).correlate(seen_messages)


def _of_chat(table: sa.Table, channel: str, account: str, address: str) -> tuple[sa.ColumnElement[bool], ...]:
    return (table.c.channel == channel, table.c.account == account, table.c.chat == address)


def _chat(row: sa.RowMapping) -> SeenChat:
    return SeenChat.model_validate(row)


def _parts(values: Sequence[T]) -> Iterable[Sequence[T]]:
    return (values[at : at + MOST_NAMES] for at in range(0, len(values), MOST_NAMES))
