"""Contacts: by address, and by the names that the owner gave. Only confirmed names and addresses reach a planner."""

import string
import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from butler.store.tables import contact_addresses, contact_aliases, contacts

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_ALIASES = (
    sa.select(contact_aliases.c.contact_id, contact_aliases.c.alias)
    .where(contact_aliases.c.confirmed.is_(True))
    .order_by(contact_aliases.c.alias)
)
_ADDRESSES = (
    sa.select(contact_addresses.c.contact_id, contact_addresses.c.address)
    .where(contact_addresses.c.confirmed.is_(True))
    .order_by(contact_addresses.c.address.desc())
)
_PEOPLE = sa.select(contacts.c.contact_id, contacts.c.name).order_by(contacts.c.name, contacts.c.contact_id)


@dataclass(frozen=True, slots=True)
class Contact:
    """A contact with the owner-confirmed aliases (as written) and addresses (`telegram:...`, `mail:...`)."""

    contact_id: str
    name: str
    aliases: tuple[str, ...]
    addresses: tuple[str, ...]

    def address(self, channel: str) -> str | None:
        """Return the first address on a channel (`telegram`, `mail`)."""
        return next((a for a in self.addresses if a.startswith(f"{channel}:")), None)


def normal(address: str) -> str:
    """Normalize an address for storage and comparison.

    Only ASCII changes its case: beyond it, folding makes another address of one (ß and ss, the Kelvin sign and a k).
    """
    return address.strip().translate(_LOWER)


def confirmed(connection: sa.Connection, address: str) -> str | None:
    """Return the contact with this owner-confirmed address."""
    return connection.execute(
        sa.select(contact_addresses.c.contact_id).where(
            contact_addresses.c.address == normal(address), contact_addresses.c.confirmed.is_(True)
        )
    ).scalar()


def name_of(connection: sa.Connection, contact_id: str) -> str:
    """Return the owner's name for a contact; empty if there is no such contact."""
    return connection.execute(sa.select(contacts.c.name).where(contacts.c.contact_id == contact_id)).scalar() or ""


def addresses_of(connection: sa.Connection, contact_id: str) -> tuple[str, ...]:
    """Return the confirmed addresses of a contact."""
    query = _ADDRESSES.where(contact_addresses.c.contact_id == contact_id)
    return tuple(address for _, address in connection.execute(query))


def all_confirmed(connection: sa.Connection) -> list[Contact]:
    """Return every contact with a confirmed alias, by name."""
    aliases: dict[str, list[str]] = defaultdict(list)
    for contact_id, alias in connection.execute(_ALIASES):
        aliases[contact_id].append(alias)
    addresses: dict[str, list[str]] = defaultdict(list)
    for contact_id, address in connection.execute(_ADDRESSES):
        addresses[contact_id].append(address)
    return [
        Contact(contact_id, name, tuple(aliases[contact_id]), tuple(addresses[contact_id]))
        for contact_id, name in connection.execute(_PEOPLE)
        if contact_id in aliases
    ]


def learn(
    connection: sa.Connection, name: str, addresses: Sequence[str], *, source: str, owner_says_so: bool, now: datetime
) -> str:
    """Note that `name` has these addresses; return the contact's id.

    Merges with the contact that has one of the addresses, or, if the owner says so, with the only confirmed contact of
    exactly that name without an address of these kinds: two people with one name stay two. What a stranger says
    (`owner_says_so=False`) never confirms or moves anything.
    """
    known = [normal(a) for a in addresses]
    contact_id = _who_has(connection, known)
    if contact_id is not None and owner_says_so:
        _call(connection, contact_id, name)
    elif owner_says_so:
        contact_id = _namesake(connection, name, {a.split(":", 1)[0] for a in known})
    if contact_id is None:
        contact_id = uuid.uuid4().hex
        connection.execute(contacts.insert().values(contact_id=contact_id, name=name, created_at=now))
    _put(connection, contact_aliases, "alias", name.casefold(), contact_id, source, owner_says_so)
    for address in known:
        _put(connection, contact_addresses, "address", address, contact_id, source, owner_says_so)
    return contact_id


def has_name(connection: sa.Connection, alias: str, address: str) -> bool:
    """Return whether this is a confirmed alias of the contact with this confirmed address."""
    contact_id = confirmed(connection, address)
    where = (contact_aliases.c.contact_id == contact_id, contact_aliases.c.alias == alias.casefold())
    sure = contact_aliases.c.confirmed.is_(True)
    return contact_id is not None and connection.execute(sa.select(sure).where(*where, sure)).first() is not None


