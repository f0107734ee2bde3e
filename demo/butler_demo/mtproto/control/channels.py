# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""The control surface for channels and supergroups: who is in them and what they may do there."""

from telethon.tl import types

from butler_demo.mtproto.channels import GENERAL_TOPIC, Channel, Member, Topic
from butler_demo.mtproto.control.base import Control
from butler_demo.mtproto.store import NEW_TOPIC, Draft
from butler_demo.mtproto.views import TOPIC_COLOUR


class ChannelControl(Control):
    """Channels, supergroups and their members. A `Channel` names itself by `peer_id` everywhere else."""

    def add_channel(
        self,
        channel_id: int,
        title: str,
        creator_id: int,
        *member_ids: int,
        broadcast: bool = False,
        forum: bool = False,
        username: str | None = None,
    ) -> Channel:
        """Add a supergroup, or (`broadcast`) a channel where only admins write; the creator is an admin.

        With a `username` it is public. Its first message is the service message of its creation, as at Telegram;
        that is also the General topic of a `forum`.

        Raises:
            ValueError: the id or the username is taken, or somebody does not exist.
        """
        now = self._state.store.now()
        channel = Channel(channel_id, title, creator_id, now, broadcast, forum, username)
        channel.members = {user_id: Member(now) for user_id in (creator_id, *member_ids)}
        channel.members[creator_id].is_admin = True
        self._state.directory.add_channel(channel)
        if forum:
            channel.topics[GENERAL_TOPIC] = Topic(GENERAL_TOPIC, "General", creator_id, now)
        created = types.MessageActionChannelCreate(title)
        self._state.store.post(Draft(creator_id, channel.peer_id, "", service=created))
        for user_id in channel.members:
            self._state.reading.begin(user_id, channel.peer_id)
        return channel

    def join(self, user_id: int, channel: Channel) -> None:
        """Make somebody a member, also one who was banned; what was written before counts as read."""
        channel.members.setdefault(user_id, Member(self._state.store.now()))
        self._state.reading.begin(user_id, channel.peer_id)
        self._tell_of(channel, user_id)

    def ban(self, user_id: int, channel: Channel) -> None:
        """Remove a member, to whom the channel is 406 CHANNEL_PRIVATE from then on."""
        channel.members.pop(user_id, None)
        self._tell_of(channel, user_id)

    def restrict(self, user_id: int, channel: Channel, *, may_write: bool = False) -> None:
        """Let a member read only, or write again; what they send meanwhile is answered 403 CHAT_WRITE_FORBIDDEN."""
        channel.members[user_id].may_write = may_write
        self._tell_of(channel, user_id)

    def set_slow_mode(self, channel: Channel, seconds: int) -> None:
        """Let a member write once in so many seconds; sooner is answered 420 SLOWMODE_WAIT_n. 0 ends it."""
        channel.slow_mode_s = seconds

    def add_topic(self, channel: Channel, title: str, creator_id: int | None = None) -> Topic:
        """Begin a topic of a forum, the channel's creator or a member doing it.

        Raises:
            ValueError: the channel is no forum.
        """
        if not channel.is_forum:
            raise ValueError(f"channel {channel.id} is no forum")
        author_id = creator_id or channel.creator_id
        begun = types.MessageActionTopicCreate(title, TOPIC_COLOUR)
        message = self._state.store.post(Draft(author_id, channel.peer_id, "", service=begun, topic=NEW_TOPIC))
        topic = channel.topics[message.id] = Topic(message.id, title, author_id, message.date)
        return topic

    def _tell_of(self, channel: Channel, user_id: int) -> None:
        self._announcer.tell(user_id, [types.UpdateChannel(channel.id)], [channel.peer_id])
