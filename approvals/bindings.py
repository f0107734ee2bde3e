"""What a card is bound to besides its arguments: the contacts behind its addresses, and the contents of its files.

Bindings are recorded when a call is stored or edited, and compared before the act: a call whose bindings have changed
is not made.
"""

import json
from typing import Any

import sqlalchemy as sa

from approvals.frozen import canonical
from approvals.people import Names, contact_of
from butler.contract.reasons import Reason, ReasonCode, reason
from butler.contract.tools import Preview

OTHERWISE = Reason(ReasonCode.SHOWN_WITH_CHANGED)


def bound_to(connection: sa.Connection, preview: Preview) -> str:
    """Return canonical JSON of each recipient's contact, with the name that the card shows, and of each file."""
    names = Names(connection)
    addresses = [recipient.address for recipient in preview.recipients]
    people = {address: [contact_of(connection, address), names.of(address)] for address in addresses}
    files = [[attachment.sha256, attachment.size] for attachment in preview.attachments]
    return canonical({"people": people, "files": files})


def changed_since(connection: sa.Connection, bound: str, preview: Preview) -> Reason | None:
    """Return what has changed since `bound` was recorded; None if nothing has, or nothing was recorded."""
    if not bound:
        return None
    now = bound_to(connection, preview)
    return None if now == bound else _difference(bound, json.loads(now))


def _difference(bound: str, now: dict[str, Any]) -> Reason:
    try:
        before: dict[str, Any] = json.loads(bound)["people"]
    except (ValueError, TypeError, KeyError):
        return OTHERWISE
    after: dict[str, Any] = now["people"]
    changed = next((address for address in after if before.get(address) != after[address]), None)
    if changed is None or changed not in before:
        return OTHERWISE
    was, is_now, only = _name(before[changed]), _name(after[changed]), len(after) == 1
    if is_now is None:
        return reason(ReasonCode.RECIPIENT_FORGOTTEN, name=was, only=only)
    if was is None:
        return reason(ReasonCode.RECIPIENT_KNOWN_NOW, name=is_now, only=only)
    if was == is_now:
        return reason(ReasonCode.RECIPIENT_ANOTHER, name=was, only=only)
    return reason(ReasonCode.RECIPIENT_RENAMED, name=is_now, before=was, only=only)


def _name(known: list[str | None]) -> str | None:
    """Return a contact's name for a card, empty for a contact without a name; None if the owner has no such contact."""
    contact, name = known
    return None if contact is None else name or ""
