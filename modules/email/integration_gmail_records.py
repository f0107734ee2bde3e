"""The Gmail methods that Butler uses, by id, with their arguments and results."""

from enum import StrEnum
from typing import Annotated

from pydantic import AwareDatetime, Field

from butler.contract.records import ClosedRecord
from modules._accounts.google_client import MOST_AT_ONCE

PROFILE = "gmail.account.profile.v1"
SEND_AS = "gmail.account.send_as.v1"
WATCH = "gmail.account.watch.v1"
STOP = "gmail.account.stop.v1"
HISTORY = "gmail.history.list.v1"
LIST = "gmail.messages.list.v1"
GET = "gmail.messages.get.v1"
GET_MANY = "gmail.messages.get_many.v1"
LIST_THREADS = "gmail.threads.list.v1"
GET_THREADS = "gmail.threads.get_many.v1"
CREATE_DRAFT = "gmail.drafts.create.v1"
FIND_DRAFT = "gmail.drafts.find.v1"
GET_DRAFT = "gmail.drafts.get.v1"
DELETE_DRAFT = "gmail.drafts.delete.v1"
SEND_DRAFT = "gmail.drafts.send.v1"
LABELS = "gmail.labels.list.v1"
CREATE_LABEL = "gmail.labels.create.v1"
BATCH_MODIFY = "gmail.messages.batch_modify.v1"

MODIFY = "https://www.googleapis.com/auth/gmail.modify"
"""The one scope that is asked for: it reads, drafts and sends, and deletes nothing for good."""


GmailId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,100}$")]


class Nothing(ClosedRecord):
    """No arguments, or no answer."""


class Profile(ClosedRecord):
    address: str
    history_id: str
    """From here on the history tells what changes."""


class WatchArgs(ClosedRecord):
    """The Pub/Sub topic that is to hear of changes."""

    topic: str


class Watched(ClosedRecord):
    """How long it will."""

    until: AwareDatetime


class SendAs(ClosedRecord):
    """An address from which mail may leave, once Gmail has verified it."""

    address: str
    name: str
    verified: bool
    primary: bool


class SendAsList(ClosedRecord):
    """The primary address first."""

    addresses: list[SendAs]


class ListArgs(ClosedRecord):
    """One page of ids; the next one by the call's cursor. `background`: nobody waits for it.

    What is found matches the query, and bears all these labels.
    """

    query: str = ""
    labels: list[str] = Field(default=[])
    page_size: int = Field(default=100, ge=1, le=500)
    background: bool = False


class MailLabel(ClosedRecord):
    """A label: one of Gmail's own, whose id is its name in capitals, or one of the person's."""

    id: str
    name: str
    own: bool


class MailLabels(ClosedRecord):
    labels: list[MailLabel]


class NewLabel(ClosedRecord):
    """Slashes nest."""

    name: Annotated[str, Field(min_length=1, max_length=225)]


class BatchModifyArgs(ClosedRecord):
    """Labels put on and taken off up to a thousand mails. Mails that are gone are passed over without a word."""

    ids: Annotated[list[GmailId], Field(min_length=1, max_length=1000)]
    add: list[str] = Field(default=[])
    remove: list[str] = Field(default=[])


class MailRef(ClosedRecord):
    id: str
    thread_id: str


class Listed(ClosedRecord):
    """Newest first."""

    mails: list[MailRef]


class ThreadsListed(ClosedRecord):
    """Ids of threads, the one with the newest mail first."""

    ids: list[str]


class GetArgs(ClosedRecord):
    id: GmailId
    whole: bool = False
    background: bool = False


class Got(ClosedRecord):
    """A mail; its bytes (all of them, or the headers that a list shows) are in the result's `raw`."""

    id: str
    thread_id: str
    labels: list[str]
    received_at: AwareDatetime
    size: int
    snippet: str
    """How the text begins."""
    delivery_report: bool = False
    """Whether its headers, where they are shown, say that a mail server tells in it how another mail fared."""


class GetManyArgs(ClosedRecord):
    ids: list[GmailId] = Field(min_length=1, max_length=MOST_AT_ONCE)
    background: bool = False


class GotMany(ClosedRecord):
    """Headers of mails. `missing` are not there any more; `left` could not be asked for now."""

    mails: list[Got]
    missing: list[str]
    left: list[str]


class GetThreadsArgs(ClosedRecord):
    ids: list[GmailId] = Field(min_length=1, max_length=MOST_AT_ONCE)


class Thread(ClosedRecord):
    """The oldest mail first."""

    id: str
    mails: list[Got]


class GotThreads(ClosedRecord):
    """Those that are there. `left` could not be asked for now."""

    threads: list[Thread]
    left: list[str]


class ChangeKind(StrEnum):
    ADDED = "added"
    DELETED = "deleted"
    LABELLED = "labelled"
    UNLABELLED = "unlabelled"


class HistoryArgs(ClosedRecord):
    """One page of changes after this id, all or those of some kinds; the next one by the call's cursor."""

    start: str = Field(pattern=r"^[0-9]{1,20}$")
    kinds: list[ChangeKind] = Field(default=[])
    page_size: int = Field(default=100, ge=1, le=500)


class Change(ClosedRecord):
    """One change of one mail. `labels` are those that came or went, or that a new mail bears."""

    kind: ChangeKind
    id: str
    thread_id: str
    labels: list[str]


class HistoryPage(ClosedRecord):
    """Oldest first. `reached` is where the page ends, `history_id` where the mailbox stands."""

    changes: list[Change]
    reached: str
    history_id: str


class DraftArgs(ClosedRecord):
    """The mail is a blob, so that what left is kept. Gmail takes the recipients from its headers, Bcc too."""

    raw: str
    thread_id: str = ""


class DraftId(ClosedRecord):
    draft_id: GmailId


class DraftRef(ClosedRecord):
    """A draft and the mail that it holds now: whoever edits it puts another mail in. Empty: there is none."""

    draft_id: str
    message_id: str


class FindDraftArgs(ClosedRecord):
    """By our own mark of the call."""

    token: str


class Sent(ClosedRecord):
    id: str
    thread_id: str
