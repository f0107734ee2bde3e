# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""messages.get*, search* and read*: dialogs, history and what was read."""

from datetime import datetime
from typing import Any

from telethon.tl import functions, types

from butler.demo.mtproto.context import Context, Methods
from butler.demo.mtproto.errors import RpcFault
from butler.demo.mtproto.message_box import MessageBox
from butler.demo.mtproto.methods.updates import state_of
from butler.demo.mtproto.peers import find_account, peer_id_of, plain_peer
from butler.demo.mtproto.records import Message
from butler.demo.mtproto.views import View

_LARGEST_PAGE = 100


def get_dialogs(
    context: Context, request: functions.messages.GetDialogsRequest
) -> types.messages.Dialogs | types.messages.DialogsSlice:
    """The conversations, newest first, page by page."""
    box = context.box
    newest = {message.peer_id: message for message in box.visible()}
    dialogs = sorted(newest.values(), key=lambda message: (message.date, message.id), reverse=True)
    rest = [message for message in dialogs if _is_before_offset(message, request)]
    page = rest[: min(request.limit, _LARGEST_PAGE)]
    view = View(context.state, context.account.id)
    content: dict[str, Any] = {
        "dialogs": [_dialog(box, message) for message in page],
        "messages": [view.message(message) for message in page],
        **view.entities(page),
    }
    if len(page) == len(dialogs):
        return types.messages.Dialogs(**content)
    return types.messages.DialogsSlice(count=len(dialogs), **content)


def get_peer_dialogs(context: Context, request: functions.messages.GetPeerDialogsRequest) -> types.messages.PeerDialogs:
    """The conversations with these peers, those without messages left out."""
    box, view = context.box, View(context.state, context.account.id)
    peer_ids = [peer_id_of(context, getattr(dialog, "peer", None)) for dialog in request.peers]
    newest = [messages[-1] for peer_id in peer_ids if (messages := box.visible(peer_id))]
    return types.messages.PeerDialogs(
        dialogs=[_dialog(box, message) for message in newest],
        messages=[view.message(message) for message in newest],
        state=state_of(context, box.pts),
        **view.entities(newest),
    )


def get_history(context: Context, request: functions.messages.GetHistoryRequest) -> Any:
    """One conversation, newest first."""
    messages = context.box.visible(peer_id_of(context, request.peer))
    return _page(context, messages, request, before=request.offset_date)


def search(context: Context, request: functions.messages.SearchRequest) -> Any:
    """Messages that hold the words, in one conversation or (an empty peer) in all."""
    everywhere = isinstance(request.peer, types.InputPeerEmpty)
    messages = context.box.visible(None if everywhere else peer_id_of(context, request.peer))
    if request.from_id is not None:
        author = find_account(context, request.from_id)
        if author is None:
            raise RpcFault(400, "INPUT_USER_DEACTIVATED")
        messages = [message for message in messages if message.from_id == author.id]
    found = _matching(messages, request)
    return _page(context, found, request, before=None)


def search_global(context: Context, request: functions.messages.SearchGlobalRequest) -> Any:
    """Messages that hold the words, in every conversation."""
    return _page(context, _matching(context.box.visible(), request), request, before=None)


def get_messages(context: Context, request: functions.messages.GetMessagesRequest) -> types.messages.Messages:
    """Messages by id, or what they reply to; an empty one in the place of each that is gone."""
    box, view = context.box, View(context.state, context.account.id)
    found: list[Message] = []
    answers: list[Any] = []
    for wanted in request.id:
        if not isinstance(wanted, types.InputMessageID | types.InputMessageReplyTo):
            raise RpcFault(400, "MESSAGE_IDS_EMPTY")
        message = box.find(wanted.id)
        if isinstance(wanted, types.InputMessageReplyTo) and message is not None:
            message = box.find(message.reply_to or 0)
        if message is None:
            answers.append(types.MessageEmpty(wanted.id, peer_id=None))
        else:
            found.append(message)
            answers.append(view.message(message))
    return types.messages.Messages(messages=answers, topics=[], **view.entities(found))


