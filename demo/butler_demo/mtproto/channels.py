"""Channels and supergroups: who is in them, who may do what."""

from dataclasses import dataclass, field
from datetime import datetime
from math import ceil

from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.ids import channel_peer

GENERAL_TOPIC = 1


@dataclass(slots=True)
class Member:
    """One member of a channel."""

    joined_at: datetime
    is_admin: bool = False
    may_write: bool = True
    wrote_at: datetime | None = None


@dataclass(slots=True)
class Topic:
    """A topic of a forum; its id is that of the service message that began it."""

    id: int
    title: str
    creator_id: int
    created_at: datetime


@dataclass(slots=True)
class Channel:
    """A channel (`is_broadcast`: only admins write) or a supergroup.

    With a `username` it is public: whoever is no member may read it. `slow_mode_s` is the shortest time between
    two messages of one member, 0 for none.
    """

    id: int
    title: str
    creator_id: int
    created_at: datetime
    is_broadcast: bool = False
    is_forum: bool = False
    username: str | None = None
    slow_mode_s: int = 0
    members: dict[int, Member] = field(default_factory=dict[int, Member])
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
        """Whether somebody may see the messages: a member, or anybody when it is public."""
        return user_id in self.members or self.username is not None

    def check_may_write(self, user_id: int) -> None:
        """Refuse what the rights forbid.

        Raises:
            RpcFault: Telegram's error for it.
        """
        if not self.may_read(user_id):
            raise RpcFault(406, "CHANNEL_PRIVATE")
        if self.is_broadcast and not self.is_admin(user_id):
            raise RpcFault(400, "CHAT_ADMIN_REQUIRED")
        member = self.members.get(user_id)
        if member is None or not member.may_write:
            raise RpcFault(403, "CHAT_WRITE_FORBIDDEN")

    def check_topic(self, topic_id: int) -> None:
        """Refuse what is written to a topic that there is not.

        Raises:
            RpcFault: 400 TOPIC_ID_INVALID.
        """
        if topic_id not in self.topics:
            raise RpcFault(400, "TOPIC_ID_INVALID")

    def check_pace(self, user_id: int, now: datetime) -> None:
        """Refuse a client that writes faster than slow mode allows.

        Raises:
            RpcFault: 420 SLOWMODE_WAIT_n with the seconds still to wait.
        """
        member = self.members.get(user_id)
        if not self.slow_mode_s or member is None or member.is_admin:
            return
        if member.wrote_at is not None:
            remaining = self.slow_mode_s - (now - member.wrote_at).total_seconds()
            if remaining > 0:
                raise RpcFault(420, f"SLOWMODE_WAIT_{ceil(remaining)}")
