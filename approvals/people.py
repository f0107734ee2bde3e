"""Addresses against the owner's confirmed contacts. A look-alike is never taken for the contact it looks like."""

from collections.abc import Mapping

import sqlalchemy as sa

from butler.store.queries import contacts


def contact_of(connection: sa.Connection, address: str) -> str | None:
    """The contact whose confirmed address this is."""
    return contacts.confirmed(connection, address) if _is_comparable(address) else None


class Names:
    """The names that the owner gave to confirmed addresses, read once."""

    def __init__(self, connection: sa.Connection) -> None:
        self._names: Mapping[str, str] = {
            address: contact.name if contact.name.casefold() in contact.aliases else contact.aliases[0]
            for contact in contacts.all_confirmed(connection)
            for address in contact.addresses
        }

    def of(self, address: str) -> str | None:
        """The name for this address; None when it is not confirmed."""
        return self._names.get(contacts.normal(address)) if _is_comparable(address) else None


def _is_comparable(address: str) -> bool:
    # Contacts are compared with their case folded. Beyond ASCII that makes different addresses alike (the Kelvin sign
    # and a plain k, ß and ss), so there only what folding leaves alone may match.
    return address.isascii() or address == contacts.normal(address)
