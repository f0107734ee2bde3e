# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""messages.sendMultiMedia: several files as one album."""

from typing import Any

from telethon.tl import functions, types

from butler_demo.mtproto.context import Context, Methods
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.methods.media import known_media
from butler_demo.mtproto.methods.sending import (
    checked_entities,
    checked_random_id,
    new_album,
    place_of,
    post,
    refuse_schedule,
    sent,
)
from butler_demo.mtproto.peers import peer_id_of
from butler_demo.mtproto.records import Media
from butler_demo.mtproto.store import Draft

_LARGEST_ALBUM = 10


def send_multi_media(context: Context, request: functions.messages.SendMultiMediaRequest) -> types.Updates:
    """Deliver up to ten files that share an album, each once per random id, all or none."""
    refuse_schedule(request.schedule_date)
    items: list[Any] = request.multi_media
    if not items:
        raise RpcFault(400, "MEDIA_EMPTY")
    if len(items) > _LARGEST_ALBUM:
        raise RpcFault(400, "MULTI_MEDIA_TOO_LONG")
    peer_id = peer_id_of(context, request.peer)
    files = [_file(context, index, item) for index, item in enumerate(items)]
    if len({kind_of(file) for file in files}) > 1:
        raise RpcFault(400, "MEDIA_GROUPED_INVALID")
    place, album = place_of(context, peer_id, request.reply_to), new_album()
    drafts = [
        Draft(
            from_id=context.account.id,
            peer_id=peer_id,
            text=item.message,
            random_id=checked_random_id(item.random_id),
            media=file,
            entities=checked_entities(item.message, item.entities),
            album=album,
            reply_to=place.reply_to,
            topic=place.topic,
        )
        for item, file in zip(items, files, strict=True)
    ]
    return sent(context, post(context, drafts))


def kind_of(media: Media) -> str:
    """With what a file may stand in one album: pictures with videos, sound with sound, other files with such."""
    attributes = media.attributes
    if media.is_photo or any(isinstance(a, types.DocumentAttributeVideo) for a in attributes):
        return "pictures"
    return "sound" if any(isinstance(a, types.DocumentAttributeAudio) for a in attributes) else "files"


def _file(context: Context, index: int, item: Any) -> Media:
    try:
        return known_media(context, item.media)
    except RpcFault as fault:
        # Telegram names the place in the album of a file whose reference is not good.
        numbered = fault.message.replace("FILE_REFERENCE_", f"FILE_REFERENCE_{index}_")
        raise RpcFault(fault.code, numbered) from fault


METHODS: Methods = {functions.messages.SendMultiMediaRequest: send_multi_media}
