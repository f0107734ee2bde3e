# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""messages.editMessage, deleteMessages and channels.deleteMessages: what changes messages that are there."""

from telethon.tl import functions, types

from butler_demo.mtproto.context import Context, Methods
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.ids import is_group
from butler_demo.mtproto.methods.sending import checked_entities, refuse_schedule
from butler_demo.mtproto.peers import find_channel, peer_id_of
from butler_demo.mtproto.update_views import updates
from butler_demo.mtproto.views import View


def edit_message(context: Context, request: functions.messages.EditMessageRequest) -> types.Updates:
    """Change the text of an own message, or the caption of an own file."""
    refuse_schedule(request.schedule_date)
    peer_id = peer_id_of(context, request.peer)
    box = context.box_for(peer_id)
    message = box.find(request.id)
    if message is None or message.peer_id != peer_id:
        raise RpcFault(400, "MESSAGE_ID_INVALID")
    if request.media is not None:
        raise RpcFault(400, "MEDIA_INVALID")
    text = request.message or ""
    context.state.store.edit(context.account.id, message, text, checked_entities(text, request.entities))
    return updates(View(context.state, context.account.id), box.log.last(1))


def delete_messages(
    context: Context, request: functions.messages.DeleteMessagesRequest
) -> types.messages.AffectedMessages:
    """Delete for the caller, or (revoke) for everybody; in a group that is for the author and the creator."""
    account_id, box = context.account.id, context.box
    messages = [message for message_id in request.id if (message := box.find(message_id))]
    if request.revoke:
        groups = context.state.directory.groups
        foreign = [message for message in messages if is_group(message.peer_id) and message.from_id != account_id]
        if any(groups[-message.peer_id].creator_id != account_id for message in foreign):
            raise RpcFault(403, "MESSAGE_DELETE_FORBIDDEN")
    context.state.store.delete(messages, for_everyone=bool(request.revoke))
    return types.messages.AffectedMessages(pts=box.pts, pts_count=len(messages))


def delete_channel_messages(
    context: Context, request: functions.channels.DeleteMessagesRequest
) -> types.messages.AffectedMessages:
    """Delete messages of a channel or supergroup for everybody: own ones, or (an admin) anybody's."""
    channel, account_id = find_channel(context, request.channel), context.account.id
    box = context.state.store.box(channel.peer_id)
    messages = [message for message_id in request.id if (message := box.find(message_id))]
    is_member, is_admin = account_id in channel.members, channel.is_admin(account_id)
    for message in messages:
        is_own = is_member and not channel.is_broadcast and message.from_id == account_id
        if message.service is not None or not (is_own or is_admin):
            raise RpcFault(403, "MESSAGE_DELETE_FORBIDDEN")
    context.state.store.delete(messages, for_everyone=True)
    return types.messages.AffectedMessages(pts=box.pts, pts_count=len(messages))


METHODS: Methods = {
    functions.messages.EditMessageRequest: edit_message,
    functions.messages.DeleteMessagesRequest: delete_messages,
    functions.channels.DeleteMessagesRequest: delete_channel_messages,
}
