"""Matches addresses with the owner's confirmed contacts. A look-alike never matches the contact that it resembles."""

from collections.abc import Mapping

import sqlalchemy as sa

from butler.contract.ports import OwnerFacts
from butler.contract.speech import say
from butler.store.queries import contacts, inbox


def is_owner(owner: OwnerFacts, address: str) -> bool:
    """Return whether this address is the owner's own."""
    channel, _, rest = address.partition(":")
    if channel == "telegram":
        return owner.telegram_user_id is not None and rest == str(owner.telegram_user_id)
    # Only ASCII may change its case: the Kelvin sign, for example, has the lower case of a plain K.
    return channel == "mail" and rest.isascii() and rest.lower() in owner.emails


def contact_of(connection: sa.Connection, address: str) -> str | None:
    """Return the contact whose confirmed address this is."""
    return contacts.confirmed(connection, address)


def same_person(connection: sa.Connection, address: str) -> tuple[str, ...]:
    """Return all confirmed addresses of the contact who has this confirmed address; empty if nobody has it."""
    contact_id = contact_of(connection, address)
    return contacts.addresses_of(connection, contact_id) if contact_id is not None else ()


def stored_form(address: str) -> str:
    """Return an address in the form in which it is stored and compared."""
    return contacts.normal(address)


class Names:
    """The owner's names for confirmed addresses, read once."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self._names: Mapping[str, str] = {
            address: contact.name if contact.name.casefold() in contact.aliases else contact.aliases[0]
            for contact in contacts.all_confirmed(connection)
            for address in contact.addresses
        }

    def mail(self, message_id: str) -> str:
        """Return the subject and the sender of a mail that the butler received; call it within the transaction.

        Empty if it is not stored, or if several mails bear this id.
        """
        kept = inbox.get(self._connection, message_id)
        mails = inbox.mails_of(self._connection, message_id) if kept is None else [kept[0]]
        found = {(str(mail.payload.get("subject", "")), mail.sender) for mail in mails}
        if len(found) != 1:
            return ""
        ((subject, sender),) = found
        by = self.of(sender) or sender.removeprefix("mail:")
        return say("“{subject}” by {who}", subject=subject, who=by) if subject else say("a mail by {who}", who=by)

    def of(self, address: str) -> str | None:
        """Return the name for this address; None if it is not confirmed."""
        return self._names.get(contacts.normal(address))
