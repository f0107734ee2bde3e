"""What can be done to many mails of the person's, as labels that come and go, and what is said of each."""

from dataclasses import dataclass
from enum import StrEnum

from butler.contract.bulk import BulkWords
from butler.contract.speech import phrase, say


class MailAction(StrEnum):
    """By its tool's name."""

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


@dataclass(frozen=True, slots=True)
class Marks:
    """An action on Gmail's labels. `open` finds, with the rest of a query, only mails that it changes."""

    add: tuple[str, ...]
    remove: tuple[str, ...]
    open: str
    inverse: MailAction


MARKS = {
    MailAction.ARCHIVE: Marks((), ("INBOX",), "in:inbox", MailAction.UNARCHIVE),
    MailAction.UNARCHIVE: Marks(("INBOX",), (), "-in:inbox", MailAction.ARCHIVE),
    MailAction.MARK_READ: Marks((), ("UNREAD",), "is:unread", MailAction.MARK_UNREAD),
    MailAction.MARK_UNREAD: Marks(("UNREAD",), (), "is:read", MailAction.MARK_READ),
    MailAction.STAR: Marks(("STARRED",), (), "-is:starred", MailAction.UNSTAR),
    MailAction.UNSTAR: Marks((), ("STARRED",), "is:starred", MailAction.STAR),
    MailAction.TRASH: Marks(("TRASH",), (), "-in:trash", MailAction.UNTRASH),
    MailAction.UNTRASH: Marks((), ("TRASH",), "in:trash", MailAction.TRASH),
}
"""A label of the person's own is put on and taken off by its id. Putting into the trash takes nothing off, so that
whatever is taken out of it lies where it lay before."""

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
}


def words_of(action: MailAction) -> BulkWords:
    """What is said of an action."""
    does, doing, did, stays = _SAID[action]
    return BulkWords(say(does), say(doing), say(did), say(stays) if stays else "")
