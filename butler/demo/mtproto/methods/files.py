# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""upload.*: parts of files in, pieces of files out."""

from telethon.tl import functions, types

from butler.demo.mtproto.context import Context, Methods
from butler.demo.mtproto.errors import RpcFault

_LARGEST_PIECE = 1024 * 1024


def save_file_part(
    context: Context,
    request: functions.upload.SaveFilePartRequest | functions.upload.SaveBigFilePartRequest,
) -> bool:
    """Keep one part of an upload."""
    context.state.files.save_part(context.account.id, request.file_id, request.file_part, request.bytes)
    return True


def get_file(context: Context, request: functions.upload.GetFileRequest) -> types.upload.File:
    """A piece of a document or a photo that one of the caller's messages carries."""
    location = request.location
    if not isinstance(location, types.InputDocumentFileLocation | types.InputPhotoFileLocation):
        raise RpcFault(400, "LOCATION_INVALID")
    if request.offset < 0 or not 0 < request.limit <= _LARGEST_PIECE:
        raise RpcFault(400, "LIMIT_INVALID")
    media = [message.media for message in context.box.visible() if message.media]
    if location.id not in {item.file_id for item in media}:
        raise RpcFault(400, "FILE_ID_INVALID")
    data = context.state.files.read(location.id, request.offset, request.limit)
    return types.upload.File(type=types.storage.FileUnknown(), mtime=0, bytes=data)


METHODS: Methods = {
    functions.upload.SaveFilePartRequest: save_file_part,
    functions.upload.SaveBigFilePartRequest: save_file_part,
    functions.upload.GetFileRequest: get_file,
}
