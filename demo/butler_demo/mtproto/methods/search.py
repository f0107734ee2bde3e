# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""messages.search and searchGlobal: words in one conversation, or in all of them."""

from collections.abc import Iterable
from typing import Any

from telethon.tl import functions, types

from butler_demo.mtproto.context import Context, Methods
from butler_demo.mtproto.conversation import Conversation
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.methods.history import LARGEST_PAGE, answer, is_set, page_of
from butler_demo.mtproto.peers import find_account, peer_id_of
from butler_demo.mtproto.records import Message
from butler_demo.mtproto.views import View


def search(context: Context, request: functions.messages.SearchRequest) -> Any:
    """Messages that hold the words, in one conversation or (an empty peer) in private chats and groups."""
    everywhere = isinstance(request.peer, types.InputPeerEmpty)
    peer_id = None if everywhere else peer_id_of(context, request.peer)
    box = context.box if peer_id is None else context.box_for(peer_id)
    messages = box.visible(peer_id)
    if request.from_id is not None:
        author = find_account(context, request.from_id)
        if author is None:
            raise RpcFault(400, "INPUT_USER_DEACTIVATED")
        messages = [message for message in messages if message.from_id == author.id]
    if request.top_msg_id:
        messages = [message for message in messages if message.topic == request.top_msg_id]
    found = Conversation(lambda message_id: box.messages[message_id].date)
    for message in _matching(messages, request):
        found.add(message)
    page = [box.messages[i] for i in page_of(found, request)]
    return answer(context, box, page, len(found.ids))


def search_global(
    context: Context, request: functions.messages.SearchGlobalRequest
) -> types.messages.Messages | types.messages.MessagesSlice:
    """Messages that hold the words, in every conversation and channel of the caller, newest first."""
    state, view = context.state, View(context.state, context.account.id)
    if not request.q.strip() and isinstance(request.filter, types.InputMessagesFilterEmpty):
        raise RpcFault(400, "SEARCH_QUERY_EMPTY")
    channels = [channel.peer_id for channel in state.directory.channels_with(view.viewer_id)]
    boxes = [context.box, *map(state.store.box, channels)]
    found = [message for box in boxes for message in _matching(box.visible(), request)]
    found.sort(key=_place, reverse=True)
    offset = _offset(context, request)
    rest = found if offset is None else [message for message in found if _place(message) < offset]
    page = rest[: min(request.limit, LARGEST_PAGE)]
    content: dict[str, Any] = {
        "messages": [view.message(message) for message in page],
        "topics": [],
        **view.entities(page),
    }
    if len(page) == len(found):
        return types.messages.Messages(**content)
    next_rate = int(page[-1].date.timestamp()) if len(page) < len(rest) else None
    return types.messages.MessagesSlice(count=len(found), next_rate=next_rate, **content)


def _place(message: Message) -> tuple[int, int, int]:
    return int(message.date.timestamp()), message.peer_id, message.id


def _offset(context: Context, request: functions.messages.SearchGlobalRequest) -> tuple[int, int, int] | None:
    if not request.offset_rate:
        return None
    if isinstance(request.offset_peer, types.InputPeerEmpty):
        return request.offset_rate, 0, 0
    return request.offset_rate, peer_id_of(context, request.offset_peer), request.offset_id


def _matching(messages: Iterable[Message], request: Any) -> list[Message]:
    words, earliest, latest = request.q.casefold(), request.min_date, request.max_date
    return [
        message
        for message in messages
        if message.service is None
        and words in message.text.casefold()
        and _passes(message, request.filter)
        and (not is_set(earliest) or message.date >= earliest)
        and (not is_set(latest) or message.date <= latest)
    ]


def _passes(message: Message, wanted: Any) -> bool:
    if isinstance(wanted, types.InputMessagesFilterEmpty):
        return True
    if isinstance(wanted, types.InputMessagesFilterDocument):
        return message.media is not None and not message.media.is_photo
    if isinstance(wanted, types.InputMessagesFilterPhotos):
        return message.media is not None and message.media.is_photo
    raise RpcFault(400, "INPUT_FILTER_INVALID")


METHODS: Methods = {
    functions.messages.SearchRequest: search,
    functions.messages.SearchGlobalRequest: search_global,
}
