# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon carries no complete types.)
"""From Telethon's objects to the mirror's records: what a chat is, who wrote a message, and what it holds.

Offsets of entities count UTF-16 units, and the address of a link is the entity's own: what stands in the text may be
anything.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from mimetypes import guess_extension
from typing import Any, Self

from telethon import types, utils

from butler.contract.mirror import ChatKind, SeenFile, SeenMessage
from modules.telegram.address import Address
from modules.telegram.normalise import CHANNEL, GENERAL_TOPIC
from modules.telegram.text import utf16_slice

_PHOTO, _STICKER = "photo.jpg", "sticker"
_UNREAD_MEDIA = {
    "MessageMediaPoll": "a poll",
    "MessageMediaGeo": "a place",
    "MessageMediaGeoLive": "a place",
    "MessageMediaVenue": "a place",
    "MessageMediaContact": "a contact",
    "MessageMediaDice": "a dice",
    "MessageMediaGame": "a game",
    "MessageMediaInvoice": "an invoice",
    "MessageMediaStory": "a story",
    "MessageMediaPaidMedia": "files that have to be paid for",
    "MessageMediaToDo": "a checklist",
    "MessageMediaUnsupported": "something that this version of Butler does not know",
}
_KINDS = {
    types.DocumentAttributeSticker: _STICKER,
    types.DocumentAttributeVideo: "video",
    types.DocumentAttributeAudio: "audio",
    types.DocumentAttributeAnimated: "video",
}


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a message: what is shown, and where it leads."""

    text: str
    url: str


@dataclass(frozen=True, slots=True)
class Known:
    """The people and chats that came along with an answer, by marked id."""

    by_id: dict[int, Any]
    self_id: int = 0

    @classmethod
    def of(cls, answer: Any, self_id: int = 0) -> Self:
        """Those of an answer of Telegram's that has `users` and `chats`."""
        entities = [*getattr(answer, "users", ()), *getattr(answer, "chats", ())]
        return cls({utils.get_peer_id(entity): entity for entity in entities}, self_id)

    def name(self, marked_id: int) -> str:
        """As it is called: by the owner where it is a contact, else by itself."""
        return utils.get_display_name(self.by_id.get(marked_id)) or ""

    def usernames(self, marked_id: int) -> Sequence[str]:
        """Its public names, without `@`."""
        entity = self.by_id.get(marked_id)
        first = getattr(entity, "username", None)
        further = [name.username for name in getattr(entity, "usernames", None) or ()]
        return tuple(dict.fromkeys([*([first] if first else []), *further]))

    def kind(self, marked_id: int) -> ChatKind:
        """What a conversation with it is."""
        entity = self.by_id.get(marked_id)
        if marked_id == self.self_id or getattr(entity, "is_self", False):
            return ChatKind.SELF
        if isinstance(entity, types.User):
            return ChatKind.BOT if entity.bot else ChatKind.PERSON
        if marked_id > 0:
            return ChatKind.PERSON
        return ChatKind.CHANNEL if getattr(entity, "broadcast", False) else ChatKind.GROUP


def seen(message: Any, account: str, known: Known) -> SeenMessage | None:
    """A message as it is kept; None for what is none, such as somebody's joining. Only incoming ones count as unread.

    A file's bytes are not fetched.
    """
    if not isinstance(message, types.Message):
        return None
    chat = utils.get_peer_id(message.peer_id)
    sender = _sender(message, chat, known)
    reply_to, topic = _place(message)
    at: Any = message.date
    return SeenMessage(
        channel=CHANNEL,
        account=account,
        chat=str(Address(chat)),
        ref=str(message.id),
        order=message.id,
        at=at,
        sender=str(Address(sender)) if sender else "",
        sender_name=known.name(sender) or message.post_author or "",
        outgoing=bool(message.out),
        unread=not message.out,
        text=message.message or "",
        reply_to=reply_to,
        topic=topic,
        album=str(message.grouped_id or ""),
        forwarded_from=_forwarded_from(message, known),
        files=tuple(files(message)),
        edited_at=None if message.edit_hide else message.edit_date,
        problems=tuple(_problems(message)),
    )


