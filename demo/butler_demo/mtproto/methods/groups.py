# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""messages.getChats and getFullChat: basic groups."""

from typing import Any

from telethon.tl import functions, types

from butler_demo.mtproto.context import Context, Methods
from butler_demo.mtproto.ids import group_peer
from butler_demo.mtproto.methods.notify import settings_of
from butler_demo.mtproto.peers import peer_id_of
from butler_demo.mtproto.views import View


def get_chats(context: Context, request: functions.messages.GetChatsRequest) -> types.messages.Chats:
    """Basic groups of which the caller is a member."""
    groups = context.state.directory.groups
    peer_ids = [peer_id_of(context, types.InputPeerChat(chat_id)) for chat_id in request.id]
    view = View(context.state, context.account.id)
    return types.messages.Chats(chats=[view.chat(groups[-peer_id]) for peer_id in peer_ids])


def get_full_chat(context: Context, request: functions.messages.GetFullChatRequest) -> types.messages.ChatFull:
    """A basic group and its members."""
    group = context.state.directory.groups[-peer_id_of(context, types.InputPeerChat(request.chat_id))]
    view = View(context.state, context.account.id)
    members: list[Any] = [
        types.ChatParticipantCreator(user_id)
        if user_id == group.creator_id
        else types.ChatParticipant(user_id, inviter_id=group.creator_id, date=group.created_at)
        for user_id in group.member_ids
    ]
    full_chat = types.ChatFull(
        id=group.id,
        about="",
        participants=types.ChatParticipants(group.id, members, version=1),
        notify_settings=settings_of(context.state, context.account.id, group_peer(group.id)),
    )
    return types.messages.ChatFull(full_chat=full_chat, chats=[view.chat(group)], users=view.users(group.member_ids))


METHODS: Methods = {
    functions.messages.GetChatsRequest: get_chats,
    functions.messages.GetFullChatRequest: get_full_chat,
}
