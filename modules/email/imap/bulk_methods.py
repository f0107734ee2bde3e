"""The methods of an IMAP account for many mails: their ids, arguments and results.

Folders are spelt as in a command; sets of UIDs are IMAP's own, such as `1:5,9`.
"""

from datetime import date

from pydantic import AwareDatetime, Field

from butler.contract.records import ClosedRecord

FOLDERS = "smtp_imap.bulk.folders.v1"
FIND = "smtp_imap.bulk.find.v1"
LOOK = "smtp_imap.bulk.look.v1"
FLAG = "smtp_imap.bulk.flag.v1"
MOVE = "smtp_imap.bulk.move.v1"
LOCATE = "smtp_imap.bulk.locate.v1"

MOST_MAILS = 500
"""The most mails in one call."""


class Nothing(ClosedRecord):
    """No arguments."""


class Folder(ClosedRecord):
    """A folder. `shown` is its name as people read it; `role` is empty for a folder without a special purpose."""

    name: str
    shown: str
    role: str = ""


class AllFolders(ClosedRecord):
    """The owner's own folders that hold mails, and what the server can do with them."""

    folders: list[Folder]
    prefix: str
    """The prefix of a new folder's name."""
    delimiter: str
    can_move: bool
    """Whether the server can remove a mail from a folder without touching others."""
    keywords: list[str]
    """The keywords that mails of the inbox can have, in lower case."""
    any_keyword: bool
    """Whether these mails can have any other keyword, too."""


class Criteria(ClosedRecord):
    """The criteria that a mail must all match. Days are the server's; `since` is included, `before` is not."""

    flags: list[tuple[str, bool]] = Field(default=[])
    """Flags and keywords, each with whether the mail has it or lacks it."""
    senders: list[str] = Field(default=[])
    """Texts, one of which the sender's name or address contains."""
    keep: list[str] = Field(default=[])
    """Texts, none of which the sender's name or address contains."""
    words: list[str] = Field(default=[])
    subject: str = ""
    list_id: str = ""
    newsletter: bool = False
    """Whether the mail must say how to unsubscribe, or which list it came over."""
    since: date | None = None
    before: date | None = None
    larger: int = 0
    """The number of bytes that the mail must exceed."""


class FindArgs(ClosedRecord):
    """A search among a folder's mails with UIDs under `below`, 0 for all; in the first call `uidvalidity` is 0."""

    folder: str
    criteria: Criteria
    below: int = 0
    uidvalidity: int = 0


class Found(ClosedRecord):
    """The matches among the searched mails, which have the highest UIDs; search on from `below`, 0 at the end."""

    uidvalidity: int
    uids: str
    below: int


class LookArgs(ClosedRecord):
    """Mails to look at. `structure`: also report whether each has an attachment."""

    folder: str
    uidvalidity: int
    uids: str
    structure: bool = False


class Seen(ClosedRecord):
    """A mail without its body; texts are as the sender wrote them, each on one line, long ones cut."""

    uid: int
    received_at: AwareDatetime | None
    size: int
    flags: list[str]
    sender: str
    subject: str
    message_id: str
    attachment: bool | None = None


class Looked(ClosedRecord):
    """Those of the mails that exist."""

    mails: list[Seen]


class FlagArgs(ClosedRecord):
    """A flag or keyword to set or to remove."""

    folder: str
    uidvalidity: int
    uids: str
    flag: str
    on: bool


class Flagged(ClosedRecord):
    """The UIDs whose flag is now as requested (`done`) or not (`left`); mails in neither set are gone."""

    done: str
    left: str


class Known(ClosedRecord):
    """A mail, by properties that survive a move."""

    uid: int
    message_id: str = ""
    size: int = 0


class MoveArgs(ClosedRecord):
    folder: str
    uidvalidity: int
    target: str
    mails: list[Known] = Field(max_length=MOST_MAILS)


class Moved(ClosedRecord):
    """The result of a move. Mails that it does not mention were already gone."""

    uidvalidity: int
    """The target folder's UIDVALIDITY."""
    moved: list[tuple[int, int]]
    """Each old UID with the new one in the target; 0 if the server does not report it."""
    left: str
    """The UIDs that were not moved."""


class LocateArgs(ClosedRecord):
    """Mails to find in a folder by their Message-ID, and by their size unless it is 0."""

    folder: str
    mails: list[Known] = Field(max_length=MOST_MAILS)
    taken: str = ""
    """UIDs in the folder that are known to be other mails."""


class Located(ClosedRecord):
    """The UID of each mail, in the given order; 0 for a mail that is missing or has no Message-ID."""

    uidvalidity: int
    uids: list[int]
