"""Makes an `Inbound` of a mail in the butler's mailbox: separates the authors of its words, and gives it a key.

The sender's words are the owner's only if the mail was proved to be theirs. What they quote or forward never is.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from butler.contract.inbound import Inbound, InboundKind
from butler.contract.mail import MailFacts
from butler.contract.names import Identity
from butler.contract.ports import BlobStore
from butler.contract.provenance import Labelled, Origin, SourceKind, SourceName, Trust
from butler.contract.reasons import Reason, dump_reasons
from butler.contract.tools import Attachment
from butler.mime.tolerant import head_and_body
from modules.email.facts import problems_of
from modules.email.parsing.parsed import ParsedMail
from modules.email.parsing.reader import ReadMail

NOBODY = "unknown@invalid"
_SAID = frozenset({b"from", b"subject", b"date", b"message-id"})
LONGEST_HEADER = 256 * 1024
"""Bytes; equals the limit in `signatures`, which is loaded only for few mails."""
_LINE_END = re.compile(rb"\r?\n(?![ \t])")


@dataclass(frozen=True, slots=True)
class Place:
    """A mail's place in the mailbox, and its time of arrival."""

    account: str
    uidvalidity: int
    uid: int
    received_at: datetime


def mail_key(mail: ParsedMail, place: Place) -> str:
    """Return the mail's id for the tools: its Message-ID, or else its place."""
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
    facts: MailFacts,
    *,
    raw: str,
    identity: str = "",
    attachments: Sequence[Attachment] = (),
    authserv_id: str = "",
    authority: Mapping[str, Any] | None = None,
    quarantine: Reason | None = None,
    cut: bool = False,
) -> Inbound:
    """Return the item. `raw` is the digest of the mail's bytes; `quarantine` says why nothing may be done with it.

    For a `cut` mail, these bytes are incomplete: only the mail server has the rest.

    `identity` is the result of `same_mail`. `authority` says whether a mail from one of the owner's addresses may
    command, and why or why not.
    """
    sender = mail.sender.address if mail.sender else NOBODY
    key = mail_key(mail, place)
    commands = authority is not None and authority.get("command") is True and not quarantine
    # A copy damaged on its way must not count as the owner's own mail, which may arrive later.
    proved = ":proved" if commands else ""
    dedup_key = f"mail:bot:{place.account}:{_known_by(mail, identity, raw) or key}{proved}"
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
        segments=_segments(mail, f"mail:{key}", sender, facts.command if commands else None),
        attachments=tuple(attachments),
        origin=_by(sender, f"mail:{key}"),
        payload={
            **_payload(mail, place, raw, authserv_id, quarantine),
            "cut": cut,
            **({"authority": authority} if authority else {}),
        },
        mail=facts,
    )


def _segments(mail: ParsedMail, source: str, sender: str, command: str | None) -> tuple[Labelled[str], ...]:
    """Return the sender's words, and separately what they only quote or forward.

    `command` holds the commanding words of a proved mail; None for a mail that commands nothing.
    """
    by_sender = _by(sender, source)
    parted = mail.quotes or mail.forwarded is not None
    words = (mail.words if _are_told(mail) else "") if command is None else command
    rest = mail.text.removeprefix(words) if words else mail.text
    pieces = [(words, by_sender if command is None else Origin.owner(source))]
    if mail.forwarded is None:
        pieces.append((rest.strip(), _by(sender, source, SourceKind.MAIL_QUOTED) if parted else by_sender))
    else:
        inner = mail.forwarded.sender.address if mail.forwarded.sender else NOBODY
        texts = (rest.strip(), mail.forwarded.text if mail.forwarded.attached else "")
        pieces += [(text, _by(inner, source, SourceKind.MAIL_FORWARDED)) for text in texts]
    return tuple(Labelled(value=text, origins=frozenset({origin})) for text, origin in pieces if text)


def _are_told(mail: ParsedMail) -> bool:
    """Return whether the sender's words could be told apart from all others.

    A forward whose start was not found may be another's from its first line on.
    """
    if mail.kind == "forward" and mail.forwarded is None and not mail.quotes:
        return False
    return not any(line.lstrip().startswith(">") for line in mail.words.split("\n"))


def _by(address: str, source: str, kind: SourceKind = SourceKind.MAIL) -> Origin:
    return Origin(trust=Trust.UNTRUSTED, source=source, shown_as=SourceName(kind=kind, who=address))


def _known_by(mail: ParsedMail, identity: str, raw: str) -> str:
    """Return the key that recognises the same mail; a mail with neither id nor date needs all its bytes to be equal."""
    if identity and (mail.message_id or mail.sent_at):
        return f"{mail.message_id}:{identity}"
    return f"sha256:{raw}" if raw else ""


def same_mail(raw: bytes) -> str:
    """Return the key by which a mail is recognised, ignoring what servers added to its header.

    It is made of the bytes that a signature covers, not of how they are read: resending a signed mail with a changed
    Content-Type, for example, must not make another mail of it. Blanks are ignored, as in a signature.
    """
    head, body = head_and_body(raw)
    items = [head]
    if len(head) <= LONGEST_HEADER:
        # A longer header has no valid signature, so it counts whole: megabytes of lines are not parsed here.
        lines = (line.partition(b":") for line in _LINE_END.split(head))
        items = [name.strip().lower() + b":" + value for name, _, value in lines if name.strip().lower() in _SAID]
    whole = hashlib.sha256()
    for piece in (*sorted(items), body):
        whole.update(piece.translate(None, b" \t\r\n"))
        whole.update(b"\0")
    return whole.hexdigest()[:32]


def _payload(mail: ParsedMail, place: Place, raw: str, authserv_id: str, quarantine: Reason | None) -> dict[str, Any]:
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
        "problems": dump_reasons(problem for _, problem in problems_of(mail)),
        "quarantine": dump_reasons([quarantine] if quarantine else []),
    }


def believed_results(headers: Sequence[str], authserv_id: str) -> str:
    """Return the topmost `Authentication-Results` of our own server; anybody can write the others."""
    wanted = authserv_id.lower()
    for header in headers:
        name = header.partition(";")[0].split()
        if wanted and name and name[0].lower() == wanted:
            return header
    return ""
