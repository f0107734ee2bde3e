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
"""Mails in one call."""


class Nothing(ClosedRecord):
    """No arguments."""


class Folder(ClosedRecord):
    """`shown` is its name as people read it; `role` what it is for, empty where it is any folder."""

    name: str
    shown: str
    role: str = ""


class AllFolders(ClosedRecord):
    """The person's own folders that hold mails, and what the server can do with those."""

    folders: list[Folder]
    prefix: str
    """What the name of a new folder begins with."""
    delimiter: str
    can_move: bool
    """Whether it can take a mail out of a folder without touching others."""
    keywords: list[str]
    """The words that mails of the inbox can bear, in small letters."""
    any_keyword: bool
    """Whether they can bear others, too."""


class Criteria(ClosedRecord):
    """What must hold of a mail, all of it. Days are the server's; `since` is included, `before` is not."""

    flags: list[tuple[str, bool]] = Field(default=[])
    """Flags and keywords that it bears, or does not."""
    senders: list[str] = Field(default=[])
    """One of these is in its sender's name or address."""
    keep: list[str] = Field(default=[])
    """None of these is."""
    words: list[str] = Field(default=[])
    subject: str = ""
    list_id: str = ""
    newsletter: bool = False
    """It says how it is unsubscribed from, or which list it came over."""
    since: date | None = None
    before: date | None = None
    larger: int = 0
    """Bytes that it has more than."""


class FindArgs(ClosedRecord):
    """Mails of a folder with UIDs `below` that one, or of all of it (0); the first time `uidvalidity` is 0."""

    folder: str
    criteria: Criteria
    below: int = 0
    uidvalidity: int = 0


class Found(ClosedRecord):
    """Which match, of some with the highest UIDs; the others are `below` that, 0 where these were all."""

    uidvalidity: int
    uids: str
    below: int


class LookArgs(ClosedRecord):
    """`structure`: whether they have an attachment is to be told, too."""

    folder: str
    uidvalidity: int
    uids: str
    structure: bool = False


class Seen(ClosedRecord):
    """What is known of a mail; the texts as its sender wrote them, each on one line and cut where it is long."""

    uid: int
    received_at: AwareDatetime | None
    size: int
    flags: list[str]
    sender: str
    subject: str
    message_id: str
    attachment: bool | None = None


class Looked(ClosedRecord):
    """Those that are there."""

    mails: list[Seen]


class FlagArgs(ClosedRecord):
    """A flag or keyword that is put on, or taken off."""

    folder: str
    uidvalidity: int
    uids: str
    flag: str
    on: bool


class Flagged(ClosedRecord):
    """Which are as they should be now, and which are there and are not; the others are gone."""

    done: str
    left: str


class Known(ClosedRecord):
    """A mail by what goes with it when it is moved."""

    uid: int
    message_id: str = ""
    size: int = 0


class MoveArgs(ClosedRecord):
    folder: str
    uidvalidity: int
    target: str
    mails: list[Known] = Field(max_length=MOST_MAILS)


class Moved(ClosedRecord):
    """What became of them. Those that are named nowhere had not been there any more."""

    uidvalidity: int
    """The target's."""
    moved: list[tuple[int, int]]
    """Which UID there each has now; 0 where the server does not tell."""
    left: str
    """Which are where they were."""


class LocateArgs(ClosedRecord):
    """Mails that are looked for in a folder by their Message-ID, and their size where that is not 0."""

    folder: str
    mails: list[Known] = Field(max_length=MOST_MAILS)
    taken: str = ""
    """UIDs there that are known to be others."""


class Located(ClosedRecord):
    """The UID of each, in their order; 0 for one that is not there, or has no Message-ID."""

    uidvalidity: int
    uids: list[int]
