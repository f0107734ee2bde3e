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
"""The only requested scope: it allows reading, drafting and sending, but no permanent deletion."""


GmailId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,100}$")]


class Nothing(ClosedRecord):
    """No arguments, or no answer."""


class Profile(ClosedRecord):
    address: str
    history_id: str
    """The id from which the history reports later changes."""


class WatchArgs(ClosedRecord):
    """The Pub/Sub topic to which Gmail reports changes."""

    topic: str


class Watched(ClosedRecord):
    """The end of a watch."""

    until: AwareDatetime


class SendAs(ClosedRecord):
    """An address from which mail may leave, once Gmail has verified it."""

    address: str
    name: str
    verified: bool
    primary: bool


class SendAsList(ClosedRecord):
    """The account's sending addresses, the primary one first."""

    addresses: list[SendAs]


class ListArgs(ClosedRecord):
    """A request for one page of ids; the call's cursor requests the next. `background`: nobody waits for the answer.

    The results match the query and have all these labels.
    """

    query: str = ""
    labels: list[str] = Field(default=[])
    page_size: int = Field(default=100, ge=1, le=500)
    background: bool = False


class MailLabel(ClosedRecord):
    """A label: one of Gmail's own, whose id is its name in capitals, or one of the owner's."""

    id: str
    name: str
    own: bool


class MailLabels(ClosedRecord):
    labels: list[MailLabel]


class NewLabel(ClosedRecord):
    """The name of a label to create; slashes nest labels."""

    name: Annotated[str, Field(min_length=1, max_length=225)]


class BatchModifyArgs(ClosedRecord):
    """Labels to add to and remove from up to a thousand mails. Gmail silently skips mails that are gone."""

    ids: Annotated[list[GmailId], Field(min_length=1, max_length=1000)]
    add: list[str] = Field(default=[])
    remove: list[str] = Field(default=[])


class MailRef(ClosedRecord):
    id: str
    thread_id: str


class Listed(ClosedRecord):
    """Mails, newest first."""

    mails: list[MailRef]


class ThreadsListed(ClosedRecord):
    """Ids of threads; the thread with the newest mail comes first."""

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
    """The beginning of the text."""
    delivery_report: bool = False
    """Whether its headers, if they were fetched, mark it as a mail server's report on another mail."""


class GetManyArgs(ClosedRecord):
    ids: list[GmailId] = Field(min_length=1, max_length=MOST_AT_ONCE)
    background: bool = False


class GotMany(ClosedRecord):
    """Headers of mails. `missing` mails no longer exist; `left` mails could not be requested now."""

    mails: list[Got]
    missing: list[str]
    left: list[str]


class GetThreadsArgs(ClosedRecord):
    ids: list[GmailId] = Field(min_length=1, max_length=MOST_AT_ONCE)


class Thread(ClosedRecord):
    """A thread, its oldest mail first."""

    id: str
    mails: list[Got]


class GotThreads(ClosedRecord):
    """Those of the threads that exist. `left` threads could not be requested now."""

    threads: list[Thread]
    left: list[str]


class ChangeKind(StrEnum):
    ADDED = "added"
    DELETED = "deleted"
    LABELLED = "labelled"
    UNLABELLED = "unlabelled"


class HistoryArgs(ClosedRecord):
    """A request for one page of changes after an id, of some kinds or all; the call's cursor requests the next."""

    start: str = Field(pattern=r"^[0-9]{1,20}$")
    kinds: list[ChangeKind] = Field(default=[])
    page_size: int = Field(default=100, ge=1, le=500)


class Change(ClosedRecord):
    """One change of one mail. `labels` are those that were added or removed, or those of a new mail."""

    kind: ChangeKind
    id: str
    thread_id: str
    labels: list[str]


class HistoryPage(ClosedRecord):
    """A page of changes, oldest first. `reached` is its last id, `history_id` the mailbox's current one."""

    changes: list[Change]
    reached: str
    history_id: str


class DraftArgs(ClosedRecord):
    """A draft's mail; `raw` is a blob, so that the sent bytes are kept. Its headers name the recipients, Bcc too."""

    raw: str
    thread_id: str = ""


class DraftId(ClosedRecord):
    draft_id: GmailId


class DraftRef(ClosedRecord):
    """A draft and the mail that it holds now: editing it puts another mail into it. Empty if there is none."""

    draft_id: str
    message_id: str


class FindDraftArgs(ClosedRecord):
    """A search for a draft by our own mark of the call."""

    token: str


class Sent(ClosedRecord):
    id: str
    thread_id: str
