# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""The media of a message on its way in: an upload that is finished, or a file that is here already."""

from typing import Any

from telethon.tl import functions, types

from butler_demo.mtproto.context import Context, Methods
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.peers import peer_id_of
from butler_demo.mtproto.records import Media
from butler_demo.mtproto.views import View


def upload_media(
    context: Context, request: functions.messages.UploadMediaRequest
) -> types.MessageMediaPhoto | types.MessageMediaDocument:
    """Turn an upload into a file that albums can carry; nothing is sent."""
    peer_id_of(context, request.peer)
    return View(context.state, context.account.id).media(media_of(context, request.media), context.state.store.now())


def media_of(context: Context, media: Any) -> Media:
    """The file that an `InputMedia` means.

    Raises:
        RpcFault: FILE_PART_n_MISSING, FILE_REFERENCE_EXPIRED and the like, or MEDIA_INVALID.
    """
    if isinstance(media, types.InputMediaUploadedPhoto):
        return context.state.files.add(_uploaded(context, media.file), is_photo=True, mime_type="image/jpeg")
    if isinstance(media, types.InputMediaUploadedDocument):
        names = (getattr(attribute, "file_name", None) for attribute in media.attributes)
        return context.state.files.add(
            _uploaded(context, media.file),
            mime_type=media.mime_type,
            attributes=media.attributes,
            name=next(filter(None, names), None),
        )
    return known_media(context, media)


def known_media(context: Context, media: Any) -> Media:
    """The file that an `InputMediaDocument` or `InputMediaPhoto` means.

    Raises:
        RpcFault: the caller cannot prove to have seen it (MEDIA_EMPTY), or its reference is not good.
    """
    if not isinstance(media, types.InputMediaDocument | types.InputMediaPhoto):
        raise RpcFault(400, "MEDIA_INVALID")
    state, wanted = context.state, media.id
    if not isinstance(wanted, types.InputDocument | types.InputPhoto):
        raise RpcFault(400, "MEDIA_EMPTY")
    found = state.files.find(wanted.id)
    if found is None or wanted.access_hash != state.directory.file_hash(context.account.id, wanted.id):
        raise RpcFault(400, "MEDIA_EMPTY")
    state.files.check_reference(wanted.id, wanted.file_reference)
    return found


def _uploaded(context: Context, file: Any) -> bytes:
    if not isinstance(file, types.InputFile | types.InputFileBig):
        raise RpcFault(400, "MEDIA_INVALID")
    md5 = getattr(file, "md5_checksum", "")
    return context.state.files.finish(context.account.id, file.id, file.parts, md5)


METHODS: Methods = {functions.messages.UploadMediaRequest: upload_media}
