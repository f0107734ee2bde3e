# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""messages.sendMessage and sendMedia: what puts messages into the store."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from telethon.tl import functions, types

from butler_demo.mtproto.context import Context, Methods
from butler_demo.mtproto.directory import Directory
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.event_log import Event, EventKind
from butler_demo.mtproto.ids import is_channel
from butler_demo.mtproto.methods.media import media_of
from butler_demo.mtproto.peers import peer_id_of
from butler_demo.mtproto.records import Forward, Media, Message
from butler_demo.mtproto.store import Draft, utf16_units
from butler_demo.mtproto.update_views import update, updates
from butler_demo.mtproto.views import View


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message stands: the origin of what it answers, and the forum topic."""

    reply_to: int | None = None
    topic: int | None = None


def send_message(
    context: Context, request: functions.messages.SendMessageRequest
) -> types.UpdateShortSentMessage | types.Updates:
    """Deliver a text once per random id."""
    [message] = post(context, [_draft(context, request)])
    if message.peer_id < 0:
        return sent(context, [message])
    return types.UpdateShortSentMessage(
        out=True,
        id=message.id,
        pts=context.box.pts,
        pts_count=1,
        date=message.date,
        entities=list(message.entities) or None,
    )


def send_media(context: Context, request: functions.messages.SendMediaRequest) -> types.Updates:
    """Deliver an uploaded file, or one that a message already has, once per random id."""
    return sent(context, post(context, [_draft(context, request, media_of(context, request.media))]))


def refuse_schedule(date: datetime | None) -> None:
    """Nothing is sent later here; saying so is better than sending now."""
    if date is not None:
        raise RpcFault(400, "SCHEDULE_DATE_INVALID")


def checked_entities(text: str, entities: list[Any] | None) -> tuple[Any, ...]:
    """The entities of a text, each within its bounds."""
    length = utf16_units(text)
    for entity in entities or ():
        if entity.offset < 0 or entity.length <= 0 or entity.offset + entity.length > length:
            raise RpcFault(400, "ENTITY_BOUNDS_INVALID")
    return tuple(entities or ())


def _draft(context: Context, request: Any, media: Media | None = None) -> Draft:
    refuse_schedule(request.schedule_date)
    peer_id = peer_id_of(context, request.peer)
    place = place_of(context, peer_id, request.reply_to)
    return Draft(
        from_id=context.account.id,
        peer_id=peer_id,
        text=request.message,
        random_id=checked_random_id(request.random_id),
        media=media,
        entities=checked_entities(request.message, request.entities),
        reply_to=place.reply_to,
        topic=place.topic,
    )


def post(context: Context, drafts: list[Draft]) -> list[Message]:
    """Deliver what a client sends; a random id that was used comes before the pace of slow mode."""
    account_id, state = context.account.id, context.state
    state.store.check_random_ids(account_id, [draft.random_id for draft in drafts if draft.random_id is not None])
    channel = state.directory.channel_of(drafts[0].peer_id)
    if channel is not None:
        channel.check_pace(account_id, state.store.now())
    return state.store.post_all(drafts)


def sent(context: Context, messages: list[Message]) -> types.Updates:
    """The answer to what sends whole messages: which random id became which message, and the messages."""
    view = View(context.state, context.account.id)
    box = context.box_for(messages[0].peer_id)
    first: list[Any] = [types.UpdateMessageID(message.id, message.random_id or 0) for message in messages]
    if is_channel(box.owner_id):
        first.append(update(view, Event(EventKind.READ, box.owner_id, messages[-1].id, box.pts)))
    return updates(view, box.log.last(len(messages)), first)


def new_album() -> int:
    """What the messages of one album share."""
    return secrets.randbits(62)


def checked_random_id(random_id: int | None) -> int:
    """A random id that is there; every send needs one."""
    if not random_id:
        raise RpcFault(400, "RANDOM_ID_EMPTY")
    return random_id


def place_of(context: Context, peer_id: int, reply_to: Any) -> Place:
    """What a send answers and in which topic it stands.

    Raises:
        RpcFault: TOPIC_DELETED, REPLY_TO_INVALID for an answer to another conversation, or MESSAGE_ID_INVALID.
    """
    if reply_to is None:
        return Place()
    if not isinstance(reply_to, types.InputReplyToMessage) or reply_to.reply_to_peer_id is not None:
        raise RpcFault(400, "REPLY_TO_INVALID")
    box, channel = context.box_for(peer_id), context.state.directory.channel_of(peer_id)
    message_id = reply_to.reply_to_msg_id
    if channel is not None and channel.is_forum and message_id in channel.topics:
        return Place(topic=message_id)
    message = box.find(message_id)
    if message is None or message.peer_id != peer_id:
        raise RpcFault(400, "MESSAGE_ID_INVALID")
    return Place(message.origin, reply_to.top_msg_id or message.topic)


def first_author(directory: Directory, original: Message) -> Forward:
    """Whom a forward of this message names: who wrote it first, or the channel whose post it is."""
    if original.forward is not None:
        return original.forward
    channel = directory.channel_of(original.peer_id)
    if channel is not None and channel.is_broadcast:
        return Forward(channel.peer_id, original.date, post=original.id)
    return Forward(original.from_id, original.date)


METHODS: Methods = {
    functions.messages.SendMessageRequest: send_message,
    functions.messages.SendMediaRequest: send_media,
}