def forget(connection: sa.Connection, alias: str) -> int:
    """Remove a name; return how many contacts had it. A contact without another name is deleted with all its data."""
    table = contact_aliases.c
    confirmed_alias = table.confirmed.is_(True)
    named = sa.select(table.contact_id).where(table.alias == alias.casefold(), confirmed_alias)
    ids = [row[0] for row in connection.execute(named)]
    of_them = (table.contact_id.in_(ids), table.alias == alias.casefold())
    connection.execute(contact_aliases.update().where(*of_them).values(confirmed=False))
    still = set(
        connection.execute(sa.select(table.contact_id).where(table.contact_id.in_(ids), confirmed_alias)).scalars()
    )
    gone = [contact_id for contact_id in ids if contact_id not in still]
    connection.execute(
        contact_addresses.update().where(contact_addresses.c.contact_id.in_(gone)).values(confirmed=False)
    )
    return len(ids)


def keep_only(connection: sa.Connection, source: str, names: Sequence[str], addresses: Sequence[str]) -> None:
    """Unconfirm what a source no longer says; another source may confirm it again."""
    kept = {contact_aliases.c.alias: [n.casefold() for n in names], contact_addresses.c.address: map(normal, addresses)}
    for column, values in kept.items():
        table = column.table
        gone = (table.c.source == source) & column.not_in(list(values))
        connection.execute(sa.update(table).where(gone).values(confirmed=False))


def remove_reassigned(connection: sa.Connection, source: str, said: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Remove each address that `source` gave a contact and now gives somebody else; no names move with it.

    Somebody else is a person whom no confirmed name of the contact calls, if the contact goes on under its own name or
    has an address from another source. Otherwise it is the same person under another name.
    """
    names: dict[str, set[str]] = defaultdict(set)
    for name, addresses in said:
        for address in addresses:
            names[normal(address)].add(name.casefold())
    everybody = {name.casefold() for name, _ in said}
    called: dict[str, set[str]] = defaultdict(set)
    for contact_id, alias in connection.execute(_ALIASES):
        called[contact_id].add(alias)
    table = contact_addresses.c
    reached = set(
        connection.execute(
            sa.select(table.contact_id).where(table.source != source, table.confirmed.is_(True))
        ).scalars()
    )
    given = connection.execute(sa.select(table.address, table.contact_id).where(table.source == source)).all()
    for address, contact_id in given:
        theirs = called[contact_id]
        if address in names and not theirs & names[address] and (theirs & everybody or contact_id in reached):
            connection.execute(contact_addresses.delete().where(table.address == address))


def _who_has(connection: sa.Connection, known: Sequence[str]) -> str | None:
    """Return the contact with the first of these addresses that is taken: surer ones, such as an id, come first.

    A contact with other addresses of these kinds is somebody else, such as the other half of a couple that shares a
    mailbox.
    """
    query = sa.select(contact_addresses.c.address, contact_addresses.c.contact_id)
    found = {
        row.address: row.contact_id for row in connection.execute(query.where(contact_addresses.c.address.in_(known)))
    }
    for address in known:
        if address in found and not _is_elsewhere(addresses_of(connection, found[address]), known, _kind(address)):
            return found[address]
    return None


def _is_elsewhere(theirs: Sequence[str], known: Sequence[str], but: str) -> bool:
    kinds = {_kind(address) for address in known if address not in theirs} - {but}
    return any(_kind(address) in kinds for address in theirs)


def _kind(address: str) -> str:
    return address.partition(":")[0]


def _call(connection: sa.Connection, contact_id: str, name: str) -> None:
    """Set a contact's name, unless the owner's current name for them is in use."""
    goes_by = connection.execute(sa.select(contacts.c.name).where(contacts.c.contact_id == contact_id)).scalar_one()
    still = sa.select(contact_aliases.c.alias).where(
        contact_aliases.c.contact_id == contact_id,
        contact_aliases.c.alias == goes_by.casefold(),
        contact_aliases.c.confirmed.is_(True),
    )
    if connection.execute(still).first() is None:
        connection.execute(contacts.update().where(contacts.c.contact_id == contact_id).values(name=name))


def _namesake(connection: sa.Connection, name: str, channels: set[str]) -> str | None:
    same = [c for c in all_confirmed(connection) if name.casefold() in c.aliases]
    if len(same) != 1 or any(a.split(":", 1)[0] in channels for a in same[0].addresses):
        return None
    return same[0].contact_id


def _put(
    connection: sa.Connection, table: sa.Table, column: str, value: str, contact_id: str, source: str, sure: bool
) -> None:
    where = table.c[column] == value
    if table is contact_aliases:
        where &= table.c.contact_id == contact_id
    row = connection.execute(sa.select(table.c.confirmed).where(where)).first()
    if row is None:
        connection.execute(
            table.insert().values({column: value, "contact_id": contact_id, "confirmed": sure, "source": source})
        )
    elif sure and not row[0]:
        connection.execute(table.update().where(where).values(confirmed=True, source=source))
