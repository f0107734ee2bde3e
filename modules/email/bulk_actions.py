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
    """An action on Gmail's labels. `open` finds, with the rest of a query, only mails that it changes.

    Each of its terms comes with the action's labels that those mails have, if these are not exactly the labels to
    remove: undoing the action needs them.
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
"""Labels per action. One of the owner's own is added and removed by its id.

Trashing a mail removes no label, so that it lies where it was before once it is taken out of the trash.
"""

_SAID: Mapping[str, Sequence[str]] = table("modules.email", "texts")["bulk"]


def words_of(action: MailAction) -> BulkWords:
    """Return the wording of an action."""
    return BulkWords(*map(say, _SAID[action]))


def words_of_putting_back() -> BulkWords:
    """Return the wording for mails that go back to where each lay."""
    return BulkWords(say("Puts mails back to where they were"), say("Putting back"), say("Put back"))
