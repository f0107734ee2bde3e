"""Files as a message holds them: document, photo, voice."""

from .errors import ApiError, bad_request
from .records import Json, StoredFile, Upload
from .state import State

UPLOAD_LIMIT = 50 * 2**20
PHOTO_LIMIT = 10 * 2**20
DOWNLOAD_LIMIT = 20 * 2**20
_PHOTO_MAGIC = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"RIFF")
_PNG_SIZE = slice(16, 24)


def stored_file(state: State, given: Upload | str, folder: str) -> StoredFile:
    """A new upload, or a file named by its id; raises ApiError for an unknown id and for an address."""
    if isinstance(given, Upload):
        return state.store_file(given, folder)
    if given.startswith(("http://", "https://")):
        raise bad_request("failed to get HTTP URL content")
    if given not in state.files:
        raise bad_request("wrong file identifier/HTTP URL specified")
    return state.files[given]


def document(state: State, given: Upload | str) -> Json:
    stored = stored_file(state, given, "documents")
    upload = stored.upload
    return {"document": _described(stored, file_name=upload.filename, mime_type=upload.content_type)}


def photo(state: State, given: Upload | str) -> Json:
    """Two sizes of a photo, the largest last; raises ApiError for what is no picture."""
    stored = stored_file(state, given, "photos")
    picture = stored.upload.content
    if len(picture) > PHOTO_LIMIT:
        raise ApiError(413, "Request Entity Too Large")
    if not picture.startswith(_PHOTO_MAGIC):
        raise bad_request("IMAGE_PROCESS_FAILED")
    width, height = _dimensions(picture)
    small = state.store_file(stored.upload, "photos")
    thumbnail = _described(small, width=max(1, min(width, 90)), height=max(1, min(height, 90)))
    return {"photo": [thumbnail, _described(stored, width=width, height=height)]}


def voice(state: State, upload: Upload, seconds: int) -> Json:
    stored = state.store_file(upload, "voice")
    return {"voice": _described(stored, duration=seconds, mime_type=upload.content_type)}


def _described(stored: StoredFile, **details: str | int) -> Json:
    return {
        "file_id": stored.file_id,
        "file_unique_id": stored.unique_id,
        **details,
        "file_size": len(stored.upload.content),
    }


def _dimensions(picture: bytes) -> tuple[int, int]:
    """Width and height of a PNG; a usual phone picture for the other formats."""
    if not picture.startswith(_PHOTO_MAGIC[0]):
        return 1280, 960
    size = picture[_PNG_SIZE]
    return int.from_bytes(size[:4]), int.from_bytes(size[4:])
