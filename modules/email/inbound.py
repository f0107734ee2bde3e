"""Makes an `Inbound` of a mail in the butler's mailbox. All of it is untrusted; `authority` says what was proved."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from butler.contract.inbound import Inbound, InboundKind
from butler.contract.names import Identity
from butler.contract.ports import BlobStore
from butler.contract.provenance import Labelled, Origin, Trust
from butler.contract.tools import Attachment
from modules.email.parsed import ParsedMail
from modules.email.reader import ReadMail

NOBODY = "unknown@invalid"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a mail lies, and since when."""

    account: str
    uidvalidity: int
    uid: int
    received_at: datetime


def mail_key(mail: ParsedMail, place: Place) -> str:
    """The mail's id as the tools take it: its Message-ID, or else its place."""
    return mail.message_id or f"uid:{place.uidvalidity}:{place.uid}"


async def keep_files(read: ReadMail, blobs: BlobStore) -> tuple[Attachment, ...]:
    """Store the attachments by digest; their names are data."""
    return tuple(
        [
            Attachment(name=file.name, size=file.size, sha256=await blobs.put(data), media_type=file.media_type)
            for file, data in zip(read.mail.attachments, read.files, strict=True)
        ]
    )


def mail_inbound(
    mail: ParsedMail,
    place: Place,
    *,
    raw: str,
    attachments: Sequence[Attachment] = (),
    authserv_id: str = "",
    authority: Mapping[str, Any] | None = None,
    quarantine: str = "",
) -> Inbound:
    """The item. `raw` is the digest of the mail's bytes; `quarantine` says why nothing may be done with it.

    `authority` says of a mail from an address of the owner's whether it may command, and why or why not.
    """
    sender = mail.sender.address if mail.sender else NOBODY
    key = mail_key(mail, place)
    dedup_key = f"mail:bot:{place.account}:{_identity(mail, raw) or key}"
    origin = Origin(trust=Trust.UNTRUSTED, source=f"mail:{key}", shown_as=f"a mail by {sender}")
    return Inbound(
        inbound_id=hashlib.sha256(dedup_key.encode()).hexdigest()[:32],
        kind=InboundKind.MAIL,
        channel="email",
        identity=Identity.BOT,
        account=place.account,
        dedup_key=dedup_key,
        chat=f"mail:{mail.thread_root or key}",
        sender=f"mail:{sender}",
        sender_name=mail.sender.name if mail.sender else "",
        message_ref=key,
        reply_to=mail.in_reply_to or None,
        received_at=place.received_at,
        sent_at=datetime.fromisoformat(mail.sent_at) if mail.sent_at else None,
        text=mail.text,
        segments=(Labelled(value=mail.text, origins=frozenset({origin})),) if mail.text else (),
        attachments=tuple(attachments),
        origin=origin,
        payload=_payload(mail, place, raw, authserv_id, quarantine) | ({"authority": authority} if authority else {}),
    )


def _identity(mail: ParsedMail, raw: str) -> str:
    """What makes it the same mail under whatever UID it comes again, and a mail that only borrows its id another one.

    A mail without an id is known by its bytes; those of one with an id differ in what the way here added to them.
    """
    if not mail.message_id:
        return f"sha256:{raw}" if raw else ""
    sender = mail.sender.address if mail.sender else ""
    said = "\0".join([sender, mail.subject, mail.sent_at or "", mail.text])
    return f"{mail.message_id}:{hashlib.sha256(said.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _payload(mail: ParsedMail, place: Place, raw: str, authserv_id: str, quarantine: str) -> dict[str, Any]:
    return {
        "subject": mail.subject,
        "from": mail.sender.address if mail.sender else "",
        "to": [person.address for person in mail.to],
        "cc": [person.address for person in mail.cc],
        "message_id": mail.message_id,
        "in_reply_to": mail.in_reply_to,
        "references": list(mail.references),
        "date": mail.sent_at,
        "uid": place.uid,
        "uidvalidity": place.uidvalidity,
        "raw": raw,
        "auto_submitted": mail.auto_submitted,
        "precedence": mail.precedence,
        "list_id": mail.list_id,
        "own": bool(mail.butler_mark) or (mail.sender is not None and mail.sender.address == place.account),
        "authentication_results": believed_results(mail.authentication_results, authserv_id),
        "problems": list(mail.problems),
        "quarantine": quarantine,
    }


def believed_results(headers: Sequence[str], authserv_id: str) -> str:
    """The topmost `Authentication-Results` that our own server wrote; anybody can write the others."""
    wanted = authserv_id.lower()
    for header in headers:
        name = header.partition(";")[0].split()
        if wanted and name and name[0].lower() == wanted:
            return header
    return ""