def links(message: Any) -> Iterable[Link]:
    """The links of a message in order."""
    text: str = message.message or ""
    for entity in message.entities or ():
        shown = utf16_slice(text, entity.offset, entity.length)
        if isinstance(entity, types.MessageEntityTextUrl):
            yield Link(shown, entity.url)
        elif isinstance(entity, types.MessageEntityUrl):
            yield Link(shown, shown)
        elif isinstance(entity, types.MessageEntityEmail):
            yield Link(shown, f"mailto:{shown}")


def files(message: Any) -> Iterable[SeenFile]:
    """The file of a message, where it has one; names are the sender's choice."""
    media = message.media
    if getattr(media, "ttl_seconds", None):
        return
    if isinstance(media, types.MessageMediaPhoto) and isinstance(media.photo, types.Photo):
        yield SeenFile(name=_PHOTO, media_type="image/jpeg", size=photo_size(media.photo), kind="photo")
    elif isinstance(media, types.MessageMediaDocument) and isinstance(media.document, types.Document):
        document = media.document
        kind = _kind(document)
        name = _name(document) or (f"{kind}{guess_extension(document.mime_type) or ''}")
        yield SeenFile(name=name, media_type=document.mime_type or "", size=document.size, kind=kind)


def photo_size(photo: Any) -> int:
    """The size in bytes of a photo's largest version."""
    return max((_bytes(size) for size in photo.sizes), default=0)


def is_muted(settings: Any, now: datetime) -> bool:
    """Whether a chat is muted in Telegram, by its own settings."""
    until = getattr(settings, "mute_until", None)
    return until is not None and until > now


def _bytes(size: Any) -> int:
    if isinstance(size, types.PhotoSizeProgressive):
        return max(size.sizes)
    return getattr(size, "size", 0)


def _sender(message: Any, chat: int, known: Known) -> int:
    """Who wrote it. In a private chat Telegram leaves the author out, and in a channel it is the channel."""
    if message.from_id is not None:
        return utils.get_peer_id(message.from_id)
    if message.out and not message.post:
        return known.self_id
    return chat


def _place(message: Any) -> tuple[str, str]:
    """What it answers, and in which topic it stands. In a topic, every message answers the one that opened it."""
    header = message.reply_to
    if not isinstance(header, types.MessageReplyHeader):
        return "", ""
    answered = header.reply_to_msg_id if header.reply_to_peer_id is None else None
    if not header.forum_topic:
        return str(answered or ""), ""
    topic = header.reply_to_top_id or answered or GENERAL_TOPIC
    return "" if answered == topic else str(answered or ""), str(topic)


def _forwarded_from(message: Any, known: Known) -> str:
    """Who wrote it first: by address where Telegram says so, else by the name that is left of them."""
    header = message.fwd_from
    if header is None:
        return ""
    if header.from_id is None:
        return header.from_name or "somebody who is hidden"
    author = utils.get_peer_id(header.from_id)
    name = known.name(author)
    return f"{name} ({Address(author)})" if name else str(Address(author))


def _kind(document: Any) -> str:
    attributes = {type(attribute): attribute for attribute in document.attributes}
    audio = attributes.get(types.DocumentAttributeAudio)
    if audio is not None and audio.voice:
        return "voice"
    return next((kind for attribute, kind in _KINDS.items() if attribute in attributes), "file")


def _name(document: Any) -> str:
    names = (a.file_name for a in document.attributes if isinstance(a, types.DocumentAttributeFilename))
    return next(names, "")


def _problems(message: Any) -> Iterable[str]:
    what = _UNREAD_MEDIA.get(type(message.media).__name__)
    if what:
        yield f"it holds {what}, which is not read"
    elif getattr(message.media, "ttl_seconds", None):
        yield "it holds a file that deletes itself, which is not read"
