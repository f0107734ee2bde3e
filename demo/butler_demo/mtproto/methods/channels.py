# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""channels.*: channels and supergroups, who is in them, and their messages."""

from typing import Any

from telethon.tl import functions, types

from butler_demo.mtproto.channels import Channel, Member
from butler_demo.mtproto.context import Context, Methods
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.methods.history import by_ids
from butler_demo.mtproto.methods.notify import settings_of
from butler_demo.mtproto.peers import find_channel, known_channel, peer_id_of, plain_peer
from butler_demo.mtproto.views import ADMIN_RIGHTS, View, banned_rights

_LARGEST_PAGE = 200


def get_channels(context: Context, request: functions.channels.GetChannelsRequest) -> types.messages.Chats:
    """Channels by id; of those that are closed to the caller only the name."""
    view = View(context.state, context.account.id)
    return types.messages.Chats(chats=[view.channel(known_channel(context, item)) for item in request.id])


def get_full_channel(context: Context, request: functions.channels.GetFullChannelRequest) -> types.messages.ChatFull:
    """One channel, with its counts, its `pts` and what the caller has read."""
    channel, account_id = find_channel(context, request.channel), context.account.id
    state, box = context.state, context.box
    view = View(state, account_id)
    full_chat = types.ChannelFull(
        id=channel.id,
        about=channel.about,
        read_inbox_max_id=box.read_by_owner.get(channel.peer_id, 0),
        read_outbox_max_id=box.read_by_peer.get(channel.peer_id, 0),
        unread_count=state.reading.unread(account_id, channel.peer_id),
        chat_photo=types.PhotoEmpty(0),
        notify_settings=settings_of(state, account_id, channel.peer_id),
        bot_info=[],
        pts=state.store.box(channel.peer_id).pts,
        can_view_participants=not channel.is_broadcast or channel.is_admin(account_id),
        participants_count=len(channel.members),
        slowmode_seconds=channel.slow_mode_s or None,
    )
    return types.messages.ChatFull(full_chat=full_chat, chats=[view.channel(channel)], users=view.users([account_id]))


def get_messages(context: Context, request: functions.channels.GetMessagesRequest) -> types.messages.ChannelMessages:
    """Messages of a channel by id; an empty one in the place of each that is gone."""
    channel = find_channel(context, request.channel)
    box = context.state.store.box(channel.peer_id)
    found, answers = by_ids(context, box, request.id)
    view = View(context.state, context.account.id)
    entities = view.entities_of({channel.peer_id, *view.peers_in(found)})
    return types.messages.ChannelMessages(pts=box.pts, count=len(answers), messages=answers, topics=[], **entities)


def get_participants(
    context: Context, request: functions.channels.GetParticipantsRequest
) -> types.channels.ChannelParticipants:
    """Who is in a channel, by id; the members of a broadcast channel are for its admins."""
    channel = find_channel(context, request.channel)
    if channel.is_broadcast and not channel.is_admin(context.account.id):
        raise RpcFault(400, "CHAT_ADMIN_REQUIRED")
    ids = sorted(channel.members)
    if isinstance(request.filter, types.ChannelParticipantsAdmins):
        ids = [user_id for user_id in ids if channel.members[user_id].is_admin]
    page = ids[request.offset :][: min(request.limit, _LARGEST_PAGE)]
    return types.channels.ChannelParticipants(
        count=len(ids),
        participants=[_participant(context, channel, user_id) for user_id in page],
        chats=[],
        users=View(context.state, context.account.id).users(page),
    )


def get_participant(
    context: Context, request: functions.channels.GetParticipantRequest
) -> types.channels.ChannelParticipant:
    """One member, with what that member may not do."""
    channel = find_channel(context, request.channel)
    user_id = peer_id_of(context, request.participant)
    if user_id not in channel.members:
        raise RpcFault(400, "USER_NOT_PARTICIPANT")
    users = View(context.state, context.account.id).users([user_id])
    return types.channels.ChannelParticipant(_participant(context, channel, user_id), chats=[], users=users)


def read_history(context: Context, request: functions.channels.ReadHistoryRequest) -> bool:
    """Mark a channel as read up to a message; the authors of a supergroup hear of it."""
    channel = find_channel(context, request.channel)
    context.state.reading.read(context.account.id, channel.peer_id, request.max_id)
    return True


def _participant(context: Context, channel: Channel, user_id: int) -> Any:
    member: Member = channel.members[user_id]
    if user_id == channel.creator_id:
        return types.ChannelParticipantCreator(user_id, ADMIN_RIGHTS)
    if member.is_admin:
        return types.ChannelParticipantAdmin(user_id, channel.creator_id, member.joined_at, ADMIN_RIGHTS)
    if member.bans:
        rights = banned_rights(member.bans)
        return types.ChannelParticipantBanned(plain_peer(user_id), channel.creator_id, member.joined_at, rights)
    if user_id == context.account.id:
        return types.ChannelParticipantSelf(user_id, channel.creator_id, member.joined_at)
    return types.ChannelParticipant(user_id, member.joined_at)


METHODS: Methods = {
    functions.channels.GetChannelsRequest: get_channels,
    functions.channels.GetFullChannelRequest: get_full_channel,
    functions.channels.GetMessagesRequest: get_messages,
    functions.channels.GetParticipantsRequest: get_participants,
    functions.channels.GetParticipantRequest: get_participant,
    functions.channels.ReadHistoryRequest: read_history,
}
