"""Mails, chats and notes as documents of memory: mails one by one, chats by day, each with its origins.

Titles and texts are what others wrote: data. A contact's words count as a contact's only if the contact wrote them into
a chat; forwarded texts and mails are untrusted.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from butler.contract.agent_ports import MemoryDocument, MemoryKind
from butler.contract.agents import ParsedChunk
from butler.contract.inbound import Inbound
from butler.contract.mirror import ChatKind, SeenChat, SeenMessage
from butler.contract.ports import Note
from butler.contract.provenance import Origin, SourceKind, SourceName, Trust
from butler.contract.speech import phrase

_OPENS = re.compile(
    r"(?:(?<=%3D)|\b)eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"
    r"|(?P<name>X-(?:Amz|Goog)-(?:Signature|Credential|Security-Token)(?:=|%(?:25)*3D))[\w%/.~+-]{16,}={0,2}",
    re.ASCII | re.IGNORECASE,
)
"""A signed token, or the signature of a file link: it grants access, so it is not remembered (decision 27)."""
SIZE: Final = 1_000
"""Characters of a chunk: a few paragraphs, about what a question is about."""
MOST_CHUNKS: Final = 60
TITLE: Final = 80
OWNER: Final = "You"
"""The owner's name in the lines of a chat."""


def note_document(note: Note) -> MemoryDocument:
    """Return a note of the owner's; quoted parts keep their origins."""
    source = f"note:{note.note_id}"
    title = " ".join(note.text.split())[:TITLE]
    return _document(
        source, MemoryKind.NOTE, title, note.text, note.origins or (Origin.owner(source),), at=note.created_at
    )


def own_mail_document(item: Inbound) -> MemoryDocument:
    """Return a mail to the butler. Its id is the row's: a Message-ID is its sender's choice, so it replaces nothing."""
    subject = str(item.payload.get("subject") or "")
    headings = _letterhead(item.sender, item.sender_name, item.sent_at or item.received_at)
    origin = _mail_origin(f"mail:{item.inbound_id}", item.sender)
    return _document(
        f"mail:{item.inbound_id}",
        MemoryKind.MAIL,
        subject,
        item.text,
        (origin,),
        at=item.received_at,
        headings=headings,
        account=item.account,
        person=item.sender,
    )


def mail_id(message: SeenMessage) -> str:
    """Return the id in memory of a mail in the owner's account: the id that the mail tools take."""
    return f"mail:{message.ref}"


def mail_document(message: SeenMessage) -> MemoryDocument:
    """Return a mail of one of the owner's accounts."""
    return _document(
        mail_id(message),
        MemoryKind.MAIL,
        message.subject,
        message.text,
        (_mail_origin(mail_id(message), message.sender),),
        at=message.at,
        headings=_letterhead(message.sender, message.sender_name, message.at),
        account=message.account,
        person=message.sender,
    )


def day_of(message: SeenMessage, zone: ZoneInfo) -> str:
    """Return the id of a chat on a day of the owner's."""
    of_account = f"{message.account}@" if message.account else ""
    return f"chat:{of_account}{message.chat}:{message.at.astimezone(zone):%Y-%m-%d}"


def chat_day(
    source_id: str, chat: SeenChat | None, said: Sequence[SeenMessage], contacts: frozenset[str], zone: ZoneInfo
) -> MemoryDocument:
    """Return a chat's messages of one day. `contacts` are the confirmed senders."""
    lines = [f"{_name(one)}: {_text(one)}" for one in said if one.text]
    first = said[0]
    title = " ".join((chat.title if chat else "").split())[:TITLE] or first.chat
    person = first.chat if chat is None or chat.kind is ChatKind.PERSON else ""
    return _document(
        source_id,
        MemoryKind.CHAT,
        f"{title}, {first.at.astimezone(zone):%Y-%m-%d}",
        "\n".join(lines),
        tuple(dict.fromkeys(_said_by(one, contacts) for one in said if one.text)),
        at=said[-1].at,
        account=first.account,
        person=person,
    )


