"""The bulk actions on the owner's mails, as labels to add and remove, and their wording."""

from dataclasses import dataclass
from enum import StrEnum

from butler.contract.bulk import BulkWords
from butler.contract.speech import phrase, say


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
class Marks:
    """An action on Gmail's labels. `open` finds, with the rest of a query, only mails that it changes.

    Each of its terms comes with the action's labels that those mails have, if these are not exactly the labels to
    remove: undoing the action needs them.
    """

    add: tuple[str, ...]
    remove: tuple[str, ...]
    open: tuple[tuple[str, tuple[str, ...] | None], ...]
    inverse: MailAction


MARKS = {
    MailAction.ARCHIVE: Marks((), ("INBOX",), (("in:inbox", None),), MailAction.UNARCHIVE),
    MailAction.UNARCHIVE: Marks(("INBOX",), (), (("-in:inbox", None),), MailAction.ARCHIVE),
    MailAction.MARK_READ: Marks((), ("UNREAD",), (("is:unread", None),), MailAction.MARK_UNREAD),
    MailAction.MARK_UNREAD: Marks(("UNREAD",), (), (("is:read", None),), MailAction.MARK_READ),
    MailAction.STAR: Marks(("STARRED",), (), (("-is:starred", None),), MailAction.UNSTAR),
    MailAction.UNSTAR: Marks((), ("STARRED",), (("is:starred", None),), MailAction.STAR),
    MailAction.TRASH: Marks(("TRASH",), (), (("-in:trash", None),), MailAction.UNTRASH),
    MailAction.UNTRASH: Marks((), ("TRASH",), (("in:trash", None),), MailAction.TRASH),
    MailAction.SPAM: Marks(
        ("SPAM",), ("INBOX",), (("in:inbox -in:spam", None), ("-in:inbox -in:spam", ())), MailAction.UNSPAM
    ),
    MailAction.UNSPAM: Marks(
        ("INBOX",), ("SPAM",), (("in:spam -in:inbox", None), ("in:spam in:inbox", ("INBOX", "SPAM"))), MailAction.SPAM
    ),
}
"""Labels per action. One of the owner's own is added and removed by its id.

Trashing a mail removes no label, so that it lies where it was before once it is taken out of the trash.
"""

_SAID: dict[MailAction, tuple[str, str, str, str]] = {
    MailAction.ARCHIVE: (
        phrase("Archives mails in your mailbox"),
        phrase("Archiving"),
        phrase("Archived"),
        phrase("They stay in All Mail, and can be found."),
    ),
    MailAction.UNARCHIVE: (
        phrase("Puts mails back into your inbox"),
        phrase("Putting back into the inbox"),
        phrase("Put back into the inbox"),
        "",
    ),
    MailAction.LABEL: (
        phrase("Puts a label on mails in your mailbox"),
        phrase("Labelling"),
        phrase("Labelled"),
        phrase("They stay where they are."),
    ),
    MailAction.UNLABEL: (
        phrase("Takes a label off mails in your mailbox"),
        phrase("Taking a label off"),
        phrase("Label taken off"),
        phrase("They stay where they are."),
    ),
    MailAction.MARK_READ: (
        phrase("Marks mails in your mailbox as read"),
        phrase("Marking as read"),
        phrase("Marked as read"),
        "",
    ),
    MailAction.MARK_UNREAD: (
        phrase("Marks mails in your mailbox as unread"),
        phrase("Marking as unread"),
        phrase("Marked as unread"),
        "",
    ),
    MailAction.STAR: (phrase("Stars mails in your mailbox"), phrase("Starring"), phrase("Starred"), ""),
    MailAction.UNSTAR: (
        phrase("Takes stars off mails in your mailbox"),
        phrase("Taking stars off"),
        phrase("Stars taken off"),
        "",
    ),
    MailAction.TRASH: (
        phrase("Puts mails of your mailbox into the trash"),
        phrase("Putting into the trash"),
        phrase("Put into the trash"),
        phrase("They stay in the trash for 30 days; then Gmail deletes them for good."),
    ),
    MailAction.UNTRASH: (
        phrase("Takes mails out of the trash"),
        phrase("Taking out of the trash"),
        phrase("Taken out of the trash"),
        "",
    ),
    MailAction.SPAM: (
        phrase("Marks mails in your mailbox as spam"),
        phrase("Marking as spam"),
        phrase("Marked as spam"),
        phrase("They lie in the spam folder, which the provider empties after a while."),
    ),
    MailAction.UNSPAM: (
        phrase("Takes mails out of spam, and puts them into your inbox"),
        phrase("Taking out of spam"),
        phrase("Taken out of spam"),
        "",
    ),
    MailAction.MOVE: (
        phrase("Moves mails in your mailbox"),
        phrase("Moving"),
        phrase("Moved"),
        phrase("They leave the inbox, and can be found where they were moved to."),
    ),
}


def words_of(action: MailAction) -> BulkWords:
    """Return the wording of an action."""
    does, doing, did, stays = _SAID[action]
    return BulkWords(say(does), say(doing), say(did), say(stays) if stays else "")


def words_of_putting_back() -> BulkWords:
    """Return the wording for mails that go back to where each lay."""
    return BulkWords(say("Puts mails back to where they were"), say("Putting back"), say("Put back"))
