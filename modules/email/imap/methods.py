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
"""The most mails in one call."""


class Nothing(ClosedRecord):
    """No arguments."""


class NewsArgs(ClosedRecord):
    after_uid: int = Field(ge=0)


class News(ClosedRecord):
    """The state of the inbox, and the UIDs after the given one, ascending."""

    uidvalidity: int
    uidnext: int
    exists: int
    uids: list[int]


class StateArgs(ClosedRecord):
    """A folder's state at the last look, all 0 at the first. `since` leaves out earlier mails from `recent`."""

    folder: str
    since: date | None = None
    uidvalidity: int = 0
    uidnext: int = 0
    exists: int = 0
    modseq: int = 0


class State(ClosedRecord):
    """A folder's current state. The sets are filled only if `moved` or `flagged` is true.

    `modseq` is 0 if the server does not count changes of flags; `flagged` is then always true.
    """

    uidvalidity: int
    uidnext: int
    exists: int
    modseq: int
    moved: bool
    """Whether mails may have come or gone: `present` holds all, `recent` those since the requested day."""
    present: str = ""
    recent: str = ""
    flagged: bool
    """Whether mails may have been read or marked as unread: `unseen` holds all unread mails."""
    unseen: str = ""


class SearchArgs(ClosedRecord):
    """The criteria that a mail must all match. Dates are days of arrival; `since` is included, `before` is not."""

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
    """Whether its Content-Type must be that of a mail with a file; a search can check no more."""


class Found(ClosedRecord):
    """All matching UIDs, newest first. `plain_only`: values that the server cannot search for were left out."""

    uidvalidity: int
    uids: list[int]
    plain_only: bool = False


class ThreadsArgs(ClosedRecord):
    """A request for the conversations of a folder's mails since a day; of all mails without a day."""

    folder: str = INBOX
    since: date | None = None


class Threads(ClosedRecord):
    """The UIDs of each conversation; `offered` is false if the server does not group mails."""

    uidvalidity: int
    threads: list[list[int]]
    offered: bool = True


class Folders(ClosedRecord):
    """The folders by their roles; empty for a missing folder."""

    sent: str
    drafts: str
    archive: str
    everything: str


class FetchArgs(ClosedRecord):
    """Mails to fetch, whole or only their headers. `uidvalidity` is the one that the UIDs belong to."""

    folder: str = INBOX
    uidvalidity: int
    uids: list[int] = Field(max_length=MOST_FETCHED)
    headers_only: bool = False


class FetchedMail(ClosedRecord):
    """One mail; its bytes are in the result's `raw` by UID, unless the server returned none.

    `complete` is false if these are only the header, because no more was requested or the mail is too large.
    """

    uid: int
    size: int
    received_at: AwareDatetime | None
    flags: list[str]
    complete: bool


class FetchedMails(ClosedRecord):
    """Mails in the order of their UIDs; `left` holds UIDs for another call, because these mails were large."""

    mails: list[FetchedMail]
    left: list[int]


class MoveArgs(ClosedRecord):
    """Mails of the inbox, the UIDVALIDITY that their UIDs belong to, and the target folder."""

    target: str
    uidvalidity: int
    uids: list[int] = Field(max_length=MOST_FETCHED)


class Moved(ClosedRecord):
    """The UIDs that are no longer in the inbox, whoever removed them."""

    gone: list[int]


class SendArgs(ClosedRecord):
    """A mail to send; `raw` is a blob, so that the sent bytes are kept."""

    sender: str
    recipients: tuple[str, ...] = Field(min_length=1)
    message_id: str
    raw: str


class NotifyArgs(ClosedRecord):
    """A mail to send whose bytes (`wire`, in ASCII) are stored nowhere, since they hold a code."""

    sender: str
    recipients: tuple[str, ...] = Field(min_length=1)
    message_id: str
    wire: str = Field(repr=False)


class Accepted(ClosedRecord):
    """The accepted recipients, and the reasons for the refused ones."""

    message_id: str
    accepted: list[str]
    refused: dict[str, str]


class CopyArgs(ClosedRecord):
    message_id: str
    raw: str = ""


class Copy(ClosedRecord):
    """Whether the mail is in the folder now, whether it was before, and the folder's name as people read it."""

    kept: bool
    was_there: bool
    folder: str


class Checked(ClosedRecord):
    ok: bool
    detail: str
    capabilities: list[str] = Field(default=[])
    """The IMAP server's capabilities, in capitals."""
