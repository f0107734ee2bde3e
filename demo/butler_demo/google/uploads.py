"""The three ways to send content to an `/upload/` address: media, multipart and resumable."""

import re
import secrets
from dataclasses import dataclass, field
from email.message import Message
from fnmatch import fnmatchcase

from butler_demo.google.description import Operation, Parameters
from butler_demo.google.errors import bad_request, not_found

_CONTENT_RANGE = re.compile(r"bytes (?:(\d+)-(\d+)|\*)/(\d+|\*)")
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_CHUNK_UNIT = 256 * 1024


@dataclass(frozen=True)
class Media:
    """Content that was uploaded."""

    data: bytes
    type: str


@dataclass(frozen=True)
class Upload:
    """What came with a request: the JSON text (may be empty) and the content beside it."""

    metadata: bytes
    media: Media | None


def read_upload(operation: Operation, upload_type: str, content_type: str, body: bytes) -> Upload:
    """Take a `media` or `multipart` body apart. Raises GoogleError 400."""
    if upload_type == "media":
        check_media_type(operation, content_type)
        return Upload(b"", Media(body, content_type))
    if upload_type == "multipart":
        return _read_multipart(operation, content_type, body)
    raise bad_request(f"Invalid upload request: unknown uploadType '{upload_type}'")


def check_media_type(operation: Operation, content_type: str) -> None:
    """Raise GoogleError 400 unless the operation takes content of this type."""
    kind = content_type.partition(";")[0].strip().lower()
    if not any(fnmatchcase(kind, pattern) for pattern in operation.accepts):
        valid = ", ".join(operation.accepts)
        raise bad_request(f"Media type '{kind}' is not supported. Valid media types: [{valid}]")


def _read_multipart(operation: Operation, content_type: str, body: bytes) -> Upload:
    header: Message[str, str] = Message()
    header["Content-Type"] = content_type
    boundary = header.get_boundary()
    if header.get_content_type() != "multipart/related" or not boundary:
        raise bad_request("Missing or malformed multipart/related content type")
    parts = [_BLANK_LINE.split(piece, maxsplit=1) for piece in split_parts(body, boundary)]
    if len(parts) != 2 or any(len(part) != 2 for part in parts):
        raise bad_request("Malformed multipart body: a JSON part and a media part are needed")
    (_, metadata), (media_head, media) = parts
    found = re.search(rb"(?im)^content-type:\s*([^\r\n]+)", media_head)
    kind = found.group(1).decode("latin-1").strip() if found else ""
    check_media_type(operation, kind)
    return Upload(metadata, Media(media, kind))


def split_parts(body: bytes, boundary: str) -> list[bytes]:
    """Return the parts of a multipart body, each with its headers."""
    line = rb"(?:^|\r?\n)--" + re.escape(boundary.encode()) + rb"(?:--)?[ \t]*(?:\r?\n|$)"
    return re.split(line, body)[1:-1]


@dataclass
class ResumableUpload:
    """An upload under way: the checked request that it belongs to and the bytes so far."""

    operation: Operation
    parameters: Parameters
    metadata: bytes
    type: str
    received: bytearray = field(default_factory=bytearray)

    def take(self, content_range: str, chunk: bytes) -> bool:
        """Add a chunk; return whether the content is complete. Raises GoogleError 400 for a gap or an odd size."""
        if not content_range:
            self.received += chunk
            return True
        found = _CONTENT_RANGE.fullmatch(content_range)
        if not found:
            raise bad_request(f"Invalid Content-Range: {content_range}")
        if chunk and (not found.group(1) or int(found.group(1)) != len(self.received)):
            raise bad_request("The chunk does not follow the bytes received so far")
        complete = found.group(3) == str(len(self.received) + len(chunk))
        if chunk and not complete and len(chunk) % _CHUNK_UNIT:
            raise bad_request(f"A chunk that is not the last has to be a multiple of {_CHUNK_UNIT} bytes")
        self.received += chunk
        return complete


class ResumableUploads:
    """All uploads under way, by upload id."""

    def __init__(self) -> None:
        self._uploads: dict[str, ResumableUpload] = {}

    def begin(self, upload: ResumableUpload) -> str:
        """Keep a new upload and return its id."""
        upload_id = secrets.token_urlsafe(16)
        self._uploads[upload_id] = upload
        return upload_id

    def get(self, upload_id: str) -> ResumableUpload:
        """Return an upload under way. Raises GoogleError 404."""
        if upload_id not in self._uploads:
            raise not_found()
        return self._uploads[upload_id]

    def finish(self, upload_id: str) -> Upload:
        """Take the complete upload out."""
        upload = self._uploads.pop(upload_id)
        return Upload(upload.metadata, Media(bytes(upload.received), upload.type))
