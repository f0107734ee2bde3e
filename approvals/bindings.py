"""What a card is bound to beside its arguments: whom the owner knows by these addresses, and the files by their bytes.

Noted when a call is stored or edited, and compared before the act: what changed in between is not done.
"""

import json
from typing import Any

import sqlalchemy as sa

from approvals.frozen import canonical
from approvals.people import Names, contact_of
from butler.contract.speech import phrase, say
from butler.contract.tools import Preview

OTHERWISE = phrase("the people or files that it was shown with have changed")


def bound_to(connection: sa.Connection, preview: Preview) -> str:
    """Canonical JSON of the contact behind each recipient, with the name that the card shows, and of each file."""
    names = Names(connection)
    addresses = [recipient.address for recipient in preview.recipients]
    people = {address: [contact_of(connection, address), names.of(address)] for address in addresses}
    files = [[attachment.sha256, attachment.size] for attachment in preview.attachments]
    return canonical({"people": people, "files": files})


def changed_since(connection: sa.Connection, bound: str, preview: Preview) -> str:
    """What is no longer as it was when `bound` was noted; empty when all is, or nothing was noted."""
    if not bound:
        return ""
    now = bound_to(connection, preview)
    return "" if now == bound else _difference(bound, json.loads(now))


def _difference(bound: str, now: dict[str, Any]) -> str:
    try:
        before: dict[str, Any] = json.loads(bound)["people"]
    except (ValueError, TypeError, KeyError):
        return OTHERWISE
    after: dict[str, Any] = now["people"]
    changed = next((address for address in after if before.get(address) != after[address]), None)
    if changed is None or changed not in before:
        return OTHERWISE
    was, is_now = _name(before[changed]), _name(after[changed])
    return _of_the_only_one(was, is_now) if len(after) == 1 else _of_one_of_them(was, is_now)


def _of_the_only_one(was: str, is_now: str) -> str:
    if not is_now:
        return say("the recipient is no longer in your contacts as {name}", name=was)
    if not was:
        return say("the recipient is in your contacts by now, as {name}", name=is_now)
    if was == is_now:
        return say("the recipient is another {name} now", name=was)
    return say("the recipient is now in your contacts as {name}, not as {before}", name=is_now, before=was)


def _of_one_of_them(was: str, is_now: str) -> str:
    if not is_now:
        return say("a recipient is no longer in your contacts as {name}", name=was)
    if not was:
        return say("a recipient is in your contacts by now, as {name}", name=is_now)
    if was == is_now:
        return say("a recipient is another {name} now", name=was)
    return say("a recipient is now in your contacts as {name}, not as {before}", name=is_now, before=was)


def _name(known: list[str | None]) -> str:
    """How a card calls this person; empty for somebody whom the owner does not know."""
    contact, name = known
    return "" if contact is None else name or say("somebody without a name")
