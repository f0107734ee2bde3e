# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""TL objects for what the store holds, as one account sees it."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from telethon.tl import types

from butler_demo.mtproto.channels import GENERAL_TOPIC, Channel
from butler_demo.mtproto.context import DC_ID, State
from butler_demo.mtproto.directory import TELEGRAM_ID, Account, Group
from butler_demo.mtproto.peers import plain_peer
from butler_demo.mtproto.records import Forward, Media, Message

TOPIC_COLOUR = 0x6FB9F0
ADMIN_RIGHTS = types.ChatAdminRights(post_messages=True, edit_messages=True, delete_messages=True, ban_users=True)

_READ_ONLY = types.ChatBannedRights(until_date=None, send_messages=True)


class View:
    """The eyes of one account: names from its address book, its access hashes, its copies."""

    def __init__(self, state: State, viewer_id: int) -> None:
        self.state = state
        self.viewer_id = viewer_id
        self._directory = state.directory

    def user(self, account: Account) -> types.User:
        """An account under the name that the viewer gave it; its phone number only if it is a contact."""
        contact = self._directory.contacts_of(self.viewer_id).get(account.id)
        is_self, is_telegram = account.id == self.viewer_id, account.id == TELEGRAM_ID
        is_mutual = contact is not None and self.viewer_id in self._directory.contacts_of(account.id)
        return types.User(
            id=account.id,
            is_self=is_self,
            contact=contact is not None,
            mutual_contact=is_mutual,
            access_hash=self._directory.access_hash(self.viewer_id, account.id),
            first_name=contact.first if contact else account.first_name,
            last_name=contact.last if contact else account.last_name,
            username=account.username,
            phone=account.phone if contact or is_self or is_telegram else None,
            status=types.UserStatusRecently(),
            verified=is_telegram,
            support=is_telegram,
        )

    def users(self, ids: Iterable[int]) -> list[Any]:
        """Users by id, each once; ids of groups and channels are skipped."""
        accounts = self._directory.accounts
        return [self.user(accounts[i]) for i in sorted(set(ids)) if i in accounts]

    def chat(self, group: Group) -> types.Chat:
        """A basic group."""
        return types.Chat(
            id=group.id,
            title=group.title,
            photo=types.ChatPhotoEmpty(),
            participants_count=len(group.member_ids),
            date=group.created_at,
            version=1,
            creator=group.creator_id == self.viewer_id,
        )

    def channel(self, channel: Channel) -> types.Channel | types.ChannelForbidden:
        """A channel or a supergroup; only its name for whom it is closed to."""
        common: dict[str, Any] = {
            "id": channel.id,
            "access_hash": self._directory.access_hash(self.viewer_id, channel.peer_id),
            "title": channel.title,
            "broadcast": channel.is_broadcast,
            "megagroup": not channel.is_broadcast,
        }
        if not channel.may_read(self.viewer_id):
            return types.ChannelForbidden(**common)
        member = channel.members.get(self.viewer_id)
        return types.Channel(
            photo=types.ChatPhotoEmpty(),
            date=member.joined_at if member else channel.created_at,
            creator=channel.creator_id == self.viewer_id,
            left=member is None,
            forum=channel.is_forum,
            slowmode_enabled=channel.slow_mode_s > 0,
            username=channel.username,
            admin_rights=ADMIN_RIGHTS if member and member.is_admin else None,
            banned_rights=None if member is None or member.may_write else _READ_ONLY,
            default_banned_rights=None if channel.is_broadcast else types.ChatBannedRights(until_date=None),
            participants_count=len(channel.members),
            **common,
        )

    def message(self, message: Message) -> types.Message | types.MessageService:
        """A message; like Telegram, the author is left out where the peer says it (private chats, channels)."""
        common: dict[str, Any] = {
            "id": message.id,
            "peer_id": plain_peer(message.peer_id),
            "from_id": self._author(message),
            "date": message.date,
            "out": message.from_id == self.viewer_id,
            "post": self._is_post(message),
            "reply_to": reply_header(message),
        }
        if message.service is not None:
            return types.MessageService(action=message.service, **common)
        return types.Message(
            message=message.text,
            media=self.media(message.media, message.date) if message.media else None,
            entities=list(message.entities) or None,
            fwd_from=forward_header(message.forward) if message.forward else None,
            edit_date=message.edited_at,
            grouped_id=message.album,
            **common,
        )

    def media(self, item: Media, date: datetime) -> types.MessageMediaPhoto | types.MessageMediaDocument:
        """A file as the media of a message. A photo has one size, whose width and height nobody measured."""
        common: dict[str, Any] = {
            "id": item.file_id,
            "access_hash": self._directory.file_hash(self.viewer_id, item.file_id),
            "file_reference": self.state.files.reference(item.file_id),
            "date": date,
            "dc_id": DC_ID,
        }
        if item.is_photo:
            sizes: list[Any] = [types.PhotoSize(type="x", w=800, h=800, size=item.size)]
            return types.MessageMediaPhoto(photo=types.Photo(sizes=sizes, **common))
        document = types.Document(mime_type=item.mime_type, size=item.size, attributes=list(item.attributes), **common)
        return types.MessageMediaDocument(document=document)

    def entities(self, messages: Iterable[Message]) -> dict[str, Any]:
        """`users` and `chats` of everybody who appears in these messages, as keyword arguments."""
        return self.entities_of(self.peers_in(messages))

    def peers_in(self, messages: Iterable[Message]) -> set[int]:
        """Everybody who appears in these messages; who wrote a channel's post does not."""
        ids: set[int] = set()
        for message in messages:
            ids.add(message.peer_id)
            if not self._is_post(message):
                ids.add(message.from_id)
            if message.forward:
                ids.add(message.forward.from_id)
        return ids

    def entities_of(self, ids: Iterable[int]) -> dict[str, Any]:
        """`users` and `chats` of these peers, as keyword arguments; the viewer is always among them."""
        all_ids = {*ids, self.viewer_id}
        groups = self._directory.groups
        channels = [channel for i in sorted(all_ids) if (channel := self._directory.channel_of(i))]
        chats: list[Any] = [self.chat(groups[-i]) for i in sorted(all_ids) if -i in groups]
        return {"users": self.users(all_ids), "chats": [*chats, *map(self.channel, channels)]}

    def _is_post(self, message: Message) -> bool:
        channel = self._directory.channel_of(message.peer_id)
        return channel is not None and channel.is_broadcast

    def _author(self, message: Message) -> types.PeerUser | None:
        is_received_privately = message.peer_id >= 0 and not message.outgoing
        return None if is_received_privately or self._is_post(message) else types.PeerUser(message.from_id)


def reply_header(message: Message) -> types.MessageReplyHeader | None:
    """What a message answers, and the topic it stands in (the General topic is not told)."""
    topic = message.topic if message.topic not in {GENERAL_TOPIC, message.id} else None
    if topic is None:
        return types.MessageReplyHeader(reply_to_msg_id=message.reply_to) if message.reply_to else None
    if message.reply_to is None:
        return types.MessageReplyHeader(forum_topic=True, reply_to_msg_id=topic)
    return types.MessageReplyHeader(forum_topic=True, reply_to_msg_id=message.reply_to, reply_to_top_id=topic)


def forward_header(forward: Forward) -> types.MessageFwdHeader:
    """Where a forwarded message comes from."""
    return types.MessageFwdHeader(date=forward.date, from_id=plain_peer(forward.from_id), channel_post=forward.post)
