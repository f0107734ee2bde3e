# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""messages.getHistory and getMessages, channels.getMessages: what was written."""

from datetime import datetime
from typing import Any

from telethon.tl import functions, types

from butler_demo.mtproto.context import Context, Methods
from butler_demo.mtproto.conversation import Conversation
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.ids import is_channel
from butler_demo.mtproto.message_box import MessageBox
from butler_demo.mtproto.peers import find_channel, peer_id_of
from butler_demo.mtproto.records import Message
from butler_demo.mtproto.views import View

LARGEST_PAGE = 100


def get_history(context: Context, request: functions.messages.GetHistoryRequest) -> Any:
    """One conversation, newest first."""
    peer_id = peer_id_of(context, request.peer)
    box = context.box_for(peer_id)
    conversation = box.conversations[peer_id]
    page = [box.messages[i] for i in page_of(conversation, request)]
    return answer(context, box, page, len(conversation.ids))


def get_messages(context: Context, request: functions.messages.GetMessagesRequest) -> types.messages.Messages:
    """Messages of private chats and groups by id; an empty one for each that is gone."""
    found, answers = _by_ids(context, context.box, request.id)
    entities = View(context.state, context.account.id).entities(found)
    return types.messages.Messages(messages=answers, topics=[], **entities)


def get_channel_messages(
    context: Context, request: functions.channels.GetMessagesRequest
) -> types.messages.ChannelMessages:
    """Messages of a channel by id; an empty one in the place of each that is gone."""
    channel = find_channel(context, request.channel)
    box = context.state.store.box(channel.peer_id)
    found, answers = _by_ids(context, box, request.id)
    view = View(context.state, context.account.id)
    entities = view.entities_of({channel.peer_id, *view.peers_in(found)})
    return types.messages.ChannelMessages(pts=box.pts, count=len(answers), messages=answers, topics=[], **entities)


def _by_ids(context: Context, box: MessageBox, wanted: list[Any]) -> tuple[list[Message], list[Any]]:
    """Messages of a box by `InputMessage`: those that are there, and what is answered for each.

    Raises:
        RpcFault: MESSAGE_IDS_EMPTY when nothing is asked for, or not by an id.
    """
    view = View(context.state, context.account.id)
    found: list[Message] = []
    answers: list[Any] = []
    if not wanted:
        raise RpcFault(400, "MESSAGE_IDS_EMPTY")
    for item in wanted[:LARGEST_PAGE]:
        if not isinstance(item, types.InputMessageID):
            raise RpcFault(400, "MESSAGE_IDS_EMPTY")
        message = box.find(item.id)
        if message is None:
            answers.append(types.MessageEmpty(item.id, peer_id=None))
        else:
            found.append(message)
            answers.append(view.message(message))
    return found, answers


def page_of(conversation: Conversation, request: Any) -> list[int]:
    """The ids that the offsets choose, newest first: https://core.telegram.org/api/offsets.

    Raises:
        RpcFault: OFFSET_INVALID for an offset by date, which is not built.
    """
    if not request.offset_id and is_set(getattr(request, "offset_date", None)):
        raise RpcFault(400, "OFFSET_INVALID")
    start = conversation.count_from(request.offset_id) if request.offset_id else 0
    start += request.add_offset
    ids = conversation.newest_first(start, start + min(request.limit, LARGEST_PAGE))
    return [i for i in ids if i > request.min_id and (not request.max_id or i < request.max_id)]


def answer(context: Context, box: MessageBox, page: list[Message], count: int) -> Any:
    """The page as the answer of the kind that belongs to the box, `count` being all that there are."""
    view = View(context.state, context.account.id)
    content: dict[str, Any] = {
        "messages": [view.message(message) for message in page],
        "topics": [],
        **view.entities(page),
    }
    if is_channel(box.owner_id):
        return types.messages.ChannelMessages(pts=box.pts, count=count, **content)
    if len(page) == count:
        return types.messages.Messages(**content)
    return types.messages.MessagesSlice(count=count, **content)


def is_set(date: datetime | None) -> bool:
    """TL sends a missing date of these methods as the epoch."""
    return date is not None and date.timestamp() > 0


METHODS: Methods = {
    functions.messages.GetHistoryRequest: get_history,
    functions.messages.GetMessagesRequest: get_messages,
    functions.channels.GetMessagesRequest: get_channel_messages,
}
