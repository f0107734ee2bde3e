"""Channels and supergroups: who is in them, who may do what, and what may be written."""

import enum
from dataclasses import dataclass, field
from datetime import datetime
from math import ceil

from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.ids import channel_peer
from butler_demo.mtproto.records import Media

GENERAL_TOPIC = 1


class Ban(enum.Enum):
    """What a member may not do; the value is the flag of `ChatBannedRights`."""

    VIEW = "view_messages"
    SEND = "send_messages"
    PLAIN = "send_plain"
    MEDIA = "send_media"
    PHOTOS = "send_photos"
    DOCUMENTS = "send_docs"


@dataclass(slots=True)
class Member:
    """One member. `bans` are the member's own, on top of everybody's."""

    joined_at: datetime
    is_admin: bool = False
    bans: frozenset[Ban] = frozenset()
    wrote_at: datetime | None = None


@dataclass(slots=True)
class Topic:
    """A topic of a forum; its id is that of the service message that began it. A closed one is for admins."""

    id: int
    title: str
    creator_id: int
    created_at: datetime
    is_closed: bool = False
    is_deleted: bool = False


@dataclass(slots=True)
class Channel:
    """A channel (`is_broadcast`: only admins write) or a supergroup.

    With a `username` it is public: whoever is no member may read it. `slow_mode_s` is the shortest time between
    two messages of one member, 0 for none. `removed` are those who may not come back.
    """

    id: int
    title: str
    creator_id: int
    created_at: datetime
    is_broadcast: bool = False
    is_forum: bool = False
    username: str | None = None
    about: str = ""
    slow_mode_s: int = 0
    bans: frozenset[Ban] = frozenset()
    members: dict[int, Member] = field(default_factory=dict[int, Member])
    removed: set[int] = field(default_factory=set[int])
    topics: dict[int, Topic] = field(default_factory=dict[int, Topic])

    @property
    def peer_id(self) -> int:
        """Its peer, `-100` and the id."""
        return channel_peer(self.id)

    def is_admin(self, user_id: int) -> bool:
        """Whether somebody may write, edit and delete without limits here."""
        member = self.members.get(user_id)
        return member is not None and member.is_admin

    def may_read(self, user_id: int) -> bool:
        """Whether somebody may see the messages: a member, or anybody not removed when it is public."""
        if user_id in self.removed:
            return False
        return user_id in self.members or self.username is not None

    def bans_of(self, user_id: int) -> frozenset[Ban]:
        """What somebody may not do here; nothing is forbidden to admins."""
        member = self.members.get(user_id)
        if member is None or member.is_admin:
            return frozenset()
        return self.bans | member.bans

    def check_may_write(self, user_id: int, media: Media | None) -> None:
        """Refuse what the rights forbid.

        Raises:
            RpcFault: Telegram's error for it.
        """
        if not self.may_read(user_id):
            raise RpcFault(406, "CHANNEL_PRIVATE")
        if self.is_broadcast and not self.is_admin(user_id):
            raise RpcFault(400, "CHAT_ADMIN_REQUIRED")
        if user_id not in self.members:
            raise RpcFault(403, "CHAT_WRITE_FORBIDDEN")
        bans = self.bans_of(user_id)
        if Ban.SEND in bans:
            raise RpcFault(403, "CHAT_WRITE_FORBIDDEN")
        if media is None and Ban.PLAIN in bans:
            raise RpcFault(403, "CHAT_SEND_PLAIN_FORBIDDEN")
        if media is not None and Ban.MEDIA in bans:
            raise RpcFault(403, "CHAT_SEND_MEDIA_FORBIDDEN")
        if media is not None and media.is_photo and Ban.PHOTOS in bans:
            raise RpcFault(403, "CHAT_SEND_PHOTOS_FORBIDDEN")
        if media is not None and not media.is_photo and Ban.DOCUMENTS in bans:
            raise RpcFault(403, "CHAT_SEND_DOCS_FORBIDDEN")

    def check_topic(self, user_id: int, topic_id: int) -> None:
        """Refuse what is written to a topic that is gone, or closed to the author.

        Raises:
            RpcFault: 400 TOPIC_DELETED, TOPIC_CLOSED or TOPIC_ID_INVALID.
        """
        topic = self.topics.get(topic_id)
        if topic is None:
            raise RpcFault(400, "TOPIC_ID_INVALID")
        if topic.is_deleted:
            raise RpcFault(400, "TOPIC_DELETED")
        if topic.is_closed and not self.is_admin(user_id):
            raise RpcFault(400, "TOPIC_CLOSED")

    def check_pace(self, user_id: int, now: datetime, count: int) -> None:
        """Refuse a client that writes faster than slow mode allows, or `count` messages at once under it.

        Raises:
            RpcFault: 420 SLOWMODE_WAIT_n with the seconds still to wait, or 400 SLOWMODE_MULTI_MSGS_DISABLED.
        """
        member = self.members.get(user_id)
        if not self.slow_mode_s or member is None or member.is_admin:
            return
        if count > 1:
            raise RpcFault(400, "SLOWMODE_MULTI_MSGS_DISABLED")
        if member.wrote_at is not None:
            remaining = self.slow_mode_s - (now - member.wrote_at).total_seconds()
            if remaining > 0:
                raise RpcFault(420, f"SLOWMODE_WAIT_{ceil(remaining)}")
