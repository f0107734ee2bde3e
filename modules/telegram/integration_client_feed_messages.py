# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# (Telethon's TL classes carry no complete types.)
"""Maps Telegram's messages and chats to records of the mirror; texts and names in them are untrusted data."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from telethon import types, utils

from butler.contract.mirror import ChatKind, SeenMessage
from modules.telegram.address import Address, MessageAddress
from modules.telegram.feed_records import Glimpse
from modules.telegram.integration_client_feed_media import carried
from modules.telegram.integration_client_feed_service import service_text
from modules.telegram.normalise import CHANNEL
from modules.telegram.text import utf16_slice

SERVICE = "service"
"""The label of a service message, in words that are not the sender's."""
MENTIONED = "mentioned"

_SAVED = "Saved Messages"
_HIDDEN = "somebody who does not show their name"


class Participants:
    """The people and chats of an answer, by marked id."""

    def __init__(self, users: Iterable[Any], chats: Iterable[Any], me: int) -> None:
        self.me = me
        shown = [*chats, *users]
        self._by_id = {
            utils.get_peer_id(one): one for one in shown if not isinstance(one, types.UserEmpty | types.ChatEmpty)
        }

    def name(self, marked: int) -> str:
        """Return the display name; empty if the answer does not hold it."""
        one = self._by_id.get(marked)
        return "" if one is None else utils.get_display_name(one)

    def named(self, marked: int) -> str:
        """Return the name, or the address if there is none."""
        return self.name(marked) or str(Address(marked))

    def moved_groups(self) -> list[tuple[int, int]]:
        """Return the basic groups that became supergroups: old and new id."""
        return [
            (marked, utils.get_peer_id(types.PeerChannel(one.migrated_to.channel_id)))
            for marked, one in self._by_id.items()
            if isinstance(one, types.Chat) and isinstance(one.migrated_to, types.InputChannel)
        ]

    def names(self, marked: int) -> tuple[str, ...]:
        """Return the public names, in lower case."""
        one = self._by_id.get(marked)
        first = getattr(one, "username", None)
        others = [name.username for name in getattr(one, "usernames", None) or () if name.active]
        return tuple(dict.fromkeys(name.lower() for name in (first, *others) if name))

    def glimpse(self, marked: int) -> Glimpse:
        """Return the chat as the answer shows it; without a title if the answer does not hold it."""
        one = self._by_id.get(marked)
        # The access hash of a "min" entity is valid for its picture only.
        access_hash = 0 if getattr(one, "min", False) else getattr(one, "access_hash", None) or 0
        return Glimpse(
            chat=marked,
            kind=self._kind(marked, one),
            title=_SAVED if marked == self.me else self.name(marked),
            names=self.names(marked),
            access_hash=access_hash,
            readable=not isinstance(one, types.ChatForbidden | types.ChannelForbidden),
        )

    def _kind(self, marked: int, one: Any) -> ChatKind:
        if marked == self.me:
            return ChatKind.SELF
        if marked >= 0:
            return ChatKind.BOT if getattr(one, "bot", False) else ChatKind.PERSON
        is_channel = isinstance(one, types.Channel | types.ChannelForbidden) and one.broadcast
        return ChatKind.CHANNEL if is_channel else ChatKind.GROUP


def seen(message: Any, account: str, cast: Participants) -> SeenMessage:
    """Return a `Message` or `MessageService` as a mirror record."""
    chat = utils.get_peer_id(message.peer_id)
    sender = _sender(message, chat, cast.me)
    outgoing = sender == cast.me or bool(message.out)
    text, labels, more = _content(message, sender, cast)
    return SeenMessage(
        channel=CHANNEL,
        account=account,
        chat=str(Address(chat)),
        ref=str(message.id),
        order=message.id,
        at=message.date,
        sender=str(Address(sender)),
        key=str(MessageAddress(message.id, chat, account)),
        sender_name=_sender_name(message, sender, cast),
        outgoing=outgoing,
        unread=not outgoing,
        text=text,
        labels=(*labels, MENTIONED) if message.mentioned else labels,
        reply_to=_reply_to(message),
        topic=_topic(message),
        **more,
    )


def unreadable(message: Any, account: str) -> SeenMessage:
    """Return a record of a message of which only the chat and id are known."""
    chat = str(Address(utils.get_peer_id(message.peer_id)))
    return SeenMessage(
        channel=CHANNEL,
        account=account,
        chat=chat,
        ref=str(message.id),
        order=message.id,
        at=message.date,
        outgoing=bool(message.out),
        unread=not message.out,
        problems=("this message could not be read",),
    )


def _content(message: Any, sender: int, cast: Participants) -> tuple[str, tuple[str, ...], dict[str, Any]]:
    """Return text and labels, and the fields that only a written message has."""
    if isinstance(message, types.MessageService):
        return service_text(message.action, sender, cast.named), (SERVICE,), {}
    holds = carried(message.media)
    text = "\n".join(filter(None, (with_links(message.message, message.entities or ()), holds.words)))
    more = {
        "album": str(message.grouped_id or ""),
        "forwarded_from": _forwarded_from(message.fwd_from, cast),
        "files": holds.files,
        "edited_at": _edited_at(message),
        "problems": holds.problems,
    }
    return text, (), more


def with_links(text: str, entities: Iterable[Any]) -> str:
    """Return the text, with its address after each linked word."""
    pieces: list[str] = []
    at = 0
    links = [one for one in entities if isinstance(one, types.MessageEntityTextUrl)]
    for link in sorted(links, key=lambda one: one.offset):
        end = link.offset + link.length
        if end < at or utf16_slice(text, link.offset, link.length).strip() == link.url:
            continue
        pieces += [utf16_slice(text, at, end - at), f" ({link.url})"]
        at = end
    return "".join(pieces) + utf16_slice(text, at, len(text) * 2) if pieces else text


def _sender(message: Any, chat: int, me: int) -> int:
    if message.from_id is not None:
        return utils.get_peer_id(message.from_id)
    # In a private chat Telegram omits the sender; the sender of a channel's post is the channel.
    is_own = chat == me or (bool(message.out) and chat >= 0)
    return me if is_own else chat


def _sender_name(message: Any, sender: int, cast: Participants) -> str:
    name = cast.name(sender)
    author = getattr(message, "post_author", None)
    return f"{name} ({author})" if author else name


def _reply_to(message: Any) -> str:
    header = message.reply_to
    if not isinstance(header, types.MessageReplyHeader) or header.reply_to_peer_id is not None:
        return ""
    # In a topic, every message replies to the one that opened it, unless it replies to another one there.
    if header.forum_topic and not header.reply_to_top_id:
        return ""
    return str(header.reply_to_msg_id or "")


def _topic(message: Any) -> str:
    if isinstance(message, types.MessageService) and isinstance(message.action, types.MessageActionTopicCreate):
        return str(message.id)
    header = message.reply_to
    if not isinstance(header, types.MessageReplyHeader) or not header.forum_topic:
        return ""
    return str(header.reply_to_top_id or header.reply_to_msg_id or "")


def _forwarded_from(header: Any, cast: Participants) -> str:
    if header is None:
        return ""
    if header.from_id is not None:
        return cast.named(utils.get_peer_id(header.from_id))
    return header.from_name or _HIDDEN


def _edited_at(message: Any) -> datetime | None:
    # A reaction changes the edit time as well, but is no edit to a reader.
    return None if message.edit_hide else message.edit_date
