# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""upload.*: parts of files in, pieces of files out."""

from telethon.tl import functions, types

from butler_demo.mtproto.context import Context, Methods
from butler_demo.mtproto.errors import RpcFault

_LARGEST_PIECE = 1024 * 1024
_STEP, _PRECISE_STEP = 4096, 1024


def save_file_part(
    context: Context,
    request: functions.upload.SaveFilePartRequest | functions.upload.SaveBigFilePartRequest,
) -> bool:
    """Keep one part of an upload."""
    context.state.files.save_part(context.account.id, request.file_id, request.file_part, request.bytes)
    return True


def get_file(context: Context, request: functions.upload.GetFileRequest) -> types.upload.File:
    """A piece of a document or a photo, to whom shows its access hash and its reference."""
    location = request.location
    if not isinstance(location, types.InputDocumentFileLocation | types.InputPhotoFileLocation):
        raise RpcFault(400, "LOCATION_INVALID")
    _check_piece(request)
    state = context.state
    media = state.files.find(location.id)
    if media is None or location.access_hash != state.directory.file_hash(context.account.id, location.id):
        raise RpcFault(400, "FILE_ID_INVALID")
    is_photo = isinstance(location, types.InputPhotoFileLocation)
    if is_photo is not media.is_photo or (location.thumb_size and not is_photo):
        raise RpcFault(400, "LOCATION_INVALID")  # the documents here have no thumbnails
    state.files.check_reference(location.id, location.file_reference)
    data = state.files.read(location.id, request.offset, request.limit)
    kind = types.storage.FileJpeg() if is_photo else types.storage.FileUnknown()
    return types.upload.File(type=kind, mtime=0, bytes=data)


def _check_piece(request: functions.upload.GetFileRequest) -> None:
    """A piece starts and ends on whole steps, within one megabyte."""
    offset, limit, step = request.offset, request.limit, _PRECISE_STEP if request.precise else _STEP
    if offset < 0 or offset % step:
        raise RpcFault(400, "OFFSET_INVALID")
    fits = 0 < limit <= _LARGEST_PIECE and limit % step == 0 and (request.precise or _LARGEST_PIECE % limit == 0)
    if not fits or offset // _LARGEST_PIECE != (offset + limit - 1) // _LARGEST_PIECE:
        raise RpcFault(400, "LIMIT_INVALID")


METHODS: Methods = {
    functions.upload.SaveFilePartRequest: save_file_part,
    functions.upload.SaveBigFilePartRequest: save_file_part,
    functions.upload.GetFileRequest: get_file,
}
