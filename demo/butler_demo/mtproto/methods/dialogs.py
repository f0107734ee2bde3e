# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""messages.getDialogs and getPeerDialogs: the list of conversations, an account's own and its channels."""

from datetime import datetime
from typing import Any

from telethon.tl import functions, types

from butler_demo.mtproto.context import Context, Methods
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.ids import is_channel
from butler_demo.mtproto.methods.notify import settings_of
from butler_demo.mtproto.methods.states import state_of
from butler_demo.mtproto.peers import peer_id_of, plain_peer
from butler_demo.mtproto.records import Message
from butler_demo.mtproto.views import View

_LARGEST_PAGE = 100
_ARCHIVE = 1


def get_dialogs(
    context: Context, request: functions.messages.GetDialogsRequest
) -> types.messages.Dialogs | types.messages.DialogsSlice:
    """The conversations, newest first, page by page; nothing is archived or pinned here.

    A page goes on after the conversation that the offsets name, wherever that stands by now: what came in
    meanwhile neither repeats nor hides another one.
    """
    dialogs = [] if request.folder_id == _ARCHIVE else _newest_messages(context)
    dialogs.sort(key=_place, reverse=True)
    offset = _offset(context, request)
    rest = dialogs if offset is None else [message for message in dialogs if _place(message)[: len(offset)] < offset]
    page = rest[: min(request.limit, _LARGEST_PAGE)]
    content = _content(context, page)
    if len(page) == len(dialogs):
        return types.messages.Dialogs(**content)
    return types.messages.DialogsSlice(count=len(dialogs), **content)


def get_peer_dialogs(context: Context, request: functions.messages.GetPeerDialogsRequest) -> types.messages.PeerDialogs:
    """The conversations with these peers, those without messages left out."""
    peer_ids = [peer_id_of(context, getattr(dialog, "peer", None)) for dialog in request.peers]
    newest = [message for peer_id in peer_ids if (message := newest_message(context, peer_id))]
    return types.messages.PeerDialogs(state=state_of(context, context.box.pts), **_content(context, newest))


def newest_message(context: Context, peer_id: int) -> Message | None:
    """The newest message of a conversation, if there is any."""
    box = context.box_for(peer_id)
    return box.messages.get(box.conversations[peer_id].newest)


def dialog(context: Context, peer_id: int, top_message: int) -> types.Dialog:
    """One conversation of the caller's list; a channel's has its own `pts`."""
    box, account_id = context.box, context.account.id
    return types.Dialog(
        peer=plain_peer(peer_id),
        top_message=top_message,
        read_inbox_max_id=box.read_by_owner.get(peer_id, 0),
        read_outbox_max_id=0,
        unread_count=context.state.reading.unread(account_id, peer_id),
        unread_mentions_count=0,
        unread_reactions_count=0,
        unread_poll_votes_count=0,
        notify_settings=settings_of(context.state, account_id, peer_id),
        pts=context.box_for(peer_id).pts if is_channel(peer_id) else None,
    )


def _newest_messages(context: Context) -> list[Message]:
    account_id = context.account.id
    peer_ids = [*context.box.conversations, *(c.peer_id for c in context.state.directory.channels_with(account_id))]
    return [message for peer_id in peer_ids if (message := newest_message(context, peer_id))]


def _place(message: Message) -> tuple[datetime, int, int]:
    return message.date, message.id, message.peer_id


def _offset(context: Context, request: functions.messages.GetDialogsRequest) -> tuple[datetime | int, ...] | None:
    """The place of the conversation at which the last page ended, as exactly as the client tells it."""
    date = request.offset_date
    if date is None or date.timestamp() <= 0:
        return None
    if not request.offset_id:
        return (date,)
    if isinstance(request.offset_peer, types.InputPeerEmpty):
        return date, request.offset_id
    try:
        return date, request.offset_id, peer_id_of(context, request.offset_peer)
    except RpcFault as error:
        raise RpcFault(400, "OFFSET_PEER_ID_INVALID") from error


def _content(context: Context, newest: list[Message]) -> dict[str, Any]:
    view = View(context.state, context.account.id)
    return {
        "dialogs": [dialog(context, message.peer_id, message.id) for message in newest],
        "messages": [view.message(message) for message in newest],
        **view.entities(newest),
    }


METHODS: Methods = {
    functions.messages.GetDialogsRequest: get_dialogs,
    functions.messages.GetPeerDialogsRequest: get_peer_dialogs,
}
