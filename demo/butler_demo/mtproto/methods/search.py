# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""messages.search: words in one conversation."""

from typing import Any

from telethon.tl import functions, types

from butler_demo.mtproto.context import Context, Methods
from butler_demo.mtproto.conversation import Conversation
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.methods.history import answer, is_set, page_of
from butler_demo.mtproto.peers import peer_id_of
from butler_demo.mtproto.records import Message


def search(context: Context, request: functions.messages.SearchRequest) -> Any:
    """Messages of one conversation or topic that hold the words."""
    if request.from_id is not None or not isinstance(request.filter, types.InputMessagesFilterEmpty):
        raise RpcFault(400, "INPUT_FILTER_INVALID")  # Telegram has them, the data centre does not
    peer_id = peer_id_of(context, request.peer)
    box = context.box_for(peer_id)
    found = Conversation()
    for message in box.visible(peer_id):
        if _matches(message, request):
            found.add(message)
    page = [box.messages[i] for i in page_of(found, request)]
    return answer(context, box, page, len(found.ids))


def _matches(message: Message, request: Any) -> bool:
    return (
        message.service is None
        and request.q.casefold() in message.text.casefold()
        and (not request.top_msg_id or message.topic == request.top_msg_id)
        and (not is_set(request.min_date) or message.date >= request.min_date)
        and (not is_set(request.max_date) or message.date <= request.max_date)
    )


METHODS: Methods = {functions.messages.SearchRequest: search}
