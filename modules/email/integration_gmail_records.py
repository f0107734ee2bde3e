"""The Gmail methods that Butler uses, by id, with their arguments and results."""

from enum import StrEnum
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

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


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


GmailId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,100}$")]


class Nothing(_Record):
    """No arguments, or no answer."""


class Profile(_Record):
    address: str
    history_id: str
    """From here on the history tells what changes."""


class WatchArgs(_Record):
    """The Pub/Sub topic that is to hear of changes."""

    topic: str


class Watched(_Record):
    """How long it will."""

    until: AwareDatetime


class SendAs(_Record):
    """An address from which mail may leave, once Gmail has verified it."""

    address: str
    name: str
    verified: bool
    primary: bool


class SendAsList(_Record):
    """The primary address first."""

    addresses: list[SendAs]


class ListArgs(_Record):
    """One page of ids; the next one by the call's cursor. `background`: nobody waits for it.

    What is found matches the query, and bears all these labels.
    """

    query: str = ""
    labels: list[str] = []
    page_size: int = Field(default=100, ge=1, le=500)
    background: bool = False


class MailLabel(_Record):
    """A label: one of Gmail's own, whose id is its name in capitals, or one of the person's."""

    id: str
    name: str
    own: bool


class MailLabels(_Record):
    labels: list[MailLabel]


class NewLabel(_Record):
    """Slashes nest."""

    name: Annotated[str, Field(min_length=1, max_length=225)]


class BatchModifyArgs(_Record):
    """Labels put on and taken off up to a thousand mails. Mails that are gone are passed over without a word."""

    ids: Annotated[list[GmailId], Field(min_length=1, max_length=1000)]
    add: list[str] = []
    remove: list[str] = []


class MailRef(_Record):
    id: str
    thread_id: str


class Listed(_Record):
    """Newest first."""

    mails: list[MailRef]


class ThreadsListed(_Record):
    """Ids of threads, the one with the newest mail first."""

    ids: list[str]


class GetArgs(_Record):
    id: GmailId
    whole: bool = False
    background: bool = False


class Got(_Record):
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


class GetManyArgs(_Record):
    ids: list[GmailId] = Field(min_length=1, max_length=MOST_AT_ONCE)
    background: bool = False


class GotMany(_Record):
    """Headers of mails. `missing` are not there any more; `left` could not be asked for now."""

    mails: list[Got]
    missing: list[str]
    left: list[str]


class GetThreadsArgs(_Record):
    ids: list[GmailId] = Field(min_length=1, max_length=MOST_AT_ONCE)


class Thread(_Record):
    """The oldest mail first."""

    id: str
    mails: list[Got]


class GotThreads(_Record):
    """Those that are there. `left` could not be asked for now."""

    threads: list[Thread]
    left: list[str]


class ChangeKind(StrEnum):
    ADDED = "added"
    DELETED = "deleted"
    LABELLED = "labelled"
    UNLABELLED = "unlabelled"


class HistoryArgs(_Record):
    """One page of changes after this id, all or those of some kinds; the next one by the call's cursor."""

    start: str = Field(pattern=r"^[0-9]{1,20}$")
    kinds: list[ChangeKind] = []
    page_size: int = Field(default=100, ge=1, le=500)


class Change(_Record):
    """One change of one mail. `labels` are those that came or went, or that a new mail bears."""

    kind: ChangeKind
    id: str
    thread_id: str
    labels: list[str]


class HistoryPage(_Record):
    """Oldest first. `reached` is where the page ends, `history_id` where the mailbox stands."""

    changes: list[Change]
    reached: str
    history_id: str


class DraftArgs(_Record):
    """The mail is a blob, so that what left is kept. Gmail takes the recipients from its headers, Bcc too."""

    raw: str
    thread_id: str = ""


class DraftId(_Record):
    draft_id: GmailId


class DraftRef(_Record):
    """A draft and the mail that it holds now: whoever edits it puts another mail in. Empty: there is none."""

    draft_id: str
    message_id: str


class FindDraftArgs(_Record):
    """By our own mark of the call."""

    token: str


class Sent(_Record):
    id: str
    thread_id: str