def _said_by(message: SeenMessage, contacts: frozenset[str]) -> Origin:
    source = f"{message.chat}:{message.ref}" if message.forwarded_from else message.sender or message.chat
    if message.forwarded_from:
        return Origin(trust=Trust.UNTRUSTED, source=source, shown_as=phrase("a forwarded message"))
    if message.outgoing:
        # Said to somebody else, and maybe pasted: not the owner's words to the butler.
        return Origin(trust=Trust.CONTACT, source=source, shown_as=phrase("a message of yours"))
    trust = Trust.CONTACT if message.sender in contacts else Trust.UNTRUSTED
    return Origin(trust=trust, source=source, shown_as=SourceName(kind=SourceKind.MESSAGE, who=message.sender))


def _mail_origin(source: str, sender: str) -> Origin:
    shown_as = SourceName(kind=SourceKind.MAIL, who=sender.removeprefix("mail:"))
    return Origin(trust=Trust.UNTRUSTED, source=source, shown_as=shown_as)


def _name(message: SeenMessage) -> str:
    """Return the speaker's name; nobody else gets the name of the owner here."""
    if message.outgoing:
        return OWNER
    name = " ".join(message.sender_name.split())
    return (
        (f"{name} ({message.sender})" if name.casefold() == OWNER.casefold() else name) or message.sender or "somebody"
    )


def _text(message: SeenMessage) -> str:
    """Return the text in a form in which no line looks like another message of the chat."""
    text = "\n  ".join(message.text.splitlines())
    return f"(forwarded) {text}" if message.forwarded_from else text


def _letterhead(sender: str, name: str, at: datetime) -> list[str]:
    who = " ".join(filter(None, (" ".join(name.split()), sender.removeprefix("mail:"))))
    return [f"{who}, {at:%Y-%m-%d}" if who else f"{at:%Y-%m-%d}"]


def _document(
    source_id: str,
    kind: MemoryKind,
    title: str,
    text: str,
    origins: tuple[Origin, ...],
    *,
    at: datetime,
    headings: Sequence[str] = (),
    account: str = "",
    person: str = "",
) -> MemoryDocument:
    pieces = list(_pieces(_OPENS.sub(_shut, text)))
    mark = hashlib.sha256(source_id.encode("utf-8", "replace")).hexdigest()[:16]
    chunks = tuple(
        ParsedChunk(
            chunk_id=f"{mark}-{number}",
            content=piece,
            chunk_index=number,
            page_number=None,
            layout_type="text",
            bbox=None,
            headings=list(headings),
        )
        for number, piece in enumerate(pieces[:MOST_CHUNKS])
    )
    return MemoryDocument(
        source_id=source_id,
        kind=kind,
        title=" ".join(title.split()),
        chunks=chunks,
        origins=origins,
        at=at,
        account=account,
        person=person,
        problems=("only its beginning is remembered: it is very long",) if len(pieces) > MOST_CHUNKS else (),
    )


def _shut(found: re.Match[str]) -> str:
    return f"{found['name'] or ''}[…]"


def _pieces(text: str) -> Iterator[str]:
    """Cut a text into pieces of at most `SIZE`, at line ends, else at blanks, else anywhere."""
    piece = ""
    for line in _short_lines(text.strip()):
        if piece and len(piece) + len(line) >= SIZE:
            yield piece
            piece = ""
        piece = f"{piece}\n{line}" if piece else line
    if piece.strip():
        yield piece


def _short_lines(text: str) -> Iterator[str]:
    for whole in text.splitlines():
        line = whole
        while len(line) > SIZE:
            at = line.rfind(" ", SIZE // 2, SIZE)
            cut = SIZE if at < 0 else at
            yield line[:cut]
            line = line[cut:].lstrip()
        yield line
