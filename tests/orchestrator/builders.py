"""The people, mails and messages that these tests speak of."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.inbound import Inbound, InboundKind
from butler.contract.integration import IntegrationResult
from butler.contract.names import Identity
from butler.contract.provenance import Labelled, Origin, Trust
from butler.contract.referents import ReferentKind
from butler.contract.tools import Attachment
from butler.store.conversation import Referent
from butler.store.queries.contacts import Contact
from modules.email.parsing.parsed import Address, ParsedMail
from modules.email.views import MailEntry, row, whole

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
ZONE = ZoneInfo("Europe/Berlin")
OWNER = "telegram:42"
OWN = Origin.owner(OWNER)
EVE = Origin(trust=Trust.UNTRUSTED, source="mail:eve", shown_as="a mail by eve@evil.example")
ANNA = Contact("c-anna", "Anna", ("anna",), ("telegram:1002", "telegram:@anna", "mail:anna@friends.example"))
MUM = Contact("c-mum", "Mum", ("mum",), ("telegram:1004",))
BILL = Attachment(name="bill.pdf", size=24_300, sha256="a" * 64, media_type="application/pdf")
MAIL_1 = Referent(handle="mail-1", kind=ReferentKind.MAIL, key="<bill@work.example>", ordinal=1, at=NOON)


def message(text: str, **more: Any) -> Inbound:
    """A message of the owner to the bot."""
    values: dict[str, Any] = {
        "inbound_id": "in-1",
        "kind": InboundKind.CHAT,
        "channel": "telegram",
        "identity": Identity.BOT,
        "account": "telegram:700",
        "dedup_key": more.get("inbound_id", "in-1"),
        "chat": OWNER,
        "sender": OWNER,
        "message_ref": "7",
        "received_at": NOON,
        "text": text,
        "segments": (said(text, OWN),),
        "origin": OWN,
    }
    return Inbound(**(values | more))


def mail(text: str, **more: Any) -> Inbound:
    """A mail to the butler."""
    values: dict[str, Any] = {
        "inbound_id": "in-mail",
        "kind": InboundKind.MAIL,
        "channel": "email",
        "identity": Identity.BOT,
        "account": "butler@home.example",
        "dedup_key": "in-mail",
        "chat": "mail:<a@b>",
        "sender": "mail:me@home.example",
        "sender_name": "Robin",
        "received_at": NOON,
        "text": text,
        "origin": EVE,
        "payload": {"subject": "Fwd: Dinner"},
    }
    return Inbound(**(values | more))


def said(text: str, origin: Origin) -> Labelled[str]:
    return Labelled(value=text, origins=frozenset({origin}))


def parsed(subject: str, text: str = "Please pay.", **more: Any) -> ParsedMail:
    sender = more.pop("sender", Address("eve@evil.example", "Anna"))
    return ParsedMail(subject=subject, text=text, sender=sender, to=(Address("me@home.example"),), **more)


def shelf(key: str = "<bill@work.example>", *, unread: bool = False, at: datetime | None = NOON) -> MailEntry:
    return MailEntry(key, "mail:thread", at, unread, 2_000)


def read_mail(subject: str = "Bill", text: str = "Please pay.", files: tuple[Attachment, ...] = ()) -> dict[str, Any]:
    """What `*_email_read_message` really answers."""
    return data_of(whole(parsed(subject, text), shelf(), files))


def mail_row(subject: str, key: str, **more: Any) -> dict[str, Any]:
    """One mail in what `*_email_search_inbox` really answers."""
    return row(parsed(subject, **more), shelf(key, unread=key == "<2@x>"))


def data_of(result: IntegrationResult) -> dict[str, Any]:
    assert result.data is not None
    return result.data
