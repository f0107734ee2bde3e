# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""The media of a message on its way in: an upload that is finished, or a file that is here already."""

from typing import Any

from telethon.tl import types

from butler.demo.mtproto.context import Context
from butler.demo.mtproto.errors import RpcFault
from butler.demo.mtproto.records import Media


def media_of(context: Context, media: Any) -> Media:
    """The file that an `InputMedia` means."""
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
