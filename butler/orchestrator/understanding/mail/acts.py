"""Lists the acts on mails, and the filters that another act needs to mean the same mails."""

from collections.abc import Mapping
from typing import Any

from butler.contract.speech import phrase

DESCRIBED = {
    "archive": phrase("Archive mails"),
    "unarchive": phrase("Put mails back into the inbox"),
    "trash": phrase("Put mails into the trash"),
    "untrash": phrase("Take mails out of the trash"),
    "star": phrase("Star mails"),
    "unstar": phrase("Take the star off mails"),
    "mark_read": phrase("Mark mails as read"),
    "mark_unread": phrase("Mark mails as unread"),
    "label": phrase("Label mails"),
    "unlabel": phrase("Take a label off mails"),
    "spam": phrase("Mark mails as spam"),
    "unspam": phrase("Take mails out of spam"),
    "move": phrase("Move mails"),
}
NAMED = {"label": "name", "unlabel": "name", "move": "to"}
"""The argument that holds a label or a folder."""
MEANS_MORE: Mapping[str, Mapping[str, Any]] = {
    "archive": {"inbox": True},
    "mark_read": {"unread": True},
    "mark_unread": {"unread": False},
}
"""Implicit filters of acts, which another act on the same mails needs explicitly."""
OF_OTHERS = frozenset({"unarchive", "untrash", "unspam", "unstar"})
"""Acts whose mails no other act's filters can describe."""


def same_mails(action: str, args: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the filters by which another act means exactly the same mails; None if there are none."""
    if args.get("mails"):
        return {}
    if action in OF_OTHERS:
        return None
    named = {"label": args["name"]} if action == "unlabel" else {}
    return {**MEANS_MORE.get(action, {}), **named}
