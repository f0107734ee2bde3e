# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""messages.send*, edit*, delete*: what changes the message store."""

from datetime import datetime
from typing import Any

from telethon.tl import functions, types

from butler.demo.mtproto.context import Context, Methods
from butler.demo.mtproto.errors import RpcFault
from butler.demo.mtproto.message_box import MessageBox
from butler.demo.mtproto.peers import peer_id_of
from butler.demo.mtproto.records import Forward, Media, Message
from butler.demo.mtproto.store import Draft, utf16_units
from butler.demo.mtproto.views import View


def send_message(
    context: Context, request: functions.messages.SendMessageRequest
) -> types.UpdateShortSentMessage | types.Updates:
    """Deliver a text once per random id."""
    draft = _draft(context, request)
    message = context.state.store.post(draft)
    if message.peer_id < 0:
        return _sent(context, [message])
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
    if request.random_id in context.box.id_by_random_id:
        # Before the upload is taken: its parts were used up the first time.
        raise RpcFault(500, "RANDOM_ID_DUPLICATE")
    draft = _draft(context, request, _media(context, request.media))
    return _sent(context, [context.state.store.post(draft)])


def forward_messages(context: Context, request: functions.messages.ForwardMessagesRequest) -> types.Updates:
    """Deliver copies that name their first author."""
    _refuse_schedule(request.schedule_date)
    source, target = peer_id_of(context, request.from_peer), peer_id_of(context, request.to_peer)
    originals = [context.box.find(message_id) for message_id in request.id]
    if len(request.random_id) != len(originals):
        raise RpcFault(400, "RANDOM_ID_INVALID")
    sent: list[Message] = []
    for original, random_id in zip(originals, request.random_id, strict=True):
        if original is None or original.peer_id != source:
            raise RpcFault(400, "MESSAGE_ID_INVALID")
        draft = Draft(
            from_id=context.account.id,
            peer_id=target,
            text=original.text,
            random_id=_checked_random_id(random_id),
            media=original.media,
            forward=original.forward or Forward(original.from_id, original.date),
            entities=original.entities,
        )
        sent.append(context.state.store.post(draft))
    return _sent(context, sent)


def edit_message(context: Context, request: functions.messages.EditMessageRequest) -> types.Updates:
    """Change the text of an own message, or the caption of an own file."""
    _refuse_schedule(request.schedule_date)
    peer_id = peer_id_of(context, request.peer)
    box = context.box
    message = box.find(request.id)
    if message is None or message.peer_id != peer_id:
        raise RpcFault(400, "MESSAGE_ID_INVALID")
    if request.media is not None:
        raise RpcFault(400, "MEDIA_INVALID")
    text = request.message or ""
    context.state.store.edit(context.account.id, request.id, text, _entities(text, request.entities))
    return View(context.state, context.account.id).updates(box, box.events[-1:])


def delete_messages(
    context: Context, request: functions.messages.DeleteMessagesRequest
) -> types.messages.AffectedMessages:
    """Delete for the caller, or (revoke) for everybody."""
    account_id, store = context.account.id, context.state.store
    count = store.delete(account_id, request.id, for_everyone=bool(request.revoke))
    return types.messages.AffectedMessages(pts=context.box.pts, pts_count=count)


def set_typing(context: Context, request: functions.messages.SetTypingRequest) -> bool:
    """Nobody is told, but the peer must be one that the caller may address."""
    return peer_id_of(context, request.peer) != 0


def _draft(context: Context, request: Any, media: Media | None = None) -> Draft:
    _refuse_schedule(request.schedule_date)
    return Draft(
        from_id=context.account.id,
        peer_id=peer_id_of(context, request.peer),
        text=request.message,
        random_id=_checked_random_id(request.random_id),
        reply_to=_replied_origin(context.box, request.reply_to),
        media=media,
        entities=_entities(request.message, request.entities),
    )


def _sent(context: Context, messages: list[Message]) -> types.Updates:
    """The answer to what sends whole messages: which random id became which message, and the messages."""
    box = context.box
    ids = [types.UpdateMessageID(message.id, message.random_id or 0) for message in messages]
    events = box.events[-len(messages) :]  # one for each message
    return View(context.state, context.account.id).updates(box, events, first=ids)


def _refuse_schedule(date: datetime | None) -> None:
    """Nothing is sent later here; saying so is better than sending now."""
    if date is not None:
        raise RpcFault(400, "SCHEDULE_DATE_INVALID")


def _checked_random_id(random_id: int | None) -> int:
    if not random_id:
        raise RpcFault(400, "RANDOM_ID_EMPTY")
    return random_id


def _replied_origin(box: MessageBox, reply_to: Any) -> int | None:
    if reply_to is None:
        return None
    message = box.find(getattr(reply_to, "reply_to_msg_id", 0))
    if message is None:
        raise RpcFault(400, "MESSAGE_ID_INVALID")
    return message.origin


def _entities(text: str, entities: list[Any] | None) -> tuple[Any, ...]:
    length = utf16_units(text)
    for entity in entities or ():
        if entity.offset < 0 or entity.length <= 0 or entity.offset + entity.length > length:
            raise RpcFault(400, "ENTITY_BOUNDS_INVALID")
    return tuple(entities or ())


def _media(context: Context, media: Any) -> Media:
    if isinstance(media, types.InputMediaUploadedPhoto):
        file_id, size = _finish_upload(context, media.file)
        return Media(file_id, is_photo=True, mime_type="image/jpeg", size=size)
    if isinstance(media, types.InputMediaUploadedDocument):
        file_id, size = _finish_upload(context, media.file)
        names = (getattr(attribute, "file_name", None) for attribute in media.attributes)
        return Media(
            file_id,
            is_photo=False,
            mime_type=media.mime_type,
            size=size,
            attributes=tuple(media.attributes),
            name=next(filter(None, names), None),
        )
    if isinstance(media, types.InputMediaDocument | types.InputMediaPhoto):
        candidates = (message.media for message in context.box.visible() if message.media)
        known = next((item for item in candidates if item.file_id == getattr(media.id, "id", None)), None)
        if known is not None:
            return known
    raise RpcFault(400, "MEDIA_INVALID")


def _finish_upload(context: Context, file: Any) -> tuple[int, int]:
    if not isinstance(file, types.InputFile | types.InputFileBig):
        raise RpcFault(400, "MEDIA_INVALID")
    return context.state.files.finish(context.account.id, file.id, file.parts)


METHODS: Methods = {
    functions.messages.SendMessageRequest: send_message,
    functions.messages.SendMediaRequest: send_media,
    functions.messages.ForwardMessagesRequest: forward_messages,
    functions.messages.EditMessageRequest: edit_message,
    functions.messages.DeleteMessagesRequest: delete_messages,
    functions.messages.SetTypingRequest: set_typing,
}