def read_history(context: Context, request: functions.messages.ReadHistoryRequest) -> types.messages.AffectedMessages:
    """Mark a conversation as read up to a message; its authors hear of it."""
    peer_id = peer_id_of(context, request.peer)
    changed = context.state.store.read(context.account.id, peer_id, request.max_id)
    return types.messages.AffectedMessages(pts=context.box.pts, pts_count=int(changed))


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
        notify_settings=types.PeerNotifySettings(),
    )
    return types.messages.ChatFull(full_chat=full_chat, chats=[view.chat(group)], users=view.users(group.member_ids))


def _dialog(box: MessageBox, newest: Message) -> types.Dialog:
    peer_id = newest.peer_id
    return types.Dialog(
        peer=plain_peer(peer_id),
        top_message=newest.id,
        read_inbox_max_id=box.read_by_owner.get(peer_id, 0),
        read_outbox_max_id=box.read_by_peer.get(peer_id, 0),
        unread_count=box.unread(peer_id),
        unread_mentions_count=0,
        unread_reactions_count=0,
        unread_poll_votes_count=0,
        notify_settings=types.PeerNotifySettings(),
    )


def _is_before_offset(message: Message, request: functions.messages.GetDialogsRequest) -> bool:
    """Whether a conversation comes after the one at which the last page ended."""
    date, message_id = request.offset_date, request.offset_id
    if not date or date.timestamp() <= 0:
        return not message_id or message.id < message_id
    if message.date != date:
        return message.date < date
    return bool(message_id) and message.id < message_id


def _matching(messages: list[Message], request: Any) -> list[Message]:
    if isinstance(request.filter, types.InputMessagesFilterEmpty):
        candidates = messages
    elif isinstance(request.filter, types.InputMessagesFilterDocument):
        candidates = [message for message in messages if message.media and not message.media.is_photo]
    elif isinstance(request.filter, types.InputMessagesFilterPhotos):
        candidates = [message for message in messages if message.media and message.media.is_photo]
    else:
        raise RpcFault(400, "INPUT_FILTER_INVALID")
    words, earliest, latest = request.q.casefold(), request.min_date, request.max_date
    return [
        message
        for message in candidates
        if words in message.text.casefold()
        and (not _is_set(earliest) or message.date >= earliest)
        and (not _is_set(latest) or message.date <= latest)
    ]


def _page(context: Context, messages: list[Message], request: Any, *, before: datetime | None) -> Any:
    """The part of `messages` that the offsets choose: https://core.telegram.org/api/offsets."""
    newest_first = sorted(messages, key=lambda message: message.id, reverse=True)
    start = sum(
        bool(request.offset_id and message.id >= request.offset_id)
        or bool(not request.offset_id and before and _is_set(before) and message.date >= before)
        for message in newest_first
    )
    start += getattr(request, "add_offset", 0)
    end = max(start + min(request.limit, _LARGEST_PAGE), 0)
    max_id, min_id = getattr(request, "max_id", 0), getattr(request, "min_id", 0)
    page = [
        message
        for message in newest_first[max(start, 0) : end]
        if message.id > min_id and (not max_id or message.id < max_id)
    ]
    view = View(context.state, context.account.id)
    content: dict[str, Any] = {
        "messages": [view.message(message) for message in page],
        "topics": [],
        **view.entities(page),
    }
    if len(page) == len(messages):
        return types.messages.Messages(**content)
    return types.messages.MessagesSlice(count=len(messages), **content)


def _is_set(date: datetime | None) -> bool:
    """TL sends a missing date of these methods as the epoch."""
    return date is not None and date.timestamp() > 0


METHODS: Methods = {
    functions.messages.GetDialogsRequest: get_dialogs,
    functions.messages.GetPeerDialogsRequest: get_peer_dialogs,
    functions.messages.GetHistoryRequest: get_history,
    functions.messages.GetMessagesRequest: get_messages,
    functions.messages.SearchRequest: search,
    functions.messages.SearchGlobalRequest: search_global,
    functions.messages.ReadHistoryRequest: read_history,
    functions.messages.GetChatsRequest: get_chats,
    functions.messages.GetFullChatRequest: get_full_chat,
}
