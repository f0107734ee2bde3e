"""The places of a person's mailbox in which mails lie, whatever the provider."""

from collections.abc import Mapping
from enum import StrEnum

from butler.contract.speech import phrase


class MailPlace(StrEnum):
    """Where a mail of the person's lies."""

    INBOX = "inbox"
    ARCHIVE = "archive"
    SENT = "sent"
    DRAFTS = "drafts"
    SPAM = "spam"
    TRASH = "trash"


PLACES: Mapping[MailPlace, str] = {
    MailPlace.INBOX: phrase("in the inbox"),
    MailPlace.ARCHIVE: phrase("in the archive"),
    MailPlace.SENT: phrase("among the sent mails"),
    MailPlace.DRAFTS: phrase("among the drafts"),
    MailPlace.SPAM: phrase("in the spam folder"),
    MailPlace.TRASH: phrase("in the trash"),
}
