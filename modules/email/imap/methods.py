"""The methods of an IMAP and SMTP account: their ids, arguments and results.

Folders are spelt as in a command (see `folders`); sets of UIDs are IMAP's own, such as `1:5,9`.
"""

from datetime import date

from pydantic import AwareDatetime, Field

from butler.contract.records import ClosedRecord
from modules.email.imap.connection import INBOX

NEWS = "smtp_imap.inbox.news.v1"
SEARCH = "smtp_imap.inbox.search.v2"
FETCH = "smtp_imap.inbox.fetch.v1"
MOVE = "smtp_imap.inbox.move.v1"
STATE = "smtp_imap.folder.state.v1"
THREADS = "smtp_imap.folder.threads.v1"
FOLDERS = "smtp_imap.account.folders.v1"
SEND = "smtp_imap.outbox.send.v1"
NOTIFY = "smtp_imap.outbox.notify.v1"
KEEP_COPY = "smtp_imap.sent.keep.v1"
FIND_COPY = "smtp_imap.sent.find.v1"
KEEP_DRAFT = "smtp_imap.drafts.keep.v1"
FIND_DRAFT = "smtp_imap.drafts.find.v1"
CHECK_IMAP = "smtp_imap.account.check_imap.v1"
CHECK_SMTP = "smtp_imap.account.check_smtp.v1"

MOST_FETCHED = 150
"""Mails in one call."""


class Nothing(ClosedRecord):
    """No arguments."""


class NewsArgs(ClosedRecord):
    after_uid: int = Field(ge=0)


class News(ClosedRecord):
    """The state of the inbox, and the UIDs after the one that was given, ascending."""

    uidvalidity: int
    uidnext: int
    exists: int
    uids: list[int]


class StateArgs(ClosedRecord):
    """What was known of a folder at the last look; all 0 at the first. Mails that came before `since` are left out."""

    folder: str
    since: date | None = None
    uidvalidity: int = 0
    uidnext: int = 0
    exists: int = 0
    modseq: int = 0


class State(ClosedRecord):
    """A folder as it is now. The sets are empty unless `moved` or `flagged` says that they were looked for.

    `modseq` is 0 where the server counts no changes of flags; then they are looked for each time.
    """

    uidvalidity: int
    uidnext: int
    exists: int
    modseq: int
    moved: bool
    """Mails may have come or gone: `present` holds all, `recent` those that came since the day that was asked for."""
    present: str = ""
    recent: str = ""
    flagged: bool
    """Mails may have been read or marked as unread: `unseen` holds all that are unread."""
    unseen: str = ""


class SearchArgs(ClosedRecord):
    """What must hold of a mail, all of it. Dates are days of arrival; `since` is included, `before` is not."""

    folder: str = INBOX
    words: tuple[str, ...] = ()
    sender: str = ""
    subject: str = ""
    message_id: str = ""
    since: date | None = None
    before: date | None = None
    unread: bool = False
    flagged: bool = False
    attachment: bool = False
    """Whether it is built like a mail with a file; the server knows no more of it."""


class Found(ClosedRecord):
    """All UIDs that match, newest first. `plain_only`: words that the server cannot search for were left out."""

    uidvalidity: int
    uids: list[int]
    plain_only: bool = False


class ThreadsArgs(ClosedRecord):
    """Conversations of the mails of a folder that came since a day; of all of them without one."""

    folder: str = INBOX
    since: date | None = None


class Threads(ClosedRecord):
    """The UIDs of each conversation; `offered` is false where the server does not tell them."""

    uidvalidity: int
    threads: list[list[int]]
    offered: bool = True


class Folders(ClosedRecord):
    """The folders by what they serve; empty for one that is not there."""

    sent: str
    drafts: str
    archive: str
    everything: str


class FetchArgs(ClosedRecord):
    """`uidvalidity` is the one the UIDs were learnt under; whole mails, or only their headers."""

    folder: str = INBOX
    uidvalidity: int
    uids: list[int] = Field(max_length=MOST_FETCHED)
    headers_only: bool = False


class FetchedMail(ClosedRecord):
    """One mail; its bytes are in the result's `raw` by UID, unless the server gave none.

    `complete` is false where those are only the header, because it was all that was asked for or the mail is too large.
    """

    uid: int
    size: int
    received_at: AwareDatetime | None
    flags: list[str]
    complete: bool


class FetchedMails(ClosedRecord):
    """Mails in the order of their UIDs; `left` are those for another call, because these were large already."""

    mails: list[FetchedMail]
    left: list[int]


class MoveArgs(ClosedRecord):
    """Mails of the inbox, under the UIDVALIDITY their UIDs were learnt under, and the folder that they go to."""

    target: str
    uidvalidity: int
    uids: list[int] = Field(max_length=MOST_FETCHED)


class Moved(ClosedRecord):
    """Which of them are gone from the inbox now, whoever took them away."""

    gone: list[int]


class SendArgs(ClosedRecord):
    """The mail is a blob, so that what left is kept."""

    sender: str
    recipients: tuple[str, ...] = Field(min_length=1)
    message_id: str
    raw: str


class NotifyArgs(ClosedRecord):
    """The mail itself, in ASCII: it holds a code that is kept nowhere."""

    sender: str
    recipients: tuple[str, ...] = Field(min_length=1)
    message_id: str
    wire: str = Field(repr=False)


class Accepted(ClosedRecord):
    """Who was accepted, and why others were not."""

    message_id: str
    accepted: list[str]
    refused: dict[str, str]


class CopyArgs(ClosedRecord):
    message_id: str
    raw: str = ""


class Copy(ClosedRecord):
    """Whether the mail lies in the folder, and whether it lay there before; the folder as people read its name."""

    kept: bool
    was_there: bool
    folder: str


class Checked(ClosedRecord):
    ok: bool
    detail: str
    capabilities: list[str] = Field(default=[])
    """What an IMAP server says it can do, in capitals."""
