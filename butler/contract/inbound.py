"""Inbound items of all channels: immutable, with a de-duplication key, their receiver and their source."""

from enum import StrEnum
from typing import Any

from pydantic import AwareDatetime, Field

from butler.contract.attachment import Attachment
from butler.contract.mail import MailFacts
from butler.contract.names import Identity
from butler.contract.provenance import Labelled, Origin
from butler.contract.records import Record

BEFORE_FIRST_LOOK = "before_first_look"
"""The payload key of an item that existed before the first poll: it is reported, but publishes no event."""

ALBUM = "album"
"""The payload key of the id that files sent together share."""
MAY_GO_ON = "may_go_on"
"""The payload key of the place at which the client may have cut a text; set for texts long enough to be split."""
REPLIED = "replied"
"""The payload key of the text that a message replies to, with its author if that is not the sender."""
WITHIN_A_WORD, BETWEEN_WORDS = "within a word", "between words"


class InboundKind(StrEnum):
    """The kinds of items, which one match in `butler.inbound` covers."""

    CHAT = "chat"
    EDITED = "edited"
    COMMAND = "command"
    BUTTON = "button"
    MAIL = "mail"
    TICK = "tick"
    HOOK = "hook"
    MIGRATED = "migrated"


class Inbound(Record):
    """One item as a source stored it.

    `identity` and `account` say who received it: the butler's bot or mailbox, or the person's own account.
    `segments` is the text in pieces: the sender's own words, and forwarded or quoted spans with their own origin.
    """

    inbound_id: str
    kind: InboundKind
    channel: str
    identity: Identity
    account: str
    dedup_key: str
    """Unique over the life of the store, such as `telegram:bot:<bot id>:<update id>`."""
    chat: str
    """The conversation, such as `telegram:42` or `telegram:-100123:7` (topic 7), `mail:<thread root>`."""
    sender: str
    """The sender's address: `telegram:<user id>` or `mail:<address>`."""
    sender_name: str = ""
    """The sender's own name for themselves: data, never a reason to trust."""
    message_ref: str = ""
    """The provider's id of this message within the chat."""
    reply_to: str | None = None
    received_at: AwareDatetime
    sent_at: AwareDatetime | None = None
    text: str = ""
    segments: tuple[Labelled[str], ...] = ()
    attachments: tuple[Attachment, ...] = ()
    origin: Origin
    payload: dict[str, Any] = Field(default_factory=dict[str, Any])
    """Data by kind: a button's `query` and `data`, a command's `name` and `rest`, a mail's headers and `raw` digest."""
    mail: MailFacts | None = None
    """The parsed mail, for an item that is one."""

    def source_line(self) -> str:
        """Return a line on the source for prompts: receiving identity, account, channel, kind, time."""
        return (
            f"received by: {self.identity.value}; account: {self.account}; channel: {self.channel}; "
            f"kind: {self.kind.value}; at: {self.received_at.isoformat(timespec='seconds')}"
        )
