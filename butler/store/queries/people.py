"""The people seen in the owner's accounts and in mails to the butler, under the names that they gave themselves.

These names identify nobody: a name that a stranger chose is a suggestion, which the owner may confirm as an alias.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

import sqlalchemy as sa

from butler.contract.mirror import ChatKind, MirrorUpdate, SeenMessage
from butler.store.queries.contacts import normal
from butler.store.queries.storable_text import storable
from butler.store.tables import contact_addresses, seen_chats, seen_people

_NO_CONTACT = ~sa.exists().where(
    contact_addresses.c.address == seen_people.c.address, contact_addresses.c.confirmed.is_(True)
)
_ME = frozenset({ChatKind.SELF})
_MOST_NAMES = 500
"""Values in one IN list."""
_APART = str.maketrans("._@:", "    ")


def _of_row(name: str) -> sa.BindParameter[Any]:
    return sa.bindparam(f"k_{name}", type_=seen_people.c[name].type)


# Built once, and run for many people: building one costs more than running it.
_AGAIN = (
    seen_people.update()
    .where(seen_people.c.address == _of_row("address"), seen_people.c.source == _of_row("source"))
    .values(
        received=seen_people.c.received + _of_row("received"),
        sent=seen_people.c.sent + _of_row("sent"),
        **{
            name: sa.case((_of_row("name") != "", _of_row(name)), else_=seen_people.c[name])
            for name in ("name", "words")
        },
        last_at=sa.case((seen_people.c.last_at < _of_row("last_at"), _of_row("last_at")), else_=seen_people.c.last_at),
    )
)


@dataclass(frozen=True, slots=True)
class Sighting:
    """One person in one message: as its author, or as a recipient if it was `sent` by the owner."""

    address: str
    name: str
    at: datetime
    sent: bool = False


@dataclass(frozen=True, slots=True)
class Stranger:
    """A person without a name from the owner, over all places where they were seen."""

    address: str
    name: str
    sources: tuple[str, ...]
    received: int
    sent: int


def note(connection: sa.Connection, source: str, sightings: Iterable[Sighting]) -> None:
    """Count sightings; the newest name wins, an empty one changes nothing."""
    seen = {address: _row(address, source, several) for address, several in _by_address(sightings).items()}
    known = _known(connection, source, sorted(seen))
    if fresh := [row for address, row in seen.items() if address not in known]:
        connection.execute(seen_people.insert(), fresh)
    if again := [{f"k_{key}": value for key, value in row.items()} for a, row in seen.items() if a in known]:
        connection.execute(_AGAIN, again)


def _row(address: str, source: str, seen: Sequence[Sighting]) -> dict[str, Any]:
    name = storable(max(seen, key=lambda one: (bool(one.name), one.at)).name)
    return {
        "address": address,
        "source": source,
        "name": name,
        "words": f"{name} {address}".casefold(),
        "received": sum(not one.sent for one in seen),
        "sent": sum(one.sent for one in seen),
        "first_at": min(one.at for one in seen),
        "last_at": max(one.at for one in seen),
    }


def _known(connection: sa.Connection, source: str, addresses: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for at in range(0, len(addresses), _MOST_NAMES):
        portion = addresses[at : at + _MOST_NAMES]
        query = sa.select(seen_people.c.address).where(
            seen_people.c.source == source, seen_people.c.address.in_(portion)
        )
        found.update(connection.execute(query).scalars())
    return found


def in_messages(connection: sa.Connection, batch: MirrorUpdate, new: Sequence[SeenMessage]) -> None:
    """Count the people in newly stored messages."""
    kinds = {chat.chat: chat.kind for chat in batch.chats}
    kinds |= _kinds(connection, batch, {message.chat for message in new} - kinds.keys())
    note(
        connection, f"{batch.channel}:{batch.account}", (one for m in new for one in _in_message(m, kinds.get(m.chat)))
    )


def strangers(connection: sa.Connection, limit: int, *, owner: frozenset[str] = frozenset()) -> list[Stranger]:
    """Return the unnamed people with whom the owner writes most; first those to whom the owner wrote."""
    return list(islice(_found(connection, (seen_people.c.put_off_at.is_(None), seen_people.c.sent > 0), owner), limit))


def called(connection: sa.Connection, name: str, limit: int, *, owner: frozenset[str] = frozenset()) -> list[Stranger]:
    """Find people by the name they gave themselves: each word begins a word of their name or address."""
    words = name.casefold().split()
    if not words:
        return []
    like = [seen_people.c.words.contains(word, autoescape=True) for word in words]
    found = _found(connection, like, owner, lambda text: _begins(text, words))
    return list(islice((one for one in found if _begins(_text_of(one), words)), limit))


def put_off(connection: sa.Connection, address: str, now: datetime) -> None:
    """Suppress suggestions of this person."""
    connection.execute(seen_people.update().where(seen_people.c.address == normal(address)).values(put_off_at=now))


def _found(
    connection: sa.Connection,
    where: Sequence[sa.ColumnElement[bool]],
    owner: frozenset[str],
    fits: Callable[[str], bool] = lambda _: True,
) -> Iterator[Stranger]:
    """Yield the people whose names and address match, in order, looked up lazily: anybody can be many people."""
    received, sent = sa.func.sum(seen_people.c.received), sa.func.sum(seen_people.c.sent)
    order = (sent.desc(), received.desc(), seen_people.c.address)
    query = (
        sa.select(seen_people.c.address, sent, received, sa.func.aggregate_strings(seen_people.c.words, " "))
        .where(_NO_CONTACT, seen_people.c.address.not_in(sorted(owner)), *where)
        .group_by(seen_people.c.address)
        .order_by(*order)
    )
    rows = connection.execute(query).all()
    return (_stranger(connection, address, received, sent) for address, sent, received, text in rows if fits(text))


def _stranger(connection: sa.Connection, address: str, received: int, sent: int) -> Stranger:
    seen = connection.execute(
        sa.select(seen_people.c.source, seen_people.c.name)
        .where(seen_people.c.address == address)
        .order_by(seen_people.c.last_at.desc(), seen_people.c.source)
    ).all()
    name = next((name for _, name in seen if name), "")
    return Stranger(address, name, tuple(source for source, _ in seen), received, sent)


def _text_of(one: Stranger) -> str:
    return f"{one.name} {one.address.split(':', 1)[1]}".casefold()


def _begins(text: str, words: Sequence[str]) -> bool:
    """Return whether each of the words begins a word of a text; an address is split into its parts."""
    parts = text.translate(_APART).split()
    return all(any(part.startswith(word) for part in parts) for word in words)


def _by_address(sightings: Iterable[Sighting]) -> dict[str, list[Sighting]]:
    found: dict[str, list[Sighting]] = {}
    for one in sightings:
        if one.address:
            found.setdefault(normal(one.address), []).append(one)
    return found


def _kinds(connection: sa.Connection, batch: MirrorUpdate, chats: set[str]) -> dict[str, ChatKind]:
    if not chats:
        return {}
    query = sa.select(seen_chats.c.chat, seen_chats.c.kind).where(
        seen_chats.c.channel == batch.channel, seen_chats.c.account == batch.account, seen_chats.c.chat.in_(chats)
    )
    return {chat: ChatKind(kind) for chat, kind in connection.execute(query)}


def _in_message(message: SeenMessage, kind: ChatKind | None) -> Iterable[Sighting]:
    if kind in _ME:
        return
    if not message.outgoing:
        yield Sighting(message.sender, message.sender_name, message.at)
        return
    if kind is ChatKind.PERSON:
        yield Sighting(message.chat, "", message.at, sent=True)
    for other in message.others:
        yield Sighting(other.address, other.name, message.at, sent=True)
