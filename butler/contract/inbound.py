"""Inbound items of all channels: frozen, with a de-duplication key, their receiver and their source."""

from enum import StrEnum
from typing import Any

from pydantic import AwareDatetime, Field

from butler.contract.attachment import Attachment
from butler.contract.mail import MailFacts
from butler.contract.names import Identity
from butler.contract.provenance import Labelled, Origin
from butler.contract.records import Record

BEFORE_FIRST_LOOK = "before_first_look"
"""The payload key of an item that was there before anybody looked: it is reported, and no event."""

ALBUM = "album"
"""The payload key of what files share that were sent together."""
MAY_GO_ON = "may_go_on"
"""The payload key of where a text may have been cut that is long enough to be split by its client."""
REPLIED = "replied"
"""The payload key of the text that a message replies to, with its author where that is not the sender."""
WITHIN_A_WORD, BETWEEN_WORDS = "within a word", "between words"


class InboundKind(StrEnum):
    """One match in `butler.inbound` covers these."""

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
    """`telegram:<user id>` or `mail:<address>`."""
    sender_name: str = ""
    """As the sender calls themselves: data, never a reason to trust."""
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
    """Of its kind: a button's `query` and `data`, a command's `name` and `rest`, a mail's headers and `raw` digest."""
    mail: MailFacts | None = None
    """Of a mail: what was made of it."""

    def source_line(self) -> str:
        """Identity-aware source metadata for prompts: receiving identity, account, channel, kind, time."""
        return (
            f"received by: {self.identity.value}; account: {self.account}; channel: {self.channel}; "
            f"kind: {self.kind.value}; at: {self.received_at.isoformat(timespec='seconds')}"
        )
