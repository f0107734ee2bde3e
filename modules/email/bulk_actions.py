"""The bulk actions on the owner's mails, as labels to add and remove, and their wording."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from butler.contract.bulk import BulkWords
from butler.contract.speech import say
from butler.contract.tables import table


class MailAction(StrEnum):
    """The bulk actions; each value is part of its tool's name."""

    ARCHIVE = "archive"
    UNARCHIVE = "unarchive"
    LABEL = "label"
    UNLABEL = "unlabel"
    MARK_READ = "mark_read"
    MARK_UNREAD = "mark_unread"
    STAR = "star"
    UNSTAR = "unstar"
    TRASH = "trash"
    UNTRASH = "untrash"
    SPAM = "spam"
    UNSPAM = "unspam"
    MOVE = "move"


NAMING = frozenset({MailAction.LABEL, MailAction.UNLABEL, MailAction.MOVE})
"""Actions about a label or a folder that the order names."""


@dataclass(frozen=True, slots=True)
class LabelChange:
    """An action on Gmail's labels. `open` holds search terms that limit a query to mails that the action changes.

    Each term comes with the action's labels that its mails have, which undoing needs; None if these are exactly the
    labels to remove.
    """

    add: tuple[str, ...]
    remove: tuple[str, ...]
    open: tuple[tuple[str, tuple[str, ...] | None], ...]
    inverse: MailAction


MARKS = {
    MailAction.ARCHIVE: LabelChange((), ("INBOX",), (("in:inbox", None),), MailAction.UNARCHIVE),
    MailAction.UNARCHIVE: LabelChange(("INBOX",), (), (("-in:inbox", None),), MailAction.ARCHIVE),
    MailAction.MARK_READ: LabelChange((), ("UNREAD",), (("is:unread", None),), MailAction.MARK_UNREAD),
    MailAction.MARK_UNREAD: LabelChange(("UNREAD",), (), (("is:read", None),), MailAction.MARK_READ),
    MailAction.STAR: LabelChange(("STARRED",), (), (("-is:starred", None),), MailAction.UNSTAR),
    MailAction.UNSTAR: LabelChange((), ("STARRED",), (("is:starred", None),), MailAction.STAR),
    MailAction.TRASH: LabelChange(("TRASH",), (), (("-in:trash", None),), MailAction.UNTRASH),
    MailAction.UNTRASH: LabelChange((), ("TRASH",), (("in:trash", None),), MailAction.TRASH),
    MailAction.SPAM: LabelChange(
        ("SPAM",), ("INBOX",), (("in:inbox -in:spam", None), ("-in:inbox -in:spam", ())), MailAction.UNSPAM
    ),
    MailAction.UNSPAM: LabelChange(
        ("INBOX",), ("SPAM",), (("in:spam -in:inbox", None), ("in:spam in:inbox", ("INBOX", "SPAM"))), MailAction.SPAM
    ),
}
"""Label changes per action. A label of the owner's own is added and removed by its id.

Trashing removes no label, so that a mail taken out of the trash is where it was before.
"""

_SAID: Mapping[str, Sequence[str]] = table("modules.email", "texts")["bulk"]


def words_of(action: MailAction) -> BulkWords:
    """Return the wording of an action."""
    return BulkWords(*map(say, _SAID[action]))


def words_of_putting_back() -> BulkWords:
    """Return the wording for mails that go back to where each lay."""
    return BulkWords(say("Puts mails back to where they were"), say("Putting back"), say("Put back"))
